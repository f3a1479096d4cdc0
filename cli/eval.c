/* SPDX-License-Identifier: Apache-2.0 */
/* eval.c -- linkwork eval: one evaluation at the initial state or at a given one. */
#include "eval.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"q", 0, "J=X[,X...]", "coordinates of joint J; repeatable; quaternions are normalised"},
    {"u", 0, "J=X[,X...]", "speeds of joint J; repeatable"},
    {"t", 0, "T", "time, default 0"},
    SET_OPTION,
    {"inverse", 0, NULL, "the inverse of the mass matrix; --json has it up to 200 freedoms"},
    {"factors", 0, NULL, "Mass = (I+HAK) D (I+HAK)*; --json has it up to 200 freedoms"},
    {"compliance", 0, "B1,B2,...", "accelerations of these bodies under unit loads on them"},
    {"formulation", 0, "NAME", "auto, tree (dca and cartesian are not available yet)"},
    {"loops", 0, "NAME", "how tree closes loops: cut (embedded is not available yet)"},
    JSON_OPTION,
    {0}};

static double *new_array(size_t n)
{
  return n < SIZE_MAX / sizeof(double) ? calloc(n + 1, sizeof(double)) : NULL;
}

enum { MASS_MATRIX_MOST = 5000 }; /* freedoms of which the mass matrix is written: 200 MB */

static bool allocate(evaluation *e, const lw_model *m)
{
  const size_t nq = (size_t)lw_nq_all(m), nu = (size_t)lw_nu(m), all = (size_t)lw_nu_all(m);
  *e = (evaluation){.m = m};
  e->w = lw_work_new(m);
  e->q = new_array(nq);
  e->u = new_array(all);
  e->udot = new_array(all);
  e->bias = new_array(all);
  const bool large = nu > MASS_MATRIX_MOST;
  e->mass = large ? NULL : new_array(nu * nu);
  return e->w && e->q && e->u && e->udot && e->bias && (large || e->mass);
}

static void release(evaluation *e)
{
  lw_undetermined_free(e->undetermined);
  lw_work_free(e->w);
  free(e->q);
  free(e->u);
  free(e->udot);
  free(e->bias);
  free(e->mass);
  operators_free(&e->operators);
}

static int read_arguments(const cli_args *a, evaluation *e)
{
  static const char *const names[] = {"auto", "tree", "dca", "cartesian"};
  int formulation = 0;
  int status = args_choice(a, "formulation", names, 4, &formulation);
  if (status == CLI_DONE && formulation > 1)
    return usage_error(a->verb, "the formulation %s is not available yet", names[formulation]);
  static const char *const ways[] = {"cut", "embedded"};
  int way = 0;
  if (status == CLI_DONE) status = args_choice(a, "loops", ways, 2, &way);
  if (status == CLI_DONE && way > 0)
    return usage_error(a->verb, "embedded loops are not available yet");
  if (status == CLI_DONE) status = args_number(a, "t", &e->t);
  if (status == CLI_DONE && !isfinite(e->t)) return usage_error(a->verb, "--t is not finite");
  return status;
}

static int find_state(const cli_args *a, evaluation *e)
{
  const int status = start_state(a, e->m, e->w, e->t, e->q, e->u);
  return status == CLI_DONE ? operators_start(&e->operators, a, e->m) : status;
}

/* Forward dynamics last: its kinematics, accelerations and loads stay in e->w. */
static lw_status evaluate(evaluation *e)
{
  lw_status status = e->mass ? lw_mass_matrix(e->m, e->w, e->q, e->mass) : LW_OK;
  if (status == LW_OK) status = lw_mass_determinant(e->m, e->w, e->q, &e->logdet, &e->sign);
  if (status == LW_OK) status = lw_bias(e->m, e->w, e->t, e->q, e->u, e->bias);
  if (status == LW_OK) status = lw_energy(e->m, e->w, e->q, e->u, &e->kinetic, &e->potential);
  if (status == LW_OK) status = lw_drift(e->m, e->w, e->t, e->q, &e->drift);
  if (status == LW_OK) status = lw_count_freedoms(e->m, e->w, e->q, &e->dof, &e->redundant);
  if (status == LW_OK) status = lw_forward_dynamics(e->m, e->w, e->t, e->q, e->u, NULL, e->udot);
  if (status == LW_OK) status = lw_get_cut_joints(e->m, e->w, e->q, e->u, e->udot);
  if (status == LW_OK) status = lw_joint_loads(e->m, e->w);
  if (status == LW_OK) status = operators_compute(&e->operators, e->q, e->u);
  if (status != LW_OK) return status;
  e->undetermined = lw_undetermined_new(e->m, e->w);
  return e->undetermined ? LW_OK : LW_E_MEMORY;
}

void evaluation_pose(const evaluation *e, int body, lw_pose *X)
{
  memset(X, 0, sizeof *X);
  lw_get_pose(e->m, e->w, (lw_body){body}, X);
  const double sign = X->quat[0] < 0 ? -1 : 1;
  for (int i = 0; i < 4; i++)
    X->quat[i] *= sign;
}

void evaluation_load(const evaluation *e, int joint, double load[6])
{
  double wrench[6] = {0};
  lw_get_load(e->m, e->w, (lw_joint){joint}, wrench);
  memcpy(load, wrench + 3, 3 * sizeof(double));
  memcpy(load + 3, wrench, 3 * sizeof(double));
}

void evaluation_constraint_load(const evaluation *e, int constraint, double load[6])
{
  double wrench[6] = {0};
  lw_get_constraint_load(e->m, e->w, (lw_constraint){constraint}, wrench);
  memcpy(load, wrench + 3, 3 * sizeof(double));
  memcpy(load + 3, wrench, 3 * sizeof(double));
}

bool is_relation(const lw_constraint_info *c)
{
  return c->type == LW_GEAR || c->type == LW_COUPLER || c->type == LW_DRIVER;
}

static int eval_model(const cli_args *a, evaluation *e)
{
  int usage = read_arguments(a, e);
  if (usage == CLI_DONE) usage = find_state(a, e);
  if (usage != CLI_DONE) return usage;

  choose_quaternions(e->m, e->q);
  const lw_status status = evaluate(e);
  if (status != LW_OK) return complain_status(a, "the model cannot be evaluated here", status);
  if (!args_has(a, "json"))
    evaluation_print(e);
  else if (!evaluation_json(e))
    return complain_status(a, "the results cannot be written", LW_E_NUMBER);
  return CLI_DONE;
}

static int eval(const cli_args *a)
{
  int status;
  lw_model *m = load_model(a, &status);
  if (!m) return status;

  evaluation e;
  status = allocate(&e, m) ? eval_model(a, &e) : out_of_memory(a);
  release(&e);
  lw_model_free(m);
  return status;
}

const cli_verb verb_eval = {
    "eval",
    "Evaluates the model once: accelerations, loads, mass matrix and its factors, energies.",
    "linkwork eval models/double-pendulum.yaml --q A=0.3 --u A=1 --json", options, eval};
