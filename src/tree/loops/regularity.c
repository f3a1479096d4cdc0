/* SPDX-License-Identifier: Apache-2.0 */
/* regularity.c -- distance of a configuration from the nearest singular one, by the factor G D G^T
   = L L^T of the scaled rows; degrees of freedom and contradictory speeds there (regularity.h). */
#include "tree/loops/regularity.h"
#include "tree/loops/loop_closing.h"
#include "tree/loops/work.h"

#include <string.h>

/* G D G^T of the present rows, and its factor by a rule */
static void factor_rows(const lw_model *m, lw_work *w, const lwi_rank_rule *rule)
{
  lwi_closure_plain_metric(m, w, &m->tree_constraints, NULL);
  lwi_closure_compliance(m, w, &m->tree_constraints, 0, rule);
}

static void factor(const lw_model *m, lw_work *w, const double q[], const lwi_rank_rule *rule)
{
  const lwi_search s = lwi_search_all(m, w, 0, w->q);
  w->stage = LWI_STAGE_NOTHING;
  lwi_search_find_violation(&s, q);
  factor_rows(m, w, rule);
}

static bool has_none(const lw_model *m, const lw_work *w)
{
  return !w->closure || m->tree_constraints.link_system || m->tree_constraints.nrow == 0;
}

int lwi_regularity_parts(const lw_model *m)
{
  const bool none = m->tree_constraints.link_system || m->tree_constraints.nrow == 0;
  return none ? 0 : m->clusters.ncluster;
}

/* Ranks of the parts, and their smallest pivots as parts of the largest diagonals of their blocks, r^2. */
static void count_parts(const lw_model *m, const lw_work *w, int rank[], double square[])
{
  const lwi_envelope *e = &m->tree_constraints.envelope;
  const lwi_rank *found = &w->closure->rank;
  for (int c = 0; c < m->clusters.ncluster; c++) {
    rank[c] = 0;
    if (square) square[c] = 1;
  }
  for (int b = 0; b < e->nblock; b++) {
    const int part = m->clusters.constraint[b].cluster;
    double strongest = 0;
    for (int i = e->block[b]; i < e->block[b + 1]; i++)
      strongest = fmax(strongest, found->pivot[i]);
    for (int i = e->block[b]; i < e->block[b + 1]; i++) {
      if (!found->kept[i]) continue;
      const double root = *lwi_envelope_at(e, w->closure->value, b, i, i);
      if (square) square[part] = fmin(square[part], root * root / strongest);
      rank[part]++;
    }
  }
}

void lwi_regularity(const lw_model *m, lw_work *w, const double q[], int rank[], double r[])
{
  if (has_none(m, w)) return;
  /* rows that counted before count as long as they exceed rounding errors */
  const lwi_rank_rule rule = {.dependent = 1e-10, .zero = 1e-16, .lost = 1e-16};
  factor(m, w, q, &rule);
  count_parts(m, w, w->closure->part_rank, r);
  for (int c = 0; c < m->clusters.ncluster; c++) {
    const int found = w->closure->part_rank[c];
    if (found > rank[c]) rank[c] = found;
    r[c] = found < rank[c] ? 0 : sqrt(r[c]);
  }
}

void lwi_regularity_near(const lw_model *m, lw_work *w, const double q[], const int rank[],
                         double r[])
{
  if (has_none(m, w)) return;
  factor(m, w, q, NULL);
  count_parts(m, w, w->closure->part_rank, r);
  for (int c = 0; c < m->clusters.ncluster; c++)
    r[c] = w->closure->part_rank[c] < rank[c] ? 0 : sqrt(r[c]);
}

static double speed_of(const lw_model *m, const lw_work *w, const double u[], int column)
{
  const double D = w->closure->Dinv[column];
  return D > 0 ? fabs(u[m->column_u[column]]) / (sqrt(D) * m->length) : 0;
}

/* largest speed of all joints */
static double fastest(const lw_model *m, const lw_work *w, const double u[])
{
  double most = 0;
  for (int k = 0; k < m->nu; k++)
    most = fmax(most, speed_of(m, w, u, k));
  return most;
}

void lwi_regularity_speeds(const lw_model *m, const lw_work *w, const double u[], double speed[])
{
  const lwi_tree_constraints *x = &m->tree_constraints;
  if (has_none(m, w)) return;
  memset(speed, 0, (size_t)m->clusters.ncluster * sizeof *speed);
  for (int k = 0; k < m->nu; k++) {
    if (x->touch_start[k] == x->touch_start[k + 1]) continue;
    const int part = m->clusters.constraint[x->touch[x->touch_start[k]].constraint].cluster;
    speed[part] = fmax(speed[part], speed_of(m, w, u, k));
  }
}

void lwi_regularity_ranks(const lw_model *m, lw_work *w, const double q[], double there, int rank[])
{
  if (has_none(m, w)) return;
  const lwi_rank_rule rule = {.dependent = there * there, .zero = there * there};
  factor(m, w, q, &rule);
  count_parts(m, w, rank, NULL);
}

/* the largest residual gamma - G udot, and its row */
static double find_deficit(const lw_model *m, lw_work *w, const double udot[], int *row)
{
  double *deficit = w->closure->rhs, most = 0;
  w->kernels->accelerations(m, w->tree, udot);
  lwi_closure_deficit(m, w, &m->tree_constraints, udot, deficit);
  for (int i = 0; i < m->tree_constraints.nrow; i++)
    if (fabs(deficit[i]) > most) {
      most = fabs(deficit[i]);
      *row = i;
    }
  return most;
}

double lwi_regularity_contradiction(const lw_model *m, lw_work *w, double t, const double q[],
                                    const double u[], double there, int *constraint)
{
  if (has_none(m, w)) return 0;
  const lwi_rank_rule rule = {.dependent = there * there, .zero = there * there};
  double *udot = w->in;
  int row = 0;
  w->stage = LWI_STAGE_NOTHING;
  w->kernels->kinematics(m, w->tree, q, u);
  lwi_closure_place(m, w, t);
  lwi_closure_rows(m, w, &m->tree_constraints);
  factor_rows(m, w, &rule);
  memset(udot, 0, (size_t)m->nu * sizeof(double));
  /* at rest except for rounding errors: everything, or loops on moving bodies */
  const double all = fmax(1e-6, fastest(m, w, u));
  /* accelerations contain that of gravity, whose rounding errors are left by slow motions */
  const double least = fmax(1e-4 * m->length * all * all, 1e-10 * norm3(m->gravity)),
               asked = fmax(find_deficit(m, w, udot, &row), least);
  if (!(asked > 0)) return 0;
  lwi_closure_solve(m, w, &m->tree_constraints);
  lwi_closure_move(m, w, udot);
  const double deficit = find_deficit(m, w, udot, &row);
  for (int i = 0; i < m->tree_constraints.nconstraint; i++)
    if (row >= m->tree_constraints.constraint[i].row &&
        row < m->tree_constraints.constraint[i].row + m->tree_constraints.constraint[i].n)
      *constraint = i;
  return deficit / asked;
}

double lwi_regularity_conflict(const lw_model *m, lw_work *w, double lambda[], double scratch[])
{
  const int n = m->tree_constraints.nrow;
  double *gamma = scratch, *one = scratch + n, *udot = w->in, most = 0, found = 0;
  int unused = 0;
  memset(udot, 0, (size_t)m->nu * sizeof(double));
  find_deficit(m, w, udot, &unused);
  memcpy(gamma, w->closure->rhs, (size_t)n * sizeof *gamma);
  for (int i = 0; (i = lwi_closure_next_dependent(m, w, i)) >= 0; i++) {
    double sum = 0, size = 0;
    lwi_closure_self_stress(m, w, i, one);
    for (int k = 0; k < n; k++) {
      sum += one[k] * gamma[k];
      size = fmax(size, fabs(one[k]));
    }
    if (!(fabs(sum) > most * size)) continue;
    most = fabs(sum) / size;
    found = sum;
    memcpy(lambda, one, (size_t)n * sizeof *one);
  }
  return found;
}
