/* SPDX-License-Identifier: Apache-2.0 */
/* joint_elements.h -- dampers and stops that the descriptor of a joint asks for. */
#ifndef LWI_MODEL_SPEC_JOINT_ELEMENTS_H
#define LWI_MODEL_SPEC_JOINT_ELEMENTS_H
#include "model/spec/spec_data.h"

/* Of the newest joint of the spec, whose name is that of d; false: a mistake was noted. */
bool lwi_add_joint_elements(lw_spec *s, const lw_joint_desc *d);

/* The text of a number, as it can be written in an expression. */
const char *lwi_text_of_number(const lw_spec *s, double number, char *buffer, size_t size);

/* servo.c: the power of a motor, as an expression. */
double lwi_motor_power(lw_spec *s, int motor);

#endif
