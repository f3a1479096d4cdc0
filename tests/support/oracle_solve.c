/* SPDX-License-Identifier: Apache-2.0 */
/* oracle_solve.c -- Newton-Euler equations and constraints as one dense linear system. */
#include "oracle_dense.h"
#include "oracle_internal.h"
#include "linkwork/reader.h"

#include <stdlib.h>

/* ---- the linear system, by columns: a[row + column * n] ---- */

typedef struct {
  int n, nbody, nrow;     /* nrow constraint equations */
  int *first;             /* [njoint + nconstraint + 1] first equation of each */
  oracle_real *a, *b, *x; /* matrix, right-hand side, solution */
} system6;

static system6 system_new(const oracle *o)
{
  system6 s = {.nbody = o->parts->nbody};
  const int njoint = o->njoint, nconstraint = o->parts->nconstraint;
  s.first = calloc((size_t)(njoint + nconstraint) + 1, sizeof *s.first);
  for (int j = 0; j < o->njoint; j++)
    s.first[j + 1] = s.first[j] + 6 - lw_joint_type_nu(o->joint[j].type, o->parts->planar);
  for (int k = 0; k < nconstraint; k++)
    s.first[njoint + k + 1] = s.first[njoint + k] + oraclei_nequation(&o->parts->constraint[k].d);
  s.nrow = s.first[njoint + nconstraint];
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

/* d . (acceleration of body b's point at x), times scale, as part of one equation, and the load on that
   body */
static void write_side(const oracle *o, system6 *s, int row, int b, oracle_real scale,
                       const oracle_real x[3], const oracle_real d[6], const oracle_real load[6])
{
  if (b == 0) return;
  oracle_real c[3], r[3], g[6], f[6], A[6] = {0};
  oraclei_center(o, b, c);
  for (int i = 0; i < 3; i++)
    r[i] = x[i] - c[i];
  memcpy(g, d, sizeof g);
  memcpy(f, load, sizeof f);
  add_cross(g, 1, r, d + 3);
  add_cross(f, 1, r, load + 3);
  for (int i = 0; i < 6; i++) {
    *entry(s, row, 6 * (b - 1) + i) += scale * g[i];
    *entry(s, 6 * (b - 1) + i, row) -= scale * f[i];
  }
  oraclei_add_centripetal(o->body[b].V, 1, r, A);
  s->b[row] -= scale * dot6(d, A);
}

/* D'(A_b - A_a) = D'c */
static void write_joint(const oracle *o, system6 *s, int joint)
{
  oracle_handle h = oraclei_handle(o, joint);
  oracle_real c[6];
  oraclei_find_complement(&h);
  oraclei_bias(o, &h, o->speed + o->u[joint], c);
  for (int k = 0; k < 6 - h.nu; k++) {
    const int row = 6 * s->nbody + s->first[joint] + k;
    s->b[row] = dot6(h.D[k], c);
    write_side(o, s, row, h.child, 1, h.x, h.D[k], h.D[k]);
    write_side(o, s, row, h.parent, -1, h.x, h.D[k], h.D[k]);
  }
}

static void write_tie(const oracle *o, system6 *s, int k)
{
  const oracle_tie e = oraclei_tie(o, k);
  for (int i = 0; i < e.n; i++) {
    const int row = 6 * s->nbody + s->first[o->njoint + k] + i;
    s->b[row] = e.bias[i];
    write_side(o, s, row, e.child, 1, e.x, e.D[i], e.D[i]);
    write_side(o, s, row, e.parent, -1, e.at, e.D[i], e.D[i]);
  }
}

/* sum of coefficient * udot, where udot = (P'P)^-1 P'(A_b - A_a - c); a motor on each coordinate */
static void write_relation(const oracle *o, system6 *s, int k, oracle_real t)
{
  const oracle_relation r = oraclei_relation(o, k, t);
  const int row = 6 * s->nbody + s->first[o->njoint + k];
  s->b[row] = r.value[2];
  for (int i = 0; i < r.n; i++) {
    oracle_handle h = oraclei_handle(o, r.joint[i]);
    oracle_real unit[6] = {0}, x[6], d[6], load[6], c[6];
    unit[r.dof[i]] = 1;
    oraclei_solve_gram(h.P, h.nu, unit, x);
    oraclei_times(h.P, h.nu, x, d);
    oraclei_motor_load(o, r.joint[i], r.dof[i], load);
    oraclei_bias(o, &h, o->speed + o->u[r.joint[i]], c);
    s->b[row] += r.coefficient[i] * dot6(d, c);
    write_side(o, s, row, h.child, r.coefficient[i], h.x, d, load);
    write_side(o, s, row, h.parent, -r.coefficient[i], h.x, d, load);
  }
}

/* as many joints as bodies, each body with inertia: the equations are independent */
static bool is_regular_tree(const oracle *o)
{
  if (o->independent) return true;
  if (o->force_min_norm || o->njoint != o->parts->nbody || o->parts->nconstraint) return false;
  for (int b = 0; b < o->parts->nbody; b++) {
    const double *J = o->parts->body[b].inertia;
    if (J[2] == 0 || (!o->parts->planar && (J[0] == 0 || J[1] == 0))) return false;
  }
  return true;
}

/* of a relation: the multiplier alone */
static void read_tie(const oracle *o, const system6 *s, int k, const oracle_real *lambda,
                     oracle_real load[6])
{
  const oracle_real *x = lambda + s->first[o->njoint + k];
  memset(load, 0, 6 * sizeof *load);
  if (oraclei_is_relation(&o->parts->constraint[k].d)) {
    load[0] = x[0];
    return;
  }
  const oracle_tie e = oraclei_tie(o, k);
  for (int i = 0; i < e.n; i++)
    for (int n = 0; n < 6; n++)
      load[n] += e.D[i][n] * x[i];
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
    oraclei_find_complement(&h);
    for (int i = 0; i < 6; i++)
      A[i] -= Aa[i] + bias[i];
    oraclei_least_squares(h.P, h.nu, A, o->udot + o->u[j]);
    oraclei_times(h.D, 6 - h.nu, s->x + 6 * s->nbody + s->first[j], o->load[j]);
  }
  for (int k = 0; k < o->parts->nconstraint; k++)
    read_tie(o, s, k, s->x + 6 * s->nbody, o->load[o->njoint + k]);
}

static system6 write_system(const oracle *o, oracle_real t)
{
  system6 s = system_new(o);
  for (int b = 1; b <= s.nbody; b++)
    write_body(o, &s, b);
  for (int j = 0; j < o->njoint; j++)
    write_joint(o, &s, j);
  for (int k = 0; k < o->parts->nconstraint; k++)
    if (oraclei_is_relation(&o->parts->constraint[k].d))
      write_relation(o, &s, k, t);
    else
      write_tie(o, &s, k);
  return s;
}

void oracle_dynamics(oracle *o, oracle_real t, const oracle_real tau[])
{
  oraclei_apply_all(o, t, tau);
  system6 s = write_system(o, t);
  o->nequation = s.n;
  if (o->length > 0)
    o->rank = oraclei_solve_null_space(6 * s.nbody, s.nrow, s.a, s.b, o->length, s.x);
  else if (is_regular_tree(o) && oraclei_solve_regular(s.n, s.a, s.b, s.x))
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
      g[(size_t)i + (size_t)k * (size_t)rows] = *entry(s, i, rows + k);
  const int rank = oraclei_null_space(rows, columns, g, vt);
  free(g);
  return rank;
}

void oracle_mobility(const oracle *o, int *dof, int *redundant)
{
  system6 s = write_system(o, 0);
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
  system6 s = write_system(o, 0);
  const size_t n = (size_t)s.nrow;
  oracle_real *vt = calloc(n * n + 1, sizeof *vt), *lambda = calloc(n + 1, sizeof *lambda);
  const int rank = decompose(&s, vt);
  for (int j = 0; j < o->njoint; j++) {
    oracle_handle h = oraclei_handle(o, j);
    oraclei_find_complement(&h);
    for (int k = 0; k < 6 - h.nu; k++)
      lambda[s.first[j] + k] = dot6(h.D[k], loads[j]);
  }
  for (int k = 0; k < o->parts->nconstraint; k++) {
    const oracle_tie e = oraclei_tie(o, k);
    lambda[s.first[o->njoint + k]] = loads[o->njoint + k][0];
    for (int i = 0; i < e.n; i++)
      lambda[s.first[o->njoint + k] + i] = dot6(e.D[i], loads[o->njoint + k]);
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
    oraclei_find_complement(&h);
    oraclei_times(h.D, 6 - h.nu, lambda + s.first[j], loads[j]);
  }
  for (int k = 0; k < o->parts->nconstraint; k++)
    read_tie(o, &s, k, lambda, loads[o->njoint + k]);
  free(vt);
  free(lambda);
  system_free(&s);
}
