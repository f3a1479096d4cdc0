/* SPDX-License-Identifier: Apache-2.0 */
/* cartesian_loads.c -- which of many possible loads.

   Rows d depend on the rows k that count.  N y = [lambda_k; y] with Phi_k^T lambda_k = -Phi_d^T y
   are the states of self-stress, which move nothing.  Reported are the loads whose multipliers in
   the joints that close loops, in constraints and relations have the smallest sum of squares, rows
   in radians being scaled by the model's length: the choice of docs/theory/loops.md, so that all
   formulations report the same. Products with N are solves with the factors there are. */
#include "cartesian/form/cartesian.h"
#include "math/arrays.h"

/* the square of the weight of a relation, in metres */
static double relation_weight(const lw_cartesian *c, const lwi_row_set *s, double turn)
{
  const lw_model *m = c->m;
  const lwi_relation *rel = &m->constraint[s->constraint].relation;
  double J[2][6][6], size = 0;
  for (int i = 0; i < rel->nterm; i++) {
    const lwi_relation_term *t = &rel->term[i];
    const lwi_joint *j = &m->joint[t->joint];
    const lwi_joint_at at = lwi_cartesian_joint_at(c, t->joint);
    const double slope = lwi_term_slope(t, c->q[j->info.q_all + t->dof]), k = slope * slope;
    if (j->info.cut) {
      lwi_joint_speed_rows(&at, J[0], J[1]);
      size +=
          k * (dot3(J[1][t->dof] + 3, J[1][t->dof] + 3) + turn * dot3(J[1][t->dof], J[1][t->dof]));
      continue;
    }
    lwi_joint_motion_map(&at, J[0]);
    size += k * (dot3(J[0][t->dof], J[0][t->dof]) > 0 ? turn : 1);
  }
  return size;
}

/* the same of the rows of a set; 0: they do not count */
static void find_weights(const lw_cartesian *c, const lwi_row_set *s, double weight[])
{
  const double turn = 1 / (c->m->length * c->m->length);
  double J[2][6][6];
  memset(weight, 0, (size_t)s->n * sizeof *weight);
  if (!s->constrained) return;
  if (!s->joint && c->m->constraint[s->constraint].pair < 0) {
    weight[0] = relation_weight(c, s, turn);
    return;
  }
  lwi_cartesian_pair_rows(c, s, J);
  for (int r = 0; r < s->n; r++)
    weight[r] = dot3(J[1][r] + 3, J[1][r] + 3) + turn * dot3(J[1][r], J[1][r]);
}

/* solve with the factors there are; -lambda so that lambda_k = B^-1 (gamma - Phi M^-1 Q) */
static void solve(lw_cartesian *c, const double *force, const double *gamma, double *lambda)
{
  const lwi_descriptor_values v = {
      .mass = c->mass, .jacobian = c->jacobian, .force = force, .gamma = gamma, .give = c->give};
  lwi_descriptor_solve_again(c->linear, &v, c->scratch[1], lambda);
}

/* out = N y; y is zero in the rows that count */
static void stress(lw_cartesian *c, const double y[], double out[])
{
  double *force = c->scratch[0], *none = c->scratch_rows[7];
  memset(force, 0, lwi_cartesian_speeds(c) * sizeof(double));
  memset(none, 0, (size_t)c->nrow * sizeof(double));
  lwi_cartesian_add_loads(c, -1, y, force);
  solve(c, force, none, out);
  for (int i = 0; i < c->nrow; i++)
    if (!lwi_descriptor_row_kept(c->linear, i)) out[i] = y[i];
}

/* out = N^T x, zero in the rows that count */
static void stress_transposed(lw_cartesian *c, const double x[], double out[])
{
  double *force = c->scratch[0], *gamma = c->scratch_rows[7], *lambda = c->scratch_rows[6];
  memset(force, 0, lwi_cartesian_speeds(c) * sizeof(double));
  for (int i = 0; i < c->nrow; i++)
    gamma[i] = -x[i];
  solve(c, force, gamma, lambda); /* a = -M^-1 Phi_k^T B^-1 x_k */
  lwi_cartesian_multiply(c, c->scratch[1], lambda);
  for (int i = 0; i < c->nrow; i++)
    out[i] = lwi_descriptor_row_kept(c->linear, i) ? 0 : x[i] + lambda[i];
}

/* One run of conjugate gradients for lambda - N y with N^T W N y = N^T W lambda; returns how much
   was left to do at its start, relative to the loads. */
static double descend(lw_cartesian *c, const double weight[])
{
  const int n = c->nrow;
  double *r = c->scratch_rows[1], *p = c->scratch_rows[2], *Np = c->scratch_rows[3],
         *Ap = c->scratch_rows[4], *WNp = c->scratch_rows[5];
  for (int i = 0; i < n; i++)
    WNp[i] = weight[i] * c->lambda[i];
  stress_transposed(c, WNp, r);
  memcpy(p, r, (size_t)n * sizeof(double));
  const double size = lwi_dot(WNp, WNp, n), first = lwi_dot(r, r, n);
  double rr = first;
  for (int k = 0; k < c->redundant + 10 && k < 300 && rr > 1e-32 * size; k++) {
    stress(c, p, Np);
    for (int i = 0; i < n; i++)
      WNp[i] = weight[i] * Np[i];
    stress_transposed(c, WNp, Ap);
    const double alpha = rr / lwi_dot(Np, WNp, n), before = rr;
    for (int i = 0; i < n; i++) {
      c->lambda[i] -= alpha * Np[i];
      r[i] -= alpha * Ap[i];
    }
    rr = lwi_dot(r, r, n);
    for (int i = 0; i < n; i++)
      p[i] = r[i] + rr / before * p[i];
  }
  return size > 0 ? first / size : 0;
}

void lwi_cartesian_least_loads(lw_cartesian *c)
{
  if (c->redundant == 0) return;
  for (int k = 0; k < c->shape.nset; k++)
    find_weights(c, &c->set[k], c->scratch_rows[0] + c->set[k].row);
  for (int k = 0; k < 4; k++)
    if (descend(c, c->scratch_rows[0]) < 1e-28) return;
}
