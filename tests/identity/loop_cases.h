/* SPDX-License-Identifier: Apache-2.0 */
/* loop_cases.h -- random trees with closed loops: every joint type closes loops, one to six of them,
   coupled and redundant, with geometric constraints and relations; and a dense solve of

     [ M -G^T ] [ udot   ]   [ tau - bias ]
     [ G   0  ] [ lambda ] = [ gamma      ]

   whose G is put together from body Jacobians. */
#ifndef LOOP_CASES_H
#define LOOP_CASES_H
#include "lwt_loops.h"
#include "linkwork/simulate.h"
#include "linkwork/loops.h"
#include "model/model.h"
#include "tree/loops/work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which way computes ---- */

enum { CUT, EMBEDDED };
static const lw_loops loop_ways[] = {[CUT] = LW_LOOPS_CUT, [EMBEDDED] = LW_LOOPS_EMBEDDED};
static lw_loops loop_way; /* of all works of a test */

static inline int set_loop_way(void **state)
{
  loop_way = *(const lw_loops *)*state;
  return 0;
}

#define BY(way, test)                                                                              \
  {                                                                                                \
#test " (" #way ")", test, set_loop_way, NULL, (void *)&loop_ways[way]                         \
  }
#define BOTH_WAYS(test) BY(CUT, test), BY(EMBEDDED, test)

/* ---- the dense way ---- */

static inline lwi_frame frame_of(const lw_pose *X)
{
  lwi_frame f = {.R = rot_from_quat(X->quat)};
  memcpy(f.p, X->p, sizeof X->p);
  return f;
}

typedef struct {
  int n, nu;
  double *G, *gamma; /* [n][nu], [n]: the equations as they are, unscaled, with J udot moved over */
  double (*child)[6]; /* [n] rows of geometric equations on the child, about its frame */
} dense_rows;

static inline void dense_rows_free(dense_rows *d)
{
  free(d->G);
  free(d->gamma);
  free(d->child);
}

/* JA and JB of a pair of frames on bodies, as rows of u; gamma - J (accelerations for udot = 0) */
static inline void add_pair_rows(const lwt_case *c, dense_rows *d, lw_body a, lw_body b,
                                 const lwi_frame *pa, const lwi_frame *pb, const lwi_equations *e,
                                 const lwi_joint *joint, int dof, double coefficient, int row)
{
  const lw_body body[2] = {a, b};
  const lwi_frame *place[2] = {pa, pb};
  lwi_frame f[2];
  double V[2][6], A[2][6], J[2][6][6], gamma[6];
  double *B = malloc((size_t)(12 * c->nu) * sizeof *B);
  for (int i = 0; i < 2; i++) {
    lw_pose X;
    double o[3], turn[3], swing[3];
    lwt_ok(lw_get_pose(c->w, body[i], &X));
    lwt_ok(lw_get_velocity(c->w, body[i], V[i]));
    lwt_ok(lw_get_acceleration(c->w, body[i], A[i]));
    lwt_ok(lw_jacobian(c->w, body[i], place[i]->p, B + 6 * c->nu * i));
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
  if (joint) {
    const int id = (int)(joint - c->m->joint);
    const double *near = lwi_cut_near(c->m, c->w->kernels, c->w->tree, id);
    const lwi_joint_at at = {&joint->shape, &f[0], &f[1], near};
    lwi_joint_speed_rows(&at, J[0], J[1]);
    lwi_joint_speed_gamma(&at, V[0], V[1], gamma);
  } else {
    lwi_equations_jacobian(e, &f[0], &f[1], J[0], J[1]);
    lwi_equations_gamma(e, &f[0], &f[1], V[0], V[1], gamma);
  }
  const int first = joint ? dof : 0, n = joint ? 1 : e->n;
  for (int r = 0; r < n; r++) {
    if (!joint) memcpy(d->child[row + r], J[1][r], sizeof d->child[0]);
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
      add_pair_rows(c, d, j->info.parent, j->info.child, &j->place, &j->child_place, NULL, j,
                    r->term[i].dof, r->term[i].coefficient, row);
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
  d.child = calloc((size_t)d.n + 1, sizeof *d.child);
  double *zero = calloc((size_t)d.nu + 1, sizeof *zero);
  lwt_ok(lw_kinematics(c->w, c->q, c->u));
  lwt_ok(lw_accelerations(c->w, zero));
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
  lwt_ok(lw_mass_matrix(c->w, c->q, M));
  lwt_ok(lw_bias(c->w, c->t, c->q, c->u, b));
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

/* ---- the tests ---- */

static const double G = 9; /* gravity: the scale of accelerations, also where nothing can move */

static inline lwt_case way_case(lw_model *m, unsigned seed)
{
  lwt_case c = lwt_case_of(m, seed);
  lwt_ok(lw_set_loops(c.w, loop_way));
  return c;
}

static inline lwt_case mechanism_case(const lwt_loops *d)
{
  lwt_case c = lwt_loops_case(d);
  lwt_ok(lw_set_loops(c.w, loop_way));
  return c;
}

#endif
