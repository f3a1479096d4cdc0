/* SPDX-License-Identifier: Apache-2.0 */
/* options.c -- defaults of simulation options, and checks that they make sense. */
#include "base/fail.h"
#include "linkwork/query.h"
#include "model/model.h"
#include "sim/integrate/integrators.h"

#include <math.h>

enum { MAX_ROWS = 1000000000 };
static const double smallest_rtol = 1e-15; /* a few units in the last place of 1 */

/* Returns a, or b if a is zero (not set). */
static double first_set(double a, double b)
{
  return a != 0 ? a : b;
}

static bool is_fixed(lw_integrator method)
{
  return method == LW_INTEGRATOR_RK4 || method == LW_INTEGRATOR_EULER;
}

/* Gaps between bodies must be resolved however small these are.  Angles have no other scale than 1,
   and one that is smaller would be that of rounding errors of closed loops: it is for models with
   contacts alone. */
static bool has_small_gaps(const lw_model *m)
{
  return lw_ncontact(m) > 0 && m->length < 0.01;
}

static void fill_in(const lw_model *m, lw_simulation_options *o)
{
  const lw_simulation_options written = lw_simulation_defaults(m);
  o->formulation = lwi_formulation_wanted(m, o);
  lwi_formulation_fill_solver(m, o);
  if (o->integrator == LW_INTEGRATOR_AUTO && !(o->choose & LW_CHOOSE_INTEGRATOR))
    o->integrator = written.integrator;
  if (o->loops == LW_LOOPS_AUTO && !(o->choose & LW_CHOOSE_LOOPS)) o->loops = written.loops;
  if (o->threads == 0) o->threads = written.threads ? written.threads : 1;
  o->end = first_set(o->end, first_set(written.end, 1));
  o->rtol = first_set(o->rtol, first_set(written.rtol, 1e-8));
  const double scale = has_small_gaps(m) ? m->length : 0.01;
  o->atol = first_set(o->atol, first_set(written.atol, o->rtol * scale));
  o->step = first_set(o->step, written.step);
  /* the output step is no shorter than fixed steps, which end at each output time */
  const bool long_steps = is_fixed(o->integrator) && o->step > o->end / 100;
  o->output_step = first_set(o->output_step,
                             first_set(written.output_step, long_steps ? o->step : o->end / 100));
  if (is_fixed(o->integrator)) o->step = first_set(o->step, o->output_step / 10);
}

static lw_status check_positive(const char *name, double value, lw_error *err)
{
  if (isfinite(value) && value > 0) return LW_OK;
  return lwi_fail(err, LW_E_ARG, "%s must be a positive number, not %g", name, value);
}

static lw_status check_numbers(const lw_simulation_options *o, lw_error *err)
{
  const struct {
    const char *name;
    double value;
  } positive[] = {{"end", o->end},
                  {"output_step", o->output_step},
                  {"rtol", o->rtol},
                  {"atol", o->atol},
                  {"step", o->step != 0 ? o->step : 1}};
  for (size_t i = 0; i < sizeof positive / sizeof *positive; i++) {
    const lw_status status = check_positive(positive[i].name, positive[i].value, err);
    if (status != LW_OK) return status;
  }
  if (o->end / o->output_step > MAX_ROWS)
    return lwi_fail(err, LW_E_ARG,
                    "output_step %g is too small: end %g would need more than %d rows",
                    o->output_step, o->end, (int)MAX_ROWS);
  if (is_fixed(o->integrator) && o->end / o->step > 1e15)
    return lwi_fail(err, LW_E_ARG, "step %g is too small for end %g", o->step, o->end);
  if (o->rtol < smallest_rtol)
    return lwi_fail(err, LW_E_ARG, "rtol %g is below %g, which double precision cannot reach",
                    o->rtol, smallest_rtol);
  return LW_OK;
}

static lw_status check_choices(const lw_simulation_options *o, lw_error *err)
{
  if ((unsigned)o->integrator > LW_INTEGRATOR_EULER)
    return lwi_fail(err, LW_E_ARG, "there is no integrator %d", (int)o->integrator);
  if ((unsigned)o->loops > LW_LOOPS_EMBEDDED)
    return lwi_fail(err, LW_E_ARG, "there is no method %d of closing loops", (int)o->loops);
  if (o->choose > (LW_CHOOSE_FORMULATION | LW_CHOOSE_LOOPS | LW_CHOOSE_INTEGRATOR))
    return lwi_fail(err, LW_E_ARG, "choose: %u is no sum of LW_CHOOSE_...", o->choose);
  if (o->threads < 0 || o->threads > 1024)
    return lwi_fail(err, LW_E_ARG, "threads must be from 1 to 1024, not %d", o->threads);
  const lw_status status = lwi_formulation_check(o->formulation, err);
  return status == LW_OK ? lwi_formulation_check_solver(o, err) : status;
}

lw_status lwi_options_complete(const lw_model *m, lw_simulation_options *options, lw_error *err)
{
  fill_in(m, options);
  const lw_status status = check_numbers(options, err);
  if (options->output_step > options->end)
    options->output_step = options->end; /* only the first and the last row */
  return status != LW_OK ? status : check_choices(options, err);
}
