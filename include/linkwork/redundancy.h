/* SPDX-License-Identifier: Apache-2.0 */
/* redundancy.h -- equations of a mechanism that others imply: which joints can press against each
   other, along which directions, and which changes make every load determined; and the freedoms
   that drivers leave.

     lw_close_loops(w, 0, q, u, &err);
     lw_redundancy *r = lw_redundancy_new(w, 0, q, &err);
     for (int g = 0; g < r->ngroup; g++) ... r->group[g].part[i].joint, r->group[g].release ...

   Geometry decides, not inertia: the rank is that of the constraints' rows in metres, rotations
   multiplied by the typical length of the model.  docs/theory/loops.md */
#ifndef LINKWORK_REDUNDANCY_H
#define LINKWORK_REDUNDANCY_H
#include "linkwork/dynamics.h"
#include "linkwork/spec.h"
#ifdef __cplusplus
extern "C" {
#endif

/* A joint (constraint.id = 0) or a constraint (joint.id = 0) that takes part in self-stresses. */
typedef struct {
  lw_joint joint;
  lw_constraint constraint;
  bool relation;          /* a gear, coupler or driver: it has a multiplier, and no directions */
  int n;                  /* independent directions of its undetermined load */
  double direction[6][6]; /* [n] [torque; force] on the child at `at`, ground axes; largest is 1 */
  double at[3];           /* the child's joint frame, in ground axes */
} lw_stressed_part;

/* A change of one part that gives up equations. */
typedef struct {
  lw_joint joint;
  lw_constraint constraint;
  bool removed;                       /* the part is not needed at all */
  bool to_constraint;                 /* the joint becomes a constraint: */
  lw_constraint_type constraint_type; /* ... point_on_line or point_on_plane */
  lw_joint_type type;                 /* else a joint of this type */
  double axis
      [3]; /* its axis; universal: axis2; gimbal: axis3.  Zeros: as before, or none.  Joint frame */
  int equations; /* fewer */
} lw_release;

/* Parts that share self-stresses. */
typedef struct {
  int n; /* loads that are not determined */
  int npart;
  const lw_stressed_part *part; /* joints first */
  bool loop;                    /* all of them carry the same load: they are a single loop */
  bool too_many;                /* loads: no changes were searched for */
  int nrelease;
  const lw_release *release; /* the fewest changes found, compiled and checked; 0: none was found */
} lw_stress_group;

/* A motion that drivers leave possible. */
typedef struct {
  const double *u;      /* [nu] speeds of the tree; the largest is 1 */
  int nbody;            /* bodies that move */
  const lw_body *body;  /* [nbody] */
  const double *motion; /* [6 nbody] [angular; linear at the origin], ground axes */
} lw_free_motion;

typedef struct {
  int dof, redundant; /* by geometry */
  int ngroup;
  const lw_stress_group *group; /* [ngroup] */
  bool determined; /* with all releases the redundant equations are gone, and dof is the same */
  int ndriver;     /* drivers of the model; without any, freedoms are not listed */
  int nleft;       /* freedoms that the drivers leave, ... */
  int nfree; /* ... and how many of them are described: all up to 1000 speeds, then the first 20 */
  const lw_free_motion *free; /* [nfree] */
} lw_redundancy;

/* At q, which must satisfy all constraints.  Up to 1000 speeds and equations elimination is dense; larger mechanisms are
   eliminated sparsely, and no changes are searched for groups of more than 20,000 loads (too_many).  NULL on failure. */
LW_API lw_redundancy *lw_redundancy_new(lw_work *w, double t, const double q[], lw_error *err);
LW_API void lw_redundancy_free(lw_redundancy *r);

/* A simple description of the span of n loads [torque; force] about a point: direction[i] becomes
   pure torques where there are any, forces along axes where possible, each with its largest entry
   1.  length: which torque is as large as a unit force.  Returns how many are independent. */
LW_API int lw_simplify_loads(int n, double direction[][6], double length);

/* Writes the model file `path` with all releases to `to`; comments and the rest stay as they are.
   LW_E_UNSUPPORTED: a joint comes from an included file, a `repeat`, `mirror` or merge key, or the
   file is not YAML. */
LW_API lw_status lw_relax_file(const lw_model *m, const lw_redundancy *r, const char *path,
                               const char *to, lw_error *err);

#ifdef __cplusplus
}
#endif
#endif
