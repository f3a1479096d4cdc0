/* SPDX-License-Identifier: Apache-2.0 */
/* solid_of_inertia.h -- the solid of constant density with the mass and inertia of a body. */
#ifndef LWI_IO_SCENE_SOLID_OF_INERTIA_H
#define LWI_IO_SCENE_SOLID_OF_INERTIA_H
#include "io/scene/scene.h"

typedef struct {
  bool known; /* it has mass, and inertia of a rigid body */
  bool given; /* the model says that it is this solid, and it is not slender */
  lw_scene_shape shape;
  double edge[3]; /* of the box around it, the longest first */
} lwi_solid_guess;

/* thickness: of what has none, and a particle's diameter. */
lwi_solid_guess lwi_solid_of_inertia(const lwi_scene *s, int body, double thickness);
/* Half the edges of the box around a shape, in its frame. */
void lwi_solid_half_sizes(const lw_scene_shape *shape, double half[3]);

#endif
