/* SPDX-License-Identifier: Apache-2.0 */
/* laws.h -- springs of any law. */
#ifndef LWI_MODEL_SPEC_LAWS_H
#define LWI_MODEL_SPEC_LAWS_H
#include "model/spec/spec_data.h"

/* a name in a law, and the expression that stands for it */
typedef struct {
  const char *name, *text;
} lwi_law_name;

enum { LWI_LAW_NAMES = 12 }; /* of one law, at most */

/* Replaces these names in an expression; false: a mistake was noted. */
bool lwi_law_names(lw_spec *s, double number, const lwi_law_name name[], int n);

/* `q.J` or `q.J.2` in an expression: servo.c */
void lwi_coordinate_text(const lw_spec *s, lw_joint joint, int dof, char prefix, char *out,
                         size_t size);

/* Names q and u in an expression that is the law of a joint spring, or contains it; sign -1: those
   of a mirrored joint.  false: a mistake was noted. */
bool lwi_joint_law_names(lw_spec *s, const lw_motor_desc *d, int sign, double number);
/* A motor whose value is such a law. */
void lwi_add_joint_law(lw_spec *s, const lw_motor_desc *d, int sign);

/* The loads along the spring, torsion or bushing that was added last, if it has a law; false: a
   mistake was noted. */
bool lwi_add_tension(lw_spec *s, const lw_spring_desc *d);
bool lwi_add_torsion_law(lw_spec *s, const lw_torsion_desc *d);
bool lwi_add_bushing_law(lw_spec *s, const lw_bushing_desc *d);

#endif
