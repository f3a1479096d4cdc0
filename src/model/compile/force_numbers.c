/* SPDX-License-Identifier: Apache-2.0 */
/* force_numbers.c -- the numbers of forces: points and axes in link frames, coefficients. */
#include "model/compile/constants.h"

static void keep_point(lwi_compiler *c, lw_body body, const num at[3], lwi_point *out)
{
  num p[3];
  lwi_frame_point(lwi_body_in_link(c, body.id), at, p);
  out->link = c->m->body[body.id].link;
  lwi_keep(p, 3, out->p);
}

static void keep_axes(lwi_compiler *c, lw_body body, const num_rot *R, rot3 *out)
{
  const num_rot in_link = rot_mul(lwi_body_in_link(c, body.id).R, *R);
  lwi_keep_rot(&in_link, out);
}

/* A floating particle has no rotation: loads must act at its centre. */
static bool refuse_turning(lwi_compiler *c, lw_body body, const num at[3], bool couple)
{
  if (c->m->link[c->m->body[body.id].link].inertialess == 0) return true;
  num d[3];
  for (int i = 0; i < 3; i++)
    d[i] = at[i] - c->solid[body.id].com[i];
  if (!couple && value_of(norm3(d)) == 0) return true;
  return lwi_compile_fail(c, LW_E_MODEL,
                          "would turn \"%s\", which is a particle: act at its centre",
                          c->m->body[body.id].name);
}

/* out of the plane only 0 is allowed */
static bool keep_in_plane(lwi_compiler *c, double z, const char *field)
{
  if (!c->s->planar || z == 0) return true;
  return lwi_compile_fail(c, LW_E_MODEL, "%s must lie in the plane of a planar model", field);
}

/* reads n numbers into the model */
static bool read_into(lwi_compiler *c, const double written[], int n, const char *field,
                      double out[])
{
  num x[3];
  if (!lwi_read(c, written, n, field, x)) return false;
  lwi_keep(x, n, out);
  return true;
}

bool lwi_point_numbers(lwi_compiler *c, int i)
{
  const lw_point_desc *d = &c->s->points.item[i].d;
  lwi_body *out = &c->out->point[i];
  num_frame place;
  if (!lwi_place(c, &d->place, "at", &place)) return false;
  const num_frame in_link = lwi_frame_mul(lwi_body_in_link(c, d->body.id), place);
  lwi_keep_rot(&in_link.R, &out->R);
  lwi_keep(in_link.p, 3, out->p);
  return true;
}

bool LWI_FORCE_NUMBERS(spring)(lwi_compiler *c, int i)
{
  const lw_spring_desc *d = &c->s->springs.item[i].d;
  lwi_spring *out = &c->out->spring[i];
  num from[3], to[3];
  if (!lwi_read(c, d->from_at, 3, "from", from) || !lwi_read(c, d->to_at, 3, "to", to) ||
      !read_into(c, &d->stiffness, 1, "stiffness", &out->stiffness) ||
      !read_into(c, &d->damping, 1, "damping", &out->damping) ||
      !read_into(c, &d->length, 1, "length", &out->length))
    return false;
  if (d->from.id == d->to.id)
    return lwi_compile_fail(c, LW_E_MODEL, "both ends are on the same body");
  if (!keep_in_plane(c, value_of(from[2]), "from") || !keep_in_plane(c, value_of(to[2]), "to"))
    return false;
  if (!refuse_turning(c, d->from, from, false) || !refuse_turning(c, d->to, to, false))
    return false;
  keep_point(c, d->from, from, &out->from);
  keep_point(c, d->to, to, &out->to);
  return true;
}

bool LWI_FORCE_NUMBERS(joint_spring)(lwi_compiler *c, int i)
{
  const lw_joint_spring_desc *d = &c->s->joint_springs.item[i].d;
  lwi_joint_spring *out = &c->out->joint_spring[i];
  num onset;
  if (!read_into(c, &d->stiffness, 1, "stiffness", &out->stiffness) ||
      !read_into(c, &d->damping, 1, "damping", &out->damping) ||
      !read_into(c, &d->rest, 1, "rest", &out->rest) || !lwi_read(c, &d->onset, 1, "onset", &onset))
    return false;
  if (d->side != 0 && !(value_of(onset) > 0))
    return lwi_compile_fail(c, LW_E_MODEL, "`onset` must be positive, and is %g", value_of(onset));
  lwi_keep(&onset, 1, &out->onset);
  return true;
}

/* a motor has no numbers: its value is an expression */
bool LWI_FORCE_NUMBERS(motor)(lwi_compiler *c, int i)
{
  (void)c, (void)i;
  return true;
}

bool LWI_FORCE_NUMBERS(load)(lwi_compiler *c, int i)
{
  const lw_load_desc *d = &c->s->loads.item[i].d;
  lwi_load *out = &c->out->load[i];
  const num_rot axes = rot_identity();
  num at[3];
  bool couple = false;
  for (int k = 0; k < 3; k++)
    couple = couple || d->torque[k] != 0;
  if (!lwi_read(c, d->at, 3, "at", at) || !refuse_turning(c, d->body, at, couple)) return false;
  if (!keep_in_plane(c, value_of(at[2]), "at") || !keep_in_plane(c, d->force[2], "force") ||
      !keep_in_plane(c, d->torque[0], "torque") || !keep_in_plane(c, d->torque[1], "torque"))
    return false;
  keep_point(c, d->body, at, &out->point);
  keep_axes(c, d->body, &axes, &out->R);
  return true;
}

bool LWI_FORCE_NUMBERS(bushing)(lwi_compiler *c, int i)
{
  const lw_bushing_desc *d = &c->s->bushings.item[i].d;
  lwi_bushing *out = &c->out->bushing[i];
  num_frame p, k;
  if (!lwi_place(c, &d->place, "place in the parent", &p) ||
      !lwi_place(c, &d->child_place, "place in the child", &k) ||
      !read_into(c, d->stiffness, 3, "stiffness", out->stiffness) ||
      !read_into(c, d->damping, 3, "damping", out->damping) ||
      !read_into(c, d->angular_stiffness, 3, "angular_stiffness", out->angular_stiffness) ||
      !read_into(c, d->angular_damping, 3, "angular_damping", out->angular_damping))
    return false;
  if (!refuse_turning(c, d->parent, p.p, true) || !refuse_turning(c, d->child, k.p, true))
    return false;
  keep_point(c, d->parent, p.p, &out->parent);
  keep_point(c, d->child, k.p, &out->child);
  keep_axes(c, d->parent, &p.R, &out->Rp);
  keep_axes(c, d->child, &k.R, &out->Rc);
  return true;
}

/* Frames whose z is the axis; in a planar model that is z or -z. */
bool LWI_FORCE_NUMBERS(torsion)(lwi_compiler *c, int i)
{
  const lw_torsion_desc *d = &c->s->torsions.item[i].d;
  lwi_torsion *out = &c->out->torsion[i];
  const num z[3] = {0, 0, 1};
  const lw_place place[2] = {{.orient = d->orient}, {.orient = d->child_orient}};
  num_frame frame[2];
  num axis[3];
  if (!lwi_place(c, &place[0], "orient", &frame[0]) ||
      !lwi_place(c, &place[1], "child_orient", &frame[1]) ||
      !lwi_axis(c, d->axis, z, "axis", axis) ||
      !read_into(c, &d->stiffness, 1, "stiffness", &out->stiffness) ||
      !read_into(c, &d->damping, 1, "damping", &out->damping) ||
      !read_into(c, &d->angle, 1, "angle", &out->angle))
    return false;
  if (c->s->planar && (value_of(axis[0]) != 0 || value_of(axis[1]) != 0))
    return lwi_compile_fail(c, LW_E_MODEL, "axis: a planar model turns about z only");
  if (!refuse_turning(c, d->parent, frame[0].p, true) ||
      !refuse_turning(c, d->child, frame[1].p, true))
    return false;
  const num_rot aligned = rot_aligning_z(axis);
  const num_rot R[2] = {rot_mul(frame[0].R, aligned), rot_mul(frame[1].R, aligned)};
  keep_axes(c, d->parent, &R[0], &out->R[0]);
  keep_axes(c, d->child, &R[1], &out->R[1]);
  return true;
}
