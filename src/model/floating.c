/* SPDX-License-Identifier: Apache-2.0 */
/* floating.c -- the free joint that a group of bodies gets which nothing ties to the ground. */
#include "math/rotation.h"
#include "model/compile.h"

#include <stdio.h>

/* of a body that comes loose during a simulation and has the name of a joint: no joint has such a name */
static const char *free_name(lwi_compiler *c, const char *body)
{
  const size_t size = strlen(body) + sizeof ".free";
  char *name = LWI_TAKE(c->arena, size, char);
  if (name) snprintf(name, size, "%s.free", body);
  return name;
}

/* pose and velocity as written */
static bool start_floating(lwi_compiler *c, const lw_body_desc *d, lwi_hinge *h)
{
  lw_start s = d->start ? *d->start : (lw_start){0};
  lwi_frame X;
  double quat[4];
  if (!lwi_place(c, &s.pose, "pose", &X) || !lwi_orientation(c, &s.pose.orient, "pose", quat) ||
      !lwi_numbers(c, s.linear, 3, "velocity") || !lwi_numbers(c, s.angular, 3, "velocity"))
    return false;
  if (c->s->planar && (s.linear[2] != 0 || s.angular[0] != 0 || s.angular[1] != 0))
    return lwi_compile_fail(c, LW_E_MODEL, "velocity must lie in the plane of a planar model");
  double w[3], v[3];
  rot_tmulv(X.R, s.angular, w);
  rot_tmulv(X.R, s.linear, v);
  if (c->s->planar) {
    const double q[3] = {X.p[0], X.p[1], atan2(X.R.c[0][1], X.R.c[0][0])},
                 u[3] = {w[2], v[0], v[1]};
    memcpy(h->q, q, sizeof q);
    memcpy(h->u, u, sizeof u);
    return true;
  }
  memcpy(h->q, X.p, 3 * sizeof(double));
  memcpy(h->q + 3, quat, sizeof quat);
  memcpy(h->u, w, sizeof w);
  memcpy(h->u + 3, v, sizeof v);
  return true;
}

/* the one that it had in the model before; 0: none */
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
  lwi_hinge *h = &c->hinge[++c->njoint];
  *h = (lwi_hinge){.name = c->m->body[b].name, .type = LW_FREE, .child = b, .implicit = true};
  h->has_q = h->has_u = d->start != NULL;
  h->was = lwi_floated_before(c, b);
  lwi_compile_at(c, "body", d->name, c->s->bodies.item[b - 1].mark);
  if (lwi_name_find(&c->s->joint_names, h->name, strlen(h->name)) >= 0) {
    if (!c->s->pose)
      return lwi_compile_fail(c, LW_E_MODEL,
                              "floats freely, and the free joint of that name that it "
                              "gets is taken by a joint; rename one of them");
    if (!(h->name = free_name(c, h->name))) return lwi_compile_memory(c);
  }
  if (c->s->floating && !isnan(c->s->floating[b][0])) {
    memcpy(h->q, c->s->floating[b], sizeof h->q);
    return h->kept = true;
  }
  return start_floating(c, d, h);
}
