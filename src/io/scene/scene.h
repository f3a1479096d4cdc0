/* SPDX-License-Identifier: Apache-2.0 */
/* scene.h -- how a scene is put together: scene.c lists the parts of the model, scene_shapes.c
   makes solids for bodies. */
#ifndef LWI_IO_SCENE_SCENE_H
#define LWI_IO_SCENE_SCENE_H
#include "linkwork/scene.h"
#include "base/arena.h"
#include "model/model.h"

/* a scene with the memory of all its parts */
typedef struct {
  lw_scene s;
  const lw_model *m;
  lwi_arena arena;
} lwi_scene;

/* where something is attached to a body, in its frame: joints, constraints, contacts, springs */
typedef struct {
  int first, n; /* of body b: at[first ... first+n-1] */
} lwi_attached;
typedef struct {
  lwi_attached *body; /* [nbody + 1] */
  double (*at)[3];
} lwi_attachments;

/* growing lists of shapes */
typedef struct {
  lwi_scene *s;
  lw_scene_shape *shape; /* [n] */
  int n, capacity;
  bool full; /* out of memory */
  double thickness;
} lwi_shapes;
void lwi_shapes_add(lwi_shapes *out, const lw_scene_shape *shape);
/* given_shapes.c: those of the model.  looks[b]: body b has some, and none of its meshes is
   missing. */
void lwi_shapes_add_given(lwi_shapes *out, bool looks[]);

bool lwi_scene_attach(lwi_scene *s, lwi_attachments *out); /* attachments.c; false: no memory */
bool lwi_scene_make_shapes(lwi_scene *s, const lwi_attachments *a); /* scene_shapes.c; likewise */

#endif
