/* SPDX-License-Identifier: Apache-2.0 */
/* write_parts.h -- the sections of a model file. */
#ifndef LWI_IO_WRITE_WRITE_PARTS_H
#define LWI_IO_WRITE_WRITE_PARTS_H
#include "io/write/yaml_text.h"

void lwi_write_bodies(lwi_yaml_text *y, const lw_spec *s); /* and points */
void lwi_write_joints(lwi_yaml_text *y, const lw_spec *s); /* and constraints */
void lwi_write_forces(lwi_yaml_text *y, const lw_spec *s);
void lwi_write_shapes(lwi_yaml_text *y, const lw_spec *s);
void lwi_write_signals(lwi_yaml_text *y, const lw_spec *s); /* inputs, states, outputs */

const char *lwi_write_body_name(const lw_spec *s, lw_body body);

#endif
