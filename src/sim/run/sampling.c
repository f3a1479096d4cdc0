/* SPDX-License-Identifier: Apache-2.0 */
/* sampling.c -- takes samples, and changes inputs (sampling.h). */
#include "sim/run/sampling.h"
#include "base/fail.h"
#include "base/nearest_name.h"
#include "linkwork/events.h"
#include "sim/output/column_patterns.h"
#include "sim/output/columns.h"
#include "sim/run/simulation_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- make ---- */

static int find_slot(const char *name, void *context)
{
  const lw_simulation *sim = context;
  const lw_model *m = sim->m;
  for (int i = 0; i < m->nparameter; i++)
    if (strcmp(m->parameter_name[i], name) == 0) return i;
  for (int i = 0; i < lw_columns_count(sim->sampling.columns); i++)
    if (strcmp(lw_columns_name(sim->sampling.columns, i), name) == 0) return m->nparameter + i;
  return -1;
}

static bool is_parameter(const lw_model *m, const char *name)
{
  for (int i = 0; i < m->nparameter; i++)
    if (strcmp(m->parameter_name[i], name) == 0) return true;
  return false;
}

/* Every name is a parameter or a column; err says which is not. */
static lw_status check_names(const lw_model *m, const lwi_model_state *s, lw_error *err)
{
  for (int k = 0; k < s->value.nname; k++) {
    const lwi_expr_name *name = &s->value.name[k];
    lw_error why = {0};
    if (is_parameter(m, name->text)) continue;
    lw_columns *one = lwi_columns_one(m, name->text, &why);
    const bool good = one && !lwi_columns_have(one, LWI_COLUMN_ENERGY_ERROR);
    lw_columns_free(one);
    if (good) continue;
    if (why.status == LW_E_MEMORY) return lwi_out_of_memory(err, NULL);
    lwi_fail(err, LW_E_MODEL, "state \"%.60s\": value: %s", s->name,
             one ? "energy.error is a check of results" : why.text);
    lwi_locate_error(m->files, lwi_expr_mark(&s->value, (size_t)name->column, s->mark), err);
    if (err) lwi_expr_say_place(name->inside, err->text, sizeof err->text);
    return LW_E_MODEL;
  }
  return LW_OK;
}

static lw_status open_columns(lw_simulation *sim, lw_error *err)
{
  const lw_model *m = sim->first;
  lwi_name_list names = {0};
  bool good = lwi_name_list_add(&names, "t");
  for (int i = 0; i < m->nstate; i++)
    for (int k = 0; k < m->state[i].value.nname && good; k++) {
      const char *name = m->state[i].value.name[k].text;
      good = is_parameter(m, name) || lwi_name_list_add(&names, name);
    }
  if (good) sim->sampling.columns = lw_columns_new(m, names.text, err);
  free(names.text);
  if (!good) return lwi_out_of_memory(err, NULL);
  if (!sim->sampling.columns) return err ? err->status : LW_E_MEMORY;
  return lw_columns_follow(sim->sampling.columns, sim, err);
}

static bool resolve(lw_simulation *sim, int i)
{
  const lwi_expr *from = &sim->m->state[i].value;
  void *block = malloc(lwi_expr_size(from) + 1);
  if (!block) return false;
  sim->sampling.expr[i] = lwi_expr_copy_to(from, block);
  lwi_expr_resolve(&sim->sampling.expr[i], find_slot, sim);
  return true;
}

static bool allocate(lw_simulation *sim)
{
  lwi_sampling *x = &sim->sampling;
  const size_t n = (size_t)sim->m->nstate,
               nslot = (size_t)(sim->m->nparameter + lw_columns_count(x->columns));
  x->nstate = sim->m->nstate;
  x->expr = calloc(n, sizeof *x->expr);
  x->slot = calloc(2 * nslot + n, sizeof *x->slot);
  x->taken = calloc(n, sizeof *x->taken);
  x->due = calloc(n, sizeof *x->due);
  if (!x->expr || !x->slot || !x->taken || !x->due) return false;
  x->slot_p = x->slot + nslot;
  x->value = x->slot_p + nslot;
  if (sim->m->nparameter)
    memcpy(x->slot, sim->m->parameter, (size_t)sim->m->nparameter * sizeof(double));
  for (int i = 0; i < x->nstate; i++)
    if (sim->m->state[i].every > 0 && !resolve(sim, i)) return false;
  return true;
}

/* Samples are counted: there are no more than a double counts exactly. */
static bool too_many(const lw_simulation *sim, double every)
{
  return sim->options.end / every > 1e15;
}

static lw_status check_every(const lw_simulation *sim, const lwi_model_state *s, lw_error *err)
{
  if (!too_many(sim, s->every)) return LW_OK;
  lwi_fail(err, LW_E_MODEL, "state \"%.60s\": every %g is too small for end %g", s->name, s->every,
           sim->options.end);
  lwi_locate_error(sim->m->files, lwi_expr_mark(&s->value, 0, s->mark), err);
  return LW_E_MODEL;
}

lw_status lwi_sampling_open(lw_simulation *sim, lw_error *err)
{
  const lw_model *m = sim->first;
  bool any = false;
  sim->sampling.next = HUGE_VAL;
  for (int i = 0; i < m->nstate; i++) {
    if (m->state[i].every == 0) continue;
    any = true;
    lw_status status = check_every(sim, &m->state[i], err);
    if (status == LW_OK) status = check_names(m, &m->state[i], err);
    if (status != LW_OK) return status;
  }
  if (!any) return LW_OK;
  const lw_status status = open_columns(sim, err);
  if (status != LW_OK) return status;
  return allocate(sim) ? LW_OK : lwi_out_of_memory(err, "sampled values");
}

void lwi_sampling_close(lwi_sampling *x)
{
  lw_columns_free(x->columns);
  for (int i = 0; x->expr && i < x->nstate; i++)
    lwi_expr_free(&x->expr[i]);
  free(x->expr);
  free(x->slot);
  free(x->taken);
  free(x->due);
  free(x->inputs);
  *x = (lwi_sampling){.next = HUGE_VAL};
}

/* ---- when ---- */

/* k * every; the time of a row of the table, or of an event, if it differs only by rounding. */
static double instant(const lw_simulation *sim, long k, double every)
{
  const double step = sim->options.output_step, t = (double)k * every,
               tolerance = 1e-9 * fmin(every, step);
  const double last = (double)lw_simulation_rows(sim);
  const double row = lw_simulation_row_time(sim, (long)fmin(rint(t / step), last));
  const double near = fabs(row - t) <= tolerance ? row : t;
  return lwi_triggers_near(&sim->triggers, near, tolerance);
}

/* The next sample of a state. */
static double time_of(const lw_simulation *sim, int i)
{
  return instant(sim, sim->sampling.taken[i], sim->first->state[i].every);
}

static double control_time(const lw_simulation *sim)
{
  const lwi_sampling *x = &sim->sampling;
  return x->control ? instant(sim, x->called, x->control_every) : HUGE_VAL;
}

static void find_next(lw_simulation *sim)
{
  lwi_sampling *x = &sim->sampling;
  x->next = control_time(sim);
  for (int i = 0; i < x->nstate; i++)
    if (sim->first->state[i].every > 0) x->next = fmin(x->next, time_of(sim, i));
}

/* A run that goes on has taken the sample of its first instant. */
static long first_after(double t, double every)
{
  return t > 0 ? 1 + (long)floor(t / every * (1 + 1e-12)) : 0;
}

void lwi_sampling_start(lw_simulation *sim, double t)
{
  lwi_sampling *x = &sim->sampling;
  for (int i = 0; i < x->nstate; i++)
    if (sim->first->state[i].every > 0) x->taken[i] = first_after(t, sim->first->state[i].every);
  if (x->control) x->called = first_after(t, x->control_every);
  find_next(sim);
}

/* ---- take ---- */

/* Loads that the new values switch have done so; events see the jump. */
static lw_status note_loads(lw_simulation *sim, double t, lw_error *err)
{
  lwi_triggers *x = &sim->triggers;
  bool any = false;
  for (int i = 0; i < x->nwhen; i++)
    any = any || x->when[i].load;
  if (!any) return LW_OK;
  const lw_status status = lwi_triggers_evaluate(x, t, sim->q, sim->u);
  if (status != LW_OK)
    return lwi_simulation_fail(sim, t, status, "the loads that switch cannot be evaluated", err);
  lwi_triggers_note_loads(x);
  return LW_OK;
}

lw_status lwi_simulation_change_states(lw_simulation *sim, double t, lw_error *err)
{
  const int first = lwi_first_state(sim->m), n = sim->m->nstate;
  lwi_balance_cut(sim, t);
  memcpy(sim->q + first, sim->y + first, (size_t)n * sizeof(double));
  sim->found = HUGE_VAL;
  lwi_curve_forget(&sim->triggers.curve);
  lw_status status = lwi_simulation_restart(sim, t);
  if (status == LW_OK) lwi_balance_go_on(sim, t);
  if (status != LW_OK)
    return lwi_fail(err, status, "the integration cannot continue at t = %.10g: %s", t,
                    sim->integrator->reason);
  status = lwi_events_note(sim, t, err);
  return status == LW_OK ? note_loads(sim, t, err) : status;
}

static lw_status evaluate(lw_simulation *sim, double t, lw_error *err)
{
  lwi_sampling *x = &sim->sampling;
  if (!x->columns) return LW_OK;
  const lw_status status =
      lw_columns_row(x->columns, t, sim->q, sim->u, x->slot + sim->m->nparameter);
  if (status != LW_OK)
    return lwi_simulation_fail(sim, t, status, "sampled values cannot be computed", err);
  for (int i = 0; i < x->nstate; i++) {
    const lwi_model_state *s = &sim->first->state[i];
    x->due[i] = s->every > 0 && time_of(sim, i) <= t + 1e-9 * s->every;
    if (!x->due[i]) continue;
    x->value[i] = lwi_expr_value(&x->expr[i], x->slot);
    x->taken[i]++;
    if (isfinite(x->value[i])) continue;
    size_t column = 0;
    const char *why = "the value is not finite";
    lwi_fault_text text;
    lwi_expr_find_fault(&x->expr[i], x->slot, &column, &why, &text);
    lwi_fail(err, LW_E_NUMBER, "state \"%.60s\": no value at t = %.10g: %s", s->name, t, why);
    lwi_locate_error(sim->m->files, lwi_expr_mark(&x->expr[i], column, s->mark), err);
    return LW_E_NUMBER;
  }
  return LW_OK;
}

/* The caller sees the state with the new samples, and changes inputs. */
static lw_status call_control(lw_simulation *sim, double t, lw_error *err)
{
  lwi_sampling *x = &sim->sampling;
  const lw_model *m = sim->m;
  double *z = sim->y + lwi_first_state(m);
  int n = 0;
  x->called++;
  memcpy(sim->q + lwi_first_state(m), z, (size_t)m->nstate * sizeof(double));
  for (int i = 0; i < m->nstate; i++)
    if (m->state[i].input) x->inputs[n++] = z[i];
  if (x->control(x->context, t, sim->q, sim->u, x->inputs) != 0)
    return lwi_fail(err, LW_E_STOPPED, "stopped by the controller at t = %.10g", t);
  n = 0;
  for (int i = 0; i < m->nstate; i++) {
    if (!m->state[i].input) continue;
    if (!isfinite(x->inputs[n]))
      return lwi_fail(err, LW_E_NUMBER, "input \"%.64s\": not a finite number at t = %.10g",
                      m->state[i].name, t);
    z[i] = x->inputs[n++];
  }
  return LW_OK;
}

/* All of an instant are computed from the values before it. */
lw_status lwi_sampling_take(lw_simulation *sim, double t, lw_error *err)
{
  lwi_sampling *x = &sim->sampling;
  lw_status status = evaluate(sim, t, err);
  if (status == LW_OK && sim->hooks) status = sim->hooks->sample(sim->hooks, t, err);
  if (status != LW_OK) return status;
  for (int i = 0; i < x->nstate; i++)
    if (x->due[i]) sim->y[lwi_first_state(sim->m) + i] = x->value[i];
  if (control_time(sim) <= t + 1e-9 * x->control_every) status = call_control(sim, t, err);
  find_next(sim);
  return status == LW_OK ? lwi_simulation_change_states(sim, t, err) : status;
}

/* ---- inputs ---- */

lw_status lw_simulation_set_input(lw_simulation *sim, const char *name, double value, lw_error *err)
{
  if (!sim || !name)
    return lwi_fail(err, LW_E_ARG, "lw_simulation_set_input: an argument is missing");
  const lw_model *m = sim->m;
  int i = 0;
  while (i < m->nstate && !(m->state[i].input && strcmp(m->state[i].name, name) == 0))
    i++;
  if (i == m->nstate) return lwi_fail(err, LW_E_ARG, "there is no input \"%.64s\"", name);
  if (!isfinite(value))
    return lwi_fail(err, LW_E_NUMBER, "input \"%.64s\": not a finite number", name);
  const double t = sim->wanted;
  lw_status status = lwi_simulation_find_state(sim, t);
  if (status != LW_OK)
    return lwi_simulation_fail(sim, t, status, "the state cannot be computed", err);
  sim->y[lwi_first_state(m) + i] = value;
  return lwi_simulation_change_states(sim, t, err);
}

lw_status lw_simulation_control(lw_simulation *sim, double every, lw_control_callback callback,
                                void *context, lw_error *err)
{
  if (!sim) return lwi_fail(err, LW_E_ARG, "lw_simulation_control: an argument is missing");
  lwi_sampling *x = &sim->sampling;
  if (callback && !(every > 0 && isfinite(every)))
    return lwi_fail(err, LW_E_ARG, "lw_simulation_control: the time between calls must be > 0");
  if (callback && too_many(sim, every))
    return lwi_fail(err, LW_E_ARG,
                    "lw_simulation_control: %g between calls is too small for end %g", every,
                    sim->options.end);
  if (callback && !x->inputs &&
      !(x->inputs = calloc((size_t)sim->m->nstate + 1, sizeof *x->inputs)))
    return lwi_out_of_memory(err, NULL);
  x->control = callback;
  x->context = context;
  x->control_every = every;
  x->called = callback ? first_after(sim->wanted, every) : 0;
  find_next(sim);
  return LW_OK;
}
