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

double lwi_regularity(const lw_model *m, lw_work *w, const double q[], int *rank)
{
  if (has_none(m, w)) return 1;
  /* rows that counted before count as long as they exceed rounding errors */
  const lwi_rank_rule rule = {.dependent = 1e-10, .zero = 1e-16, .lost = 1e-16};
  factor(m, w, q, &rule);
  const lwi_rank *found = &w->closure->rank;
  if (found->rank > *rank) *rank = found->rank;
  return found->rank < *rank ? 0 : sqrt(found->weakest);
}

double lwi_regularity_near(const lw_model *m, lw_work *w, const double q[], int rank)
{
  if (has_none(m, w)) return 1;
  factor(m, w, q, NULL);
  const lwi_rank *found = &w->closure->rank;
  return found->rank < rank ? 0 : sqrt(found->weakest);
}

/* largest speed of the joints that a constraint can move, or of all */
static double fastest(const lw_model *m, const lw_work *w, const double u[], bool all)
{
  double most = 0;
  for (int k = 0; k < m->nu; k++)
    if ((all || m->tree_constraints.touch_start[k] < m->tree_constraints.touch_start[k + 1]) &&
        w->closure->Dinv[k] > 0)
      most = fmax(most, fabs(u[m->column_u[k]]) / (sqrt(w->closure->Dinv[k]) * m->length));
  return most;
}

double lwi_regularity_speed(const lw_model *m, const lw_work *w, const double u[])
{
  return has_none(m, w) ? 0 : fastest(m, w, u, false);
}

int lwi_regularity_freedoms(const lw_model *m, lw_work *w, const double q[], double there)
{
  if (has_none(m, w)) return m->ndof;
  const lwi_rank_rule rule = {.dependent = there * there, .zero = there * there};
  factor(m, w, q, &rule);
  return m->ndof - w->closure->rank.rank;
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
  const double all = fmax(1e-6, fastest(m, w, u, true));
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
