/* SPDX-License-Identifier: Apache-2.0 */
/* inverse.c -- linkwork inverse: loads of actuators for a prescribed motion. */
#include "inverse.h"
#include "linkwork/analysis.h"
#include "linkwork/loops.h"
#include "linkwork/query.h"

#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"q", 0, "J=X[,X...]", "coordinates of joint J; repeatable"},
    {"u", 0, "J=X[,X...]", "speeds of joint J; repeatable"},
    {"udot", 0, "J=X[,X...]", "accelerations of joint J; repeatable; the others follow, or are 0"},
    {"actuators", 0, "J1,J2,...", "joints that may be driven; default: all of the spanning tree"},
    {"t", 0, "T", "time, default 0"},
    {"motion", 0, "TABLE.csv", "a whole motion: columns t and q.J, perhaps u.J and udot.J"},
    {"output-step", 0, "DT", "with --motion: times of the results, default those of the table"},
    {"output", 'o', "FILE.csv", "with --motion: write t, q, u, udot and tau as a table"},
    LOAD_OPTIONS,
    JSON_OPTION,
    {0}};

bool inverse_allocate(inverse_motion *x, const lw_model *m)
{
  const size_t all = (size_t)lw_nu_all(m) + 1;
  *x = (inverse_motion){.m = m, .w = lw_work_new(m)};
  x->q = calloc((size_t)lw_nq_all(m) + 1, sizeof *x->q);
  x->u = calloc(4 * all, sizeof *x->u);
  x->given = calloc(all, sizeof *x->given);
  x->actuator = calloc(all, sizeof *x->actuator);
  if (!x->w || !x->q || !x->u || !x->given || !x->actuator) return false;
  x->udot = x->u + all;
  x->tau = x->udot + all;
  x->loads = x->tau + all;
  return true;
}

void inverse_release(inverse_motion *x)
{
  lw_work_free(x->w);
  free(x->q);
  free(x->u);
  free(x->given);
  free(x->actuator);
}

static void add_actuator(inverse_motion *x, const lw_joint_info *j)
{
  for (int i = 0; i < j->nu; i++)
    x->actuator[x->n++] = j->u_all + i;
}

/* "A,B": each joint once */
int inverse_read_actuators(const cli_args *a, bool floating, inverse_motion *x)
{
  const char *list = args_text(a, "actuators");
  for (int j = 1; j <= lw_njoint(x->m) && !list; j++) {
    const lw_joint_info info = lw_get_joint(x->m, (lw_joint){j});
    if (!info.cut && (floating || !info.implicit)) add_actuator(x, &info);
  }
  while (list && *list) {
    char *name = read_name(list, ",", &list);
    if (!name) return out_of_memory(a);
    const lw_joint j = lw_find_joint(x->m, name);
    const int unknown = j.id < 1 ? unknown_joint(a, x->m, "actuators", name) : CLI_DONE;
    free(name);
    if (unknown != CLI_DONE) return unknown;
    const lw_joint_info info = lw_get_joint(x->m, j);
    for (int i = 0; i < x->n; i++)
      if (info.nu > 0 && x->actuator[i] == info.u_all)
        return usage_error(a->verb, "--actuators: joint \"%s\" is named twice", info.name);
    add_actuator(x, &info);
    list += *list == ',';
  }
  return CLI_DONE;
}

/* Which accelerations are given: those that two different default values leave unchanged. */
static int read_accelerations(const cli_args *a, inverse_motion *x)
{
  const int all = lw_nu_all(x->m);
  for (int i = 0; i < all; i++)
    x->udot[i] = x->tau[i] = 0;
  int done = read_state(a, x->m, "udot", x->udot);
  for (int i = 0; i < all; i++)
    x->tau[i] = 1;
  if (done == CLI_DONE) done = read_state(a, x->m, "udot", x->tau);
  for (int i = 0; i < all; i++)
    x->given[i] = x->tau[i] == x->udot[i];
  return done;
}

static int say(const cli_args *a, const inverse_motion *x)
{
  if (args_has(a, "json")) {
    json j;
    if (!json_start(&j)) return out_of_memory(a);
    json_object(&j, NULL);
    json_number(&j, "time", x->t);
    json_state(&j, "q", x->m, COORDINATES, x->q);
    json_state(&j, "u", x->m, SPEEDS, x->u);
    json_state(&j, "udot", x->m, SPEEDS, x->udot);
    json_state(&j, "tau", x->m, SPEEDS, x->tau);
    json_object_end(&j);
    return json_finish(&j) ? CLI_DONE
                           : complain_status(a, "the results cannot be written", LW_E_NUMBER);
  }
  const state_column columns[] = {{"q", COORDINATES, x->q},
                                  {"u", SPEEDS, x->u},
                                  {"udot", SPEEDS, x->udot},
                                  {"tau", SPEEDS, x->tau}};
  printf("t = %g\n\n", x->t);
  print_states(x->m, columns, 4, 60);
  return CLI_DONE;
}

/* Friction of freedoms at rest may have any load up to the static one. */
static void warn_of_sticking(const cli_args *a, const inverse_motion *x)
{
  for (int i = 0; i < lw_nfriction(x->m); i++) {
    const lw_friction_info f = lw_get_friction(x->m, i);
    const lw_joint_info j = lw_get_joint(x->m, f.joint);
    const int at = j.u_all + f.dof - 1;
    if (x->u[at] != 0 || x->udot[at] != 0) continue;
    if (f.own_load)
      print_message("%s: warning: joint \"%s\" is at rest: its friction, up to %g times what its "
                    "bearings carry, is not in the loads",
                    a->model, j.name, f.static_load);
    else
      print_message("%s: warning: joint \"%s\" is at rest: its friction, anything between -%g and "
                    "%g, is not in the loads",
                    a->model, j.name, f.static_load, f.static_load);
  }
}

int inverse_find_loads(const cli_args *a, inverse_motion *x)
{
  lw_error err = {0};
  lw_status status = lw_complete_accelerations(x->w, x->t, x->q, x->u, x->given, x->udot, &err);
  if (status == LW_OK) status = lw_get_cut_joints(x->w, x->q, x->u, NULL);
  if (status == LW_OK)
    status = lw_actuator_loads(x->w, x->t, x->q, x->u, x->udot,
                               &(lw_actuators){x->n, x->actuator, x->loads}, &err);
  if (status != LW_OK) return report_model_error(a, &err);
  memset(x->tau, 0, (size_t)lw_nu_all(x->m) * sizeof(double));
  for (int i = 0; i < x->n; i++)
    x->tau[x->actuator[i]] = x->loads[i];
  choose_quaternions(x->m, x->q);
  return CLI_DONE;
}

static int solve(const cli_args *a, inverse_motion *x)
{
  int done = args_number(a, "t", &x->t);
  if (done == CLI_DONE) done = inverse_read_actuators(a, false, x);
  if (done == CLI_DONE) done = start_state(a, x->m, x->w, x->t, x->q, x->u);
  if (done == CLI_DONE) done = read_accelerations(a, x);
  if (done == CLI_DONE) done = inverse_find_loads(a, x);
  if (done != CLI_DONE) return done;
  warn_of_sticking(a, x);
  return say(a, x);
}

static int inverse(const cli_args *a)
{
  static const option_need needs[] = {{"output", "motion"}, {"output-step", "motion"}};
  int status = check_needs(a, needs, sizeof needs / sizeof *needs);
  if (status != CLI_DONE) return status;
  if (args_has(a, "motion")) return inverse_of_table(a);
  lw_model *m = load_model(a, &status);
  if (!m) return status;
  inverse_motion x;
  status = inverse_allocate(&x, m) ? solve(a, &x) : out_of_memory(a);
  inverse_release(&x);
  lw_model_free(m);
  return status;
}

const cli_verb verb_inverse = {
    "inverse", "Inverse dynamics: loads of actuators for a prescribed motion.",
    "linkwork inverse models/four-bar.yaml --udot A=2 --actuators A", options, inverse};
