/* SPDX-License-Identifier: Apache-2.0 */
/* robot_couple.c -- joints that mimic others: q = multiplier q_other + offset, as couplers. */
#include "io/robot/robot.h"

#include "linkwork/reader.h"

#include <stdio.h>

/* The joint that stands for one that is held: the first that mimics it and moves; -1: none. */
static int stand_in(const lwi_robot *r, int held)
{
  for (int i = 0; i < r->njoint; i++)
    if (r->joint[i].mimic == held && !r->joint[i].held && r->joint[i].multiplier != 0) return i;
  return -1;
}

/* q_j - multiplier q_k = offset */
static bool add_coupler(lwi_robot *r, const lwi_robot_joint *j, double multiplier, int k,
                        double offset)
{
  char name[300];
  snprintf(name, sizeof name, "mimic.%.200s", j->name);
  const lw_term terms[2] = {
      {.joint = j->id, .coefficient = 1},
      {.joint = k < 0 ? (lw_joint){0} : r->joint[k].id, .coefficient = -multiplier}};
  const lw_constraint_desc d = {.name = lwi_robot_name(r, LWI_ROBOT_JOINTS, name),
                                .type = LW_COUPLER,
                                .terms = terms,
                                .nterm = k < 0 || multiplier == 0 ? 1 : 2,
                                .offset = offset};
  if (!d.name) return lwi_xml_no_memory(j->element, r->err);
  lw_spec_locate(r->spec, j->element->line, j->element->column);
  lw_add_constraint(r->spec, &d);
  return lw_spec_error(r->spec, r->err) == LW_OK;
}

static bool couple(lwi_robot *r, int i)
{
  const lwi_robot_joint *j = &r->joint[i];
  const int other = j->mimic;
  if (!r->joint[other].held) return add_coupler(r, j, j->multiplier, other, j->offset);
  /* with the coordinate x of the held one, q_s = m_s x + o_s of the one that stands for it:
     q_j = m_j (q_s - o_s)/m_s + o_j */
  const int s = stand_in(r, other);
  if (s == i || s < 0) return true;
  const double ratio = j->multiplier / r->joint[s].multiplier;
  return add_coupler(r, j, ratio, s, j->offset - ratio * r->joint[s].offset);
}

bool lwi_robot_couple(lwi_robot *r)
{
  for (int i = 0; i < r->njoint; i++)
    if (r->joint[i].mimic >= 0 && !r->joint[i].held && !couple(r, i)) return false;
  return true;
}
