/* SPDX-License-Identifier: Apache-2.0 */
/* redundancy_rank.c -- rank of the constraints by their geometry: rows in metres, speeds weighted
   so that a rotation counts as the displacement at a typical length. */
#include "analysis/redundancy.h"
#include "sim/formulation/self_stress.h"

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

/* Null spaces of the rows of all tree constraints at q. */
static lw_status dense_rank(lwi_constraint_rank *x, lw_work *w, double t, const double q[])
{
  const lw_model *m = x->m;
  lwi_carver c = {0};
  lwi_reduced_carve(m, &c);
  void *block = aligned_alloc(64, (c.used + 127) & ~(size_t)63);
  double *zero = calloc((size_t)(2 * m->nu) + 1, sizeof *zero), *weight = zero + m->nu;
  lw_status status = block && zero ? LW_OK : LW_E_MEMORY;
  if (status == LW_OK) {
    c = (lwi_carver){.base = block};
    lwi_reduced r = lwi_reduced_carve(m, &c);
    status = lwi_reduced_balance(&r, w, t, q, zero, zero);
    if (status == LW_OK) lwi_reduced_weigh(&r, weight);
    if (status == LW_OK) status = weighted_rows(&r, weight, &x->spaces);
  }
  free(block);
  free(zero);
  x->redundant = x->spaces.nrow - x->spaces.rank;
  x->dof = m->ndof - x->spaces.rank;
  return status;
}

lw_status lwi_constraint_rank_new(lwi_constraint_rank *r, lw_work *w, double t, const double q[],
                                  int large, lw_error *err)
{
  const lw_model *m = lwi_work_model(w);
  *r = (lwi_constraint_rank){.m = m, .dof = m->ndof};
  if (!w->closure) return LW_OK;
  const bool dense =
      m->nu <= large && m->tree_constraints.nrow <= large && !m->tree_constraints.link_system;
  return dense ? dense_rank(r, w, t, q) : lwi_sparse_rank_new(r, w, t, q, err);
}

void lwi_constraint_rank_free(lwi_constraint_rank *r)
{
  lwi_null_spaces_free(&r->spaces);
  lwi_partition_free(r->p);
  lw_cartesian_free(r->c);
  *r = (lwi_constraint_rank){0};
}

static bool dense_stresses(const lwi_constraint_rank *r, lw_work *w, lwi_stress_table *table)
{
  const lw_model *m = r->m;
  const size_t nrow = (size_t)r->spaces.nrow, npart = (size_t)(m->njoint + m->nconstraint);
  lwi_stress s;
  bool ok = lwi_stress_new(&s, m, w);
  double(*load)[6] = calloc(npart + 1, sizeof *load);
  ok = ok && load;
  for (int i = 0; i < r->redundant && ok; i++) {
    memcpy(s.lambda, r->spaces.T + (size_t)i * nrow, nrow * sizeof(double));
    lwi_stress_loads(&s);
    memcpy(load, s.joint + 1, (size_t)m->njoint * sizeof *load);
    memcpy(load + m->njoint, s.constraint + 1, (size_t)m->nconstraint * sizeof *load);
    ok = lwi_stress_table_add(table, (int)npart, NULL, (const double(*)[6])load, m->length);
  }
  lwi_stress_free(&s);
  free(load);
  return ok;
}

lw_status lwi_constraint_rank_stresses(const lwi_constraint_rank *r, lw_work *w,
                                       lwi_stress_table *s)
{
  if (r->redundant == 0) return LW_OK;
  if (r->p) return lwi_sparse_rank_stresses(r, s);
  return dense_stresses(r, w, s) ? LW_OK : LW_E_MEMORY;
}

int lwi_constraint_rank_motions(const lwi_constraint_rank *r)
{
  return r->p ? r->p->nindependent : r->spaces.ncol - r->spaces.rank;
}

void lwi_constraint_rank_motion(const lwi_constraint_rank *r, int k, double u[])
{
  if (!r->p) {
    memcpy(u, r->spaces.N + (size_t)k * (size_t)r->m->nu, (size_t)r->m->nu * sizeof *u);
    return;
  }
  lwi_partition *p = r->p;
  memset(p->rest, 0, (size_t)r->c->nrow * sizeof *p->rest);
  memset(p->step, 0, (size_t)p->n * sizeof *p->step);
  p->step[p->independent[k]] = p->column_weight[p->independent[k]];
  lwi_pivoted_solve(p->lu, p->rest, p->step);
  lwi_partition_read_joints(p, p->step, u);
}

static lw_status rank_at_start(const lw_model *m, lw_work *w, int large, double *q, double *u,
                               int *dof, int *redundant)
{
  lwi_constraint_rank r = {0};
  lw_initial_state(m, q, u);
  lw_status status = lw_close_loops(w, 0, q, u, NULL);
  if (status != LW_OK) return status;
  status = lwi_constraint_rank_new(&r, w, 0, q, large, NULL);
  *dof = r.dof;
  *redundant = r.redundant;
  lwi_constraint_rank_free(&r);
  return status;
}

lw_status lwi_start_rank(const lw_model *m, int large, int *dof, int *redundant)
{
  lw_work *w = lw_work_new(m);
  double *q = calloc((size_t)m->nq + 1, sizeof *q);
  double *u = calloc((size_t)m->nu + 1, sizeof *u);
  const lw_status status =
      w && q && u ? rank_at_start(m, w, large, q, u, dof, redundant) : LW_E_MEMORY;
  lw_work_free(w);
  free(q);
  free(u);
  return status;
}
