/* SPDX-License-Identifier: Apache-2.0 */
/* dca_cases.h -- closed loops that are closed: poses first, then joint frames that meet there; speeds that
   satisfy all constraints; and the dense solution in the coordinates of all bodies,

     M A - J^T lambda = f,   J A = gamma     =>     (J M^-1 J^T) lambda = gamma - J M^-1 f

   with M, A, f about the centres of mass and the pseudo-inverse from a dense eigenvalue problem. */
#ifndef DCA_CASES_H
#define DCA_CASES_H
#include "linalg/eigen.h"
#include "model/model.h"
#include "lwt.h"
#include "lwt_shape.h"
#include "linkwork/dca.h"

typedef struct {
  unsigned seed;
  int nbody, nloop, nconstraint; /* closing joints and constraints besides a tree of joints */
  double branching;
  bool floating, hub; /* hub: every joint is on body 1 */
  /* or: `flat` revolute joints with parallel axes, perpendicular to a plane that lies anyhow */
  int flat;
  const int *flat_from, *flat_to;
  bool same_place; /* joints between the same two bodies are the same */
} dca_recipe;

typedef struct {
  lw_model *m;
  int nbody, nrow, rank;
  double *q, *u, *tau; /* of the tree */
  double *A, *udot;    /* the solution: [6 nbody] of body origins, [nu] */
  double *lambda,
      *range; /* [nrow] of all joints, then all constraints; [nrow][nrow] determined part */
  /* a jump: as in lw_dca_before, its result, and its multipliers */
  double (*V)[6], (*impulse)[6], (*joint_rate)[6], (*constraint_rate)[6], (*jump)[6];
  double *jump_lambda;
} dca_case;

enum { DCA_MOST = 160 };

/* ---- geometry ---- */

static lwi_frame dca_random_frame(lwt_random *r)
{
  double axis[3];
  lwt_unit_vector(r, axis);
  const double half = lwt_uniform(r, -1.5, 1.5), s = sin(half);
  const double e[4] = {cos(half), s * axis[0], s * axis[1], s * axis[2]};
  lwi_frame X = {.R = rot_from_quat(e)};
  for (int i = 0; i < 3; i++)
    X.p[i] = lwt_uniform(r, -1, 1);
  return X;
}

static lw_place dca_place(lwi_frame body, lwi_frame joint)
{
  const lwi_frame X = lwi_frame_mul(lwi_frame_inverse(body), joint);
  lw_place p = {.at = {X.p[0], X.p[1], X.p[2]}, .orient = {.type = LW_ORIENT_QUAT}};
  quat_from_rot(X.R, p.orient.value);
  return p;
}

static void dca_add_body(lw_spec *s, lwt_random *r, int i, lwi_frame pose, bool base)
{
  char name[16];
  snprintf(name, sizeof name, "b%d", i);
  lw_body_desc b = {.name = name, .mass = lwt_uniform(r, 0.5, 2)};
  lw_start start = {.pose = dca_place(lwi_frame_identity(), pose)};
  for (int k = 0; k < 3; k++)
    b.com[k] = lwt_uniform(r, -0.3, 0.3);
  for (int k = 0; k < 3; k++)
    b.inertia[k] = lwt_uniform(r, 0.2, 0.3);
  for (int k = 3; k < 6; k++)
    b.inertia[k] = lwt_uniform(r, -0.03, 0.03);
  if (base) b.start = &start;
  lw_add_body(s, &b);
}

static lw_joint_desc dca_joint(lwt_random *r, lw_joint_type type, int parent, int child,
                               const lwi_frame *pose)
{
  lw_joint_desc j = {
      .type = type, .parent = {parent}, .child = {child}, .has_q = true, .has_u = true};
  lwt_unit_vector(r, j.axis);
  lwt_unit_vector(r, j.axis2);
  lwt_gimbal_axes(type, j.axis, j.axis2, j.axis3);
  j.pitch = lwt_uniform(r, 0.1, 0.4);
  for (int k = 0; k < 7; k++)
    j.q[k] = lwt_uniform(r, -1, 1);
  if (type == LW_SPHERICAL) {
    const double n = sqrt(j.q[0] * j.q[0] + dot3(j.q + 1, j.q + 1));
    for (int k = 0; k < 4; k++)
      j.q[k] /= n;
  }
  const lwi_joint_shape shape = lwt_joint_shape(&j, false);
  const lwi_frame A = dca_random_frame(r), B = lwi_frame_mul(A, lwi_joint_pose(&shape, j.q));
  j.place = dca_place(pose[parent], A);
  j.child_place = dca_place(pose[child], B);
  return j;
}

static void dca_name_and_add(lw_spec *s, lw_joint_desc *j, int number)
{
  char name[16];
  snprintf(name, sizeof name, "j%d", number);
  j->name = name;
  lw_add_joint(s, j);
}

/* two frames that satisfy the constraint */
static lw_constraint_desc dca_constraint(lwt_random *r, int parent, int child,
                                         const lwi_frame *pose)
{
  static const lw_constraint_type types[] = {LW_DISTANCE, LW_POINT_ON_LINE, LW_POINT_ON_PLANE,
                                             LW_PARALLEL, LW_PERPENDICULAR};
  lw_constraint_desc c = {.type = types[lwt_pick(r, 5)], .parent = {parent}, .child = {child}};
  const lwi_frame A = dca_random_frame(r);
  lwi_frame B = dca_random_frame(r);
  const double x = lwt_uniform(r, -1, 1), y = lwt_uniform(r, -1, 1);
  for (int i = 0; i < 3; i++) {
    if (c.type == LW_POINT_ON_LINE) B.p[i] = A.p[i] + x * A.R.c[2][i];
    if (c.type == LW_POINT_ON_PLANE) B.p[i] = A.p[i] + x * A.R.c[0][i] + y * A.R.c[1][i];
  }
  const double e[4] = {cos(x), 0, 0, sin(x)}, k[4] = {cos(y), sin(y), 0, 0};
  if (c.type == LW_PARALLEL) B.R = rot_mul(A.R, rot_from_quat(e));
  if (c.type == LW_PERPENDICULAR) B.R = rot_mul(rot_mul(A.R, rot_from_quat(e)), rot_from_quat(k));
  double d[3] = {B.p[0] - A.p[0], B.p[1] - A.p[1], B.p[2] - A.p[2]};
  c.length = norm3(d);
  c.place = dca_place(pose[parent], A);
  c.child_place = dca_place(pose[child], B);
  return c;
}

/* ---- models ---- */

static const lw_joint_type dca_types[] = {LW_REVOLUTE,  LW_UNIVERSAL, LW_GIMBAL, LW_CYLINDRICAL,
                                          LW_PRISMATIC, LW_HELICAL,   LW_PLANAR, LW_SPHERICAL};

static void dca_add_random(lw_spec *s, lwt_random *r, const dca_recipe *d, const lwi_frame *pose)
{
  int n = 0;
  char name[16];
  for (int i = d->floating ? 2 : 1; i <= d->nbody; i++) {
    const int parent = d->hub                                ? (i > 1)
                       : lwt_uniform(r, 0, 1) < d->branching ? lwt_pick(r, i)
                                                             : i - 1;
    const int on = d->floating && parent == 0 ? 1 : parent;
    const bool back = lwt_pick(r, 3) == 0;
    lw_joint_desc j = dca_joint(r, dca_types[lwt_pick(r, 8)], back ? i : on, back ? on : i, pose);
    dca_name_and_add(s, &j, ++n);
  }
  for (int k = 0; k < d->nloop; k++) {
    const int a = d->hub ? 1 : lwt_pick(r, d->nbody + 1);
    const int b = (a + 1 + lwt_pick(r, d->nbody)) % (d->nbody + 1);
    if (d->floating && (a == 0 || b == 0)) continue;
    lw_joint_desc j = dca_joint(r, dca_types[lwt_pick(r, 8)], a, b, pose);
    j.cut = true;
    dca_name_and_add(s, &j, ++n);
  }
  for (int k = 0; k < d->nconstraint; k++) {
    const int a = lwt_pick(r, d->nbody + 1), b = (a + 1 + lwt_pick(r, d->nbody)) % (d->nbody + 1);
    lw_constraint_desc c = dca_constraint(r, a, b, pose);
    snprintf(name, sizeof name, "c%d", k + 1);
    c.name = name;
    lw_add_constraint(s, &c);
  }
}

static void dca_add_flat(lw_spec *s, lwt_random *r, const dca_recipe *d, const lwi_frame *pose)
{
  const lwi_frame plane = dca_random_frame(r);
  lwi_frame A[16];
  for (int k = 0; k < d->flat; k++) {
    const double at[3] = {lwt_uniform(r, -2, 2), lwt_uniform(r, -2, 2), 0};
    A[k] = plane;
    lwi_frame_point(plane, at, A[k].p);
    for (int l = 0; l < k && d->same_place; l++)
      if (d->flat_from[l] == d->flat_from[k] && d->flat_to[l] == d->flat_to[k]) A[k] = A[l];
    lw_joint_desc j = {.type = LW_REVOLUTE, .parent = {d->flat_from[k]}, .child = {d->flat_to[k]}};
    j.place = dca_place(pose[j.parent.id], A[k]);
    j.child_place = dca_place(pose[j.child.id], A[k]);
    dca_name_and_add(s, &j, k + 1);
  }
}

/* ---- the dense solution ---- */

typedef struct {
  int nbody, nrow;
  const lw_model *m;
  lwi_frame *pose;   /* [nbody + 1] */
  double *V;         /* [6 (nbody + 1)] of body origins */
  double *J, *MJ;    /* [nrow][6 nbody] rows, and the same times M^-1 */
  double *gamma, *S; /* [nrow], [nrow][nrow] J M^-1 J^T */
} dca_dense;

/* A = M^-1 f for a body, about its origin; lwi_link has the inertia about the link's origin */
static void dca_inverse_inertia(const dca_dense *x, int body, double Minv[6][6])
{
  const lwi_body *b = &x->m->body[body];
  const lwi_link *L = &x->m->link[b->link];
  const rot3 R = rot_mul(x->pose[body].R, rot_transpose(b->R)); /* link axes */
  double M[36] = {0}, c[3], o[3];
  for (int i = 0; i < 3; i++)
    o[i] = L->h[i] / L->mass - b->p[i]; /* body origin to centre */
  rot_mulv(R, o, c);
  double h[3];
  for (int i = 0; i < 3; i++)
    h[i] = L->h[i] / L->mass;
  rot3 J = L->J;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      J.c[j][i] += L->mass * (h[i] * h[j] - (i == j ? dot3(h, h) : 0)) +
                   L->mass * ((i == j ? dot3(o, o) : 0) - o[i] * o[j]);
  const rot3 I = rot_mul(rot_mul(R, J), rot_transpose(R));
  const double C[3][3] = {{0, -c[2], c[1]}, {c[2], 0, -c[0]}, {-c[1], c[0], 0}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      M[6 * i + j] = I.c[j][i];
      M[6 * i + 3 + j] = L->mass * C[i][j];
      M[6 * (3 + j) + i] = L->mass * C[i][j];
      M[6 * (3 + i) + 3 + j] = i == j ? L->mass : 0;
    }
  double E[36], value[6];
  lwi_symmetric_eigen(6, M, E, value);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      Minv[i][j] = 0;
      for (int k = 0; k < 6; k++)
        Minv[i][j] += E[6 * k + i] * E[6 * k + j] / value[k];
    }
}

static void dca_rows(dca_dense *x, const lwi_equations *e, int parent, int child,
                     const lwi_frame *place, const lwi_frame *child_place, bool store)
{
  const lwi_frame A = lwi_frame_mul(x->pose[parent], *place);
  const lwi_frame B = lwi_frame_mul(x->pose[child], *child_place);
  const size_t n = 6 * (size_t)x->nbody;
  double J[2][6][6], gamma[6], V[2][6];
  const int body[2] = {parent, child};
  const lwi_frame *F[2] = {&A, &B};
  double o[2][3], turn[3];
  for (int k = 0; k < 2; k++) {
    const double *Vk = x->V + 6 * body[k];
    for (int i = 0; i < 3; i++)
      o[k][i] = F[k]->p[i] - x->pose[body[k]].p[i];
    cross3(Vk, o[k], turn);
    for (int i = 0; i < 3; i++)
      V[k][i] = Vk[i], V[k][3 + i] = Vk[3 + i] + turn[i];
  }
  lwi_equations_jacobian(e, &A, &B, J[0], J[1]);
  lwi_equations_gamma(e, &A, &B, V[0], V[1], gamma);
  for (int r = 0; r < e->n; r++) {
    double *row = x->J + n * (size_t)(x->nrow + r);
    for (int k = 0; k < 2 && store; k++) {
      double arm[3], swing[3];
      cross3(o[k], J[k][r] + 3, arm);
      cross3(V[k], o[k], swing);
      cross3(V[k], swing, swing);
      gamma[r] -= dot3(J[k][r] + 3, swing);
      if (body[k] == 0) continue;
      for (int i = 0; i < 3; i++) {
        row[6 * (body[k] - 1) + i] += J[k][r][i] + arm[i];
        row[6 * (body[k] - 1) + 3 + i] += J[k][r][3 + i];
      }
    }
    x->gamma[x->nrow + r] = gamma[r];
  }
  x->nrow += e->n;
}

static void dca_fill(dca_dense *x)
{
  const lw_model *m = x->m;
  const int n = 6 * x->nbody;
  x->nrow = 0;
  memset(x->J, 0, sizeof(double) * DCA_MOST * (size_t)n);
  for (int j = 1; j <= m->njoint; j++) {
    const lwi_joint *k = &m->joint[j];
    dca_rows(x, &k->equations, k->info.parent.id, k->info.child.id, &k->place, &k->child_place,
             true);
  }
  for (int j = 1; j <= m->nconstraint; j++) {
    const lwi_constraint *k = &m->constraint[j];
    dca_rows(x, &k->equations, k->info.parent.id, k->info.child.id, &k->place, &k->child_place,
             true);
  }
  assert_true(x->nrow <= DCA_MOST);
  for (int b = 1; b <= x->nbody; b++) {
    double Minv[6][6];
    dca_inverse_inertia(x, b, Minv);
    for (int r = 0; r < x->nrow; r++)
      for (int i = 0; i < 6; i++) {
        double s = 0;
        for (int k = 0; k < 6; k++)
          s += Minv[i][k] * x->J[n * r + 6 * (b - 1) + k];
        x->MJ[n * r + 6 * (b - 1) + i] = s;
      }
  }
  for (int r = 0; r < x->nrow; r++)
    for (int s = 0; s < x->nrow; s++) {
      double sum = 0;
      for (int i = 0; i < n; i++)
        sum += x->J[n * r + i] * x->MJ[n * s + i];
      x->S[x->nrow * r + s] = sum;
    }
}

/* lambda = S^+ b; range (may be NULL) receives the projector on the range of S; returns the rank */
static int dca_pseudo_solve(const dca_dense *x, const double *b, double *lambda, double *range)
{
  const int n = x->nrow;
  double *A = calloc((size_t)(n * n) + 1, sizeof *A), *V = calloc((size_t)(n * n) + 1, sizeof *V);
  double value[DCA_MOST], largest = 0;
  int rank = 0;
  memcpy(A, x->S, sizeof(double) * (size_t)(n * n));
  lwi_symmetric_eigen(n, A, V, value);
  for (int i = 0; i < n; i++)
    largest = fmax(largest, value[i]);
  memset(lambda, 0, sizeof(double) * (size_t)n);
  if (range) memset(range, 0, sizeof(double) * (size_t)(n * n));
  for (int k = 0; k < n; k++) {
    if (value[k] < 1e-10 * largest) continue;
    double s = 0;
    rank++;
    for (int i = 0; i < n; i++)
      s += V[n * k + i] * b[i] / value[k];
    for (int i = 0; i < n; i++)
      lambda[i] += V[n * k + i] * s;
    for (int i = 0; i < n && range; i++)
      for (int j = 0; j < n; j++)
        range[n * i + j] += V[n * k + i] * V[n * k + j];
  }
  free(A);
  free(V);
  return rank;
}

/* random velocities, less what the constraints forbid; then the speeds of the tree */
static void dca_make_speeds(dca_dense *x, lwt_random *r, dca_case *c)
{
  const int n = 6 * x->nbody;
  double b[DCA_MOST], lambda[DCA_MOST];
  for (int i = 6; i < 6 + n; i++)
    x->V[i] = lwt_uniform(r, -1, 1);
  for (int pass = 0; pass < 2; pass++) { /* the second one removes rounding errors */
    dca_fill(x);
    for (int k = 0; k < x->nrow; k++) {
      b[k] = 0;
      for (int i = 0; i < n; i++)
        b[k] -= x->J[n * k + i] * x->V[6 + i];
    }
    dca_pseudo_solve(x, b, lambda, NULL);
    for (int k = 0; k < x->nrow; k++)
      for (int i = 0; i < n; i++)
        x->V[6 + i] += x->MJ[n * k + i] * lambda[k];
  }
  for (int j = 1; j <= x->m->njoint; j++) {
    const lwi_joint *k = &x->m->joint[j];
    if (k->info.cut) continue;
    const int body[2] = {k->info.parent.id, k->info.child.id};
    const lwi_frame F[2] = {lwi_frame_mul(x->pose[body[0]], k->place),
                            lwi_frame_mul(x->pose[body[1]], k->child_place)};
    double V[2][6];
    for (int s = 0; s < 2; s++) {
      double o[3], turn[3];
      const double *W = x->V + 6 * body[s];
      for (int i = 0; i < 3; i++)
        o[i] = F[s].p[i] - x->pose[body[s]].p[i];
      cross3(W, o, turn);
      for (int i = 0; i < 3; i++)
        V[s][i] = W[i], V[s][3 + i] = W[3 + i] + turn[i];
    }
    const lwi_joint_at at = {&k->shape, &F[0], &F[1], c->q + k->info.q};
    lwi_joint_u(&at, V[0], V[1], c->u + k->info.u);
  }
}

/* loads of tau at the tree joints, on bodies about their origins */
static void dca_add_tau(const dca_dense *x, const dca_case *c, double *f)
{
  const lw_model *m = x->m;
  for (int j = 1; j <= m->njoint; j++) {
    const lwi_joint *k = &m->joint[j];
    if (k->info.cut) continue;
    const int body[2] = {k->info.parent.id, k->info.child.id};
    const lwi_frame F[2] = {lwi_frame_mul(x->pose[body[0]], k->place),
                            lwi_frame_mul(x->pose[body[1]], k->child_place)};
    double J[2][6][6];
    const lwi_joint_at at = {&k->shape, &F[0], &F[1], c->q + k->info.q};
    lwi_joint_speed_rows(&at, J[0], J[1]);
    for (int s = 0; s < 2; s++)
      for (int i = 0; i < k->info.nu && body[s] > 0; i++) {
        double o[3], arm[3], *to = f + 6 * (body[s] - 1), tau = c->tau[k->info.u + i];
        for (int l = 0; l < 3; l++)
          o[l] = F[s].p[l] - x->pose[body[s]].p[l];
        cross3(o, J[s][i] + 3, arm);
        for (int l = 0; l < 3; l++) {
          to[l] += tau * (J[s][i][l] + arm[l]);
          to[3 + l] += tau * J[s][i][3 + l];
        }
      }
  }
}

/* a = M^-1 f */
static void dca_divide(const dca_dense *x, const double *f, double *a)
{
  memset(a, 0, sizeof(double) * 6 * (size_t)x->nbody);
  for (int body = 1; body <= x->nbody; body++) {
    double Minv[6][6];
    dca_inverse_inertia(x, body, Minv);
    for (int i = 0; i < 6; i++)
      for (int k = 0; k < 6; k++)
        a[6 * (body - 1) + i] += Minv[i][k] * f[6 * (body - 1) + k];
  }
}

/* Forces: gravity, gyroscopic terms, and tau at the tree joints; then accelerations. */
static void dca_solve(dca_dense *x, dca_case *c)
{
  const lw_model *m = x->m;
  const int n = 6 * x->nbody;
  double *f = calloc((size_t)n, sizeof *f), *a = calloc((size_t)n, sizeof *a), b[DCA_MOST];
  for (int body = 1; body <= x->nbody; body++) {
    /* M A + bias = f about the origin: bias = [w x I w; m w x (w x c)], I about the origin */
    const lwi_body *B = &m->body[body];
    const lwi_link *L = &m->link[B->link];
    const rot3 R = rot_mul(x->pose[body].R, rot_transpose(B->R));
    const double *w = x->V + 6 * body;
    double o[3], cm[3], wl[3], Iw[3], gyro[3], swing[3], h[3], t[3], cw[3];
    for (int i = 0; i < 3; i++)
      h[i] = L->h[i] / L->mass, o[i] = h[i] - B->p[i];
    rot_mulv(R, o, cm);
    rot_tmulv(R, w, wl);
    rot_mulv(L->J, wl, Iw);
    for (int i = 0; i < 3; i++)
      Iw[i] -= L->mass * (dot3(h, h) * wl[i] - h[i] * dot3(h, wl));
    rot_mulv(R, Iw, Iw); /* about the centre */
    cross3(w, Iw, gyro);
    cross3(w, cm, cw);
    cross3(w, cw, swing);
    double force[3];
    for (int i = 0; i < 3; i++)
      force[i] = L->mass * (m->gravity[i] - swing[i]);
    cross3(cm, force, t);
    for (int i = 0; i < 3; i++)
      f[6 * (body - 1) + i] += t[i] - gyro[i], f[6 * (body - 1) + 3 + i] += force[i];
  }
  dca_add_tau(x, c, f);
  dca_divide(x, f, a);
  for (int k = 0; k < x->nrow; k++) {
    b[k] = x->gamma[k];
    for (int i = 0; i < n; i++)
      b[k] -= x->J[n * k + i] * a[i];
  }
  c->rank = dca_pseudo_solve(x, b, c->lambda, c->range);
  c->nrow = x->nrow;
  for (int k = 0; k < x->nrow; k++)
    for (int i = 0; i < n; i++)
      a[i] += x->MJ[n * k + i] * c->lambda[k];
  memcpy(c->A, a, sizeof(double) * (size_t)n);
  for (int j = 1; j <= m->njoint; j++) {
    const lwi_joint *k = &m->joint[j];
    if (k->info.cut) continue;
    const int body[2] = {k->info.parent.id, k->info.child.id};
    const lwi_frame F[2] = {lwi_frame_mul(x->pose[body[0]], k->place),
                            lwi_frame_mul(x->pose[body[1]], k->child_place)};
    double V[2][6], A[2][6];
    for (int s = 0; s < 2; s++) {
      double o[3], turn[3], swing[3], zero[6] = {0};
      const double *W = x->V + 6 * body[s], *Q = body[s] ? a + 6 * (body[s] - 1) : zero;
      for (int i = 0; i < 3; i++)
        o[i] = F[s].p[i] - x->pose[body[s]].p[i];
      cross3(W, o, turn);
      cross3(W, turn, swing);
      for (int i = 0; i < 3; i++)
        V[s][i] = W[i], V[s][3 + i] = W[3 + i] + turn[i];
      cross3(Q, o, turn);
      for (int i = 0; i < 3; i++)
        A[s][i] = Q[i], A[s][3 + i] = Q[3 + i] + turn[i] + swing[i];
    }
    const lwi_joint_at at = {&k->shape, &F[0], &F[1], c->q + k->info.q};
    lwi_joint_udot(&at, V[0], V[1], A[0], A[1], c->udot + k->info.u);
  }
  free(f);
  free(a);
}

/* Random velocities and impulses, rates demanded of joints and constraints (of redundant ones: zero, lest
   they contradict each other), and the velocities after it. */
static void dca_jump(dca_dense *x, lwt_random *r, dca_case *c)
{
  const lw_model *m = x->m;
  const int n = 6 * x->nbody;
  double *f = calloc((size_t)n, sizeof *f), *a = calloc((size_t)n, sizeof *a), b[DCA_MOST];
  double *const all[] = {c->V[0], c->impulse[0], c->joint_rate[0], c->constraint_rate[0]};
  const int count[] = {x->nbody, x->nbody, m->njoint, m->nconstraint};
  for (int k = 0; k < 4; k++)
    for (int i = 6; i < 6 * (count[k] + 1); i++)
      all[k][i] = k < 2 || c->rank == c->nrow ? lwt_uniform(r, -1, 1) : 0;
  memcpy(f, c->impulse[1], sizeof(double) * (size_t)n);
  dca_add_tau(x, c, f);
  dca_divide(x, f, a);
  int row = 0;
  for (int j = 1; j <= m->njoint; j++) {
    const lwi_joint *k = &m->joint[j];
    const lwi_frame A = lwi_frame_mul(x->pose[k->info.parent.id], k->place);
    const lwi_frame B = lwi_frame_mul(x->pose[k->info.child.id], k->child_place);
    double JA[6][6], JB[6][6];
    lwi_equations_jacobian(&k->equations, &A, &B, JA, JB);
    for (int i = 0; i < k->equations.n; i++, row++)
      b[row] = dot3(JB[i], c->joint_rate[j]) + dot3(JB[i] + 3, c->joint_rate[j] + 3);
  }
  for (int j = 1; j <= m->nconstraint; j++)
    for (int i = 0; i < m->constraint[j].equations.n; i++)
      b[row++] = c->constraint_rate[j][i];
  const double *V = c->V[1];
  for (int k = 0; k < x->nrow; k++)
    for (int i = 0; i < n; i++)
      b[k] -= x->J[n * k + i] * (a[i] + V[i]);
  dca_pseudo_solve(x, b, c->jump_lambda, NULL);
  for (int k = 0; k < x->nrow; k++)
    for (int i = 0; i < n; i++)
      a[i] += x->MJ[n * k + i] * c->jump_lambda[k];
  memcpy(c->jump[1], a, sizeof(double) * (size_t)n);
  free(f);
  free(a);
}

/* ---- a case ---- */

static dca_case dca_case_new(const dca_recipe *d)
{
  lwt_random r = lwt_seed(d->seed + 31);
  lwi_frame pose[64];
  lw_error err;
  lw_spec *s = lw_spec_new();
  lw_set_gravity(s, 1, -2, -9);
  pose[0] = lwi_frame_identity();
  for (int i = 1; i <= d->nbody; i++) {
    pose[i] = dca_random_frame(&r);
    dca_add_body(s, &r, i, pose[i], d->floating && i == 1);
  }
  if (d->flat)
    dca_add_flat(s, &r, d, pose);
  else
    dca_add_random(s, &r, d, pose);
  dca_case c = {.m = lw_compile(s, &err), .nbody = d->nbody};
  lw_spec_free(s);
  if (!c.m) fail_msg("seed %u: %s", d->seed, err.text);
  const size_t nu = (size_t)lw_nu(c.m) + 1, nq = (size_t)lw_nq(c.m) + 1, n = 6 * (size_t)d->nbody;
  c.q = calloc(nq, sizeof *c.q);
  c.u = calloc(nu, sizeof *c.u);
  c.tau = calloc(nu, sizeof *c.tau);
  c.udot = calloc(nu, sizeof *c.udot);
  c.A = calloc(n, sizeof *c.A);
  c.lambda = calloc(DCA_MOST, sizeof *c.lambda);
  c.range = calloc((size_t)DCA_MOST * DCA_MOST, sizeof *c.range);
  double(**const part[])[6] = {&c.V, &c.impulse, &c.joint_rate, &c.constraint_rate, &c.jump};
  for (int k = 0; k < 5; k++)
    *part[k] = calloc(DCA_MOST, sizeof **part[k]);
  c.jump_lambda = calloc(DCA_MOST, sizeof *c.jump_lambda);
  lw_initial_state(c.m, c.q, c.u);
  for (size_t i = 0; i + 1 < nu; i++)
    c.tau[i] = lwt_uniform(&r, -1, 1);
  dca_dense x = {.nbody = d->nbody, .m = c.m, .pose = pose};
  x.V = calloc(n + 6, sizeof *x.V);
  x.J = calloc(DCA_MOST * n, sizeof *x.J);
  x.MJ = calloc(DCA_MOST * n, sizeof *x.MJ);
  x.gamma = calloc(DCA_MOST, sizeof *x.gamma);
  x.S = calloc((size_t)DCA_MOST * DCA_MOST, sizeof *x.S);
  dca_make_speeds(&x, &r, &c);
  dca_fill(&x);
  dca_solve(&x, &c);
  dca_jump(&x, &r, &c);
  free(x.V);
  free(x.J);
  free(x.MJ);
  free(x.gamma);
  free(x.S);
  return c;
}

static void dca_case_free(dca_case *c)
{
  lw_model_free(c->m);
  free(c->V);
  free(c->impulse);
  free(c->joint_rate);
  free(c->constraint_rate);
  free(c->jump);
  free(c->jump_lambda);
  free(c->q);
  free(c->u);
  free(c->tau);
  free(c->udot);
  free(c->A);
  free(c->lambda);
  free(c->range);
}

/* The determined part of all loads: the difference has no part in the range of J M^-1 J^T.  Needs the work of
   the evaluation for the frames. */
static inline void dca_case_check_loads(const dca_case *c, const lw_dca *d, const double *expected)
{
  const lw_model *m = c->m;
  double lambda[DCA_MOST], difference[DCA_MOST], zero[DCA_MOST] = {0};
  int n = 0;
  lw_work *w = lw_work_new(m);
  lwt_ok(lw_kinematics(w, c->q, c->u));
  for (int j = 1; j <= m->njoint + m->nconstraint; j++) {
    const bool is_joint = j <= m->njoint;
    const lwi_joint *k = &m->joint[is_joint ? j : 0];
    const lwi_constraint *q = &m->constraint[is_joint ? 0 : j - m->njoint];
    const lwi_equations *e = is_joint ? &k->equations : &q->equations;
    const int body[2] = {is_joint ? k->info.parent.id : q->info.parent.id,
                         is_joint ? k->info.child.id : q->info.child.id};
    lwi_frame F[2];
    for (int s = 0; s < 2; s++) {
      lw_pose X;
      lwt_ok(lw_get_pose(w, (lw_body){body[s]}, &X));
      const lwi_frame B = {.R = rot_from_quat(X.quat), .p = {X.p[0], X.p[1], X.p[2]}};
      F[s] = lwi_frame_mul(B, is_joint ? (s ? k->child_place : k->place)
                                       : (s ? q->child_place : q->place));
    }
    double JA[6][6], JB[6][6], f[6];
    lwi_equations_jacobian(e, &F[0], &F[1], JA, JB);
    if (is_joint)
      lwt_ok(lw_dca_get_load(d, (lw_joint){j}, f));
    else
      lwt_ok(lw_dca_get_constraint_load(d, (lw_constraint){j - m->njoint}, f));
    const double load[6] = {f[3], f[4], f[5], f[0], f[1], f[2]};
    lwi_equations_multipliers(e, JB, load, lambda + n);
    /* a load must be one that the joint can carry */
    double back[6];
    lwi_equations_load(e, JB, lambda + n, back);
    lwt_close(load, back, 6, 1e-9, fmax(1, lwt_scale(load, 6)), "joint %d carries what it cannot",
              j);
    n += e->n;
  }
  assert_int_equal(n, c->nrow);
  for (int i = 0; i < n; i++) {
    difference[i] = 0;
    for (int j = 0; j < n; j++)
      difference[i] += c->range[n * i + j] * (lambda[j] - expected[j]);
  }
  lwt_close(difference, zero, n, 1e-9, fmax(1, lwt_scale(expected, n)), "loads");
  lw_work_free(w);
}

#endif
