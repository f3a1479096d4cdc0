/* SPDX-License-Identifier: Apache-2.0 */
/* projection.h -- points in space to points of a picture, along parallel rays. */
#ifndef LWI_IO_PICTURE_PROJECTION_H
#define LWI_IO_PICTURE_PROJECTION_H
#include "io/picture/svg.h"
#include "linkwork/scene.h"

typedef struct {
  double right[3], up[3], toward[3]; /* axes of the picture in ground axes; toward the eye */
  double scale, left, top;           /* pixels per metre; pixels of the origin */
} lwi_projection;

/* Axes of a view: gravity points down. */
void lwi_projection_turn(lwi_projection *p, const lw_model *m, lw_view view);
/* A point of the picture; before scale, left and top are known, in metres. */
lwi_svg_point lwi_project(const lwi_projection *p, const double at[3]);
double lwi_depth(const lwi_projection *p, const double at[3]); /* larger: nearer to the eye */

/* The convex hull of p[n], in place: how many points it has.  h[2 n]: scratch. */
int lwi_hull(lwi_svg_point p[], int n, lwi_svg_point h[]);

#endif
