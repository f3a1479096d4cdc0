/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_results.c -- creates and frees the data of derivatives along directions; queries of
   loads. */
#include "base/fail.h"
#include "dca/dca_derivatives.h"

#include <stdlib.h>

/* ---- make and free ---- */

#define TAKE_ROWS(a, n)                                                                            \
  ((double(*)[LWI_ROW])lwi_arena_take((a), (size_t)(n), sizeof(double[LWI_ROW])))

static bool make_of_thread(const lw_dca *d, lw_dca_derivatives *s, size_t nhandle,
                           lwi_dca_derivatives *v)
{
  const lw_model *m = d->m;
  lwi_arena *a = &s->arena;
  *v = (lwi_dca_derivatives){
      .tree = lwi_derivatives_scratch(m, lwi_kernels_single(), false),
      .side = {.z = TAKE_ROWS(a, m->nlink),
               .c = TAKE_ROWS(a, d->nedge),
               .F = TAKE_ROWS(a, m->nlink),
               .A = TAKE_ROWS(a, m->nlink),
               .f = TAKE_ROWS(a, d->nedge),
               .handle = TAKE_ROWS(a, nhandle),
               .at = s->at},
      .pi = TAKE_ROWS(a, m->nlink),
      .x = LWI_TAKE(a, m->nu, double),
      .residual = LWI_TAKE(a, m->nu, double),
      .udot_p = LWI_TAKE(a, m->nu, double),
  };
  const lwi_dca_right_side *x = &v->side;
  v->load = x->F;
  v->handed = x->A;
  v->A = d->checked ? TAKE_ROWS(a, m->nlink) : x->A;
  v->f = d->checked ? TAKE_ROWS(a, d->nedge) : x->f;
  return v->tree && x->z && x->c && x->F && x->A && x->f && x->handle && v->pi && v->A && v->f &&
         v->x && v->residual && v->udot_p;
}

static bool make(const lw_dca *d, lw_dca_derivatives *s)
{
  size_t nhandle = 0;
  s->at = LWI_TAKE(&s->arena, d->nstep, size_t);
  s->of_thread = LWI_TAKE(&s->arena, s->nthread, lwi_dca_derivatives);
  if (!s->at || !s->of_thread) return false;
  for (int i = 0; i < d->nstep; i++) {
    s->at[i] = nhandle;
    nhandle += (size_t)d->step[i].nout;
  }
  for (int i = 0; i < s->nthread; i++) {
    lwi_dca_derivatives *v = &s->of_thread[i];
    if (!make_of_thread(d, s, nhandle, v)) return false;
    v->tree->q = s->of_thread[0].tree->q; /* the state is the same */
    v->tree->u = s->of_thread[0].tree->u;
    v->tree->udot = s->of_thread[0].tree->udot;
  }
  return true;
}

lw_dca_derivatives *lw_dca_derivatives_new(lw_dca *d, int threads, lw_error *err)
{
  const lw_model *m = lwi_dca_model(d);
  if (!m || threads < 0 || threads > 1024) {
    lwi_fail(err, LW_E_ARG,
             "derivatives by divide and conquer: no plan of this model, or threads not in 0 ... "
             "1024");
    return NULL;
  }
  lw_dca_derivatives *s = calloc(1, sizeof *s);
  if (s) {
    s->d = d;
    s->m = m;
    s->team = lwi_team_new(threads);
    s->nthread = lwi_team_size(s->team);
    if (make(d, s)) return s;
  }
  lwi_fail(err, LW_E_MEMORY, "derivatives by divide and conquer: out of memory");
  lw_dca_derivatives_free(s);
  return NULL;
}

void lw_dca_derivatives_free(lw_dca_derivatives *s)
{
  if (!s) return;
  lwi_team_free(s->team);
  for (int i = 0; s->of_thread && i < s->nthread; i++) {
    lw_derivatives *t = s->of_thread[i].tree;
    if (t) t->work = NULL; /* owned by the caller */
    lw_derivatives_free(t);
  }
  lwi_arena_free(&s->arena);
  free(s);
}

/* ---- results of lw_dca_derivative ---- */

/* stored where those of the tree would be */
static lw_status results_of(const lw_dca_derivatives *s, const lw_model *m)
{
  if (!m) return LW_E_ARG;
  return s->derived ? LW_OK : LW_E_STAGE;
}

lw_status lw_dca_get_load_derivative(const lw_dca_derivatives *s, lw_joint j, double load[6])
{
  const lw_model *m = s ? lwi_dca_model(s->d) : NULL;
  const lw_status status = results_of(s, m);
  return status == LW_OK ? lw_get_load_derivative(s->of_thread[0].tree, j, load) : status;
}

lw_status lw_dca_get_constraint_load_derivative(const lw_dca_derivatives *s, lw_constraint c,
                                                double load[6])
{
  const lw_model *m = s ? lwi_dca_model(s->d) : NULL;
  const lw_status status = results_of(s, m);
  return status == LW_OK ? lw_get_constraint_load_derivative(s->of_thread[0].tree, c, load)
                         : status;
}

lw_status lw_dca_get_relation_load_derivative(const lw_dca_derivatives *s, lw_constraint c,
                                              double *load)
{
  const lw_model *m = s ? lwi_dca_model(s->d) : NULL;
  const lw_status status = results_of(s, m);
  return status == LW_OK ? lw_get_relation_load_derivative(s->of_thread[0].tree, c, load) : status;
}

lw_status lw_dca_get_cut_joint_derivatives(const lw_dca_derivatives *s, double q[], double u[])
{
  const lw_model *m = s ? lwi_dca_model(s->d) : NULL;
  const lw_status status = results_of(s, m);
  return status == LW_OK ? lw_get_cut_joint_derivatives(s->of_thread[0].tree, q, u) : status;
}
