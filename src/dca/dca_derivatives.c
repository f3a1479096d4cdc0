/* SPDX-License-Identifier: Apache-2.0 */
/* dca_derivatives.c -- derivatives of forward dynamics along directions, by direct differentiation
   [Mukherjee2008].

   The suffix _p is the derivative; S, phi, r, c of the joint as in dca.h.  Of a leaf and of a joint

     M A_p = F_p + (applied - M A - b)_p                F: joint loads
     A_b_p = phi* A_a_p + S udot_p + pi,                pi = S_p udot + c_p + phi*_p A_a
     f_p = D lambda_p + S (S^T S)^-1 x,                x = tau_p - S_p^T f   makes S^T f = tau hold

   where f is the whole load of the joint on b, including motors and relations.  All but A_p, udot_p
   and lambda_p is known after the forward pass, so the known part of f_p acts on the two leaves as
   a load, and D_p is not needed.  Rows of constraints and relations, J A = gamma, with loads J^T
   lambda:

     J A_p = gamma_p - J_p A,   load J_p^T lambda on the leaves,   unknown lambda_p

   These are the equations of the forward pass again, with other right sides. */
#include "dca/dca_derivatives.h"

/* ---- a direction ---- */

/* A second right side, -k times the violation, gives the position correction. */
static bool find_position_correction(const lw_dca *d, lwi_dca_derivatives *v,
                                     const lwi_stabilized_direction *x, double stabilization,
                                     lwi_team *team)
{
  const lw_model *m = d->m;
  const double *scale = v->tree->work->closure->scale;
  const size_t rows = (size_t)m->nlink * sizeof(double[LWI_ROW]);
  lwi_closure_derivative *k = &v->tree->closure;
  for (int i = 0; i < m->tree_constraints.nrow; i++)
    k->row[i] = -stabilization * scale[i] * (k->phi_p[i] - (x->gear_p ? x->gear_p[i] : 0));
  memset(v->pi, 0, rows);
  memset(v->load, 0, rows);
  memset(v->handed, 0, rows);
  return lwi_dca_derivative_pass(d, v, NULL, x->position_correction, false, team);
}

static lw_status derive(const lw_dca *d, lwi_dca_derivatives *v, const lwi_stabilized_direction *x,
                        double stabilization, bool loads, lwi_team *team)
{
  const lwi_direction full = lwi_direction_of(v->tree, &x->along);
  const bool stabilized = stabilization > 0 && d->looped;
  lwi_closure_derivative *k = &v->tree->closure;
  lwi_dca_derivative_whole(d, v, &full);
  if (stabilized) { /* as stabilized.c: -k times the residual of the rates of rows is added */
    double *rate = k->lambda_p; /* unused until loads are computed */
    lwi_derivative_rate(d->m, v->tree, &d->m->tree_constraints, rate);
    for (int i = 0; i < d->m->tree_constraints.nrow; i++)
      k->row[i] -= stabilization * rate[i];
  }
  if (!lwi_dca_derivative_pass(d, v, &full, x->udot, loads, team)) return LW_E_NUMBER;
  if (x->position_correction && d->m->nu)
    memset(x->position_correction, 0, (size_t)d->m->nu * sizeof(double));
  return !stabilized || !x->position_correction ||
                 find_position_correction(d, v, x, stabilization, team)
             ? LW_OK
             : LW_E_NUMBER;
}

static lw_status check(const lw_dca *d, const lw_model *m, const lw_dca_derivatives *s)
{
  if (!m) return LW_E_ARG;
  return s->ready && s->solved == d->solved ? LW_OK : LW_E_STAGE;
}

lw_status lw_dca_derivative(lw_dca_derivatives *s, const lw_direction *x, double udot_rate[])
{
  lw_dca *d = s ? s->d : NULL;
  const lw_model *m = lwi_dca_model(d);
  lw_status status = x ? check(d, m, s) : LW_E_ARG;
  if (status != LW_OK) return status;
  lwi_dca_derivatives *v = &s->of_thread[0];
  s->derived = false;
  status =
      derive(d, v, &(lwi_stabilized_direction){.along = *x, .udot = v->udot_p}, 0, true, d->team);
  if (status != LW_OK) return status;
  if (udot_rate && m->nu) memcpy(udot_rate, v->udot_p, (size_t)m->nu * sizeof(double));
  v->tree->stage = LWI_DERIVE_LOADS;
  s->derived = true;
  return LW_OK;
}

/* ---- many directions ---- */

/* several directions ... */
typedef struct {
  const lw_direction *x; /* ... with results in rows of udot, ... */
  double *udot;
  const lwi_stabilized_direction *stabilized; /* ... or with their own */
} directions;

typedef struct {
  const lw_dca *d;
  lw_dca_derivatives *s;
  const directions *all;
  double stabilization;
  int n;
  lwi_team *team; /* for each direction */
  atomic_int next, worst;
} queue;

static void take_directions(void *context, int thread)
{
  queue *k = context;
  for (int i; (i = atomic_fetch_add(&k->next, 1)) < k->n;) {
    const directions *all = k->all;
    const lwi_stabilized_direction x =
        all->stabilized
            ? all->stabilized[i]
            : (lwi_stabilized_direction){.along = all->x[i],
                                         .udot = all->udot + (size_t)i * (size_t)k->d->m->nu};
    const int status =
        (int)derive(k->d, &k->s->of_thread[thread], &x, k->stabilization, false, k->team);
    int worst = atomic_load(&k->worst);
    while (status > worst && !atomic_compare_exchange_weak(&k->worst, &worst, status)) {
    }
  }
}

/* In parallel; if there are fewer than threads, in sequence, each on all threads of the plan. */
static lw_status derivative_all(const lw_dca *d, lw_dca_derivatives *s, int n,
                                const directions *all, double stabilization)
{
  const bool parallel = n >= lwi_team_size(s->team);
  queue k = {.d = d, .s = s, .all = all, .stabilization = stabilization, .n = n};
  k.team = s->team && parallel ? NULL : d->team;
  s->derived = false;
  lwi_team_run(parallel ? s->team : NULL, take_directions, &k);
  return (lw_status)atomic_load(&k.worst);
}

lw_status lw_dca_derivative_many(lw_dca_derivatives *s, int n, const lw_direction x[],
                                 double udot_rate[])
{
  lw_dca *d = s ? s->d : NULL;
  const lw_model *m = lwi_dca_model(d);
  const lw_status status =
      (n > 0 && (!x || (m && m->nu && !udot_rate))) || n < 0 ? LW_E_ARG : check(d, m, s);
  return status == LW_OK ? derivative_all(d, s, n, &(directions){.x = x, .udot = udot_rate}, 0)
                         : status;
}

lw_status lwi_dca_derivative_stabilized(const lw_dca *d, lw_dca_derivatives *s, int n,
                                        const lwi_stabilized_direction x[], double stabilization)
{
  const lw_status status = check(d, d->m, s);
  return status == LW_OK ? derivative_all(d, s, n, &(directions){.stabilized = x}, stabilization)
                         : status;
}
