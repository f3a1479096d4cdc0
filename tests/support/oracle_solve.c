/* SPDX-License-Identifier: Apache-2.0 */
/* oracle_solve.c -- Newton-Euler equations and constraints as one dense linear system. */
#include "oracle_dense.h"
#include "oracle_internal.h"

#include <stdlib.h>

/* ---- the linear system, by columns: a[row + column * n] ---- */

typedef struct {
  int n, nbody, nrow;     /* nrow constraint equations */
  int *first;             /* [njoint + 1] first equation of each joint */
  oracle_real *a, *b, *x; /* matrix, right-hand side, solution */
} system6;

static system6 system_new(const oracle *o)
{
  system6 s = {.nbody = o->parts->nbody};
  s.first = calloc((size_t)o->njoint + 1, sizeof *s.first);
  for (int j = 0; j < o->njoint; j++)
    s.first[j + 1] = s.first[j] + 6 - lw_joint_type_nu(o->joint[j].type, o->parts->planar);
  s.nrow = s.first[o->njoint];
  s.n = 6 * s.nbody + s.nrow;
  s.a = calloc((size_t)s.n * (size_t)s.n + 1, sizeof *s.a);
  s.b = calloc((size_t)s.n + 1, sizeof *s.b);
  s.x = calloc((size_t)s.n + 1, sizeof *s.x);
  return s;
}

static void system_free(system6 *s)
{
  free(s->first);
  free(s->a);
  free(s->b);
  free(s->x);
}

static oracle_real *entry(const system6 *s, int row, int column)
{
  return &s->a[(size_t)row + (size_t)column * (size_t)s->n];
}

/* M A = applied - gyroscopic torque */
static void write_body(const oracle *o, system6 *s, int b)
{
  const int at = 6 * (b - 1);
  oracle_real J[3][3], Iw[3];
  const oracle_real *w = o->body[b].V;
  oraclei_inertia(o, b, J);
  turn(J, w, Iw);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++)
      *entry(s, at + i, at + k) = J[i][k];
    *entry(s, at + 3 + i, at + 3 + i) = o->parts->body[b - 1].mass;
  }
  memcpy(s->b + at, o->applied[b], sizeof o->applied[b]);
  add_cross(s->b + at, -1, w, Iw);
}

/* d . (acceleration of body b's point at x), times sign, as part of one equation and as the load
   d on that body */
static void write_side(const oracle *o, system6 *s, int row, int b, oracle_real sign,
                       const oracle_real x[3], const oracle_real d[6])
{
  if (b == 0) return;
  oracle_real c[3], r[3], g[6], A[6] = {0};
  oraclei_center(o, b, c);
  for (int i = 0; i < 3; i++)
    r[i] = x[i] - c[i];
  memcpy(g, d, sizeof g);
  add_cross(g, 1, r, d + 3);
  for (int i = 0; i < 6; i++) {
    *entry(s, row, 6 * (b - 1) + i) += sign * g[i];
    *entry(s, 6 * (b - 1) + i, row) -= sign * g[i];
  }
  oraclei_add_centripetal(o->body[b].V, 1, r, A);
  s->b[row] -= sign * dot6(d, A);
}

/* D'(A_b - A_a) = D'c */
static void write_joint(const oracle *o, system6 *s, int joint)
{
  oracle_handle h = oraclei_handle(o, joint);
  oracle_real c[6];
  oraclei_bias(o, &h, o->speed + o->u[joint], c);
  for (int k = 0; k < 6 - h.nu; k++) {
    const int row = 6 * s->nbody + s->first[joint] + k;
    s->b[row] = dot6(h.D[k], c);
    write_side(o, s, row, h.child, 1, h.x, h.D[k]);
    write_side(o, s, row, h.parent, -1, h.x, h.D[k]);
  }
}

/* as many joints as bodies, each body with inertia: the equations are independent */
static bool is_regular_tree(const oracle *o)
{
  if (o->force_min_norm || o->njoint != o->parts->nbody) return false;
  for (int b = 0; b < o->parts->nbody; b++) {
    const double *J = o->parts->body[b].inertia;
    if (J[2] == 0 || (!o->parts->planar && (J[0] == 0 || J[1] == 0))) return false;
  }
  return true;
}

static void read_solution(oracle *o, const system6 *s)
{
  for (int b = 1; b <= s->nbody; b++) {
    oracle_real c[3];
    oraclei_center(o, b, c);
    oraclei_set_acceleration(&o->body[b], c, s->x + 6 * (b - 1));
  }
  for (int j = 0; j < o->njoint; j++) {
    oracle_handle h = oraclei_handle(o, j);
    oracle_real A[6], Aa[6], bias[6];
    oraclei_acceleration_at(&o->body[h.child], h.x, A);
    oraclei_acceleration_at(&o->body[h.parent], h.x, Aa);
    oraclei_bias(o, &h, o->speed + o->u[j], bias);
    for (int i = 0; i < 6; i++)
      A[i] -= Aa[i] + bias[i];
    oraclei_least_squares(h.P, h.nu, A, o->udot + o->u[j]);
    oraclei_times(h.D, 6 - h.nu, s->x + 6 * s->nbody + s->first[j], o->load[j]);
  }
}

static system6 write_system(const oracle *o)
{
  system6 s = system_new(o);
  for (int b = 1; b <= s.nbody; b++)
    write_body(o, &s, b);
  for (int j = 0; j < o->njoint; j++)
    write_joint(o, &s, j);
  return s;
}

void oracle_dynamics(oracle *o, oracle_real t, const oracle_real tau[])
{
  oraclei_apply_all(o, t, tau);
  system6 s = write_system(o);
  o->nequation = s.n;
  if (is_regular_tree(o) && oraclei_solve_regular(s.n, s.a, s.b, s.x))
    o->rank = s.n;
  else
    o->rank = oraclei_solve_min_norm(s.n, s.n, s.a, s.b, s.x);
  read_solution(o, &s);
  system_free(&s);
}

/* ---- what the constraints leave open ---- */

/* Rows rank, rank + 1, ... of vt are loads that no body feels.  Returns the rank of G'. */
static int decompose(const system6 *s, oracle_real *vt)
{
  const int rows = 6 * s->nbody, columns = s->nrow;
  oracle_real *g = calloc((size_t)rows * (size_t)columns + 1, sizeof *g);
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < columns; k++)
      g[(size_t)i + (size_t)k * (size_t)rows] = *entry(s, rows + k, i);
  const int rank = oraclei_null_space(rows, columns, g, vt);
  free(g);
  return rank;
}

void oracle_mobility(const oracle *o, int *dof, int *redundant)
{
  system6 s = write_system(o);
  oracle_real *vt = calloc((size_t)s.nrow * (size_t)s.nrow + 1, sizeof *vt);
  const int rank = decompose(&s, vt);
  const int out_of_plane =
      o->parts->planar ? 3 : 0; /* equations that a planar joint does not have */
  *dof = 6 * s.nbody - rank;
  *redundant = s.nrow - out_of_plane * o->njoint - (rank - out_of_plane * s.nbody);
  free(vt);
  system_free(&s);
}

void oracle_keep_determined(const oracle *o, oracle_real (*loads)[6])
{
  system6 s = write_system(o);
  const size_t n = (size_t)s.nrow;
  oracle_real *vt = calloc(n * n + 1, sizeof *vt), *lambda = calloc(n + 1, sizeof *lambda);
  const int rank = decompose(&s, vt);
  for (int j = 0; j < o->njoint; j++) {
    oracle_handle h = oraclei_handle(o, j);
    for (int k = 0; k < 6 - h.nu; k++)
      lambda[s.first[j] + k] = dot6(h.D[k], loads[j]);
  }
  for (int i = rank; i < s.nrow; i++) {
    oracle_real along = 0;
    for (size_t k = 0; k < n; k++)
      along += vt[(size_t)i + k * n] * lambda[k];
    for (size_t k = 0; k < n; k++)
      lambda[k] -= along * vt[(size_t)i + k * n];
  }
  for (int j = 0; j < o->njoint; j++) {
    oracle_handle h = oraclei_handle(o, j);
    oraclei_times(h.D, 6 - h.nu, lambda + s.first[j], loads[j]);
  }
  free(vt);
  free(lambda);
  system_free(&s);
}
