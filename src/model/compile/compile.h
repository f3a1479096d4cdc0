/* SPDX-License-Identifier: Apache-2.0 */
/* compile.h -- the steps from a spec to a model, and the data that they share. */
#ifndef LWI_MODEL_COMPILE_COMPILE_H
#define LWI_MODEL_COMPILE_COMPILE_H
#include "base/fail.h"
#include "model/joint/frame.h"
#include "model/model.h"
#include "model/spec/spec_phase.h"

/* a joint during compilation; implicit free joints follow the written ones */
typedef struct {
  const char *name;
  lw_joint_type type;
  int parent, child;
  num q[7], u[6];
  bool implicit, has_q, has_u, hold;
  bool kept;       /* q is that of the present instant */
  int was;         /* the same joint in the previous model; 0: none */
  unsigned locked; /* bit i: freedom i is locked */
} lwi_joint_values;

typedef struct {
  const lw_spec *s;
  const lwi_phase *phase; /* of the spec */
  const lw_model *before; /* previous model: unchanged records are copied from it; NULL: none */
  lw_model *m;
  lw_model *out; /* receives the numbers: m itself, or its derivative (constants.h) */
  lw_error *err;
  /* memory of the model, by lifetime: unchanged by any event (parameters, bodies); unchanged by
     locks; changed by locks only in loops (pairs, tree constraints, clusters); of this model only
     (joints, constraints, links, the state) */
  lwi_arena *lasting, *arena, *tree_constraints, *own;
  lwi_arena scratch; /* freed when done */

  /* the part being compiled, for messages: kind and name */
  const char *part, *name;
  lwi_mark mark;

  double *parameter;   /* [nparameter] values */
  const double *along; /* [nparameter] their derivatives, while those of a model are compiled ... */
  int nmoving;         /* ... and the number of written numbers with a nonzero derivative */
  const num_solid *solid;         /* [nbody + 1] */
  lwi_joint_values *joint_values; /* [njoint + 1], from 1 */
  int njoint;
  lwi_name_index slots; /* state names in use */
  int slot_capacity;
  lwi_slot *slot;
  bool slots_full; /* no memory for another slot */
} lwi_compiler;

/* The model of a phase, without a spec of its own.  before: the model of the previous phase, from
   which unchanged parts are copied; NULL: everything is compiled, with the same result. */
lw_model *lwi_compile_phase(const lwi_phase *p, const lw_model *before, lw_error *err);
/* relock.c: the same if p differs from the phase of `before` only by locks and by the instant, with
   q of all joints.  Only what depends on locks is compiled again; the rest is shared with
   `before`. */
lw_model *lwi_compile_locks(const lwi_phase *p, const lw_model *before, const double q[],
                            lw_error *err);

/* Allocates the arenas that c->m does not have yet; false: no memory. */
bool lwi_compile_open(lwi_compiler *c);
void lwi_compile_close(lwi_compiler *c);

/* Records an error, with the prefix `part "name": ` if a part is being compiled; returns false. */
bool lwi_compile_fail(lwi_compiler *c, lw_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void lwi_compile_at(lwi_compiler *c, const char *part, const char *name, lwi_mark mark);
bool lwi_compile_memory(lwi_compiler *c); /* out of memory: false */

/* ---- evaluate.c ---- */
bool lwi_compile_parameters(lwi_compiler *c);
/* The spec's parameters with expressions of their own, in c->scratch: a spec may be compiled by
   several threads at once, and names are resolved in the expressions. */
bool lwi_compile_parameter_table(lwi_compiler *c, lwi_parameters *table);
/* Replaces n numbers by the values of their expressions; all must be finite. */
bool lwi_numbers(lwi_compiler *c, double *x, int n, const char *field);
/* An expression of time, state and parameters for the kernels, from a number of a descriptor. */
bool lwi_state_expr(lwi_compiler *c, double number, const char *field, lwi_expr *out);
/* The same with time and parameters only; the slot of t follows those of the parameters. */
bool lwi_time_expr(lwi_compiler *c, double number, const char *field, lwi_expr *out);

/* Are all joints that it names there at the moment?  True at the start. */
bool lwi_names_exist(const lwi_compiler *c, double number);
/* unknown_names.c: reports a name with dots that an expression of a force may not use. */
bool lwi_unknown_state(lwi_compiler *c, const lwi_expr_name *bad, const char *field);

/* Value and derivative of a written number; both must be finite. */
bool lwi_number_derivative(lwi_compiler *c, double written, const char *field, double *x,
                           double *derivative);

/* ---- the parts ---- */
bool lwi_compile_bodies(lwi_compiler *c); /* bodies.c */
bool lwi_compile_joints(lwi_compiler *c); /* joints.c: the written ones */
const lwi_joint *lwi_joint_before(const lwi_compiler *c, int joint); /* previous one; NULL: none */
bool lwi_compile_topology(lwi_compiler *c);     /* topology.c: implicit joints, links in order */
bool lwi_float_body(lwi_compiler *c, int body); /* floating.c: adds a free joint */
int lwi_floated_before(const lwi_compiler *c, int body); /* previous free joint; 0: none */
bool lwi_keep_joints(lwi_compiler *c);         /* joints.c: all joints as relations of two frames */
bool lwi_compile_links(lwi_compiler *c);       /* links.c: constants */
bool lwi_regularize_merged(lwi_compiler *c);   /* merged.c: after the constants of links */
bool lwi_compile_constraints(lwi_compiler *c); /* constraints.c */
/* tree_constraint_list.c: pairs of frames on two links, and all constraints; holding: with rows for
   held freedoms of cut joints */
bool lwi_list_pairs(lwi_compiler *c);
bool lwi_list_tree_constraints(lwi_compiler *c, lwi_tree_constraints *x, bool holding);
bool lwi_compile_tree_constraints(lwi_compiler *c); /* tree_constraints.c */
/* copies the coefficients of relations from a model into its constraints; x and structure are those
   of m */
void lwi_keep_coefficients(const lw_model *m, const lw_model *from, const lwi_tree_constraints *x,
                           lwi_tree_constraints *out);
bool lwi_compile_clusters(lwi_compiler *c); /* clusters.c: coupled loops */
/* potentials.c: which laws have a potential. */
bool lwi_find_potentials(lwi_compiler *c);
/* unknown_names.c: is it the tension of a spring with a law, which is no measure? */
bool lwi_is_law(const lw_spec *s, const lwi_measure *e);
bool lwi_compile_added_mass(
    lwi_compiler *c); /* added_mass.c: bodies that are too light; after clusters */
/* link_system.c: all joints and constraints by links; holding: with rows for held freedoms */
bool lwi_compile_link_system(lwi_compiler *c, lwi_tree_constraints *x, bool holding);
int lwi_links_meet(const lw_model *m, int a, int b); /* their deepest common ancestor */
bool lwi_compile_points(lwi_compiler *c);            /* points.c: after links */
bool lwi_compile_shapes(lwi_compiler *c);            /* shapes.c */
bool lwi_compile_forces(lwi_compiler *c);            /* force.c */

bool lwi_compile_states(lwi_compiler *c);      /* states.c: before the slots are complete */
bool lwi_compile_outputs(lwi_compiler *c);     /* outputs.c */
bool lwi_compile_sensitivity(lwi_compiler *c); /* compile_sensitivity.c: names of parameters */
bool lwi_check_study(lwi_compiler *c);         /* compile_study.c */

#endif
