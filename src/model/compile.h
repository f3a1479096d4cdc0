/* SPDX-License-Identifier: Apache-2.0 */
/* compile.h -- the steps from a spec to a model, and what they hand to one another. */
#ifndef LWI_MODEL_COMPILE_H
#define LWI_MODEL_COMPILE_H
#include "base/fail.h"
#include "model/frame.h"
#include "model/model.h"
#include "model/spec_data.h"

/* a joint with all numbers evaluated; implicit free joints follow the written ones */
typedef struct {
  const char *name;
  lw_joint_type type;
  int parent, child;
  lwi_frame place, child_place;
  double axis[3], axis2[3], pitch;
  double q[7], u[6];
  bool implicit, has_q, has_u, hold;
  unsigned still; /* bit i: freedom i is locked */
} lwi_hinge;

typedef struct {
  const lw_spec *s;
  lw_model *m;
  lw_error *err;
  lwi_arena *arena;  /* the model's */
  lwi_arena scratch; /* freed when done */

  /* what is being compiled, for messages: kind and name of the part */
  const char *part, *name;
  lwi_mark mark;

  double *parameter; /* [nparameter] values */
  lwi_solid *solid;  /* [nbody + 1] */
  lwi_hinge *hinge;  /* [njoint + 1], from 1 */
  int njoint;
  lwi_frame *link_in_body; /* [nbody + 1] the link's frame in the body's */
  lwi_name_index slots;    /* state names in use */
  int slot_capacity;
  lwi_slot *slot;
  bool slots_full; /* no memory for another */
} lwi_compiler;

/* The model of a moment: without a spec of its own. */
lw_model *lwi_compile_phase(const lw_spec *s, lw_error *err);

/* Notes the mistake, with `part "name": ` in front if a part is being compiled; returns false. */
bool lwi_compile_fail(lwi_compiler *c, lw_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void lwi_compile_at(lwi_compiler *c, const char *part, const char *name, lwi_mark mark);
bool lwi_compile_memory(lwi_compiler *c); /* out of memory: false */

/* ---- numbers.c ---- */
bool lwi_compile_parameters(lwi_compiler *c);
/* Replaces n numbers by the values of the expressions they stand for; all must be finite. */
bool lwi_numbers(lwi_compiler *c, double *x, int n, const char *field);
/* An expression of time, state and parameters for the kernels, from a number of a descriptor. */
bool lwi_state_expr(lwi_compiler *c, double number, const char *field, lwi_expr *out);
/* The same of time and parameters alone; parameters have their slots, t the one after them. */
bool lwi_time_expr(lwi_compiler *c, double number, const char *field, lwi_expr *out);

/* ---- frames.c ---- */
bool lwi_orientation(lwi_compiler *c, const lw_orient *o, const char *field, double quat[4]);
bool lwi_place(lwi_compiler *c, const lw_place *place, const char *field, lwi_frame *out);
bool lwi_axis(lwi_compiler *c, double axis[3], const double fallback[3], const char *field);

/* ---- the parts ---- */
bool lwi_compile_bodies(lwi_compiler *c);      /* solids.c */
bool lwi_compile_joints(lwi_compiler *c);      /* hinges.c: the written ones */
bool lwi_compile_topology(lwi_compiler *c);    /* topology.c: implicit joints, links in order */
bool lwi_keep_joints(lwi_compiler *c);         /* hinges.c: all joints as relations of two frames */
bool lwi_compile_links(lwi_compiler *c);       /* links.c: constants */
bool lwi_compile_constraints(lwi_compiler *c); /* constraints.c */
/* docs/format.md 4.8: which way parallel axes point is that of the start, where the bodies have these poses */
void lwi_choose_senses(lwi_compiler *c, const lwi_frame pose[]);
bool lwi_compile_start(lwi_compiler *c);    /* start.c: the written state, by joints of the tree */
bool lwi_compile_ties(lwi_compiler *c);     /* ties.c: what closes loops */
bool lwi_compile_clusters(lwi_compiler *c); /* clusters.c: which loops hang together */
/* net.c: all joints and ties by links; holding: freedoms that are held have rows, too */
bool lwi_compile_net(lwi_compiler *c, lwi_ties *x, bool holding);
int lwi_links_meet(const lw_model *m, int a, int b); /* their deepest common ancestor */
bool lwi_compile_forces(lwi_compiler *c);            /* force.c */

bool lwi_compile_sensitivity(lwi_compiler *c); /* spec_sensitivity.c: names of parameters */

#endif
