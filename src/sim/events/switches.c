/* SPDX-License-Identifier: Apache-2.0 */
/* switches.c -- spans of time in which drivers, motors and forces are smooth, and what jumps
   between spans. */
#include "sim/events/switches.h"
#include "base/fail.h"
#include "model/expression/expr_switch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the expressions of a model ---- */

typedef struct {
  const lwi_expr *e;
  int time;   /* slot of the variable t */
  int driver; /* index of the constraint; 0: a motor or force */
} timed;

static int time_slot(const lw_model *m)
{
  for (int i = 0; i < m->nslot - m->nparameter; i++)
    if (m->slot[i].kind == LWI_SLOT_TIME) return m->nparameter + i;
  return -1;
}

/* Expression number i of drivers, motors, forces, then rates of states.  Returns false if there are
   no more. */
static bool get_expr(const lw_model *m, int slot, int i, timed *out)
{
  if (i < m->nconstraint) {
    const lwi_constraint *k = &m->constraint[i + 1];
    const bool driver = k->pair < 0 && k->relation.type == LW_DRIVER;
    *out = (timed){driver ? &k->relation.value : NULL, m->nparameter, i + 1};
    return true;
  }
  i -= m->nconstraint;
  *out = (timed){.time = slot};
  if (i < m->nmotor) {
    out->e = &m->motor[i].value;
    return true;
  }
  i -= m->nmotor;
  if (i >= 6 * m->nload + m->nstate) return false;
  if (i >= 6 * m->nload) {
    out->e = &m->state[i - 6 * m->nload].rate;
    return true;
  }
  const lwi_load *l = &m->load[i / 6];
  out->e = i % 6 < 3 ? &l->force[i % 6] : &l->torque[i % 6 - 3];
  return true;
}

static bool can_switch(const lw_model *m, const timed *x, bool *varies)
{
  return x->e && x->e->nop > 0 && lwi_expr_can_switch(x->e, m->nparameter, x->time, varies);
}

static bool any_can_switch(const lw_model *m)
{
  const int slot = time_slot(m);
  timed x;
  for (int i = 0; get_expr(m, slot, i, &x); i++)
    if (can_switch(m, &x, NULL)) return true;
  return false;
}

/* ---- spans ---- */

void lwi_switches_reset(lwi_switches *x, double t)
{
  *x = (lwi_switches){.span = {-HUGE_VAL, HUGE_VAL}, .next = HUGE_VAL, .searched = t, .begin = t};
}

void lwi_switches_follow(lwi_switches *x, const lw_model *m, double t)
{
  x->active = any_can_switch(m);
  if (!x->active) x->span[0] = -HUGE_VAL;
  x->span[1] = x->next = HUGE_VAL;
  /* a switch at t itself counts, unless it has been passed */
  x->searched = x->active ? fmax(x->span[0], nextafter(t, -HUGE_VAL)) : HUGE_VAL;
}

lw_status lwi_switches_look_ahead(lwi_switches *x, const lw_model *m, double to, lw_error *err)
{
  if (!(x->searched < to) || x->next < HUGE_VAL) return LW_OK;
  const int slot = time_slot(m);
  const double from = x->searched;
  double end = to, found[2];
  timed e;
  for (int i = 0; get_expr(m, slot, i, &e); i++) {
    if (!can_switch(m, &e, NULL)) continue;
    const lwi_switch_status status =
        lwi_expr_next_switch(e.e, m->parameter, m->nparameter, e.time, from, end, found);
    if (status == LWI_SWITCH_UNKNOWN && e.driver)
      return lwi_fail(err, LW_E_UNSUPPORTED,
                      "driver \"%s\": where its value switches after t = %.10g cannot be found",
                      m->constraint[e.driver].info.name, fabs(from) < 1e-300 ? 0 : from);
    if (status != LWI_SWITCH_FOUND || found[0] >= x->span[1]) continue;
    found[0] = fmin(fmax(found[0], x->begin), found[1]); /* nothing has a value before the start */
    x->span[1] = end = found[0];
    x->after = found[1];
    x->next = found[0] + 0.5 * (found[1] - found[0]);
  }
  if (x->next == HUGE_VAL) x->searched = to;
  return LW_OK;
}

void lwi_switches_pass(lwi_switches *x)
{
  x->span[0] = x->searched = x->after;
  x->span[1] = x->next = HUGE_VAL;
}

/* ---- what jumps ---- */

/* Value, rate and acceleration on both sides, extrapolated to the end of the span. */
static void both_sides(const lwi_switches *x, const lw_model *m, const timed *e, double out[2][3])
{
  const double at[2] = {x->span[1], x->after};
  for (int k = 0; k < 2; k++) {
    const double h = x->next - at[k];
    lwi_expr_taylor2(e->e, m->parameter, e->time, at[k], out[k]);
    out[k][0] += h * (out[k][1] + 0.5 * h * out[k][2]);
    out[k][1] += h * out[k][2];
  }
}

/* Rounding error of values that change at their rate within the rounding error of time. */
static double noise(const lwi_switches *x, double side[2][3], int k)
{
  const double span = fmax(x->after - x->span[1], 1e-15 * fabs(x->next));
  double size = 1e-12 * fmax(fabs(side[0][k]), fabs(side[1][k]));
  if (k < 2) size += span * fmax(fabs(side[0][k + 1]), fabs(side[1][k + 1]));
  return size;
}

static lw_status check_driver(const lwi_switches *x, const lw_model *m, int driver,
                              double side[2][3], lw_error *err)
{
  const char *name = m->constraint[driver].info.name;
  lwi_failing_part pole;
  if (lwi_switches_find_pole(x, m, &pole)) return lwi_fail(err, LW_E_NUMBER, "%s", pole.text);
  const double jump = side[1][0] - side[0][0];
  if (fabs(jump) <= 1e-9 * fmin(1, m->length) + noise(x, side, 0)) return LW_OK;
  return lwi_fail(
      err, LW_E_MODEL,
      "driver \"%s\" jumps at t = %.10g from %.9g to %.9g, by %.6g: no motion can follow it; "
      "its value must be continuous",
      name, x->next, side[0][0], side[1][0], jump);
}

lw_status lwi_switches_jump(const lwi_switches *x, const lw_model *m, int *driver, lw_error *err)
{
  timed e;
  double side[2][3];
  for (int i = *driver; i < m->nconstraint; i++) {
    get_expr(m, -1, i, &e);
    if (!can_switch(m, &e, NULL)) continue;
    both_sides(x, m, &e, side);
    const lw_status status = check_driver(x, m, e.driver, side, err);
    if (status == LW_OK && fabs(side[1][1] - side[0][1]) <= noise(x, side, 1)) continue;
    *driver = e.driver;
    return status;
  }
  *driver = 0;
  return LW_OK;
}

/* ---- poles ---- */

/* Does the value or rate grow towards the end of the span at least like the inverse square root of
   the distance, as the rate of a square root does? */
static bool grows(const lwi_switches *x, const lw_model *m, const timed *e)
{
  const double far = 1e-4 * fmax(fabs(x->next), 1e-300);
  double a[3], b[3];
  if (x->next - far < x->begin) return false; /* nothing comes from before the start */
  lwi_expr_taylor2(e->e, m->parameter, e->time, x->next - far, a);
  lwi_expr_taylor2(e->e, m->parameter, e->time, x->next - 1e-4 * far, b);
  return fabs(b[0]) > 10 * fabs(a[0]) || fabs(b[1]) > 10 * fabs(a[1]) ||
         !isfinite(b[0] + b[1] + b[2]);
}

static bool ends(const lwi_switches *x, const lw_model *m, const timed *e)
{
  double after[3];
  lwi_expr_taylor2(e->e, m->parameter, e->time, x->after, after);
  return !isfinite(after[0] + after[1] + after[2]);
}

static bool depends_on_time_only(const lw_model *m, const timed *e)
{
  for (int i = 0; i < e->e->nname; i++)
    if (e->e->name[i].slot >= m->nparameter && e->e->name[i].slot != e->time) return false;
  return true;
}

/* The name of expression number i, as numbered by get_expr. */
static void describe(const lw_model *m, int i, const char *how, double t, lwi_failing_part *out)
{
  const lwi_constraint *k = i < m->nconstraint ? &m->constraint[i + 1] : NULL;
  const lwi_motor *motor = !k && i < m->nconstraint + m->nmotor ? &m->motor[i - m->nconstraint] : 0;
  const int rest = i - m->nconstraint - m->nmotor;
  const lwi_load *load = k || motor || rest >= 6 * m->nload ? NULL : &m->load[rest / 6];
  const lwi_model_state *state = k || motor || load ? NULL : &m->state[rest - 6 * m->nload];
  const char *name = k ? k->info.name : motor ? motor->name : load ? load->name : state->name;
  const bool text = k && k->text;
  snprintf(out->text, sizeof out->text, "%s \"%.60s\"%s%.80s%s %s t = %.9g",
           k       ? "driver"
           : motor ? "motor"
           : load  ? "force"
                   : "the rate of state",
           name, text ? " (" : "", text ? k->text : "", text ? ")" : "", how, t);
  out->mark = k ? k->mark : motor ? motor->mark : load ? load->mark : state->mark;
}

bool lwi_switches_find_pole(const lwi_switches *x, const lw_model *m, lwi_failing_part *which)
{
  const int slot = time_slot(m);
  timed e;
  if (!isfinite(x->next)) return false;
  for (int i = 0; get_expr(m, slot, i, &e); i++) {
    if (!can_switch(m, &e, NULL) || !depends_on_time_only(m, &e)) continue;
    const bool unbounded = grows(x, m, &e);
    if (!unbounded && !ends(x, m, &e)) continue;
    describe(m, i, unbounded ? "changes without bound towards" : "has no finite value after",
             x->next, which);
    return true;
  }
  return false;
}

/* Does the value grow towards the end of the span, from before (side -1) or after it, at least like
   the inverse fourth root of the distance?  Roots and logarithms may be integrated. */
static bool is_unbounded(const lwi_switches *x, const lw_model *m, const timed *e, int side)
{
  const double far = 1e-4 * fmax(fabs(x->next), 1e-300);
  double a[3], b[3];
  if (side < 0 && x->next - far < x->begin) return false;
  lwi_expr_taylor2(e->e, m->parameter, e->time, x->next + side * far, a);
  lwi_expr_taylor2(e->e, m->parameter, e->time, x->next + side * 1e-4 * far, b);
  return isinf(b[0]) || fabs(b[0]) > 10 * fabs(a[0]);
}

/* Does it switch at the end of the span? */
static bool switches_there(const lwi_switches *x, const lw_model *m, const timed *e)
{
  double found[2];
  const double from = x->span[1] - 1e-6 * fmax(1, fabs(x->next));
  return lwi_expr_next_switch(e->e, m->parameter, m->nparameter, e->time, from, x->after, found) !=
         LWI_SWITCH_NONE;
}

bool lwi_switches_find_unbounded(const lwi_switches *x, const lw_model *m, bool *mixed,
                                 lwi_failing_part *which)
{
  const int slot = time_slot(m);
  timed e;
  *mixed = false;
  for (int i = 0; get_expr(m, slot, i, &e); i++) {
    if (e.driver || !can_switch(m, &e, NULL)) continue;
    const bool alone = depends_on_time_only(m, &e);
    const bool found = alone ? is_unbounded(x, m, &e, -1) || is_unbounded(x, m, &e, 1)
                             : !*mixed && switches_there(x, m, &e);
    if (!found) continue;
    describe(m, i, "grows without bound towards", x->next, which);
    if (alone) return !(*mixed = false);
    *mixed = true;
  }
  return *mixed;
}

/* ---- overflow ---- */

/* Its value and two derivatives at t are finite. */
static bool is_finite_at(const lw_model *m, const timed *e, double t, double value[3])
{
  lwi_expr_taylor2(e->e, m->parameter, e->time, t, value);
  return isfinite(value[0] + value[1] + value[2]);
}

/* The first time between from, where it is finite, and `to` at which it is not; infinity: none was
   found. */
static double find_overflow(const lw_model *m, const timed *e, double from, double to)
{
  enum { SAMPLES = 64 };
  double value[3], b = from;
  int k = 1;
  while (k <= SAMPLES && is_finite_at(m, e, b = from + (to - from) * k / SAMPLES, value))
    k++;
  if (k > SAMPLES) return HUGE_VAL;
  double a = from + (to - from) * (k - 1) / SAMPLES;
  while (b - a > 1e-9 * fabs(b)) {
    const double middle = a + 0.5 * (b - a);
    *(is_finite_at(m, e, middle, value) ? &a : &b) = middle;
  }
  return b;
}

double lwi_switches_overflow(const lw_model *m, double from, double to, lwi_failing_part *which)
{
  static const double much = 10; /* how many times its own size it moves at its present rate */
  const int slot = time_slot(m);
  double value[3];
  timed e;
  for (int i = 0; get_expr(m, slot, i, &e); i++) {
    if (!e.e || e.e->nop == 0 || !depends_on_time_only(m, &e)) continue;
    if (!is_finite_at(m, &e, from, value)) continue;
    const double t = find_overflow(m, &e, from, to);
    if (!(fabs(value[1]) * (t - from) > much * (1 + fabs(value[0]))) || t == HUGE_VAL) continue;
    describe(m, i, "changes too fast to be followed: its value or a derivative is not finite from",
             t, which);
    return t;
  }
  return HUGE_VAL;
}

/* ---- derivatives ---- */

/* Does the acceleration of a driver, or the value of a force that does not depend on the state,
   jump? */
static bool jumps(const lwi_switches *x, const lw_model *m, const timed *e)
{
  for (int i = 0; i < e->e->nname && !e->driver; i++)
    if (e->e->name[i].slot >= m->nparameter && e->e->name[i].slot != e->time) return true;
  double side[2][3];
  both_sides(x, m, e, side);
  const int k = e->driver ? 2 : 0;
  return !(fabs(side[1][k] - side[0][k]) <= 1e-9 * fabs(side[0][k]) + noise(x, side, k));
}

/* One that jumps at the end of the span, at a time that depends on parameters; number *i or a later
   one. */
static bool find_moving_jump(const lwi_switches *x, const lw_model *m, int *i, timed *e)
{
  const int slot = time_slot(m);
  double found[2];
  for (; get_expr(m, slot, *i, e); ++*i) {
    bool varies = false;
    if (!can_switch(m, e, &varies) || !varies) continue;
    const double from = x->span[1] - 1e-12 * fmax(1, fabs(x->next));
    if (lwi_expr_next_switch(e->e, m->parameter, m->nparameter, e->time, from, x->after, found) !=
            LWI_SWITCH_NONE &&
        jumps(x, m, e))
      return true;
  }
  return false;
}

static lw_status refuse_jump(const lwi_switches *x, const lw_model *m, int i, const char *why,
                             lw_error *err)
{
  lwi_failing_part which;
  describe(m, i, "jumps at", x->next, &which);
  lwi_fail(err, LW_E_UNSUPPORTED,
           "%s, which depends on parameters: there are no derivatives across it%s", which.text,
           why);
  lwi_locate_error(m->files, which.mark, err);
  return LW_E_UNSUPPORTED;
}

lw_status lwi_switches_differentiable(const lwi_switches *x, const lw_model *m, lw_error *err)
{
  timed e;
  int i = 0;
  if (!find_moving_jump(x, m, &i, &e)) return LW_OK;
  return refuse_jump(x, m, i, " at the same time as an event", err);
}

/* -g_p / g_t of a switching function g(t, p), where it is zero at the end of the span, or an angle at its jump; NaN: it is
   not */
static double zero_rate(const lwi_switches *x, const lwi_expr *g, bool angle, int time,
                        const double slots[], double slots_p[])
{
  double value, by_p, by_both;
  slots_p[time] = 0;
  lwi_expr_dual(g, slots, 1, slots_p, &value, &by_p);
  slots_p[time] = 1;
  lwi_expr_dual(g, slots, 1, slots_p, &value, &by_both);
  const double by_t = by_both - by_p;
  if (angle) value = fabs(value) - LWI_EXPR_PI;
  const bool zero = fabs(value) <= 1e-9 * fmax(1, fabs(x->next)) * fabs(by_t);
  return zero ? -by_p / by_t : (double)NAN;
}

static bool is_same_rate(double a, double b)
{
  return fabs(a - b) <= 1e-6 * fmax(fabs(a), fabs(b)) + 1e-12;
}

/* How the time moves at which an expression switches; slots, slots_p: [nslot + 1].  NaN: none of
   its operations is known to switch there, or they move apart. */
static lw_status when_rate(const lwi_switches *x, const timed *e, double slots[], double slots_p[],
                           double *when_p)
{
  bool *is_time = calloc((size_t)e->e->nname + 1, sizeof *is_time);
  lwi_switch_effect effect;
  lwi_switch_status status = is_time ? LWI_SWITCH_FOUND : LWI_SWITCH_UNKNOWN;
  lwi_expr g;
  *when_p = (double)NAN;
  for (int k = 0; k < e->e->nname && is_time; k++)
    is_time[k] = e->e->name[k].slot == e->time;
  slots[e->time] = x->next;
  for (int at = 0; status == LWI_SWITCH_FOUND;) {
    status = lwi_expr_next_switching(e->e, is_time, &at, &g, &effect);
    if (status != LWI_SWITCH_FOUND) break;
    const double here = zero_rate(x, &g, effect == LWI_ANGLE_JUMPS, e->time, slots, slots_p);
    lwi_expr_free(&g);
    if (isnan(here)) continue;
    const bool apart = !isnan(*when_p) && !is_same_rate(here, *when_p);
    *when_p = apart ? (double)NAN : here;
    if (apart) break;
  }
  free(is_time);
  return status == LWI_SWITCH_UNKNOWN ? LW_E_MEMORY : LW_OK;
}

lw_status lwi_switches_when(const lwi_switches *x, const lw_model *m, const double parameters_p[],
                            double scratch[], bool *moves, double *when_p, lw_error *err)
{
  double *slots = scratch, *slots_p = scratch + m->nslot + 1;
  timed e;
  *moves = false;
  *when_p = 0;
  memset(scratch, 0, 2 * ((size_t)m->nslot + 1) * sizeof *scratch);
  if (m->nparameter > 0) {
    memcpy(slots, m->parameter, (size_t)m->nparameter * sizeof *slots);
    memcpy(slots_p, parameters_p, (size_t)m->nparameter * sizeof *slots_p);
  }
  for (int i = 0; find_moving_jump(x, m, &i, &e); i++) {
    double here;
    if (when_rate(x, &e, slots, slots_p, &here) != LW_OK)
      return lwi_out_of_memory(err, "sensitivities");
    if (isnan(here)) return refuse_jump(x, m, i, ": the time has no derivative", err);
    if (*moves && !is_same_rate(here, *when_p))
      return refuse_jump(x, m, i, ": another load jumps then, but not for other values", err);
    *moves = true;
    *when_p = here;
  }
  return LW_OK;
}
