/* SPDX-License-Identifier: Apache-2.0 */
/* export.h -- a spec as a robot file: what the writers of URDF and MJCF share.

   Both formats are trees of bodies.  Joints of a spanning tree carry the bodies; each is written as
   a row of joints of one freedom (hinge or slide), a ball or a free joint.  What is left over
   closes loops.  What a format cannot say is listed. */
#ifndef LWI_IO_EXPORT_EXPORT_H
#define LWI_IO_EXPORT_EXPORT_H
#include "io/write/yaml_text.h"
#include "linkwork/linkwork.h"
#include "linkwork/reader.h"
#include "model/model.h"

typedef enum { LWI_STEP_HINGE, LWI_STEP_SLIDE, LWI_STEP_BALL, LWI_STEP_FREE } lwi_step_kind;
/* one of the joints that a joint is written as */
typedef struct {
  lwi_step_kind kind;
  int dof; /* of the joint, from 0 */
  double axis[3];
} lwi_step;
enum { LWI_MOST_STEPS = 3 };

typedef struct {
  int joint;       /* of the spec, from 0, that carries it; -1: it floats */
  bool backward;   /* ... as its parent */
  int parent;      /* body; 0: the ground */
  int first, next; /* its first child; the next child of its parent; -1: none */
} lwi_export_body;

typedef struct {
  lw_spec *s;
  lw_model *m; /* compiled: parameters and masses */
  lw_error *err;
  const char *path;
  lwi_yaml_text text;
  lwi_arena arena;
  lwi_export_body *body; /* [nbody + 1] */
  int *order;            /* [nbody] parents first */
  bool *in_tree;         /* [njoint] */
  double *q, *u;         /* of all joints: the start, with loops closed */
  lw_work *work;         /* there */
  bool varies;           /* the last number depends on time or state */
  char lost[900];        /* what cannot be said */
  int nlost;
} lwi_export;

bool lwi_export_open(lwi_export *x);
/* Writes the file unless there was an error; adds the list of what is lost to the notes. */
lw_status lwi_export_close(lwi_export *x, bool ok);

/* The value of a written number. */
double lwi_export_number(lwi_export *x, double written);
lwi_frame lwi_export_place(lwi_export *x, const lw_place *place);
/* The frame of the joint on the side of body b, and on the other one. */
void lwi_export_frames(lwi_export *x, int b, lwi_frame *own, lwi_frame *other);
/* The steps of a joint in the order in which they move body b, with axes in the joint frame; 0:
   none. */
int lwi_export_steps(lwi_export *x, int b, lwi_step steps[LWI_MOST_STEPS]);
/* The name of a step: that of the joint, or with a number behind it. */
void lwi_export_name(lwi_export *x, const char *name, int dof, int n);
/* Where a body starts, and how: its velocity and angular velocity in ground axes. */
lwi_frame lwi_export_start(const lwi_export *x, int b);
void lwi_export_velocity(const lwi_export *x, int b, double linear[3], double angular[3]);
/* Coordinates and speeds of a joint at the start: as many as there are. */
void lwi_export_coordinates(lwi_export *x, int joint, double q[7], double u[6]);
void lwi_export_lose(lwi_export *x, const char *what, const char *name);
/* What neither format has. */
void lwi_export_lose_rest(lwi_export *x);

/* Text: attributes. */
void lwi_export_text(lwi_export *x, const char *text); /* with &lt; and the like */
void lwi_export_numbers(lwi_export *x, const char *key, const double v[], int n);

/* Is the term of a coupler a multiple of the coordinate, and no more? */
static inline bool lwi_export_is_linear(const lw_term *t)
{
  return t->higher[0] == 0 && t->higher[1] == 0 && t->higher[2] == 0;
}

#endif
