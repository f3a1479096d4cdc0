/* SPDX-License-Identifier: Apache-2.0 */
/* shapes.h -- what bodies look like, for viewers: shapes have no mass and touch nothing. */
#ifndef LINKWORK_SHAPES_H
#define LINKWORK_SHAPES_H
#include "linkwork/spec.h"
#ifdef __cplusplus
extern "C" {
#endif

/* A shape is centred at its place; cylinders and capsules lie along its z. */
#define LW_SHAPE_TYPES(X)                                                                          \
  X(LW_SHAPE_BOX, "box")                                                                           \
  X(LW_SHAPE_SPHERE, "sphere")                                                                     \
  X(LW_SHAPE_CYLINDER, "cylinder")                                                                 \
  X(LW_SHAPE_CAPSULE, "capsule")                                                                   \
  X(LW_SHAPE_ELLIPSOID, "ellipsoid")                                                               \
  X(LW_SHAPE_MESH, "mesh")
#define LW_SHAPE_ENUM(value, name) value,
typedef enum { LW_SHAPE_TYPES(LW_SHAPE_ENUM) LW_SHAPE_TYPE_COUNT } lw_shape_type;
#undef LW_SHAPE_ENUM

typedef struct {
  const char *name; /* as in the file it came from, of no further meaning; may be NULL */
  lw_shape_type type;
  lw_body body;          /* {0}: the ground */
  lw_place place;        /* in the body's frame */
  double size[3];        /* box, ellipsoid: whole extent along x, y, z */
  double radius, length; /* sphere, cylinder, capsule; length of a capsule: without its ends */
  const char *file;      /* mesh: a path as it was found, or as it was written if it was not */
  double scale[3];       /* mesh: its vertices are multiplied by; all 0: 1 */
  double color[4];       /* red, green, blue, opacity, 0 ... 1; all 0: none is given */
} lw_shape_desc;

/* Numbers may be expressions of parameters. */
LW_API void lw_add_shape(lw_spec *s, const lw_shape_desc *d);

/* The shapes of a model, in the order in which they were added, with all numbers evaluated:
   orientations as quaternions, scale filled in.  Texts live as long as the model.  LW_E_ARG: no
   such shape. */
LW_API int lw_nshape(const lw_model *m);
LW_API lw_status lw_get_shape(const lw_model *m, int i, lw_shape_desc *out); /* from 0 */
LW_API const char *lw_shape_type_name(lw_shape_type type);                   /* NULL: none */

#ifdef __cplusplus
}
#endif
#endif
