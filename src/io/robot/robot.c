/* SPDX-License-Identifier: Apache-2.0 */
/* robot.c -- the lists of a robot. */
#include "io/robot/robot.h"

#include "linkwork/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool lwi_robot_finish(lwi_robot *r)
{
  lwi_robot_note_names(r);
  lw_spec_locate(r->spec, 0, 0);
  lw_spec_locate_file(r->spec, NULL);
  return lw_spec_error(r->spec, r->err) == LW_OK;
}

lw_spec *lwi_robot_take(lwi_robot *r, bool ok)
{
  free(r->link);
  free(r->joint);
  free(r->point);
  free(r->shape);
  lwi_arena_free(&r->arena);
  if (ok) return r->spec;
  lw_spec_free(r->spec);
  return NULL;
}

int lwi_robot_add_link(lwi_robot *r, const lwi_robot_link *link)
{
  if (!lwi_grow(&r->link, r->nlink, &r->link_capacity, sizeof *r->link))
    return lwi_xml_no_memory(link->element, r->err), -1;
  r->link[r->nlink] = *link;
  return r->nlink++;
}

int lwi_robot_add_joint(lwi_robot *r, const lwi_robot_joint *joint)
{
  if (!lwi_grow(&r->joint, r->njoint, &r->joint_capacity, sizeof *r->joint))
    return lwi_xml_no_memory(joint->element, r->err), -1;
  r->joint[r->njoint] = *joint;
  return r->njoint++;
}

int lwi_robot_add_point(lwi_robot *r, const lwi_robot_point *point)
{
  if (!lwi_grow(&r->point, r->npoint, &r->point_capacity, sizeof *r->point))
    return lwi_xml_no_memory(point->element, r->err), -1;
  r->point[r->npoint] = *point;
  return r->npoint++;
}

void lwi_robot_note(lwi_robot *r, const char *format, ...)
{
  char text[1000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  lw_spec_add_note(r->spec, text);
}
