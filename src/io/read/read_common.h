/* SPDX-License-Identifier: Apache-2.0 */
/* read_common.h -- what the parts of the model reader share.

   A reader turns the value of a key into a field of a descriptor; tables say which keys a part has
   and who reads them.  All functions return false once something is wrong and has been reported;
   the first report stands. */
#ifndef LWI_IO_READ_READ_COMMON_H
#define LWI_IO_READ_READ_COMMON_H
#include "io/read/scope.h"
#include "io/read/yaml_document.h"
#include "linkwork/reader.h"
#include "linkwork/spec.h"

#include <stdbool.h>
#include <stddef.h>

/* A parameter whose value an includer replaces: what its own file has, whose dimension the other value must have. */
typedef struct lwi_replaced lwi_replaced;
struct lwi_replaced {
  const lwi_yaml_node *name, *value;
  lwi_replaced *next;
};

typedef struct {
  lw_spec *spec;
  const char *file;
  lw_error *err;
  bool planar;
  bool no_files;       /* the text has no file name: it cannot include files */
  lw_sources *sources; /* where files are kept; NULL: nowhere */
  lwi_scopes *scopes;
  const lwi_yaml_node *parameters, *bodies, *points, *joints,
      *forces; /* mappings; NULL: not in the file */
  lwi_replaced *replaced,
      *last_replaced; /* in the order of `parameters`, in memory of the document */

  /* what is being read, for messages */
  const char *kind;          /* of the part: "joint"; NULL: the file as a whole */
  const lwi_yaml_node *name; /* of the part, or where it starts */
  int number;                /* of a part without a name, from 1; 0: it has one */
  const char *key;           /* of the value */
  const char *const *own;    /* names in the law that is read, to NULL; NULL: none */
  const char *is;            /* what the table says about the value */
  const char *type;          /* of the part, if it has one */
  const char *on; /* of what is on a freedom: its kind for units; NULL: none, or unknown */
} lwi_reader;

/* ---- tables of keys (read_fields.c) ---- */

typedef bool lwi_read(lwi_reader *r, const lwi_yaml_node *value, void *to);

typedef struct {
  const char *key;
  lwi_read *read;
  size_t offset;     /* of the field in the descriptor */
  unsigned types;    /* bit i: type i of the part has this key */
  unsigned required; /* bit i: ... and must have it */
  /* for readers: schema.c makes the reference and the JSON schema of them */
  const char *is;    /* what the value is: the words of schema_values.c, or words to choose from */
  const char *usual; /* what it is if it is not written; NULL: nothing to say */
  const char *doc;
} lwi_field;

typedef struct {
  const char *what; /* "a revolute joint" */
  const lwi_field *field;
  int nfield; /* at most 32 */
  int type;   /* which bit */
} lwi_field_table;

enum { LWI_ONLY_TYPE = 1 }; /* `types` and `required` of parts that come in one type, number 0 */
#define LWI_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* Reads a mapping into a descriptor.  `at` is where a missing key is reported. */
bool lwi_read_fields(lwi_reader *r, const lwi_yaml_node *at, const lwi_yaml_node *map,
                     const lwi_field_table *shape, void *to);

/* A section of named parts: calls read for each, with r->kind and r->name set. */
typedef bool lwi_read_part(lwi_reader *r, const lwi_yaml_node *name, const lwi_yaml_node *value);
bool lwi_read_parts(lwi_reader *r, const lwi_yaml_node *section, const char *kind,
                    lwi_read_part *read);

/* The `type` of a part: which of names[n]. */
bool lwi_read_type(lwi_reader *r, const lwi_yaml_node *map, const char *const *names, int n,
                   int *type);

/* ---- mistakes (read_fields.c) ---- */

/* Reports "FILE:LINE:COLUMN: PART: sentence" and returns false. */
bool lwi_read_fail(lwi_reader *r, const lwi_yaml_node *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool lwi_read_no_memory(lwi_reader *r);
/* Passes on what is wrong with the file that is included at a node; returns false. */
bool lwi_read_fail_in(lwi_reader *r, const lwi_yaml_node *at, const char *file,
                      const lw_error *err);
/* Reports "expected WHAT for `KEY`, found ..." and returns false. */
bool lwi_read_expected(lwi_reader *r, const lwi_yaml_node *found, const char *what);
/* Reports "unknown KIND "text", did you mean ...?" with the nearest of names[n] and returns
   false. */
bool lwi_read_unknown(lwi_reader *r, const lwi_yaml_node *found, const char *kind,
                      const char *const *names, int n);
/* The same with the keys of a mapping (may be NULL) and perhaps one more name. */
bool lwi_read_unknown_name(lwi_reader *r, const lwi_yaml_node *found, const char *kind,
                           const lwi_yaml_node *map, const char *more);
/* Did the builder accept everything so far?  If not, reports its error. */
bool lwi_read_check(lwi_reader *r);

bool lwi_read_is_empty(const lwi_yaml_node *value); /* a key with nothing behind it */
bool lwi_read_is_map(lwi_reader *r, const lwi_yaml_node *value);

/* ---- scopes (read_scope.c): parts of included files and mirrored blocks ---- */

lwi_position lwi_read_position(const lwi_reader *r, const lwi_yaml_node *node);
/* The path of a file that a node names, as seen from the file it is in; NULL: reported. */
const char *lwi_read_path(lwi_reader *r, const lwi_yaml_node *node, const char *name);
/* Has a result column, named `own` in a mirrored part, the opposite sign there?
   mirror_columns.c */
bool lwi_read_column_flips(const lwi_reader *r, int scope, const char *column, const char *own);
/* The position of what is added next. */
void lwi_read_locate(lwi_reader *r, const lwi_yaml_node *node);
/* A name in the whole model; NULL: reported. */
const char *lwi_read_whole_name(lwi_reader *r, const lwi_yaml_node *node);
/* A number, or the expression of one with its names in the whole model. */
bool lwi_read_expression(lwi_reader *r, const lwi_yaml_node *value, double *to);
/* Its text with the names of the whole model, and where each byte was written; NULL: reported. */
const char *lwi_read_in_scope(lwi_reader *r, const lwi_yaml_node *value, const uint16_t **origin);

/* Mirrored parts: changes signs of numbers that were read from a node. */
bool lwi_read_is_mirrored(const lwi_reader *r, const lwi_yaml_node *node);
bool lwi_read_flip(lwi_reader *r, int sign, double *x);
bool lwi_read_polar(lwi_reader *r, const lwi_yaml_node *node, double x[3]);
bool lwi_read_axial(lwi_reader *r, const lwi_yaml_node *node, double x[3]);
int lwi_read_axial_sign(const lwi_reader *r, const lwi_yaml_node *node, int i);
/* The signs of the coordinates (speeds) of a joint of this type. */
enum { LWI_MOST_Q = 7 };
void lwi_read_q_signs(const lwi_reader *r, const lwi_yaml_node *node, lw_joint_type type,
                      int sign[LWI_MOST_Q]);
void lwi_read_u_signs(const lwi_reader *r, const lwi_yaml_node *node, lw_joint_type type,
                      int sign[6]);
/* The image of a joint that was read from a mapping (read_mirror.c). */
bool lwi_read_mirror_joint(lwi_reader *r, const lwi_yaml_node *map, lw_joint_desc *d);
/* The sign of a coordinate that a node names. */
int lwi_read_dof_sign(const lwi_reader *r, const lwi_yaml_node *node, lw_joint joint, int dof);

/* Parts that are placed (read_place.c): where `body` is the ground of an included file, a place on
   it becomes one on what that ground is in the whole model.  at, orient: NULL: there is none. */
bool lwi_read_on_ground(lwi_reader *r, const lwi_yaml_node *body, double at[3], lw_orient *orient);
/* `ground`, as if it were written where a node is. */
lwi_yaml_node lwi_read_ground_at(const lwi_yaml_node *node);
/* The same of a key of a part. */
bool lwi_read_place_on(lwi_reader *r, const lwi_yaml_node *part, const char *key, double at[3],
                       lw_orient *orient);

/* ---- values (read_values.c): `to` points to what the name says ---- */

lwi_read lwi_read_nothing;
lwi_read lwi_read_text;          /* const char *: lives as long as the document */
lwi_read lwi_read_name;          /* const char * */
lwi_read lwi_read_bool;          /* bool */
lwi_read lwi_read_index;         /* int, from 1 */
lwi_read lwi_read_number;        /* double, perhaps an expression */
lwi_read lwi_read_positive;      /* the same; a plain number must be > 0 */
lwi_read lwi_read_mass;          /* double, not negative */
lwi_read lwi_read_vector;        /* double[3]; planar: two numbers, z = 0 */
lwi_read lwi_read_size;          /* double[3], each positive */
lwi_read lwi_read_triple;        /* double[3], or one number for all */
lwi_read lwi_read_angular;       /* double[3]; planar: one number, about z */
lwi_read lwi_read_axis;          /* double[3], or x, y, z, -x, -y, -z; not zero; a direction */
lwi_read lwi_read_turn;          /* the same, of an axis to turn about */
lwi_read lwi_read_orient;        /* lw_orient */
lwi_read lwi_read_body;          /* lw_body */
lwi_read lwi_read_body_or_point; /* the same, or the body of a point (read_points.c) */
lwi_read lwi_read_joint;         /* lw_joint */

/* of a joint, lw_joint_desc: read_limits.c */
lwi_read lwi_read_damping;
lwi_read lwi_read_armature;
lwi_read lwi_read_limits;
lwi_read lwi_read_friction;
/* Coordinates or speeds of a joint: one number, or a list. */
bool lwi_read_freedoms(lwi_reader *r, const lwi_yaml_node *value, lw_joint_type type, bool speeds,
                       double x[]);

bool lwi_read_numbers(lwi_reader *r, const lwi_yaml_node *value, double *to, int n);
bool lwi_read_choice(lwi_reader *r, const lwi_yaml_node *value, const char *const *names, int n,
                     int *to);
/* Which of the words of its row, "rising | falling". */
bool lwi_read_word(lwi_reader *r, const lwi_yaml_node *value, int *to);
/* One of the keys rpy, quat, axis_angle of a mapping: LW_ORIENT_NONE if key is none of them. */
lw_orient_type lwi_read_orient_type(const char *key);
bool lwi_read_orient_value(lwi_reader *r, const lwi_yaml_node *value, lw_orient_type type,
                           lw_orient *to);
/* `A` or `B.2`: a coordinate of a joint. */
bool lwi_read_coordinate(lwi_reader *r, const lwi_yaml_node *value, lw_term *to);

/* What is written of a freedom of a joint depends on whether it is an angle or a shift: that of the
   two, or NULL.  `speeds`: the index counts speeds. */
const char *lwi_freedom_choice(lw_joint_type type, bool planar, bool speeds, int index,
                               const char *angle, const char *slide);
/* The same of the freedom that `joint` and `dof` of a part name; NULL also if there is no such
   joint. */
const char *lwi_read_freedom_choice(lwi_reader *r, const lwi_yaml_node *map, const char *angle,
                                    const char *slide);
/* Tells the builder what the next expression is, by the key (read_units.c). */
void lwi_read_measure(lwi_reader *r);
/* The unit of a key of a part of this kind and type (either may be NULL); NULL: none in
   particular. */
const char *lwi_unit_of(const char *kind, const char *type, const char *key);
/* A point named where a body is says where on it as well (read_points.c): reads its place, unless
   the keys of the place are there too, which is an error.  True if the value of keys->body is no
   point. */
typedef struct {
  const char *body, *at, *orient;
} lwi_place_keys;
bool lwi_read_place_of_point(lwi_reader *r, const lwi_yaml_node *map, const lwi_place_keys *keys,
                             double at[3], lw_orient *orient /* NULL: it does not matter */);
/* The same for parent and child. */
bool lwi_read_places_of_points(lwi_reader *r, const lwi_yaml_node *map, lw_place *parent,
                               lw_place *child);
/* -1: there is none, or a mistake was reported. */
lw_point lwi_read_find_point(lwi_reader *r, const lwi_yaml_node *value);
bool lwi_read_is_point(lwi_reader *r, const lwi_yaml_node *map, const char *key);

/* ---- sections ---- */

bool lwi_read_tables(lwi_reader *r, const lwi_yaml_node *section);     /* read_tables.c */
bool lwi_read_functions(lwi_reader *r, const lwi_yaml_node *section);  /* read_functions.c */
bool lwi_read_parameters(lwi_reader *r, const lwi_yaml_node *section); /* read_settings.c */
bool lwi_read_bodies(lwi_reader *r, const lwi_yaml_node *section);     /* read_bodies.c */
bool lwi_read_points(lwi_reader *r, const lwi_yaml_node *section);     /* read_points.c */
bool lwi_read_shapes(lwi_reader *r, const lwi_yaml_node *section);     /* read_shapes.c */
bool lwi_read_joints(lwi_reader *r, const lwi_yaml_node *section);     /* read_joints.c */
bool lwi_read_contacts(lwi_reader *r, const lwi_yaml_node *section);   /* read_contacts.c */
bool lwi_read_forces(lwi_reader *r, const lwi_yaml_node *section);     /* read_forces.c */
bool lwi_read_events(lwi_reader *r, const lwi_yaml_node *section);     /* read_events.c */
bool lwi_read_outputs(lwi_reader *r, const lwi_yaml_node *section);    /* read_outputs.c */
bool lwi_read_states(lwi_reader *r, const lwi_yaml_node *section);     /* read_states.c */
bool lwi_read_inputs(lwi_reader *r, const lwi_yaml_node *section);
bool lwi_read_simulation(lwi_reader *r, const lwi_yaml_node *section); /* read_settings.c */
bool lwi_read_sensitivity(lwi_reader *r, const lwi_yaml_node *section);
bool lwi_read_study(lwi_reader *r, const lwi_yaml_node *section); /* read_study.c */

/* A joint or constraint that an event connects or replaces: read and checked, not added. */
typedef struct {
  bool replaces; /* the keys of `replace` instead of those of `connect` */
  bool is_joint;
  lw_joint_desc joint;
  lw_constraint_desc constraint;
  lw_term *terms; /* malloc'ed: the caller frees it */
  bool move;
} lwi_connection;
bool lwi_read_connection(lwi_reader *r, const lwi_yaml_node *map, lwi_connection *to);

#endif
