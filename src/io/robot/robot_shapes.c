/* SPDX-License-Identifier: Apache-2.0 */
/* robot_shapes.c -- what the links of a robot look like. */
#include "io/robot/robot.h"

/* Files have boxes without height and spheres without radius, which nobody could see. */
static bool has_extent(const lw_shape_desc *d)
{
  switch (d->type) {
  case LW_SHAPE_BOX:
  case LW_SHAPE_ELLIPSOID: return d->size[0] > 0 && d->size[1] > 0 && d->size[2] > 0;
  case LW_SHAPE_CYLINDER:
  case LW_SHAPE_CAPSULE: return d->radius > 0 && d->length > 0;
  case LW_SHAPE_SPHERE: return d->radius > 0;
  default: return true;
  }
}

bool lwi_robot_add_shape(lwi_robot *r, const lwi_robot_shape *shape)
{
  if (!has_extent(&shape->d)) return true;
  if (!lwi_grow(&r->shape, r->nshape, &r->shape_capacity, sizeof *r->shape))
    return lwi_xml_no_memory(shape->element, r->err);
  r->shape[r->nshape++] = *shape;
  return true;
}

static bool build_shape(lwi_robot *r, const lwi_robot_shape *shape)
{
  lw_shape_desc d = shape->d;
  d.body = lwi_robot_body(r, shape->link);
  d.place = lwi_place_of(lwi_frame_mul(lwi_robot_frame(r, shape->link), shape->place));
  lwi_robot_locate(r, shape->element);
  lw_add_shape(r->spec, &d);
  return lw_spec_error(r->spec, r->err) == LW_OK;
}

/* Shapes of one link follow one another. */
bool lwi_robot_build_shapes(lwi_robot *r)
{
  for (int i = 0, end; i < r->nshape; i = end) {
    bool shown = false;
    for (end = i; end < r->nshape && r->shape[end].link == r->shape[i].link; end++)
      shown = shown || !r->shape[end].spare;
    for (int k = i; k < end; k++)
      if (!(shown && r->shape[k].spare) && !build_shape(r, &r->shape[k])) return false;
  }
  if (r->lost_shapes)
    lwi_robot_note(r, "%d shapes are incomplete or of kinds that linkwork does not have: not shown",
                   r->lost_shapes);
  return true;
}
