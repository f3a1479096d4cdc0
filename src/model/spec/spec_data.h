/* SPDX-License-Identifier: Apache-2.0 */
/* spec_data.h -- what a spec holds: copies of the descriptors, in the order they were added, with
   the place in the file where each was written.

   A number of a descriptor that stands for an expression is a quiet NaN that carries the
   expression's index in its mantissa bits, so that descriptors hold plain doubles and expressions
   go wherever numbers go.  Numbers are only ever copied until lwi_numbers (compile.h) unfolds
   them. */
#ifndef LWI_MODEL_SPEC_SPEC_DATA_H
#define LWI_MODEL_SPEC_SPEC_DATA_H
#include "base/arena.h"
#include "base/name_index.h"
#include "linkwork/design.h"
#include "linkwork/shapes.h"
#include "linkwork/signals.h"
#include "linkwork/spec.h"
#include "model/spec/force_list.h"
#include "linkwork/sensitivity.h"
#include "model/joint/frame.h"
#include "model/expression/parameters.h"

#include <stdbool.h>

/* a body with all numbers evaluated; inertia about the centre of mass, in body axes */
#define LWI_SOLID(num_type)                                                                        \
  struct {                                                                                         \
    num_type mass, com[3], inertia[6];                                                             \
    double least; /* principal moment that matters, the smallest */                                \
    bool particle;                                                                                 \
  }
typedef LWI_SOLID(double) lwi_solid;
#if LW_DERIVATIVE
typedef LWI_SOLID(num) num_solid;
#else
typedef lwi_solid num_solid;
#endif

typedef struct {
  const char *text;
  lwi_expr expr;          /* parsed, names not looked up */
  const char *key;        /* of the model file, for messages; lives as long as the program */
  lwi_dimension expected; /* not known: anything */
  int like;               /* 1 + an expression of another file in whose place it stands; 0: none */
  int alike; /* 1 + an earlier component of the same vector; 0: none.  They have the same dimension */
} lwi_spec_expr;

/* a parameter by which derivatives are wanted */
typedef struct {
  const char *name;
} lwi_sensitivity_desc;

/* what an item is for that nobody wrote as such: a part of a friction, a contact or a law; zeros:
   it is written */
typedef struct {
  int friction; /* +- the constraint, from 1, that holds while it sticks: the item acts while it slides, a
                   motor only in the direction of the sign */
  lwi_carrier carrier; /* of a load: what it acts along ... */
  int along; /* ... and which of these; of a motor: +-1 if its value is a law of q and u (laws.c) */
  bool hidden;  /* no column of its own */
  bool contact; /* of a load: that of a contact, which has a bound wherever bodies may be */
} lwi_role;

/* the lists of a spec beside those of forces (force_list.h): field, descriptor */
#define LWI_SPEC_LISTS(X)                                                                          \
  X(bodies, lw_body_desc)                                                                          \
  X(points, lw_point_desc)                                                                         \
  X(shapes, lw_shape_desc)                                                                         \
  X(joints, lw_joint_desc)                                                                         \
  X(constraints, lw_constraint_desc)                                                               \
  X(events, lw_event_desc)                                                                         \
  X(states, lw_state_desc)                                                                         \
  X(outputs, lw_output_desc)                                                                       \
  X(objectives, lw_objective_desc)                                                                 \
  X(sensitivities, lwi_sensitivity_desc)

/* The section `study`: spec_study.c. */
typedef struct {
  lw_study_desc d; /* numbers as written */
  lwi_mark mark;
  const lwi_mark *factor_mark; /* [d.design.nfactor] */
} lwi_study;

struct lw_spec {
  lw_error error; /* the first mistake */
  lwi_mark mark;  /* of what is added next */
  const uint16_t
      *origin; /* of the next expression: [length + 1] where each byte of its text was written, as
                             it was written; NULL: the text is as written; used once */
  int nfile, file_capacity;
  const char **files; /* [nfile] that parts were included from */
  int nnote, note_capacity;
  const char **notes; /* [nnote] for the user of the file */
  lwi_arena arena;
  lwi_arena *texts; /* where names go; NULL: the arena */
  bool borrows;     /* a branch of another spec: lwi_spec_branch */
  const char *name;
  bool planar, has_gravity;
  bool unlimited; /* parameters may be outside their limits: differences step there */
  bool far; /* loops are taken for too long, whatever they are (model/link_system.h): to compare */
  double gravity[3];
  lw_simulation_options simulation;
  const lwi_study *study; /* in the arena; NULL: none */

  lwi_library *library; /* functions and tables; a branch borrows it */
  lwi_parameters parameters;
  int nparameter_mark, parameter_capacity;
  lwi_mark *parameter_mark;
  int nexpr, expr_capacity;
  lwi_spec_expr *expr;
  const char *key;        /* of what is added next */
  lwi_dimension expected; /* the dimension that it must have */
  lwi_dimension table[3]; /* dimensions of the table that is added next */
  bool has_units;         /* some number or parameter has a unit */

#define LIST(field, desc)                                                                          \
  struct {                                                                                         \
    int n, capacity;                                                                               \
    struct {                                                                                       \
      desc d;                                                                                      \
      lwi_mark mark;                                                                               \
      bool announced; /* an event connects it: not there at the start */                           \
      lwi_role role;                                                                               \
    } * item;                                                                                      \
  } field;
#define FORCES(item, items, ...) LIST(items, lw_##item##_desc)
  LWI_SPEC_LISTS(LIST)
  LWI_FORCE_LIST(FORCES)
#undef FORCES
#undef LIST
  lwi_name_index output_names; /* of states too */
  lwi_name_index body_names, point_names, joint_names,
      force_names;    /* joint_names: constraints too */
  int *joint_of_name; /* [joint_names.n] joint id, or 0 for a constraint */
  int joint_of_name_capacity;
};

/* ---- for what builds: spec.c, spec_events.c ---- */

/* Writes a position into an error (NULL: nothing); files: of the spec or model. */
void lwi_locate_error(const char *const *files, lwi_mark mark, lw_error *err);
/* An expression that was parsed begins at the mark, and its columns are those of the text as
   written. */
void lwi_spec_place_expr(lw_spec *s, lwi_expr *e);
/* The dimension of a parameter: that of its unit, or of the units in its value; may not be known. */
lwi_dimension lwi_spec_dimension_of(const lwi_parameter *p);
/* A number of a parameter, as written: in the unit of the parameter, if it has none of its own; false: a mistake was noted. */
bool lwi_spec_number_of(lw_spec *s, int parameter, double *number);
/* spec_study.c: marks of the parameters that it varies [nfactor]; NULL: that of the spec. */
void lwi_spec_set_study(lw_spec *s, const lw_study_desc *d, const lwi_mark factor_mark[]);
/* The first number, if it is an expression, has the dimension of the other one. */
void lwi_spec_like(lw_spec *s, double number, double other);
/* All numbers of a list have one dimension; that of a number, if it is an expression. */
void lwi_spec_alike(lw_spec *s, const double x[], int n);
void lwi_spec_expect(lw_spec *s, double number, const char *unit);
/* Of the variables and values of the table that is added next. */
void lwi_spec_measure_table(lw_spec *s, const lwi_dimension dimension[3]);
/* Where a byte of a text that is no expression was written. */
lwi_mark lwi_spec_mistake_mark(lw_spec *s, size_t column);
/* Notes the first mistake. */
void lwi_spec_fail(lw_spec *s, lw_status status, lwi_mark mark, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void lwi_spec_no_memory(lw_spec *s);
bool lwi_spec_good(const lw_spec *s); /* there, and without a mistake so far */
const char *lwi_spec_text(lw_spec *s, const char *text);

/* Copies a part's name into *kept and its name space; false: a mistake was noted. */
bool lwi_spec_enter_name(lw_spec *s, const char *what, lwi_name_index *index, const char *name,
                         const char **kept);
/* spec_points.c: of a body or point, whose columns are called alike: they share names. */
bool lwi_spec_enter_frame_name(lw_spec *s, const char *what, const char *name, const char **kept);
/* Appends a descriptor to a list; false: a mistake was noted. */
#define LWI_SPEC_APPEND(s, list, desc)                                                             \
  (lwi_grow(&(s)->list.item, (s)->list.n, &(s)->list.capacity, sizeof *(s)->list.item)             \
       ? ((s)->list.item[(s)->list.n].d = (desc), (s)->list.item[(s)->list.n].mark = (s)->mark,    \
          (s)->list.item[(s)->list.n].announced = false,                                           \
          (s)->list.item[(s)->list.n].role = (lwi_role){0}, (s)->list.n++, true)                   \
       : (lwi_spec_no_memory(s), false))

/* spec_outputs.c: puts outputs in the place of their names, in all expressions; false: an error was
   noted. */
bool lwi_spec_expand_outputs(lw_spec *s);

/* Is the number an expression?  Its index, or -1. */
int lwi_expr_index(double number);

/* spec_events.c: a copy of an event and of all that it points to. */
bool lwi_event_keep(lw_spec *s, const lw_event_desc *from, lw_event_desc *to);
int lwi_spec_find_constraint(const lw_spec *s, const char *name); /* 0: none */
/* Appends an event and copies all that it points to; nothing is checked. */
bool lwi_append_event(lw_spec *s, const lw_event_desc *d);
/* Is it an impact whose expression is a gap: of more than time?  The constraint that then holds
   bodies at rest is called contact.EVENT, or contact.NUMBER if the event, from 1, has no name. */
enum { LWI_CONTACT_NAME = 220 };
bool lwi_event_has_gap(const lw_spec *s, const lw_event_desc *d);
/* How many of the first n events are written as such, and not as limits or friction of joints. */
int lwi_written_events(const lw_spec *s, int n);
void lwi_contact_name(const lw_event_desc *d, int number, char *out, size_t size);

/* Notes in the shared name space whether the newest name is a joint (its id) or a constraint
   (0). */
bool lwi_spec_enter_joint_id(lw_spec *s, int id);

/* spec_contacts.c: a rope, which is the newest constraint. */
bool lwi_add_rope(lw_spec *s, const lw_constraint_desc *d);
/* contact_elements.c: the gap, the columns and the event of a contact whose name is entered
   already; the constraint of that name is the newest one, and is not there at the start. */
bool lwi_add_contact_elements(lw_spec *s, const lw_contact_desc *d);

/* spec_copy.c; NULL: no memory. */
lw_spec *lwi_spec_copy(const lw_spec *s);
/* The same, but only what events change is its own: joints, constraints, and names, so that what
   they connect can be added.  The rest, texts too, is borrowed from what s owns or borrows. */
lw_spec *lwi_spec_branch(const lw_spec *s);

#endif
