/* SPDX-License-Identifier: Apache-2.0 */
/* eval_json.c -- an evaluation as JSON, with the names of docs/format.md 9.1. */
#include "eval.h"

#include <math.h>

/* null where the determinant of a large model leaves the range of double. */
static void json_determinant(json *j, const evaluation *e)
{
  const double value = e->sign == 0 ? 0 : e->sign * exp(e->logdet);
  if (e->sign == 0 || isnormal(value))
    json_number(j, "determinant", value);
  else
    json_text(j, "determinant", NULL);
  if (e->sign == 0)
    json_text(j, "log_determinant", NULL);
  else
    json_number(j, "log_determinant", e->logdet);
  json_integer(j, "sign", e->sign);
}

static void json_bodies(json *j, const evaluation *e)
{
  json_object(j, "bodies");
  for (int b = 1; b <= lw_nbody(e->m); b++) {
    lw_pose X;
    double V[6] = {0}, A[6] = {0};
    evaluation_pose(e, b, &X);
    lw_get_velocity(e->w, (lw_body){b}, V);
    lw_get_acceleration(e->w, (lw_body){b}, A);
    json_object(j, lw_body_name(e->m, (lw_body){b}));
    json_numbers(j, "position", X.p, 3);
    json_numbers(j, "quat", X.quat, 4);
    json_numbers(j, "angular_velocity", V, 3);
    json_numbers(j, "velocity", V + 3, 3);
    json_numbers(j, "angular_acceleration", A, 3);
    json_numbers(j, "acceleration", A + 3, 3);
    json_object_end(j);
  }
  json_object_end(j);
}

static void json_load_values(json *j, const evaluation *e)
{
  double load[6];
  json_object(j, "loads");
  for (int i = 1; i <= lw_njoint(e->m); i++) {
    const lw_joint_info info = lw_get_joint(e->m, (lw_joint){i});
    if (info.implicit) continue;
    evaluation_load(e, i, load);
    json_numbers(j, info.name, load, 6);
  }
  for (int i = 1; i <= lw_nconstraint(e->m); i++) {
    const lw_constraint_info info = lw_get_constraint(e->m, (lw_constraint){i});
    if (is_relation(&info)) continue;
    evaluation_constraint_load(e, i, load);
    json_numbers(j, info.name, load, 6);
  }
  json_object_end(j);
}

/* forces first, as in "loads" */
static void json_directions(json *j, const char *name, double D[6][6], int n)
{
  json_list(j, name);
  for (int k = 0; k < n; k++) {
    double x[6];
    for (int i = 0; i < 6; i++)
      x[i] = D[k][(i + 3) % 6];
    json_numbers(j, NULL, x, 6);
  }
  json_list_end(j);
}

static void json_undetermined(json *j, const evaluation *e)
{
  double D[6][6];
  json_object(j, "undetermined_loads");
  for (int i = 1; i <= lw_njoint(e->m); i++) {
    const lw_joint_info info = lw_get_joint(e->m, (lw_joint){i});
    if (info.implicit) continue;
    json_directions(j, info.name, D, lw_self_stress_of_joint(e->self_stress, (lw_joint){i}, D));
  }
  for (int i = 1; i <= lw_nconstraint(e->m); i++) {
    const lw_constraint_info info = lw_get_constraint(e->m, (lw_constraint){i});
    if (is_relation(&info)) continue;
    json_directions(j, info.name, D,
                    lw_self_stress_of_constraint(e->self_stress, (lw_constraint){i}, D));
  }
  json_object_end(j);
}

static void json_relation_loads(json *j, const evaluation *e)
{
  json_object(j, "relation_loads");
  for (int i = 1; i <= lw_nconstraint(e->m); i++) {
    const lw_constraint_info info = lw_get_constraint(e->m, (lw_constraint){i});
    if (!is_relation(&info)) continue;
    json_number(j, info.name, evaluation_relation_load(e, i));
  }
  json_object_end(j);
}

static void json_mass_matrix(json *j, const evaluation *e)
{
  const int nu = lw_nu(e->m);
  if (!e->mass) {
    json_text(j, "mass_matrix", NULL);
    return;
  }
  json_object(j, "mass_matrix");
  json_list(j, "order");
  for (int i = 1; i <= lw_njoint(e->m); i++) {
    const lw_joint_info info = lw_get_joint(e->m, (lw_joint){i});
    for (int k = 1; k <= info.nu && !info.cut; k++)
      json_name(j, info.name, info.nu > 1 ? k : 0);
  }
  json_list_end(j);
  json_list(j, "matrix");
  for (int i = 0; i < nu; i++)
    json_numbers(j, NULL, e->mass + (size_t)i * (size_t)nu, nu);
  json_list_end(j);
  json_object_end(j);
}

void evaluation_json_loads(json *j, const evaluation *e)
{
  json_load_values(j, e);
  if (e->self_stress) json_undetermined(j, e);
  json_relation_loads(j, e);
}

bool evaluation_json(const evaluation *e)
{
  json j;
  if (!json_start(&j)) return false;
  json_object(&j, NULL);
  json_number(&j, "time", e->t);
  json_state(&j, "q", e->m, COORDINATES, e->q);
  json_state(&j, "u", e->m, SPEEDS, e->u);
  json_state(&j, "udot", e->m, SPEEDS, e->udot);
  json_bodies(&j, e);
  evaluation_json_loads(&j, e);
  json_mass_matrix(&j, e);
  operators_json(&e->operators, &j);
  jacobian_json(&e->jacobian, &j);
  json_state(&j, "bias", e->m, TREE_SPEEDS, e->bias);
  json_determinant(&j, e);
  json_object(&j, "energies");
  json_number(&j, "kinetic", e->kinetic);
  json_number(&j, "potential", e->potential);
  json_number(&j, "total", e->kinetic + e->potential);
  json_object_end(&j);
  json_integer(&j, "dof", e->dof);
  json_integer(&j, "redundant", e->redundant);
  json_number(&j, "drift", e->drift);
  json_object_end(&j);
  return json_finish(&j);
}
