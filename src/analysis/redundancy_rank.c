/* SPDX-License-Identifier: Apache-2.0 */
/* redundancy_rank.c -- rank of the constraints by their geometry: rows in metres, speeds weighted
   so that a rotation counts as the displacement at a typical length. */
#include "analysis/redundancy.h"

#include <stdlib.h>
#include <string.h>

/* Positions are closed to about 1e-10 typical lengths; a mechanism this close to a singular
   configuration counts as singular. */
static const double tolerance = 1e-7;

/* A = G with weighted columns; speeds that particles do not have are left out as zeros. */
static lw_status weighted_rows(lwi_reduced *r, const double weight[], lwi_null_spaces *s)
{
  const size_t nu = (size_t)r->nu;
  for (int i = 0; i < r->nrow; i++)
    for (int j = 0; j < r->nu; j++)
      r->G[(size_t)i * nu + (size_t)j] *= weight[j];
  const lwi_null_rule rule = {tolerance, r->m->length, 0};
  if (!lwi_null_spaces_new(s, r->nrow, r->nu, r->G, rule)) return LW_E_MEMORY;
  for (int k = 0; k < r->nu - s->rank; k++)
    for (int j = 0; j < r->nu; j++)
      s->N[(size_t)k * nu + (size_t)j] *= weight[j];
  return LW_OK;
}

lw_status lwi_constraint_null_spaces(lw_work *w, double t, const double q[], lwi_null_spaces *s,
                                     double weight[])
{
  const lw_model *m = lwi_work_model(w);
  *s = (lwi_null_spaces){0};
  if (m->nu > LWI_REDUNDANCY_LARGE || m->tree_constraints.nrow > LWI_REDUNDANCY_LARGE ||
      m->tree_constraints.link_system)
    return LW_E_UNSUPPORTED;
  lwi_carver c = {0};
  lwi_reduced_carve(m, &c);
  void *block = aligned_alloc(64, (c.used + 127) & ~(size_t)63);
  double *zero = calloc((size_t)m->nu + 1, sizeof *zero);
  lw_status status = block && zero ? LW_OK : LW_E_MEMORY;
  if (status == LW_OK) {
    c = (lwi_carver){.base = block};
    lwi_reduced r = lwi_reduced_carve(m, &c);
    status = lwi_reduced_balance(&r, w, t, q, zero, zero);
    if (status == LW_OK) lwi_reduced_weigh(&r, weight);
    if (status == LW_OK) status = weighted_rows(&r, weight, s);
  }
  free(block);
  free(zero);
  return status;
}

int lwi_count_dof(const lw_model *m, const lwi_null_spaces *s)
{
  return m->ndof - s->rank;
}

static lw_status rank_at_start(const lw_model *m, lw_work *w, double *q, double *u, int *dof,
                               int *redundant)
{
  lwi_null_spaces s;
  lw_initial_state(m, q, u);
  lw_status status = lw_assemble(w, 0, q, u, NULL);
  if (status != LW_OK) return status;
  *dof = m->ndof;
  *redundant = 0;
  if (!w->closure) return LW_OK;
  status = lwi_constraint_null_spaces(w, 0, q, &s, u);
  if (status == LW_OK) {
    *dof = lwi_count_dof(m, &s);
    *redundant = m->tree_constraints.nrow - s.rank;
  }
  lwi_null_spaces_free(&s);
  return status;
}

lw_status lwi_start_rank(const lw_model *m, int *dof, int *redundant)
{
  lw_work *w = lw_work_new(m);
  double *q = calloc((size_t)m->nq + 1, sizeof *q);
  double *u = calloc((size_t)m->nu + 1, sizeof *u);
  const lw_status status = w && q && u ? rank_at_start(m, w, q, u, dof, redundant) : LW_E_MEMORY;
  lw_work_free(w);
  free(q);
  free(u);
  return status;
}
