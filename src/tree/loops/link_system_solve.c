/* SPDX-License-Identifier: Apache-2.0 */
/* link_system_solve.c -- the motion of least kinetic energy that satisfies the constraints, by the
   link system (model/link_system.h):

     X = M^-1 J^T W^-1 r,   W = J M^-1 J^T,   u = (S^T S)^-1 S^T (X_b - phi* X_a)

   with rows for the joints of the tree, D^T (X_b - phi* X_a) = 0, beside those of the constraints.
   M is the inertia of each link; where that is zero about some axis any positive value is used,
   because M serves only as a metric.  Loops are closed from a rough guess with links of equal mass:
   on which branch they close does not depend on masses.

   A long stack of n bodies that moves only as a whole is n^3 times as stiff as one body, which
   exceeds the precision of W beyond some ten thousand bodies.  Rows are therefore softened by SOFT
   of their own mobility, and conjugate gradients correct the solution: few motions are that
   stiff. */
#include "tree/loops/closure.h"
#include "tree/recursion/joint_space.h"
#include "tree/loops/work.h"

#include <string.h>

#define SOFT 1e-13     /* for at least LONG links, */
#define LONG 20000.0   /* less for fewer, which are less stiff */
#define ENOUGH 1e-10   /* residual relative to the right side */
#define DEPENDENT 1e-9 /* a row below this part of its own mobility; W is less accurate here */
enum { MOST_STEPS = 100, PATIENCE = 5 };

/* ---- mobility of a link ---- */

typedef struct {
  rot3 R;
  double K[3][3]; /* inverse inertia about the centre of mass, in the link's axes */
  double c[3];    /* from the link's origin to the centre */
  double inverse_mass[3];
} mobility;

/* inverse of a symmetric matrix; false: nearly singular */
static bool invert(double A[3][3], double out[3][3])
{
  double C[3][3];
  for (int i = 0; i < 3; i++)
    cross3(A[(i + 1) % 3], A[(i + 2) % 3], C[i]);
  const double det = dot3(A[0], C[0]), size = (A[0][0] + A[1][1] + A[2][2]) / 3;
  if (!(det > 1e-9 * size * size * size)) return false;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[i][j] = C[j][i] / det;
  return true;
}

/* K = n n^T / (n^T I n): rotations about n only */
static void invert_about_normal(const lw_model *m, double mass, double I[3][3], mobility *b)
{
  const double up[3] = {0, 0, 1};
  double n[3], In[3];
  rot_tmulv(b->R, up, n);
  for (int i = 0; i < 3; i++)
    In[i] = dot3(I[i], n);
  const double own = dot3(n, In), least = 1e-6 * mass * m->length * m->length;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      b->K[i][j] = n[i] * n[j] / (own > least ? own : least);
}

/* of a link of mass 1 that resists turning by the typical length */
static mobility equal_mobility(const lw_model *m, const lw_work *w, int link)
{
  mobility b = {.inverse_mass = {1, 1, m->planar ? 0 : 1}};
  double R[9], p[3];
  w->kernels->get_frame(m, w->tree, link, R, p);
  b.R = rot_columns(R);
  double I[3][3] = {{0}};
  for (int i = 0; i < 3; i++)
    I[i][i] = m->length * m->length;
  if (m->link[link].inertialess) return b;
  if (m->planar)
    invert_about_normal(m, 1, I, &b);
  else
    invert(I, b.K);
  return b;
}

static mobility mobility_of(const lw_model *m, const lw_work *w, int link)
{
  if (w->closure->plain) return equal_mobility(m, w, link);
  const lwi_link *L = &m->link[link];
  const lwi_added_mass *added_mass = &m->added_mass[link];
  const double mass = L->mass;
  mobility b = {0};
  double R[9], p[3], c[3], I[3][3];
  w->kernels->get_frame(m, w->tree, link, R, p);
  b.R = rot_columns(R);
  for (int i = 0; i < 3; i++) {
    c[i] = mass > 0 ? L->h[i] / mass : 0;
    b.inverse_mass[i] = m->planar && i == 2 ? 0 : 1 / (mass + added_mass->mass);
  }
  rot_mulv(b.R, c, b.c);
  if (L->inertialess) return b; /* a particle does not turn */
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      I[i][j] = L->J.c[j][i] - mass * ((i == j) * dot3(c, c) - c[i] * c[j]) +
                (i == j) * added_mass->inertia;
  if (m->planar) {
    invert_about_normal(m, mass + added_mass->mass, I, &b);
    return b;
  }
  if (invert(I, b.K)) return b;
  for (int i = 0; i < 3; i++)
    I[i][i] += 1e-3 * (mass + added_mass->mass) * m->length * m->length;
  invert(I, b.K);
  return b;
}

/* motion of the origin by a load at the origin, computed in the link's axes */
static void push(const mobility *b, const double F[6], double X[6])
{
  double arm[3], t[3], alpha[3];
  cross3(b->c, F + 3, arm);
  for (int i = 0; i < 3; i++)
    t[i] = F[i] - arm[i];
  rot_tmulv(b->R, t, t);
  for (int i = 0; i < 3; i++)
    alpha[i] = dot3(b->K[i], t);
  rot_mulv(b->R, alpha, X);
  cross3(b->c, X, arm);
  for (int i = 0; i < 3; i++)
    X[3 + i] = b->inverse_mass[i] * F[3 + i] + arm[i];
}

/* ---- rows ---- */

static double *rows_on(const lwi_link_system *link_system, double *J,
                       const lwi_link_system_block *b, int link)
{
  for (int e = b->first; e < b->first + b->nend; e++)
    if (link_system->end[e].link == link) return J + link_system->end[e].J;
  return NULL; /* the ground */
}

/* the joint that carries a link: r from its parent, and its columns; of a particle's inertialess
   freedoms unit rotations */
typedef struct {
  int link, parent;
  double r[3], S[6][6];
} link_joint;

/* adds s times a load f on a link to row r of a block, and -s phi f on its parent */
static void add_between(const lwi_link_system *link_system, double *J,
                        const lwi_link_system_block *b, int r, const link_joint *j,
                        const double f[6], double s)
{
  double *own = rows_on(link_system, J, b, j->link), *other = rows_on(link_system, J, b, j->parent);
  double moment[3];
  cross3(j->r, f + 3, moment);
  for (int i = 0; i < 6; i++)
    own[6 * r + i] += s * f[i];
  for (int i = 0; i < 6 && other; i++)
    other[6 * r + i] -= s * (f[i] + (i < 3 ? moment[i] : 0));
}

static link_joint find_joint(const lw_model *m, const lw_work *w, int link)
{
  const lwi_link *L = &m->link[link];
  link_joint x = {.link = link, .parent = L->parent};
  double c[6], applied[6];
  w->kernels->get_edge(m, w->tree, link, x.r, c, applied);
  for (int j = 0; j < L->nu; j++) {
    w->kernels->get_column(m, w->tree, L->column + j, x.S[j]);
    if (j < L->inertialess) x.S[j][m->planar ? 2 : j] = 1;
  }
  return x;
}

static void joint_rows(const lw_model *m, lw_work *w, const lwi_tree_constraints *x,
                       const lwi_link_system_block *b)
{
  static const int space[6] = {0, 1, 2, 3, 4, 5}, plane[3] = {2, 3, 4};
  const lwi_link *L = &m->link[b->link];
  link_joint joint = find_joint(m, w, b->link);
  double D[36];
  int n = 0;
  for (int j = 0; j < L->nu; j++) {
    const bool held = x == &m->assembly ? m->held[L->column + j] : lwi_is_locked(L, j);
    if (j >= L->inertialess && held) continue;
    memmove(joint.S[n++], joint.S[j], sizeof joint.S[0]);
  }
  complement(m->planar ? 3 : 6, m->planar ? plane : space, n, joint.S, D);
  for (int k = 0; k < b->n; k++)
    add_between(x->link_system, w->closure->link_system_J, b, k, &joint, D + 6 * k, 1);
}

static void constraint_rows(const lw_model *m, lw_work *w, const lwi_tree_constraints *x,
                            const lwi_link_system_block *b)
{
  const lwi_closure *c = w->closure;
  const lwi_tree_constraint *t = &x->constraint[b->constraint];
  for (int p = 0; p < 2 * t->npair; p++) {
    const int link = m->pair[x->pair[t->pair + p / 2].pair].link[p % 2];
    double *own = rows_on(x->link_system, c->link_system_J, b, link);
    for (int i = 0; i < 6 * t->n && own; i++)
      own[i] += c->J[t->J + (size_t)(6 * p * t->n + i)];
  }
  for (int k = t->term; k < t->term + t->nterm; k++) {
    const lwi_constrained_term *term = &x->term[k];
    const lwi_link *L = &m->link[term->link];
    double pick[6] = {0}, s[6] = {0};
    link_joint joint = find_joint(m, w, term->link);
    pick[term->column - L->column] = 1;
    solve_normal(L->nu, L->inertialess, joint.S, pick);
    for (int j = 0; j < L->nu; j++)
      for (int i = 0; i < 6; i++)
        s[i] += joint.S[j][i] * pick[j];
    add_between(x->link_system, c->link_system_J, b, 0, &joint, s, c->scale[t->row] * c->slope[k]);
  }
}

/* ---- W ---- */

/* W += J_e M^-1 J_f^T for two ends on a link, f's block not after e's; MJ: M^-1 J_f^T, by rows of
   J_f */
static void meet(const lwi_link_system *link_system, lwi_closure *c, const lwi_link_system_end *e,
                 const lwi_link_system_end *f, double MJ[6][6])
{
  const lwi_link_system_block *a = &link_system->block[e->block],
                              *b = &link_system->block[f->block];
  for (int i = 0; i < a->n; i++) {
    const double *J = c->link_system_J + e->J + 6 * i;
    double *row = lwi_envelope_at(&link_system->envelope, c->value, e->block, a->row + i, b->row);
    for (int j = 0; j < b->n; j++)
      row[j] += dot3(J, MJ[j]) + dot3(J + 3, MJ[j] + 3);
  }
}

static void couple_link(const lw_model *m, lw_work *w, const lwi_link_system *link_system, int link)
{
  lwi_closure *c = w->closure;
  const mobility own = mobility_of(m, w, link);
  for (int k = link_system->start[link]; k < link_system->start[link + 1]; k++) {
    const lwi_link_system_end *f = &link_system->end[link_system->at[k]];
    double MJ[6][6];
    for (int j = 0; j < link_system->block[f->block].n; j++)
      push(&own, c->link_system_J + f->J + 6 * j, MJ[j]);
    for (int l = k; l < link_system->start[link + 1]; l++)
      meet(link_system, c, &link_system->end[link_system->at[l]], f, MJ);
  }
}

/* adds to the diagonal as closure.c does for the rows of constraints, and SOFT to all rows */
static void soften(const lw_model *m, const lwi_link_system *link_system, lwi_closure *c,
                   double part)
{
  const double ratio = fmin(1, m->nlink / LONG), soft = SOFT * ratio * ratio * ratio;
  double largest = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int b = 0; b < link_system->nblock; b++)
      for (int row = link_system->block[b].row;
           row < link_system->block[b].row + link_system->block[b].n; row++) {
        double *d = lwi_envelope_at(&link_system->envelope, c->value, b, row, row);
        const bool constraint = link_system->block[b].constraint >= 0;
        if (pass == 0)
          largest = constraint ? fmax(largest, *d) : largest;
        else
          *d += soft * *d + (constraint ? part * largest : 0);
      }
  c->link_system_softness = part * largest;
}

void lwi_link_system_couple(const lw_model *m, lw_work *w, const lwi_tree_constraints *x,
                            double more, const lwi_rank_rule *rule)
{
  lwi_closure *c = w->closure;
  const lwi_link_system *link_system = x->link_system;
  c->reduced = c->forward = false;
  memset(c->link_system_J, 0, link_system->nJ * sizeof(double));
  memset(c->value, 0, link_system->envelope.nvalue * sizeof(double));
  for (int b = 0; b < link_system->nblock; b++)
    if (link_system->block[b].constraint < 0)
      joint_rows(m, w, x, &link_system->block[b]);
    else
      constraint_rows(m, w, x, &link_system->block[b]);
  for (int i = 1; i < m->nlink; i++)
    couple_link(m, w, link_system, i);
  soften(m, link_system, c, more);
  lwi_rank_rule own = rule ? *rule : (lwi_rank_rule){0};
  own.dependent = fmax(own.dependent, DEPENDENT);
  if (c->plain) own.unit = 1;
  lwi_envelope_factor(&link_system->envelope, c->value, &c->link_system_rank, rule ? &own : NULL);
  c->rank.rank = c->link_system_rank.rank - link_system->ntree;
  c->rank.weakest = c->link_system_rank.weakest;
}

/* ---- the motion ---- */

/* X = M^-1 J^T lambda of a link */
static void link_motion(const lw_model *m, const lw_work *w, const lwi_link_system *link_system,
                        int link, const double *lambda, double X[6])
{
  const lwi_closure *c = w->closure;
  const mobility own = mobility_of(m, w, link);
  double F[6] = {0};
  for (int k = link_system->start[link]; k < link_system->start[link + 1]; k++) {
    const lwi_link_system_end *e = &link_system->end[link_system->at[k]];
    const lwi_link_system_block *b = &link_system->block[e->block];
    for (int r = 0; r < b->n; r++)
      for (int i = 0; i < 6; i++)
        F[i] += lambda[b->row + r] * c->link_system_J[e->J + (size_t)(6 * r + i)];
  }
  push(&own, F, X);
}

/* out = W in, in the rows that count */
static void multiply(const lw_model *m, lw_work *w, const lwi_link_system *link_system,
                     const double *in, double *out)
{
  lwi_closure *c = w->closure;
  const lwi_rank *rank = &c->link_system_rank;
  for (int i = 1; i < m->nlink; i++)
    link_motion(m, w, link_system, i, in, c->link_system_X[i]);
  for (int b = 0; b < link_system->nblock; b++) {
    const lwi_link_system_block *own = &link_system->block[b];
    for (int r = 0; r < own->n; r++) {
      double sum = own->constraint < 0 ? 0 : c->link_system_softness * in[own->row + r];
      for (int e = own->first; e < own->first + own->nend; e++) {
        const double *J = c->link_system_J + link_system->end[e].J + 6 * r,
                     *X = c->link_system_X[link_system->end[e].link];
        sum += dot3(J, X) + dot3(J + 3, X + 3);
      }
      out[own->row + r] = sum;
    }
  }
  for (int k = 0; k < link_system->nrow; k++)
    if (!rank->kept[k]) out[rank->order[k]] = 0;
}

static double product(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* Conjugate gradients with the softened factor: few steps, most often one.  In: r = right side.
   Uses up r, p, z, Wp. */
static void solve_hard(const lw_model *m, lw_work *w, const lwi_link_system *link_system,
                       double *lambda, double *r, double *p, double *z, double *Wp)
{
  lwi_closure *c = w->closure;
  const int n = link_system->nrow;
  const double first = product(r, r, n);
  double rz = 0, least = first;
  int since = 0; /* steps since the residual was smallest */
  memset(lambda, 0, (size_t)n * sizeof(double));
  memset(p, 0, (size_t)n * sizeof(double));
  for (int i = 0; i < MOST_STEPS && since < PATIENCE; i++) {
    memcpy(z, r, (size_t)n * sizeof(double));
    lwi_envelope_solve(&link_system->envelope, c->value, &c->link_system_rank, z);
    const double next = product(r, z, n), more = i > 0 ? next / rz : 0;
    for (int k = 0; k < n; k++)
      p[k] = z[k] + more * p[k];
    rz = next;
    multiply(m, w, link_system, p, Wp);
    const double along = product(p, Wp, n), a = rz / along;
    if (!(along > 0) || !isfinite(a)) return;
    for (int k = 0; k < n; k++) {
      lambda[k] += a * p[k];
      r[k] -= a * Wp[k];
    }
    const double left = product(r, r, n);
    since = left < 0.25 * least ? 0 : since + 1;
    least = fmin(left, least);
    if (!(left > ENOUGH * ENOUGH * first)) return;
  }
}

void lwi_link_system_solve(const lw_model *m, lw_work *w, const lwi_tree_constraints *x)
{
  lwi_closure *c = w->closure;
  const lwi_link_system *link_system = x->link_system;
  const lwi_rank *rank = &c->link_system_rank;
  double *r = c->link_system_lambda + link_system->nrow;
  for (int b = 0; b < link_system->nblock; b++) {
    const lwi_link_system_block *own = &link_system->block[b];
    for (int i = 0; i < own->n; i++)
      r[own->row + i] = own->constraint < 0 ? 0 : c->rhs[x->constraint[own->constraint].row + i];
  }
  for (int k = 0; k < link_system->nrow; k++)
    if (!rank->kept[k]) r[rank->order[k]] = 0;
  solve_hard(m, w, link_system, c->link_system_lambda, r, r + link_system->nrow,
             r + 2 * link_system->nrow, r + 3 * link_system->nrow);
  c->link_system = link_system;
}

void lwi_link_system_move(const lw_model *m, lw_work *w, double u[])
{
  double(*X)[6] = w->closure->link_system_X;
  memset(X[0], 0, sizeof X[0]);
  for (int i = 1; i < m->nlink; i++) {
    const lwi_link *L = &m->link[i];
    link_joint joint = find_joint(m, w, i);
    double turn[3], d[6], x[6];
    link_motion(m, w, w->closure->link_system, i, w->closure->link_system_lambda, X[i]);
    const double *from = X[L->parent];
    cross3(from, joint.r, turn);
    for (int k = 0; k < 6; k++)
      d[k] = X[i][k] - from[k] - (k < 3 ? 0 : turn[k - 3]);
    for (int j = 0; j < L->nu; j++)
      x[j] = dot3(joint.S[j], d) + dot3(joint.S[j] + 3, d + 3);
    solve_normal(L->nu, L->inertialess, joint.S, x);
    for (int j = L->inertialess; j < L->nu; j++)
      u[L->u + j] += x[j];
  }
}
