/* SPDX-License-Identifier: Apache-2.0 */
/* loop_cases.h -- random trees with closed loops, constraints and relations, and a dense solve in the
   coordinates of the tree. */
#ifndef LOOP_CASES_H
#define LOOP_CASES_H
#include "lwt.h"
#include "linkwork/simulate.h"
#include "model/model.h"
#include "tree/work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- random mechanisms ---- */

typedef struct {
  lwt_recipe tree;
  int loops, constraints, relations;
  bool twice;  /* every loop is closed by two equal joints: redundant */
  bool prefer; /* the tree may run through the joints that close loops */
  bool forces; /* motors and springs on them */
  int light;   /* every so many bodies are rods or particles; 0: none */
} recipe;

static inline lwi_frame frame_of(const lw_pose *X)
{
  lwi_frame f = {.R = rot_from_quat(X->quat)};
  memcpy(f.p, X->p, sizeof X->p);
  return f;
}

/* in the plane without the rounding errors that would leave it */
static inline lw_place place_of(const lwi_frame *f, bool planar)
{
  lw_place p = {.orient = {.type = LW_ORIENT_QUAT}};
  memcpy(p.at, f->p, sizeof p.at);
  quat_from_rot(f->R, p.orient.value);
  if (planar) p.at[2] = p.orient.value[1] = p.orient.value[2] = 0;
  return p;
}

static inline lwi_frame random_frame(lwt_random *r, bool planar)
{
  double e[4] = {lwt_uniform(r, -1, 1), 0, 0, lwt_uniform(r, -1, 1)}, n = 0;
  if (!planar) e[1] = lwt_uniform(r, -1, 1), e[2] = lwt_uniform(r, -1, 1);
  for (int i = 0; i < 4; i++)
    n += e[i] * e[i];
  for (int i = 0; i < 4; i++)
    e[i] /= sqrt(n);
  return (lwi_frame){.R = rot_from_quat(e),
                     .p = {lwt_uniform(r, -0.5, 0.5), lwt_uniform(r, -0.5, 0.5),
                           planar ? 0 : lwt_uniform(r, -0.5, 0.5)}};
}

/* two bodies, and a frame of each at one place (the child's moved by X on the parent's) */
typedef struct {
  lw_body parent, child;
  lw_place place, child_place;
} spot;

static inline spot random_spot(lwt_random *r, const lw_model *tree, const lw_work *w, lwi_frame X)
{
  const int n = lw_nbody(tree) + 1;
  spot s = {.parent = {lwt_pick(r, n)}};
  s.child.id = (s.parent.id + 1 + lwt_pick(r, n - 1)) % n;
  lw_pose a, b;
  lwt_ok(lw_get_pose(tree, w, s.parent, &a));
  lwt_ok(lw_get_pose(tree, w, s.child, &b));
  const lwi_frame place = random_frame(r, lw_model_is_planar(tree));
  const lwi_frame there = lwi_frame_mul(lwi_frame_mul(frame_of(&a), place), X);
  const lwi_frame child = lwi_frame_mul(lwi_frame_inverse(frame_of(&b)), there);
  s.place = place_of(&place, lw_model_is_planar(tree));
  s.child_place = place_of(&child, lw_model_is_planar(tree));
  return s;
}

/* forces on a joint that may close a loop, and one that depends on its coordinates */
static inline void add_joint_forces(lw_spec *s, lw_joint j, int nu, lw_joint_type type, int k)
{
  char name[3][32], value[80];
  for (int i = 0; i < 3; i++)
    snprintf(name[i], 32, "f%d_%d", i, k);
  snprintf(value, sizeof value, nu > 1 ? "2*u.loop%d.1 + q.loop%d.1" : "2*u.loop%d + q.loop%d", k,
           k);
  lw_add_motor(s, &(lw_motor_desc){.name = name[0], .joint = j, .dof = nu, .value = 3 + k});
  lw_add_load(s, &(lw_load_desc){.name = name[1], .body = {1}, .force = {lw_expr(s, value), 0, 0}});
  if (lwi_joint_has_rate_pair(type))
    lw_add_joint_spring(
        s, &(lw_joint_spring_desc){
               .name = name[2], .joint = j, .stiffness = 7, .damping = 0.5, .rest = 0.2});
}

static inline void add_loop(lwt_random *r, const recipe *d, lw_spec *s, const lw_model *tree,
                            const lw_work *w, int k)
{
  static const lw_joint_type in_plane[] = {LW_REVOLUTE, LW_PRISMATIC, LW_FIXED, LW_PLANAR};
  char name[2][32];
  const bool planar = d->tree.planar;
  lw_joint_desc j = {.name = name[0], .cut = !d->prefer, .has_q = true, .pitch = 0.2};
  j.type = planar ? in_plane[lwt_pick(r, 4)] : (lw_joint_type)lwt_pick(r, LW_FREE);
  lwt_unit_vector(r, j.axis);
  lwt_unit_vector(r, j.axis2);
  if (planar) {
    const double axis[3] = {j.type == LW_PRISMATIC, 0, j.type != LW_PRISMATIC};
    memcpy(j.axis, axis, sizeof axis);
  }
  const lwi_joint_shape shape = lwi_joint_shape_of(j.type, planar, j.axis, j.axis2, j.pitch);
  for (int i = 0; i < shape.nq; i++)
    j.q[i] = lwt_uniform(r, -1, 1);
  const spot at = random_spot(r, tree, w, lwi_joint_pose(&shape, j.q));
  j.parent = at.parent, j.child = at.child, j.place = at.place, j.child_place = at.child_place;
  snprintf(name[0], 32, "loop%d", k);
  snprintf(name[1], 32, "again%d", k);
  const lw_joint added = lw_add_joint(s, &j);
  if (d->forces && shape.nu > 0) add_joint_forces(s, added, shape.nu, j.type, k);
  j.name = name[1];
  if (d->twice) lw_add_joint(s, &j);
}

static inline void add_constraint(lwt_random *r, lw_spec *s, const lw_model *tree, const lw_work *w,
                                  int k)
{
  static const lw_constraint_type types[] = {LW_DISTANCE, LW_POINT_ON_LINE, LW_POINT_ON_PLANE,
                                             LW_PARALLEL, LW_PERPENDICULAR};
  char name[32];
  snprintf(name, sizeof name, "c%d", k);
  lw_constraint_desc c = {.name = name, .type = types[k % 5], .length = 0.8};
  lwi_frame X = lwi_frame_identity();
  if (c.type == LW_DISTANCE) X.p[0] = c.length;
  const spot at = random_spot(r, tree, w, X);
  c.parent = at.parent, c.child = at.child, c.place = at.place, c.child_place = at.child_place;
  lw_add_constraint(s, &c);
}

/* a coordinate that a relation may name, also of a joint that closes a loop */
static inline lw_term random_term(lwt_random *r, const lw_model *m)
{
  for (int tries = 0; tries < 200; tries++) {
    const int j = 1 + lwt_pick(r, lw_njoint(m));
    const lw_joint_info info = lw_get_joint(m, (lw_joint){j});
    if (info.implicit || !lwi_joint_has_rate_pair(info.type)) continue;
    return (lw_term){{j}, 1 + lwt_pick(r, info.nu), lwt_uniform(r, 0.5, 2)};
  }
  return (lw_term){0}; /* there is none */
}

static inline void add_relation(lwt_random *r, lw_spec *s, int k)
{
  char name[32];
  lw_error err;
  lw_model *m = lw_compile(s, &err);
  lw_term terms[2] = {random_term(r, m), random_term(r, m)};
  for (int tries = 0; tries < 200 && terms[0].joint.id == terms[1].joint.id; tries++)
    terms[1] = random_term(r, m);
  if (terms[0].joint.id == terms[1].joint.id) {
    lw_model_free(m);
    return;
  }
  snprintf(name, sizeof name, "r%d", k);
  static const lw_constraint_type types[] = {LW_GEAR, LW_COUPLER, LW_DRIVER};
  lw_constraint_desc c = {.name = name,
                          .type = types[k % 3],
                          .terms = terms,
                          .nterm = 2,
                          .ratio = -1.7,
                          .value = lw_expr(s, "0.3*sin(2*t) + t^2")};
  if (c.type == LW_DRIVER) c.nterm = 1;
  lw_add_constraint(s, &c);
  lw_model_free(m);
}

static inline void make_light(lwt_parts *p, const recipe *d)
{
  lwt_random r = lwt_seed(d->tree.seed + 77);
  for (int i = 0; i < p->nbody; i += d->light) {
    double y[3], *I = p->body[i].inertia, size = lwt_pick(&r, 3) ? 0.3 : 0;
    lwt_unit_vector(&r, y);
    if (d->tree.planar) size = 0;
    for (int k = 0; k < 3; k++)
      I[k] = size * (1 - y[k] * y[k]);
    I[3] = -size * y[0] * y[1], I[4] = -size * y[0] * y[2], I[5] = -size * y[1] * y[2];
  }
}

static inline lw_model *random_mechanism(const recipe *d)
{
  lwt_random r = lwt_seed(d->tree.seed + 31);
  lw_error err;
  lwt_parts *parts = lwt_random_parts(&d->tree);
  if (d->light) make_light(parts, d);
  lw_spec *s = lwt_parts_spec(parts);
  lw_model *tree = lw_compile(s, &err);
  if (!tree) fail_msg("seed %u: %s", d->tree.seed, err.text);
  lw_work *w = lw_work_new(tree);
  double *q = calloc((size_t)(lw_nq(tree) + lw_nu(tree)) + 1, sizeof *q);
  lw_initial_state(tree, q, q + lw_nq(tree));
  lwt_ok(lw_kinematics(tree, w, q, q + lw_nq(tree)));
  for (int k = 0; k < d->loops; k++)
    add_loop(&r, d, s, tree, w, k);
  for (int k = 0; k < d->constraints; k++)
    add_constraint(&r, s, tree, w, (int)(d->tree.seed % 5) + k);
  for (int k = 0; k < d->relations; k++)
    add_relation(&r, s, k);
  lw_model *m = lw_compile(s, &err);
  if (!m) fail_msg("seed %u: %s", d->tree.seed, err.text);
  lw_work_free(w);
  lw_model_free(tree);
  lw_spec_free(s);
  lwt_parts_free(parts);
  free(q);
  return m;
}

/* ---- the dense way ---- */

typedef struct {
  int n, nu;
  double *G, *gamma; /* [n][nu], [n]: the equations as they are, unscaled, with J udot moved over */
} dense_rows;

/* JA and JB of a pair of frames on bodies, as rows of u; gamma - J (accelerations for udot = 0) */
static inline void add_pair_rows(const lwt_case *c, dense_rows *d, lw_body a, lw_body b,
                                 const lwi_frame *pa, const lwi_frame *pb, const lwi_equations *e,
                                 const lwi_joint_shape *shape, int dof, double coefficient, int row)
{
  const lw_body body[2] = {a, b};
  const lwi_frame *place[2] = {pa, pb};
  lwi_frame f[2];
  double V[2][6], A[2][6], J[2][6][6], gamma[6];
  double *B = malloc((size_t)(12 * c->nu) * sizeof *B);
  for (int i = 0; i < 2; i++) {
    lw_pose X;
    double o[3], turn[3], swing[3];
    lwt_ok(lw_get_pose(c->m, c->w, body[i], &X));
    lwt_ok(lw_get_velocity(c->m, c->w, body[i], V[i]));
    lwt_ok(lw_get_acceleration(c->m, c->w, body[i], A[i]));
    lwt_ok(lw_jacobian(c->m, c->w, body[i], place[i]->p, B + 6 * c->nu * i));
    f[i] = lwi_frame_mul(frame_of(&X), *place[i]);
    for (int k = 0; k < 3; k++)
      o[k] = f[i].p[k] - X.p[k];
    cross3(V[i], o, turn);
    cross3(V[i], turn, swing);
    for (int k = 0; k < 3; k++)
      V[i][3 + k] += turn[k], A[i][3 + k] += swing[k];
    cross3(A[i], o, turn);
    for (int k = 0; k < 3; k++)
      A[i][3 + k] += turn[k];
  }
  if (shape) {
    lwi_joint_speed_rows(shape, &f[0], &f[1], J[0], J[1]);
    lwi_joint_speed_gamma(shape, &f[0], &f[1], V[0], V[1], gamma);
  } else {
    lwi_equations_jacobian(e, &f[0], &f[1], J[0], J[1]);
    lwi_equations_gamma(e, &f[0], &f[1], V[0], V[1], gamma);
  }
  const int first = shape ? dof : 0, n = shape ? 1 : e->n;
  for (int r = 0; r < n; r++) {
    d->gamma[row + r] += coefficient * gamma[first + r];
    for (int side = 0; side < 2; side++)
      for (int k = 0; k < 6; k++) {
        const double x = coefficient * J[side][first + r][k];
        d->gamma[row + r] -= x * A[side][k];
        for (int u = 0; u < c->nu; u++)
          d->G[(row + r) * c->nu + u] += x * B[(6 * side + k) * c->nu + u];
      }
  }
  free(B);
}

static inline void add_relation_row(const lwt_case *c, dense_rows *d, const lwi_relation *r,
                                    int row)
{
  double target[3];
  lwi_relation_target(r, c->m->parameter, c->m->nparameter, 0, c->t, target);
  d->gamma[row] = target[2];
  for (int i = 0; i < r->nterm; i++) {
    const lwi_joint *j = &c->m->joint[r->term[i].joint];
    if (j->info.cut)
      add_pair_rows(c, d, j->info.parent, j->info.child, &j->place, &j->child_place, NULL,
                    &j->shape, r->term[i].dof, r->term[i].coefficient, row);
    else
      d->G[row * c->nu + j->info.u + r->term[i].dof] += r->term[i].coefficient;
  }
}

/* cut joints in file order, then constraints; leaves accelerations for udot = 0 in the work */
static inline dense_rows find_rows(const lwt_case *c)
{
  const lw_model *m = c->m;
  dense_rows d = {.nu = c->nu};
  for (int i = 1; i <= m->njoint; i++)
    d.n += m->joint[i].info.cut ? m->joint[i].equations.n : 0;
  for (int i = 1; i <= m->nconstraint; i++) {
    const int n = m->constraint[i].equations.n;
    d.n += n ? n : 1;
  }
  d.G = calloc((size_t)(d.n * d.nu) + 1, sizeof *d.G);
  d.gamma = calloc((size_t)d.n + 1, sizeof *d.gamma);
  double *zero = calloc((size_t)d.nu + 1, sizeof *zero);
  lwt_ok(lw_kinematics(m, c->w, c->q, c->u));
  lwt_ok(lw_accelerations(m, c->w, zero));
  int row = 0;
  for (int i = 1; i <= m->njoint; i++) {
    const lwi_joint *j = &m->joint[i];
    if (!j->info.cut) continue;
    add_pair_rows(c, &d, j->info.parent, j->info.child, &j->place, &j->child_place, &j->equations,
                  NULL, 0, 1, row);
    row += j->equations.n;
  }
  for (int i = 1; i <= m->nconstraint; i++) {
    const lwi_constraint *k = &m->constraint[i];
    if (k->equations.n)
      add_pair_rows(c, &d, k->info.parent, k->info.child, &k->place, &k->child_place, &k->equations,
                    NULL, 0, 1, row);
    else
      add_relation_row(c, &d, &k->relation, row);
    row += k->equations.n ? k->equations.n : 1;
  }
  free(zero);
  return d;
}

/* x with A x = b for a symmetric semidefinite A: Gaussian elimination with full pivoting */
static inline int solve_dense(double *A, double *b, int n, double *x)
{
  int *order = malloc((size_t)(n + 1) * sizeof *order), rank = 0;
  for (int i = 0; i < n; i++)
    order[i] = i, x[i] = 0;
  double largest = 0;
  for (int i = 0; i < n * n; i++)
    largest = fmax(largest, fabs(A[i]));
  for (; rank < n; rank++) {
    int pr = rank, pc = rank;
    for (int i = rank; i < n; i++)
      for (int j = rank; j < n; j++)
        if (fabs(A[i * n + j]) > fabs(A[pr * n + pc])) pr = i, pc = j;
    if (!(fabs(A[pr * n + pc]) > 1e-11 * largest)) break;
    for (int j = 0; j < n; j++) {
      const double t = A[pr * n + j];
      A[pr * n + j] = A[rank * n + j], A[rank * n + j] = t;
    }
    const double t = b[pr];
    b[pr] = b[rank], b[rank] = t;
    for (int i = 0; i < n; i++) {
      const double s = A[i * n + pc];
      A[i * n + pc] = A[i * n + rank], A[i * n + rank] = s;
    }
    const int o = order[pc];
    order[pc] = order[rank], order[rank] = o;
    for (int i = rank + 1; i < n; i++) {
      const double f = A[i * n + rank] / A[rank * n + rank];
      for (int j = rank; j < n; j++)
        A[i * n + j] -= f * A[rank * n + j];
      b[i] -= f * b[rank];
    }
  }
  for (int i = rank - 1; i >= 0; i--) {
    double s = b[i];
    for (int j = i + 1; j < rank; j++)
      s -= A[i * n + j] * x[order[j]];
    x[order[i]] = s / A[i * n + i];
  }
  free(order);
  return rank;
}

/* the KKT system; returns the rank of G */
static inline int solve_kkt(const lwt_case *c, const dense_rows *d, double *udot, double *lambda)
{
  const int nu = c->nu, n = nu + d->n;
  double *K = calloc((size_t)(n * n) + 1, sizeof *K), *b = calloc((size_t)n + 1, sizeof *b);
  double *M = malloc((size_t)(nu * nu + 1) * sizeof *M), *x = malloc((size_t)(n + 1) * sizeof *x);
  lwt_ok(lw_mass_matrix(c->m, c->w, c->q, M));
  lwt_ok(lw_bias(c->m, c->w, c->t, c->q, c->u, b));
  for (int i = 0; i < nu; i++) {
    b[i] = c->tau[i] - b[i];
    memcpy(K + i * n, M + i * nu, (size_t)nu * sizeof(double));
  }
  for (int r = 0; r < d->n; r++) {
    b[nu + r] = d->gamma[r];
    for (int u = 0; u < nu; u++) {
      K[(nu + r) * n + u] = d->G[r * nu + u];
      K[u * n + nu + r] = -d->G[r * nu + u];
    }
  }
  const int rank = solve_dense(K, b, n, x) - nu;
  memcpy(udot, x, (size_t)nu * sizeof(double));
  memcpy(lambda, x + nu, (size_t)d->n * sizeof(double));
  free(K), free(b), free(M), free(x);
  return rank;
}

/* the state in which loops are closed; speeds random unless the ties are redundant */
static inline lwt_case mechanism_case(const recipe *d)
{
  lwt_case c = lwt_case_of(random_mechanism(d), d->tree.seed);
  double *speeds = malloc((size_t)(c.nu + 1) * sizeof *speeds);
  lw_initial_state(c.m, c.q, speeds);
  free(speeds);
  return c;
}

#endif
