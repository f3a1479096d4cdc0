/* SPDX-License-Identifier: Apache-2.0 */
#include "tree/regularity.h"
#include "tree/assembly.h"
#include "tree/work.h"

/* G D G' and its factor by a rule */
static void factor(const lw_model *m, lw_work *w, const double q[], const lwi_rank_rule *rule)
{
  const lwi_search s = lwi_search_all(m, w, 0, w->q);
  w->stage = LWI_STAGE_NOTHING;
  lwi_search_violate(&s, q);
  lwi_closure_plain_metric(m, w, NULL);
  lwi_closure_compliance(m, w, &m->ties, 0, rule);
}

static bool has_none(const lw_model *m, const lw_work *w)
{
  return !w->closure || m->ties.net || m->ties.nrow == 0;
}

double lwi_regularity(const lw_model *m, lw_work *w, const double q[], int *rank)
{
  if (has_none(m, w)) return 1;
  /* rows that have counted go on to count as long as they are more than rounding errors */
  const lwi_rank_rule rule = {.dependent = 1e-10, .zero = 1e-16, .lost = 1e-16};
  factor(m, w, q, &rule);
  const lwi_rank *found = &w->closure->rank;
  if (found->rank > *rank) *rank = found->rank;
  return found->rank < *rank ? 0 : sqrt(found->weakest);
}

double lwi_regularity_speed(const lw_model *m, const lw_work *w, const double u[])
{
  double most = 0;
  if (has_none(m, w)) return 0;
  for (int k = 0; k < m->nu; k++) {
    if (m->ties.touch_start[k] == m->ties.touch_start[k + 1]) continue;
    const double scale = sqrt(w->closure->Dinv[k]) * m->length; /* 1 for a turn */
    most = fmax(most, fabs(u[m->column_u[k]]) * (scale > 1 ? 1 / m->length : 1));
  }
  return most;
}

int lwi_regularity_freedoms(const lw_model *m, lw_work *w, const double q[], double there)
{
  if (has_none(m, w)) return m->ndof;
  const lwi_rank_rule rule = {.dependent = there * there, .zero = there * there};
  factor(m, w, q, &rule);
  return m->ndof - w->closure->rank.rank;
}
