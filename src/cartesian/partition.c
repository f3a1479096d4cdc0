/* SPDX-License-Identifier: Apache-2.0 */
/* partition.c -- coordinates of bodies, their Jacobian, and which of them are independent. */
#include "cartesian/partition.h"

static const double WORN = 2e-3; /* pivots relative to their rows, below which others are chosen */
static const double WIDE = 1.8;  /* theta of a body with an independent one: 84 degrees */

/* ---- orientation ---- */

/* out = a o b */
static void quat_mul(const double a[4], const double b[4], double out[4])
{
  double c[3];
  cross3(a + 1, b + 1, c);
  out[0] = a[0] * b[0] - dot3(a + 1, b + 1);
  for (int i = 0; i < 3; i++)
    out[1 + i] = a[0] * b[1 + i] + b[0] * a[1 + i] + c[i];
}

static double shrink(const double theta[3])
{
  return 1 / (1 + dot3(theta, theta) / 4);
}

/* out = W' g: a row of the angular velocity as one of thetadot; W = k (1 + theta~/2) */
static void row_of_theta(const double theta[3], const double g[3], double out[3])
{
  const double k = shrink(theta);
  double c[3];
  cross3(g, theta, c);
  for (int i = 0; i < 3; i++)
    out[i] = k * (g[i] + c[i] / 2);
}

/* w = W r */
static void to_angular(const double theta[3], const double r[3], double w[3])
{
  const double k = shrink(theta);
  double c[3];
  cross3(theta, r, c);
  for (int i = 0; i < 3; i++)
    w[i] = k * (r[i] + c[i] / 2);
}

/* r = W^-1 w */
static void from_angular(const double theta[3], const double w[3], double r[3])
{
  const double along = dot3(theta, w) / 4;
  double c[3];
  cross3(theta, w, c);
  for (int i = 0; i < 3; i++)
    r[i] = w[i] - c[i] / 2 + along * theta[i];
}

/* ---- between coordinates and bodies ---- */

static void pose_of(const lwi_partition *p, int i, lwi_frame *X)
{
  const lw_cartesian *c = p->c;
  const double *x = p->x + (size_t)((i - 1) * c->width);
  double turn[4] = {1, 0, 0, 0}, e[4];
  if (c->width == 6) {
    turn[0] = sqrt(shrink(x));
    for (int k = 0; k < 3; k++)
      turn[1 + k] = turn[0] * x[k] / 2;
    memcpy(X->p, x + 3, 3 * sizeof(double));
  } else {
    turn[0] = cos(x[0] / 2);
    turn[3] = sin(x[0] / 2);
    memcpy(X->p, x + 1, 2 * sizeof(double));
  }
  quat_mul(turn, p->reference[i], e);
  X->R = rot_from_quat(e);
}

static void move_bodies(lwi_partition *p)
{
  for (int i = 1; i <= p->c->nbody; i++)
    pose_of(p, i, &p->c->state[i].X);
}

static void speed_bodies(lwi_partition *p)
{
  const lw_cartesian *c = p->c;
  for (int i = 1; i <= c->nbody; i++) {
    const size_t at = (size_t)((i - 1) * c->width);
    double *V = c->state[i].V;
    lwi_spread(c, p->xdot + at, V);
    if (c->width == 6) to_angular(p->x + at, V, V);
  }
}

/* the reference of a body is its present orientation */
static void refer(lwi_partition *p, int i)
{
  const lw_cartesian *c = p->c;
  double *x = p->x + (size_t)((i - 1) * c->width);
  const lwi_body_state *s = &c->state[i];
  quat_from_rot(s->X.R, p->reference[i]);
  memset(x, 0, (size_t)c->width * sizeof(double));
  if (c->width == 6)
    memcpy(x + 3, s->X.p, 3 * sizeof(double));
  else
    memcpy(x + 1, s->X.p, 2 * sizeof(double));
  lwi_pick(c, s->V, p->xdot + (size_t)((i - 1) * c->width));
}

static bool is_independent(const lwi_partition *p, const lwi_split *s, int column)
{
  return p->column_weight[column] > 0 && !lwi_pivoted_is_dependent(s->lu, column);
}

/* has a body an independent theta, or a rate of it? */
static bool turns_freely(const lwi_partition *p, int i)
{
  for (int k = 0; k < 3; k++) {
    const int column = 6 * (i - 1) + k;
    if (is_independent(p, &p->position, column) || is_independent(p, p->speed, column)) return true;
  }
  return false;
}

void lwi_partition_follow(lwi_partition *p)
{
  for (int i = 1; i <= p->c->nbody && p->c->width == 6; i++)
    if (norm3(p->x + 6 * (i - 1)) > 0.3 && !turns_freely(p, i)) refer(p, i);
}

/* Phi_x from the Jacobian of the speeds */
static void find_jacobian(lwi_partition *p)
{
  const lw_cartesian *c = p->c;
  for (int k = 0; k < c->shape.nset; k++) {
    const lwi_row_set *s = &c->set[k];
    const int blocks = c->touch_start[k + 1] - c->touch_start[k];
    for (int b = 0; b < blocks; b++) {
      const double *theta = p->x + (size_t)(c->touch_body[c->touch_start[k] + b] * c->width);
      for (int r = 0; r < s->n; r++) {
        const double *J = c->jacobian + s->J + (size_t)((b * s->n + r) * c->width);
        double *out = p->value + p->start[s->row + r] + (size_t)(b * c->width);
        memcpy(out, J, (size_t)c->width * sizeof(double));
        if (c->width == 6) row_of_theta(theta, J, out);
      }
    }
  }
}

static void weigh_rows(lwi_partition *p)
{
  const lw_cartesian *c = p->c;
  for (int k = 0; k < c->shape.nset; k++)
    for (int r = c->set[k].row; r < c->set[k].row + c->set[k].n; r++) {
      double most = 0;
      size_t s = p->start[r];
      for (int b = c->touch_start[k]; b < c->touch_start[k + 1]; b++)
        for (int i = 0; i < c->width; i++, s++)
          most = fmax(most, fabs(p->value[s]) * p->column_weight[c->touch_body[b] * c->width + i]);
      p->speed->row_weight[r] = most > 0 ? 1 / most : 0;
      p->position.row_weight[r] = p->holds[r] ? p->speed->row_weight[r] : 0;
    }
}

/* pivots, and the list of columns that have none */
static bool choose(lwi_partition *p, lwi_split *s)
{
  int columns = 0;
  for (int j = 0; j < p->n; j++)
    columns += p->column_weight[j] > 0;
  const int rank = p->begun ? columns - s->most : 0;
  if (!lwi_pivoted_choose(s->lu, p->value, s->row_weight, p->column_weight, rank)) return false;
  s->weakest = 1;
  s->n = 0;
  for (int j = 0; j < p->n; j++)
    if (is_independent(p, s, j)) s->column[s->n++] = j;
  if (!p->begun) s->most = s->n;
  return true;
}

static void place_all(lwi_partition *p)
{
  lwi_cartesian_place(p->c);
  lwi_cartesian_rows(p->c);
  find_jacobian(p);
}

/* x, xdot, q and references as they are to `good`, or back */
static void remember(lwi_partition *p, bool back)
{
  const lw_model *m = p->c->m;
  const size_t n = (size_t)p->n, nq = (size_t)(m->nq + m->ncut_q);
  double *const own[4] = {p->x, p->xdot, p->c->q, p->reference[0]};
  const size_t at[4] = {0, n, 2 * n, 2 * n + nq},
               size[4] = {n, n, nq, 4 * ((size_t)p->c->nbody + 1)};
  for (int i = 0; i < 4; i++)
    if (size[i] > 0)
      memcpy(back ? own[i] : p->good + at[i], back ? p->good + at[i] : own[i],
             size[i] * sizeof(double));
}

lw_status lwi_partition_choose(lwi_partition *p, double t)
{
  for (int i = 1; i <= p->c->nbody; i++)
    refer(p, i);
  place_all(p);
  weigh_rows(p);
  if (!choose(p, &p->position) || (p->speed != &p->position && !choose(p, p->speed)))
    return LW_E_MEMORY;
  p->choices++;
  p->begun = true;
  p->lost = false;
  p->t = t;
  remember(p, false);
  return p->position.n <= p->position.most && p->speed->n <= p->speed->most ? LW_OK : LW_E_NUMBER;
}

/* factors with the pivots there are, of the Jacobian as it is */
static void factor(lwi_partition *p, lwi_split *s)
{
  s->weakest = lwi_pivoted_factor(s->lu, p->value);
  p->factors++;
}

void lwi_partition_inspect(lwi_partition *p)
{
  find_jacobian(p);
  factor(p, &p->position);
  if (p->speed != &p->position) factor(p, p->speed);
}

static bool is_wide(const lwi_partition *p, const lwi_split *s)
{
  for (int k = 0; k < s->n && p->c->width == 6; k++) {
    const int i = s->column[k] % 6;
    if (i < 3 && norm3(p->x + (s->column[k] - i)) > WIDE) return true;
  }
  return false;
}

bool lwi_partition_is_worn(const lwi_partition *p)
{
  return p->position.weakest < WORN || p->speed->weakest < WORN || is_wide(p, &p->position) ||
         is_wide(p, p->speed);
}

/* ---- recover ---- */

/* of the rows that are kept */
static double largest(const lwi_partition *p, const lwi_split *s, const double *x)
{
  double most = 0;
  for (int i = 0; i < p->c->nrow; i++)
    if (lwi_pivoted_is_kept(s->lu, i)) {
      const double size = fabs(x[i]) * s->row_weight[i];
      most = size > most || isnan(size) ? size : most;
    }
  return most;
}

/* violation at the present coordinates; speeds of the bodies do not matter here */
static double violate(lwi_partition *p)
{
  lw_cartesian *c = p->c;
  move_bodies(p);
  lwi_cartesian_place(c);
  lwi_cartesian_joint_states(c);
  lwi_cartesian_residual(c);
  return largest(p, &p->position, c->phi);
}

/* dependent coordinates by Newton's method; the factors there are serve as long as they do */
static lw_status recover_positions(lwi_partition *p, const double v[])
{
  lw_cartesian *c = p->c;
  const lwi_split *s = &p->position;
  const double enough = 1e-13 * p->arm, good = 1e-10 * p->arm;
  memset(p->step, 0, (size_t)p->n * sizeof(double));
  for (int k = 0; k < s->n; k++)
    p->step[s->column[k]] = v[k] - p->x[s->column[k]];
  double gap = HUGE_VAL;
  for (int i = 0; i < c->nrow; i++)
    c->phi[i] = 0;
  for (int it = 0; it < 12; it++) {
    for (int i = 0; i < c->nrow; i++)
      p->rest[i] = -c->phi[i];
    lwi_pivoted_solve(s->lu, p->rest, p->step);
    for (int i = 0; i < p->n; i++)
      p->x[i] += p->step[i];
    for (int k = 0; k < s->n; k++)
      p->x[s->column[k]] = v[k], p->step[s->column[k]] = 0;
    const double before = gap;
    gap = violate(p);
    p->newton++;
    if (!(gap < 1e3 * p->arm)) return LW_E_NOT_CONVERGED;
    if (gap <= enough || (gap < good && gap > 0.3 * before)) return LW_OK;
    if (gap > 0.01 * before || it == 0) {
      lwi_cartesian_rows(c);
      find_jacobian(p);
      factor(p, &p->position);
    }
  }
  return gap < good ? LW_OK : LW_E_NOT_CONVERGED;
}

/* what the speeds lack: nu - Phi_x xdot */
static double find_lack(lwi_partition *p, double *scale)
{
  const lw_cartesian *c = p->c;
  *scale = 0;
  for (int k = 0; k < c->shape.nset; k++)
    for (int r = c->set[k].row; r < c->set[k].row + c->set[k].n; r++) {
      size_t s = p->start[r];
      double sum = c->nu[r];
      for (int b = c->touch_start[k]; b < c->touch_start[k + 1]; b++)
        for (int i = 0; i < c->width; i++, s++) {
          const double part = p->value[s] * p->xdot[c->touch_body[b] * c->width + i];
          sum -= part;
          *scale = fmax(*scale, fabs(part) * p->speed->row_weight[r]);
        }
      p->rest[r] = sum;
    }
  return largest(p, p->speed, p->rest);
}

static lw_status recover_speeds(lwi_partition *p, const double vdot[])
{
  lwi_split *s = p->speed;
  double scale, lack = HUGE_VAL;
  memset(p->step, 0, (size_t)p->n * sizeof(double));
  for (int k = 0; k < s->n; k++)
    p->xdot[s->column[k]] = vdot[k];
  for (int it = 0; it < 10; it++) {
    const double before = lack;
    lack = find_lack(p, &scale);
    if (!isfinite(lack)) return LW_E_NUMBER;
    if (lack <= 1e-15 * scale || (it > 1 && lack > 0.3 * before)) break;
    if (lack > 1e-3 * before) factor(p, s);
    lwi_pivoted_solve(s->lu, p->rest, p->step);
    for (int i = 0; i < p->n; i++)
      p->xdot[i] += p->step[i];
    for (int k = 0; k < s->n; k++)
      p->step[s->column[k]] = 0;
  }
  return lack <= 1e-9 * (scale + 1e-3) ? LW_OK : LW_E_NOT_CONVERGED;
}

static lw_status recover(lwi_partition *p, double t, const double v[], const double vdot[])
{
  lw_cartesian *c = p->c;
  lwi_cartesian_targets(c, t);
  if (p->lost) { /* the factors belong to nowhere */
    move_bodies(p);
    place_all(p);
    lwi_partition_inspect(p);
  }
  const lw_status status = recover_positions(p, v);
  if (status != LW_OK) return status;
  lwi_cartesian_rows(c);
  lwi_cartesian_rates(c);
  find_jacobian(p);
  return recover_speeds(p, vdot);
}

/* how many steps drivers need so that no joint turns by more than a radian in one */
static int count_steps(const lwi_partition *p, double t)
{
  const lw_model *m = p->c->m;
  double most = 1;
  for (int i = 1; i <= m->nconstraint; i++) {
    const lwi_relation *r = &m->constraint[i].relation;
    double from[3], to[3];
    if (m->constraint[i].pair >= 0 || r->type != LW_DRIVER) continue;
    lwi_relation_target(r, m->parameter, m->nparameter, 0, p->t, from);
    lwi_relation_target(r, m->parameter, m->nparameter, 0, t, to);
    most = fmax(most, fabs(to[0] - from[0]));
  }
  return most < 1e4 ? (int)ceil(most) : 10000;
}

/* From the last success in n steps; the independent coordinates go straight. */
static lw_status walk(lwi_partition *p, double t, const double v[], const double vdot[], int n)
{
  const double from = p->t;
  for (int k = 1; k <= n; k++) {
    for (int i = 0; i < p->position.n; i++) {
      const double here = p->x[p->position.column[i]];
      p->way[i] = k == n ? v[i] : here + (v[i] - here) / (n - k + 1);
    }
    const lw_status status = recover(p, k == n ? t : from + (t - from) * k / n, p->way, vdot);
    p->lost = status != LW_OK;
    if (status != LW_OK) return status;
    speed_bodies(p);
    if (k < n) lwi_partition_follow(p);
  }
  return LW_OK;
}

lw_status lwi_partition_recover(lwi_partition *p, double t, const double v[], const double vdot[])
{
  const int steps = count_steps(p, t);
  lw_status status = walk(p, t, v, vdot, steps);
  if (status == LW_E_NOT_CONVERGED && steps < 1000) {
    remember(p, true);
    status = walk(p, t, v, vdot, 8 * steps);
  }
  remember(p, status != LW_OK);
  if (status != LW_OK) return status;
  p->t = t;
  lwi_cartesian_place(p->c);
  lwi_cartesian_joint_states(p->c);
  return LW_OK;
}

void lwi_partition_accelerations(lwi_partition *p, double vddot[])
{
  const lw_cartesian *c = p->c;
  for (int b = 0; b < c->nbody; b++) {
    const size_t at = (size_t)(b * c->width);
    const double *theta = p->x + at, *rate = p->xdot + at, *a = c->a + at;
    double *out = p->xddot + at, turn[3];
    memcpy(out, a, (size_t)c->width * sizeof(double));
    if (c->width != 6) continue;
    const double pull = shrink(theta) * dot3(theta, rate) / 2;
    for (int k = 0; k < 3; k++)
      turn[k] = a[k] + pull * c->state[b + 1].V[k];
    from_angular(theta, turn, out);
  }
  for (int k = 0; k < p->speed->n; k++)
    vddot[k] = p->xddot[p->speed->column[k]];
}

void lwi_partition_rates(const lwi_partition *p, double vdot[])
{
  for (int k = 0; k < p->position.n; k++)
    vdot[k] = p->xdot[p->position.column[k]];
}

void lwi_partition_read(const lwi_partition *p, double v[], double vdot[])
{
  for (int k = 0; k < p->position.n; k++)
    v[k] = p->x[p->position.column[k]];
  for (int k = 0; k < p->speed->n; k++)
    vdot[k] = p->xdot[p->speed->column[k]];
}
