/* SPDX-License-Identifier: Apache-2.0 */
/* key_tables.h -- the tables of keys by which model files are read, as data: schema.c makes the
   JSON schema of the model file and the reference of keys from them. */
#ifndef LWI_IO_READ_KEY_TABLES_H
#define LWI_IO_READ_KEY_TABLES_H
#include "io/read/read_common.h"

/* A kind of part: one table, or one per type. */
typedef struct {
  const char *name;             /* "joint": what `is` of a row calls it */
  const char *kind;             /* as the reader calls it, for units; NULL: as the part around it */
  const lwi_field_table *table; /* [n] */
  int n;
  const char *const *types; /* [n] names of the types; NULL: there is one table only */
  bool by_key;              /* {rod: {...}} instead of {type: rod, ...} */
  const char *also;         /* what may be written instead of the mapping; NULL: nothing */
} lwi_part_keys;

#define LWI_PART_OR(also, name, kind, what, fields)                                                \
  {                                                                                                \
    name, kind, &(const lwi_field_table){what, fields, LWI_COUNT(fields), 0}, 1, NULL, false, also \
  }
#define LWI_PART(name, kind, what, fields) LWI_PART_OR(NULL, name, kind, what, fields)

/* A key of the file as a whole, in the order in which they are read. */
typedef struct {
  const char *key;
  bool (*read)(lwi_reader *r, const lwi_yaml_node *value); /* NULL: expand.c */
  bool may_be_empty;                                       /* `joints:` with nothing behind it */
  const char *is, *usual, *doc;                            /* as in lwi_field */
} lwi_section_key;

extern const lwi_section_key lwi_section_keys[]; /* ends with key NULL */

extern const lwi_part_keys lwi_table_keys, lwi_function_keys, lwi_parameter_keys, lwi_body_keys,
    lwi_solid_keys, lwi_pose_keys, lwi_velocity_keys, lwi_point_keys, lwi_shape_keys,
    lwi_joint_keys, lwi_limits_keys, lwi_friction_keys, lwi_force_keys, lwi_end_keys,
    lwi_event_keys, lwi_lock_keys, lwi_connection_keys, lwi_replacement_keys, lwi_impulse_keys,
    lwi_impact_keys, lwi_merge_keys, lwi_state_keys, lwi_simulation_keys, lwi_sensitivity_keys,
    lwi_objective_keys, lwi_include_keys, lwi_mirror_keys, lwi_contact_keys, lwi_on_keys,
    lwi_plane_keys, lwi_sphere_keys, lwi_disc_keys, lwi_study_keys, lwi_factor_keys;

#endif
