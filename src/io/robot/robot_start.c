/* SPDX-License-Identifier: Apache-2.0 */
/* robot_start.c -- coordinates at the start: within their ranges, and of joints that mimic others
   as these require. */
#include "io/robot/robot.h"

#include <math.h>
#include <stdio.h>

/* Follows the joints that are mimicked in turn; a cycle has no beginning. */
static bool is_cyclic(const lwi_robot *r, int joint)
{
  int steps = 0;
  for (int i = r->joint[joint].mimic; i >= 0; i = r->joint[i].mimic)
    if (i == joint || ++steps > r->njoint) return true;
  return false;
}

static void break_cycles(lwi_robot *r)
{
  lwi_listing cyclic = {0};
  for (int i = 0; i < r->njoint; i++)
    if (r->joint[i].mimic >= 0 && is_cyclic(r, i)) {
      lwi_listing_add(&cyclic, r->joint[i].name);
      r->joint[i].mimic = -1;
    }
  if (cyclic.n)
    lwi_robot_note(r, "the joints %s mimic one another in a circle: they move by themselves",
                   lwi_listing_text(&cyclic));
}

static void keep_limits(lwi_robot_joint *j, lwi_listing *moved)
{
  const double written = j->q[0];
  if (j->has_lower) j->q[0] = fmax(j->q[0], j->lower);
  if (j->has_upper) j->q[0] = fmin(j->q[0], j->upper);
  if (j->q[0] == written) return;
  char text[300];
  snprintf(text, sizeof text, "%.200s: %.6g", j->name, j->q[0]);
  lwi_listing_add(moved, text);
}

/* A joint that mimics another has the range of that one. */
static void follow(lwi_robot *r, lwi_robot_joint *j)
{
  const lwi_robot_joint *first = j;
  double multiplier = 1, offset = 0;
  while (first->mimic >= 0) {
    offset += multiplier * first->offset;
    multiplier *= first->multiplier;
    first = &r->joint[first->mimic];
  }
  j->q[0] = multiplier * first->q[0] + offset;
  j->has_lower = j->has_upper = false;
}

bool lwi_robot_start(lwi_robot *r)
{
  lwi_listing moved = {0};
  break_cycles(r);
  for (int i = 0; i < r->njoint; i++)
    if (r->joint[i].mimic < 0) keep_limits(&r->joint[i], &moved);
  for (int i = 0; i < r->njoint; i++)
    if (r->joint[i].mimic >= 0) follow(r, &r->joint[i]);
  if (moved.n)
    lwi_robot_note(r, "joints that would start outside their range start at its end: %s",
                   lwi_listing_text(&moved));
  return true;
}
