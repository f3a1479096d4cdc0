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

void lwi_write_contacts(lwi_yaml_text *y, const lw_spec *s);
void lwi_write_events(lwi_yaml_text *y, const lw_spec *s);
void lwi_write_sensitivity(lwi_yaml_text *y, const lw_spec *s);
void lwi_write_study(lwi_yaml_text *y, const lw_spec *s);

/* Entries of a mapping that an event has: a joint or constraint that it adds, with its name, and the type of one that it
   replaces.  A side is written even where it is the origin, or not at all. */
typedef struct {
  bool parent, child;
} lwi_sides_written;
void lwi_write_new_joint(lwi_yaml_text *y, const lw_spec *s, const lw_joint_desc *d,
                         lwi_sides_written sides);
void lwi_write_new_constraint(lwi_yaml_text *y, const lw_spec *s, const lw_constraint_desc *d,
                              lwi_sides_written sides);
void lwi_write_joint_type(lwi_yaml_text *y, const lw_joint_desc *d);

/* An output gap.C, slip.C or the like, which a contact or rope brings along. */
bool lwi_write_is_of_contact(const lw_spec *s, const char *name);
const char *lwi_write_body_name(const lw_spec *s, lw_body body);

#endif
