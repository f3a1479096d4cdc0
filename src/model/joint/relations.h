/* SPDX-License-Identifier: Apache-2.0 */
/* relations.h -- gear, coupler, driver: relations of joint coordinates,

     sum_k g_k(q_k) = target(t)          docs/format.md 4.2 - 4.4
     gear     q_B - ratio q_A = its value at the assembled start
     coupler  sum g(q) = offset,   g(q) = coefficient q + higher_0 q^2 + higher_1 q^3 + higher_2 q^4
     driver   q = value(t)

   Every coordinate is the integral of its speed: with the slope g' the speeds have the sum
   sum g'_k u_k = target', and the accelerations sum g'_k udot_k = target'' - sum g''_k u_k^2.  The
   multiplier is the constraint's load (docs/format.md 5.4): it puts g'_k times itself on coordinate k. */
#ifndef LWI_MODEL_JOINT_RELATIONS_H
#define LWI_MODEL_JOINT_RELATIONS_H
#include "linkwork/spec.h"
#include "model/expression/expr.h"

/* coordinate `dof` (from 0) of a joint: q[joint.q + dof] and u[joint.u + dof] of a tree joint, and
   of a joint that closes a loop what joint_relative.h makes of its frames */
typedef struct {
  int joint, dof;
  double coefficient, higher[3];
} lwi_relation_term;

/* g, g' and g'' of a term */
static inline double lwi_term_value(const lwi_relation_term *t, double q)
{
  return q * (t->coefficient + q * (t->higher[0] + q * (t->higher[1] + q * t->higher[2])));
}
static inline double lwi_term_slope(const lwi_relation_term *t, double q)
{
  return t->coefficient + q * (2 * t->higher[0] + q * (3 * t->higher[1] + q * 4 * t->higher[2]));
}
static inline double lwi_term_bend(const lwi_relation_term *t, double q)
{
  return 2 * t->higher[0] + q * (6 * t->higher[1] + q * 12 * t->higher[2]);
}

typedef struct {
  lw_constraint_type type;
  int nterm;
  lwi_relation_term *term; /* [nterm]; gear: A, B */
  double offset;           /* coupler */
  lwi_expr value;          /* driver: parameters have their slots, t the one after them */
} lwi_relation;

/* sum of g(x) over the terms */
double lwi_relation_sum(const lwi_relation *r, const double x[/* nterm */]);

/* Target and its first and second time derivative.  start: of a gear, the sum at the assembled
   start; unused otherwise. */
void lwi_relation_target(const lwi_relation *r, const double parameter[], int nparameter,
                         double start, double t, double out[3]);

#endif
