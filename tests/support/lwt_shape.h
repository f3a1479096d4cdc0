/* SPDX-License-Identifier: Apache-2.0 */
/* lwt_shape.h -- the shape of a described joint whose axes are unit vectors. */
#ifndef LWT_SHAPE_H
#define LWT_SHAPE_H
#include "model/joint/joint_relative.h"

#include <string.h>

static inline lwi_joint_shape lwt_joint_shape(const lw_joint_desc *j, bool planar)
{
  lwi_joint_shape shape = lwi_joint_shape_of(j->type, planar);
  memcpy(shape.axis[0], j->axis, sizeof shape.axis[0]);
  memcpy(shape.axis[1], j->axis2, sizeof shape.axis[1]);
  memcpy(shape.axis[2], j->axis3, sizeof shape.axis[2]);
  shape.pitch = j->pitch;
  return shape;
}

#endif
