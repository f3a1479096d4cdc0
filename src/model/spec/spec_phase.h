/* SPDX-License-Identifier: Apache-2.0 */
/* spec_phase.h -- a spec at a moment of a simulation.  A spec is what the user wrote; what events
   have made of it until now, which parts are there, what is locked and merged and where the bodies
   are, is a phase.  Models are compiled from phases; docs/decisions/013-phases.md. */
#ifndef LWI_MODEL_SPEC_SPEC_PHASE_H
#define LWI_MODEL_SPEC_SPEC_PHASE_H
#include "model/spec/spec_data.h"

/* what events have made of a joint or constraint */
typedef struct {
  bool absent;  /* not there at the moment */
  bool kept;    /* q is that of the moment, and good to the last digit */
  bool changed; /* another type than the one written */
  bool given;   /* holds merged bodies together: has no load of its own */
  int was; /* its number in the model before, if it is still what it was there but for coordinates and
              locks; 0: it must be compiled */
  unsigned char locked; /* bit i: freedom i is locked */
  signed char sliding;  /* of the friction of a joint: the direction in which it slides, or 0 */
} lwi_part_state;

/* bodies that an event made one; none: bodies is NULL */
typedef struct {
  const char *name;
  int nbody;
  const lw_body *bodies;
  const lwi_frame *place; /* [nbody] in the first one */
  lw_place *written;      /* [nbody] the same as expressions, which count; NULL: there are none */
} lwi_merge;

typedef struct {
  const lw_spec
      *spec;       /* the parts; descriptors of joints and constraints are those of the moment */
  lw_spec *branch; /* the same spec if the phase owns it and events may edit it; or NULL */
  int njoint, nconstraint;
  lwi_part_state *joint, *constraint; /* [njoint], [nconstraint] as in the lists of the spec */
  int nmerge, merge_capacity;
  lwi_merge *merge;

  /* the moment: 0 and as written, or during a simulation */
  double time;
  const lwi_frame *pose;   /* [nbodies + 1] of all bodies; NULL: as the joints say */
  const lwi_solid *solids; /* [nbodies + 1] known from the model before; NULL: to be evaluated */
  const double (*floating)[7]; /* [nbodies + 1] coordinates of bodies that float; of others the
                                  first one is NaN.  NULL: none does */
  const double *turns;         /* [ntorsions] of torsions; NULL: as they are described */
  lwi_arena arena;
} lwi_phase;

/* The first phase: the spec as it is written, borrowed.  false: no memory.  Close it either way. */
bool lwi_phase_init(lwi_phase *p, const lw_spec *s);
void lwi_phase_close(lwi_phase *p);

/* A phase that events may edit, without the moment: its spec is a branch (lwi_spec_branch) or a
   copy.  NULL: no memory. */
lwi_phase *lwi_phase_branch(const lwi_phase *p);
lwi_phase *lwi_phase_copy(const lwi_phase *p);
void lwi_phase_free(lwi_phase *p);
/* Takes up the joints and constraints that were added to the branch since.  false: no memory. */
bool lwi_phase_add_parts(lwi_phase *p);

/* active_phase.c: what is there at the moment: absent joints and constraints and all that names
   them left out, merged bodies held together by fixed joints.  It borrows from p; free it also
   after false: no memory. */
typedef struct {
  lwi_phase phase;
  lw_spec spec; /* of that phase */
} lwi_active_phase;
bool lwi_phase_is_partial(const lwi_phase *p);
bool lwi_active_phase_init(lwi_active_phase *out, const lwi_phase *p);
void lwi_active_phase_free(lwi_active_phase *out);
lw_place lwi_place_in_numbers(const lwi_frame *X, bool planar);

#endif
