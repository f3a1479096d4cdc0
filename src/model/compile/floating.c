/* SPDX-License-Identifier: Apache-2.0 */
/* floating.c -- adds a free joint to each group of bodies without a joint or constraint to the
   ground. */
#include "model/compile/constants.h"

#include <stdio.h>

/* name of the free joint of a body that is disconnected during a simulation, if a joint has the
   body's name: one that no written joint can have */
static const char *free_name(lwi_compiler *c, const char *body)
{
  const size_t size = strlen(body) + sizeof ".free";
  char *name = LWI_TAKE(c->arena, size, char);
  if (name) snprintf(name, size, "%s.free", body);
  return name;
}

/* the free joint that the body had in the previous model; 0: none */
int lwi_floated_before(const lwi_compiler *c, int b)
{
  if (!c->before) return 0;
  const int joint = c->before->link[c->before->body[b].link].joint;
  const lw_joint_info *info = &c->before->joint[joint].info;
  return info->implicit && info->type == LW_FREE && info->child.id == b ? joint : 0;
}

/* the free joint of a floating body: its joint frames are the ground's and the body's own */
bool lwi_float_body(lwi_compiler *c, int b)
{
  const lw_body_desc *d = &c->s->bodies.item[b - 1].d;
  lwi_joint_values *h = &c->joint_values[++c->njoint];
  *h =
      (lwi_joint_values){.name = c->m->body[b].name, .type = LW_FREE, .child = b, .implicit = true};
  h->has_q = h->has_u = d->start != NULL;
  h->was = lwi_floated_before(c, b);
  lwi_compile_at(c, "body", d->name, c->s->bodies.item[b - 1].mark);
  if (lwi_name_find(&c->s->joint_names, h->name, strlen(h->name)) >= 0) {
    if (!c->phase->pose)
      return lwi_compile_fail(c, LW_E_MODEL,
                              "floats freely, and the free joint of that name that it "
                              "gets is taken by a joint; rename one of them");
    if (!(h->name = free_name(c, h->name))) return lwi_compile_memory(c);
  }
  return lwi_float_joint_values(c, b, h);
}
