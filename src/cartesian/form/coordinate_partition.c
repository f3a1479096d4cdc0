/* SPDX-License-Identifier: Apache-2.0 */
/* coordinate_partition.c -- which displacements of bodies are independent, and the others from
   them.  With the columns of Phi_x divided into dependent and independent ones, d and i, by pivots,

     positions   Phi_d dx_d = -Phi(x),        x_i kept (Newton's method)
     speeds      Phi_d dV_d = nu - Phi_x V,   V_i kept

   Columns are chosen at the start, and again when the weakest pivot has become small or an equation
   that depended on the others contradicts them. */
#include "cartesian/form/coordinate_partition.h"
#include "linkwork/partition.h"
#include "tree/loops/closure.h"

#include <float.h>

enum { MUCH_FILL = 2 };             /* entries of the factors, in those of the matrix */
static const double OUTDATED = 0.1; /* of the weakest pivot when chosen: below, others are chosen */
static const double CLOSED = 1e-10; /* arms: what counts as closed ... */
static const double EXHAUSTED = 2e-15; /* ... and what can hardly be improved */
static const double NEAR = 1e-4;       /* arms: the square is far below the errors of a step */

/* ---- Jacobian ---- */

static void weigh_rows(lwi_partition *p)
{
  for (int r = 0; r < p->c->nrow; r++) {
    double most = 0;
    for (size_t s = p->start[r]; s < p->start[r + 1]; s++)
      most = fmax(most, fabs(p->value[s]) * p->column_weight[p->column[s]]);
    p->row_weight[r] = most > 0 ? 1 / most : 0;
  }
}

static void factor(lwi_partition *p)
{
  lwi_pivoted_factor(p->lu, p->value);
  p->factors++;
}

/* ---- choose ---- */

static bool choose_pivots(lwi_partition *p, int rank)
{
  lwi_partition_fill_rows(p);
  weigh_rows(p);
  return lwi_pivoted_choose(p->lu, p->value, p->row_weight, p->column_weight, rank);
}

bool lwi_partition_choose(lwi_partition *p)
{
  int columns = 0;
  for (int j = 0; j < p->n; j++)
    columns += p->column_weight[j] > 0;
  /* a rank that was there is not given up where equations happen to depend on each other */
  const int rank = p->begun ? columns - p->most : 0;
  lwi_cartesian_rows(p->c);
  if (!choose_pivots(p, rank)) return false;
  if (!p->plain && lwi_pivoted_entries(p->lu) > MUCH_FILL * p->start[p->c->nrow])
    if (!lwi_partition_use_rows(p, true) || !choose_pivots(p, rank)) return false;
  p->nindependent = 0;
  for (int j = 0; j < p->n; j++)
    if (p->column_weight[j] > 0 && !lwi_pivoted_is_dependent(p->lu, j))
      p->independent[p->nindependent++] = j;
  if (!p->begun || p->nindependent < p->most) p->most = p->nindependent;
  factor(p);
  p->best = lwi_pivoted_weakest(p->lu);
  p->begun = true;
  return true;
}

/* The same, with the reason and the time noted. */
static bool choose_for(lwi_partition *p, lw_partition_reason reason, double t)
{
  p->choices[reason]++;
  p->last_reason = (int)reason;
  p->last_time = t;
  return lwi_partition_choose(p);
}

bool lwi_partition_follow(lwi_partition *p, const lwi_partition *from)
{
  /* whose rows are full may differ, where the factors fill in about as much as is allowed */
  if (from->begun && from->plain != p->plain && !lwi_partition_use_rows(p, from->plain))
    return false;
  if (!from->begun || !lwi_pivoted_is_alike(p->lu, from->lu)) return true;
  if (!lwi_pivoted_follow(p->lu, from->lu)) return false;
  memcpy(p->independent, from->independent, (size_t)from->nindependent * sizeof(int));
  memcpy(p->row_weight, from->row_weight, (size_t)p->c->nrow * sizeof(double));
  p->nindependent = from->nindependent;
  p->most = from->most;
  p->best = from->best;
  p->begun = true;
  return true;
}

/* ---- bodies and joints ---- */

/* bodies and frames of a state of the tree; cut: coordinates of cut joints, too */
static void place_with(lwi_partition *p, lw_work *w, double t, const double q[], const double u[],
                       bool cut)
{
  lw_cartesian *c = p->c;
  w->stage = LWI_STAGE_NOTHING;
  w->kernels->kinematics(c->m, w->tree, q, u);
  if (w->closure && cut) lwi_closure_place(c->m, w, t);
  lwi_cartesian_from_tree(c, w, q, u);
  lwi_cartesian_targets(c, t);
  lwi_cartesian_place(c);
  lwi_cartesian_join_origins(c);
  if (cut) w->stage = LWI_STAGE_KINEMATICS;
}

static void place(lwi_partition *p, lw_work *w, double t, const double q[], const double u[])
{
  place_with(p, w, t, q, u, true);
}

/* how far the bodies have gone from where they were, as displacements */
static void find_strayed(const lwi_partition *p, double x[])
{
  const lw_cartesian *c = p->c;
  for (int i = 1; i <= c->nbody; i++) {
    const lwi_frame *now = &c->state[i].X, *then = &p->before[i];
    double own[6] = {0}, turn[3];
    for (int k = 0; k < 3; k++) { /* the axial vector of R R0^T is half the sum of r0 x r */
      cross3(then->R.c[k], now->R.c[k], turn);
      for (int e = 0; e < 3; e++)
        own[e] += turn[e] / 2;
      own[3 + k] = now->p[k] - then->p[k];
    }
    lwi_pick(c, own, x + (size_t)((i - 1) * c->width));
  }
}

/* ---- positions ---- */

/* of the rows that are kept */
static double largest(const lwi_partition *p, const double x[])
{
  double most = 0;
  for (int i = 0; i < p->c->nrow; i++)
    if (lwi_pivoted_is_kept(p->lu, i)) {
      const double size = fabs(x[i]) * p->row_weight[i];
      most = size > most || isnan(size) ? size : most;
    }
  return most;
}

/* phi of all rows, those of the spanning tree being zero */
static double violate(lwi_partition *p)
{
  lw_cartesian *c = p->c;
  lwi_cartesian_gaps(c);
  for (int i = 0; i < c->nrow; i++)
    if (p->given[i]) c->phi[i] = 0;
  return largest(p, c->phi);
}

/* rounding errors of frames far from the origin */
static double noise(const lwi_partition *p)
{
  double reach = 0;
  for (int i = 1; i <= p->c->nbody; i++)
    reach = fmax(reach, norm3(p->c->state[i].X.p));
  return DBL_EPSILON * reach * sqrt(1. + p->c->nbody);
}

/* how far independent coordinates have gone, in arms: back into the step */
static double step_back(lwi_partition *p)
{
  double most = 0;
  find_strayed(p, p->speed);
  memset(p->step, 0, (size_t)p->n * sizeof(double));
  for (int k = 0; k < p->nindependent; k++) {
    const int i = p->independent[k];
    p->step[i] = -p->speed[i];
    most = fmax(most, fabs(p->step[i]) / (p->column_weight[i] * p->arm));
  }
  return most;
}

/* one step of Newton's method, into p->q */
static bool step_positions(lwi_partition *p, const double q[], double moved[])
{
  lw_cartesian *c = p->c;
  for (int i = 0; i < c->nrow; i++)
    p->rest[i] = -c->phi[i];
  lwi_cartesian_other_rows(c);
  lwi_partition_fill_rows(p);
  factor(p);
  lwi_pivoted_solve(p->lu, p->rest, p->step);
  lwi_partition_read_joints(p, p->step, p->du);
  lw_coordinate_rates(c->m, q, p->du, p->rate);
  for (int i = 0; i < c->m->nq; i++)
    p->q[i] = q[i] + p->rate[i];
  for (int i = 0; i < c->m->nu && moved; i++)
    moved[i] += p->du[i];
  p->newton++;
  return lw_normalize(c->m, p->q) == LW_OK;
}

static lw_status recover_positions(lwi_partition *p, lw_work *w, double t, double q[],
                                   const double u[], double moved[])
{
  const lw_cartesian *c = p->c;
  const double least = EXHAUSTED * p->arm + noise(p), good = CLOSED * p->arm + 10 * noise(p);
  double gap = violate(p), strayed = 0;
  for (int i = 1; i <= c->nbody; i++)
    p->before[i] = c->state[i].X;
  memset(p->step, 0, (size_t)p->n * sizeof(double));
  for (int it = 0; it < 12 && (gap > least || strayed > CLOSED); it++) {
    const double before = gap;
    if (!step_positions(p, q, moved)) return LW_E_NUMBER;
    memcpy(q, p->q, (size_t)c->m->nq * sizeof(double));
    place(p, w, t, q, u);
    gap = violate(p);
    if (!(gap < 1e3 * p->arm)) return LW_E_NOT_CONVERGED;
    strayed = step_back(p);
    if (gap < good && gap > 0.3 * before && strayed <= CLOSED) break;
  }
  return gap <= good && strayed <= 10 * CLOSED ? LW_OK : LW_E_NOT_CONVERGED;
}

/* ---- speeds ---- */

/* residual of the speeds: nu - Phi V */
static double find_residual(lwi_partition *p, double *scale)
{
  const lw_cartesian *c = p->c;
  *scale = 0;
  for (int r = 0; r < c->nrow; r++) {
    double sum = c->nu[r];
    for (size_t s = p->start[r]; s < p->start[r + 1]; s++) {
      const double part = p->value[s] * p->speed[p->column[s]];
      sum -= part;
      *scale = fmax(*scale, fabs(part) * p->row_weight[r]);
    }
    p->rest[r] = p->by_tree[r] ? 0 : sum;
  }
  return largest(p, p->rest);
}

static void read_speeds(const lwi_partition *p, double V[])
{
  for (int i = 1; i <= p->c->nbody; i++)
    lwi_pick(p->c, p->c->state[i].V, V + (size_t)((i - 1) * p->c->width));
}

/* what independent speeds have lost, because the bodies moved: into the step; false: nothing */
static bool find_lost(lwi_partition *p)
{
  bool any = false;
  memset(p->step, 0, (size_t)p->n * sizeof(double));
  for (int k = 0; k < p->nindependent; k++) {
    const int i = p->independent[k];
    p->step[i] = p->was[i] - p->speed[i];
    any = any || p->step[i] != 0;
  }
  return any;
}

static lw_status recover_speeds(lwi_partition *p, lw_work *w, double t, const double q[],
                                double u[])
{
  lw_cartesian *c = p->c;
  double scale, residual = HUGE_VAL;
  lwi_cartesian_rates(c);
  lwi_cartesian_rows(c);
  lwi_partition_fill_rows(p);
  read_speeds(p, p->speed);
  for (int it = 0; it < 10; it++) {
    const double before = residual;
    residual = find_residual(p, &scale);
    if (!isfinite(residual)) return LW_E_NUMBER;
    const bool lost = find_lost(p) && it == 0;
    if ((residual <= 1e-15 * scale && !lost) || (it > 1 && residual > 0.3 * before)) break;
    if (it == 0) factor(p); /* at this position: tree joints then hold meanwhile, too */
    lwi_pivoted_solve(p->lu, p->rest, p->step);
    lwi_partition_read_joints(p, p->step, p->du);
    for (int i = 0; i < c->m->nu; i++)
      u[i] += p->du[i];
    for (int i = 0; i < p->n; i++)
      p->speed[i] += p->step[i];
  }
  place(p, w, t, q, u);
  return residual <= 1e-9 * (scale + 1e-3 * p->arm) ? LW_OK : LW_E_NOT_CONVERGED;
}

lw_status lwi_partition_recover(lwi_partition *p, lw_work *w, double t, double q[], double u[],
                                double moved[])
{
  for (int i = 0; i < p->c->m->nu && moved; i++)
    moved[i] = 0;
  place(p, w, t, q, u);
  read_speeds(p, p->was);
  if (!p->begun && !choose_for(p, LW_CHOSEN_AT_START, t)) return LW_E_MEMORY;
  const lw_status status = recover_positions(p, w, t, q, u, moved);
  return status == LW_OK ? recover_speeds(p, w, t, q, u) : status;
}

/* ---- within steps ---- */

/* nu - Phi V of what closes loops, with the blocks of the Jacobian; rows of the tree hold */
static void find_speed_gaps(lwi_partition *p)
{
  const lw_cartesian *c = p->c;
  for (int k = 0; k < c->shape.nset; k++) {
    const lwi_row_set *s = &c->set[k];
    const double *J = c->jacobian + s->J;
    double *rest = p->rest + s->row;
    for (int r = 0; r < s->n; r++)
      rest[r] = s->constrained && r < s->n - s->rotors ? c->nu[s->row + r] : 0;
    for (int b = c->touch_start[k]; s->constrained && b < c->touch_start[k + 1]; b++) {
      const double *V = p->speed + (size_t)(c->touch_body[b] * c->width);
      for (int r = 0; r < s->n; r++, J += c->width)
        for (int i = 0; i < c->width && r < s->n - s->rotors; i++)
          rest[r] -= J[i] * V[i];
    }
  }
}

/* the speeds that belong to the recovered positions, with the factors of the given ones */
static void correct_speeds(lwi_partition *p, double u[])
{
  lwi_cartesian_rates(p->c);
  lwi_cartesian_rows(p->c);
  read_speeds(p, p->speed);
  find_speed_gaps(p);
  find_lost(p);
  lwi_pivoted_solve(p->lu, p->rest, p->step);
  lwi_partition_read_joints(p, p->step, p->du);
  for (int i = 0; i < p->c->m->nu; i++)
    u[i] += p->du[i];
}

lw_status lwi_partition_correct(lwi_partition *p, lw_work *w, double t, double q[], double u[],
                                double moved[])
{
  const lw_model *m = p->c->m;
  const bool cut = p->c->reads_cut || !p->begun;
  place_with(p, w, t, q, u, cut);
  if (!p->begun && !choose_for(p, LW_CHOSEN_AT_START, t)) return LW_E_MEMORY;
  if (!(violate(p) < NEAR * p->arm)) return lwi_partition_recover(p, w, t, q, u, moved);
  for (int i = 0; i < m->nu; i++)
    moved[i] = 0;
  read_speeds(p, p->was);
  memset(p->step, 0, (size_t)p->n * sizeof(double));
  if (!step_positions(p, q, moved)) return LW_E_NUMBER;
  memcpy(q, p->q, (size_t)m->nq * sizeof(double));
  place_with(p, w, t, q, u, cut);
  correct_speeds(p, u);
  return LW_OK;
}

/* ---- between steps ---- */

/* Do equations that depended on the others where columns were chosen contradict them here? */
static bool has_missing_rows(const lwi_partition *p)
{
  const double most = 1e-9 * p->arm + 10 * noise(p);
  for (int i = 0; i < p->c->nrow; i++)
    if (!lwi_pivoted_is_kept(p->lu, i) && !(fabs(p->c->phi[i]) * p->row_weight[i] < most))
      return true;
  return false;
}

/* with columns chosen at the state as it is */
static lw_status recover_anew(lwi_partition *p, lw_work *w, double t, double q[], double u[])
{
  place(p, w, t, q, u);
  if (!choose_for(p, LW_CHOSEN_FOR_RANK, t)) return LW_E_MEMORY;
  const lw_status status = lwi_partition_recover(p, w, t, q, u, NULL);
  return status == LW_OK && has_missing_rows(p) ? LW_E_NOT_CONVERGED : status;
}

lw_status lwi_partition_update_rank(lwi_partition *p, lw_work *w, double t, double q[], double u[])
{
  const lw_model *m = p->c->m;
  double *given = p->rank_state;
  if (m->nq) memcpy(given, q, (size_t)m->nq * sizeof(double));
  if (m->nu) memcpy(given + m->nq, u, (size_t)m->nu * sizeof(double));
  lw_status status = lwi_partition_recover(p, w, t, q, u, NULL);
  if (status == LW_E_NOT_CONVERGED) {
    if (m->nq) memcpy(q, given, (size_t)m->nq * sizeof(double));
    if (m->nu) memcpy(u, given + m->nq, (size_t)m->nu * sizeof(double));
  }
  if (status == LW_E_NOT_CONVERGED || (status == LW_OK && has_missing_rows(p)))
    return recover_anew(p, w, t, q, u);
  if (status != LW_OK) return status;
  factor(p);
  if (lwi_pivoted_weakest(p->lu) >= OUTDATED * p->best) return LW_OK;
  return choose_for(p, LW_CHOSEN_FOR_PIVOTS, t) ? LW_OK : LW_E_MEMORY;
}
