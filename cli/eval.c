/* SPDX-License-Identifier: Apache-2.0 */
/* eval.c -- linkwork eval: one evaluation at the initial state or at a given one. */
#include "eval.h"
#include "from.h"
#include "linkwork/quantities.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const cli_option options[] = {
    {"q", 0, "J=X[,X...]", "coordinates of joint J; repeatable; quaternions are normalised"},
    {"u", 0, "J=X[,X...]", "speeds of joint J; repeatable"},
    FROM_OPTION,
    {"t", 0, "T", "time, default 0 or that of --from"},
    {"tau", 0, "J=X[,X...]", "further loads on joint J of the spanning tree; repeatable"},
    {"jacobian", 0, "B@X,Y,Z",
     "velocities [angular; linear] of this point of body B by unit speeds; or POINT"},
    LOAD_OPTIONS,
    {"inverse", 0, NULL, "the inverse of the mass matrix; --json has it up to 200 freedoms"},
    {"factors", 0, NULL, "Mass = (I+HAK) D (I+HAK)*; --json has it up to 200 freedoms"},
    {"compliance", 0, "B1,B2,...", "accelerations of these bodies under unit loads on them"},
    FORMULATION_OPTIONS,
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
  e->tree = lw_work_new(m);
  e->q = new_array(nq);
  e->u = new_array(all);
  e->udot = new_array(all);
  e->bias = new_array(all);
  e->tau = new_array(all);
  const bool large = nu > MASS_MATRIX_MOST;
  e->mass = large ? NULL : new_array(nu * nu);
  return e->tree && e->q && e->u && e->udot && e->bias && e->tau && (large || e->mass);
}

static void release(evaluation *e)
{
  lw_self_stress_free(e->self_stress);
  lw_dynamics_free(e->dynamics);
  lw_work_free(e->tree);
  free(e->q);
  free(e->u);
  free(e->udot);
  free(e->bias);
  free(e->tau);
  jacobian_free(&e->jacobian);
  free(e->mass);
  operators_free(&e->operators);
}

static int read_arguments(const cli_args *a, evaluation *e)
{
  int status = read_formulation(a, &e->how);
  if (status == CLI_DONE) status = args_number(a, "t", &e->t);
  if (status == CLI_DONE && !isfinite(e->t)) return usage_error(a->verb, "--t is not finite");
  return status;
}

/* Loads act on the freedoms of the spanning tree. */
static int read_tau(const cli_args *a, evaluation *e)
{
  const int status = read_state(a, e->m, "tau", e->tau);
  for (int i = 1; i <= lw_njoint(e->m) && status == CLI_DONE; i++) {
    const lw_joint_info j = lw_get_joint(e->m, (lw_joint){i});
    for (int k = 0; k < j.nu && j.cut; k++)
      if (e->tau[j.u_all + k] != 0)
        return usage_error(a->verb,
                           "--tau: joint \"%s\" closes a loop and is not in the spanning tree: "
                           "write a motor in the model",
                           j.name);
  }
  return status;
}

static int find_state(const cli_args *a, evaluation *e)
{
  double t = e->t;
  int status = read_from(a, e->m, &t, e->q, e->u);
  if (!args_has(a, "t")) e->t = t;
  if (status == CLI_DONE) status = start_state(a, e->m, e->tree, e->t, e->q, e->u);
  if (status == CLI_DONE) status = read_tau(a, e);
  if (status == CLI_DONE) status = jacobian_start(&e->jacobian, a, e->m);
  return status == CLI_DONE ? operators_start(&e->operators, a, e->m, e->t, e->q) : status;
}

/* What depends on the tree and its coordinates, for any formulation. */
static lw_status evaluate_tree(evaluation *e)
{
  lw_work *w = e->tree;
  lw_status status = e->mass ? lw_mass_matrix(w, e->q, e->mass) : LW_OK;
  if (status == LW_OK) status = lw_mass_determinant(w, e->q, &e->logdet, &e->sign);
  if (status == LW_OK) status = lw_bias(w, e->t, e->q, e->u, e->bias);
  if (status == LW_OK) status = lw_energy(w, e->q, e->u, &e->kinetic, &e->potential);
  if (status == LW_OK) status = lw_drift(w, e->t, e->q, &e->drift);
  if (status == LW_OK) status = lw_dof(w, e->q, &e->dof, &e->redundant);
  if (status == LW_OK) status = operators_compute(&e->operators, e->q, e->u);
  if (status == LW_OK) status = lw_forward_dynamics(w, e->t, e->q, e->u, e->tau, e->udot);
  if (status == LW_OK) status = jacobian_compute(&e->jacobian, w);
  if (status == LW_E_UNSUPPORTED) return LW_OK; /* another formulation may be able to */
  if (status != LW_OK) return status;
  e->self_stress = lw_self_stress_new(w);
  return e->self_stress ? LW_OK : LW_E_MEMORY;
}

/* Kinematics, accelerations and loads remain in e->dynamics. */
static lw_status evaluate(evaluation *e)
{
  lw_status status = evaluate_tree(e);
  e->w = lw_dynamics_work(e->dynamics);
  if (status == LW_OK)
    status = lw_dynamics_accelerate(e->dynamics, e->t, e->q, e->u, e->tau, e->udot);
  if (status == LW_OK) status = lw_get_cut_joints(e->w, e->q, e->u, e->udot);
  return status == LW_OK ? lw_dynamics_find_loads(e->dynamics) : status;
}

void evaluation_pose(const evaluation *e, int body, lw_pose *X)
{
  memset(X, 0, sizeof *X);
  lw_get_pose(e->w, (lw_body){body}, X);
  const double sign = X->quat[0] < 0 ? -1 : 1;
  for (int i = 0; i < 4; i++)
    X->quat[i] *= sign;
}

void evaluation_load(const evaluation *e, int joint, double load[6])
{
  double wrench[6] = {0};
  if (e->dynamics)
    lw_dynamics_get_load(e->dynamics, (lw_joint){joint}, wrench);
  else
    lw_get_load(e->w, (lw_joint){joint}, wrench);
  memcpy(load, wrench + 3, 3 * sizeof(double));
  memcpy(load + 3, wrench, 3 * sizeof(double));
}

void evaluation_constraint_load(const evaluation *e, int constraint, double load[6])
{
  double wrench[6] = {0};
  if (e->dynamics)
    lw_dynamics_get_constraint_load(e->dynamics, (lw_constraint){constraint}, wrench);
  else
    lw_get_constraint_load(e->w, (lw_constraint){constraint}, wrench);
  memcpy(load, wrench + 3, 3 * sizeof(double));
  memcpy(load + 3, wrench, 3 * sizeof(double));
}

double evaluation_relation_load(const evaluation *e, int constraint)
{
  double load = 0;
  if (e->dynamics)
    lw_dynamics_get_relation_load(e->dynamics, (lw_constraint){constraint}, &load);
  else
    lw_get_relation_load(e->w, (lw_constraint){constraint}, &load);
  return load;
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
  lw_error err = {0};
  e->dynamics = lw_dynamics_new(e->m, &e->how, &err);
  if (!e->dynamics) return report_model_error(a, &err);
  warn_of_formulation(a, lw_dynamics_formulation(e->dynamics));

  choose_quaternions(e->m, e->q);
  const lw_status status = evaluate(e);
  if (status != LW_OK) {
    lw_explain(e->w, e->t, e->q, e->u, status, "the model cannot be evaluated here", &err);
    return report_model_error(a, &err);
  }
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
