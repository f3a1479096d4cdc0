/* SPDX-License-Identifier: Apache-2.0 */
/* relations.h -- gear, coupler, driver: linear relations of joint coordinates,

     sum_k coefficient_k q_k = target(t)          docs/format.md 4.2 - 4.4
     gear     q_B - ratio q_A = its value at the assembled start
     coupler  sum coefficient q = offset
     driver   q = value(t)

   Every coordinate is the integral of its speed, so speeds and accelerations obey the same sum with
   the target's derivatives.  The multiplier is the constraint's load (docs/format.md 5.4): it puts
   coefficient_k times itself on coordinate k. */
#ifndef LWI_MODEL_JOINT_RELATIONS_H
#define LWI_MODEL_JOINT_RELATIONS_H
#include "linkwork/spec.h"
#include "model/expression/expr.h"

/* coordinate `dof` (from 0) of a joint: q[joint.q + dof] and u[joint.u + dof] of a tree joint, and
   of a joint that closes a loop what joint_relative.h makes of its frames */
typedef struct {
  int joint, dof;
  double coefficient;
} lwi_relation_term;

typedef struct {
  lw_constraint_type type;
  int nterm;
  lwi_relation_term *term; /* [nterm]; gear: A, B */
  double offset;           /* coupler */
  lwi_expr value;          /* driver: parameters have their slots, t the one after them */
} lwi_relation;

/* sum of coefficient * x over the terms: x are the coordinates, speeds, or accelerations */
double lwi_relation_sum(const lwi_relation *r, const double x[/* nterm */]);

/* Target and its first and second time derivative.  start: of a gear, the sum at the assembled
   start; unused otherwise. */
void lwi_relation_target(const lwi_relation *r, const double parameter[], int nparameter,
                         double start, double t, double out[3]);

#endif
