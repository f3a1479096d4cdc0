/* SPDX-License-Identifier: Apache-2.0 */
/* eval.h -- one evaluation: computed by eval.c, printed by eval_table.c and eval_json.c. */
#ifndef CLI_EVAL_H
#define CLI_EVAL_H
#include "jacobian.h"
#include "operators.h"
#include "verbs.h"
#include "linkwork/analysis.h"
#include "linkwork/formulation.h"
#include "linkwork/query.h"

typedef struct {
  const lw_model *m;
  lw_simulation_options how;
  lw_work *tree;
  lw_dynamics *dynamics;   /* as requested: accelerations and loads; NULL: loads are in w */
  lw_work *w;              /* its own: poses, velocities, accelerations */
  double t, *q, *u, *udot; /* of all joints */
  double *bias;
  double *tau;  /* further loads */
  double *mass; /* [nu][nu]; NULL for models too large to print it */
  double logdet;
  int sign;
  double kinetic, potential, drift;
  int dof, redundant;
  lw_self_stress *self_stress;
  operators operators;
  jacobian jacobian;
} evaluation;

/* Of a body, with the quaternion that has w >= 0; of a joint or geometric constraint, as
   [fx fy fz tx ty tz]. */
void evaluation_pose(const evaluation *e, int body, lw_pose *X);
void evaluation_load(const evaluation *e, int joint, double load[6]);
void evaluation_constraint_load(const evaluation *e, int constraint, double load[6]);
double evaluation_relation_load(const evaluation *e, int constraint);
bool is_relation(const lw_constraint_info *c); /* gear, coupler, driver: one number */

/* parts of the output, for other verbs: they need m and w, after lw_joint_loads */
void evaluation_print_loads(const evaluation *e);
void evaluation_json_loads(json *j, const evaluation *e);

void evaluation_print(const evaluation *e);
bool evaluation_json(
    const evaluation *e); /* returns false if a number is not finite, or out of memory */

#endif
