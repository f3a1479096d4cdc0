/* SPDX-License-Identifier: Apache-2.0 */
/* linkwork_model.c -- see linkwork_model.h. */
#include "linkwork_model.h"
#include <stdio.h>
#include <string.h>

static void add_body(lw_spec *s, const mechanism *m, int i)
{
  const mechanism_body *b = &m->body[i];
  char body_name[16], joint_name[16];
  snprintf(body_name, sizeof body_name, "b%d", i);
  snprintf(joint_name, sizeof joint_name, "j%d", i);

  lw_body_desc body = {.name = body_name, .mass = b->mass};
  memcpy(body.com, b->com, sizeof body.com);
  memcpy(body.inertia, b->inertia, sizeof body.inertia);

  /* bodies are numbered from 1 in the order they are added, and -1 is our ground */
  lw_joint_desc joint = {.name = joint_name,
                         .type = m->floating && i == 0 ? LW_FREE : LW_REVOLUTE,
                         .parent = {b->parent + 1},
                         .child = lw_add_body(s, &body)};
  if (joint.type == LW_REVOLUTE) {
    joint.place.orient.type = LW_ORIENT_QUAT;
    memcpy(joint.place.at, b->at, sizeof b->at);
    memcpy(joint.place.orient.value, b->quat, sizeof b->quat);
    memcpy(joint.axis, b->axis, sizeof b->axis);
  }
  lw_add_joint(s, &joint);
}

lw_spec *linkwork_spec(const mechanism *m)
{
  lw_spec *s = lw_spec_new();
  if (!s) return NULL;
  lw_set_name(s, m->name);
  lw_set_gravity(s, m->gravity[0], m->gravity[1], m->gravity[2]);
  for (int i = 0; i < m->nbody; i++)
    add_body(s, m, i);
  return s;
}

lw_model *linkwork_model(const mechanism *m)
{
  lw_error err = {.text = "out of memory"};
  lw_spec *s = linkwork_spec(m);
  lw_model *model = s ? lw_compile(s, &err) : NULL;
  lw_spec_free(s);
  if (!model) fprintf(stderr, "linkwork: %s: %s\n", m->name, err.text);
  return model;
}
