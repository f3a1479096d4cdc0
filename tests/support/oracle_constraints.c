/* SPDX-License-Identifier: Apache-2.0 */
/* oracle_constraints.c -- docs/format.md section 4: geometric constraints as equations between two points or two
   directions, relations as sums of joint coordinates. */
#include "oracle_internal.h"

/* ---- geometric constraints ---- */

/* two unit vectors across a third */
static void across(const oracle_real a[3], oracle_real t[2][3])
{
  int least = 0;
  oracle_real unit[3] = {0};
  for (int i = 1; i < 3; i++)
    if (fabs(a[i]) < fabs(a[least])) least = i;
  unit[least] = 1;
  cross(a, unit, t[0]);
  const oracle_real n = sqrt(dot(t[0], t[0]));
  for (int i = 0; i < 3; i++)
    t[0][i] /= n;
  cross(a, t[0], t[1]);
}

/* n'(x_child - x_parent) = 0, n fixed in the parent: no acceleration relative to the parent along n */
static void in_plane(const oracle *o, oracle_tie *e, const oracle_real n[3])
{
  oracle_real Vc[6], Vp[6], v[3], coriolis[3];
  const oracle_body *p = &o->body[e->parent];
  oraclei_velocity_at(&o->body[e->child], e->x, Vc);
  oraclei_velocity_at(p, e->x, Vp);
  for (int i = 0; i < 3; i++)
    v[i] = Vc[3 + i] - Vp[3 + i], e->violation[e->n] += n[i] * (e->x[i] - e->origin[i]);
  cross(p->V, v, coriolis);
  e->bias[e->n] = 2 * dot(n, coriolis);
  memcpy(e->at, e->x, sizeof e->at);
  add(e->D[e->n++] + 3, 1, n);
}

/* a'b = 0, a fixed in the parent, b in the child */
static void across_each_other(const oracle *o, oracle_tie *e, const oracle_real a[3],
                              const oracle_real b[3])
{
  const oracle_real *wp = o->body[e->parent].V, *wc = o->body[e->child].V;
  oracle_real ad[3], add_[3], bd[3], bdd[3];
  cross(wp, a, ad);
  cross(wp, ad, add_);
  cross(wc, b, bd);
  cross(wc, bd, bdd);
  e->bias[e->n] = -(dot(add_, b) + 2 * dot(ad, bd) + dot(a, bdd));
  e->violation[e->n] = dot(a, b);
  memcpy(e->at, e->x, sizeof e->at);
  cross(b, a, e->D[e->n++]);
}

/* |x_child - x_parent| = length */
static void apart(const oracle *o, oracle_tie *e, double length)
{
  oracle_real Vc[6], Vp[6], r[3], v[3];
  oraclei_velocity_at(&o->body[e->child], e->x, Vc);
  oraclei_velocity_at(&o->body[e->parent], e->origin, Vp);
  for (int i = 0; i < 3; i++)
    r[i] = e->x[i] - e->origin[i], v[i] = Vc[3 + i] - Vp[3 + i];
  const oracle_real l = sqrt(dot(r, r)), rate = dot(r, v) / l;
  e->bias[0] = -(dot(v, v) - rate * rate) / l;
  e->violation[0] = l - length;
  memcpy(e->at, e->origin, sizeof e->at);
  add(e->D[e->n++] + 3, 1 / l, r);
}

oracle_tie oraclei_tie(const oracle *o, int k)
{
  const lw_constraint_desc *d = &o->parts->constraint[k].d;
  const oracle_real z[3] = {0, 0, 1}, x[3] = {1, 0, 0};
  oracle_tie e = {.parent = d->parent.id, .child = d->child.id};
  oracle_frame p = compose(o->body[e.parent].X, frame_of_place(&d->place)),
               c = compose(o->body[e.child].X, frame_of_place(&d->child_place));
  oracle_real a[3], b[3], t[2][3];
  memcpy(e.x, c.p, sizeof e.x);
  memcpy(e.origin, p.p, sizeof e.origin);
  oraclei_unit_axis(d->axis, z, a);
  oraclei_unit_axis(d->type == LW_PARALLEL ? d->axis : d->axis2, d->type == LW_PARALLEL ? z : x, b);
  turn(p.R, a, a);
  turn(c.R, b, b);
  across(a, t);
  switch (d->type) {
  case LW_DISTANCE: apart(o, &e, d->length); break;
  case LW_POINT_ON_PLANE: in_plane(o, &e, a); break;
  case LW_POINT_ON_LINE: in_plane(o, &e, t[0]), in_plane(o, &e, t[1]); break;
  case LW_PERPENDICULAR: across_each_other(o, &e, a, b); break;
  case LW_PARALLEL: across_each_other(o, &e, t[0], b), across_each_other(o, &e, t[1], b); break;
  default: break;
  }
  return e;
}

/* ---- relations ---- */

bool oraclei_is_relation(const lw_constraint_desc *d)
{
  return d->type == LW_GEAR || d->type == LW_COUPLER || d->type == LW_DRIVER;
}

int oraclei_nequation(const lw_constraint_desc *d)
{
  return d->type == LW_POINT_ON_LINE || d->type == LW_PARALLEL ? 2 : 1;
}

/* sum of coefficient * coordinate = value */
oracle_relation oraclei_relation(const oracle *o, int k, oracle_real t)
{
  const lwt_constraint *c = &o->parts->constraint[k];
  const oracle_real phase = c->value.rate * t + c->value.phase, w = c->value.rate;
  oracle_relation r = {.n = c->d.nterm};
  for (int i = 0; i < r.n; i++) {
    r.joint[i] = c->term[i].joint.id - 1;
    r.dof[i] = c->term[i].dof > 0 ? c->term[i].dof - 1 : 0;
    r.coefficient[i] = c->d.type == LW_COUPLER ? c->term[i].coefficient : 1;
  }
  if (c->d.type == LW_GEAR) r.coefficient[0] = -(oracle_real)c->d.ratio;
  if (c->d.type == LW_COUPLER) r.value[0] = c->d.offset;
  if (c->d.type == LW_DRIVER) {
    r.value[0] = c->value.constant + c->value.amplitude * sin(phase);
    r.value[1] = c->value.amplitude * w * cos(phase);
    r.value[2] = -c->value.amplitude * w * w * sin(phase);
  }
  return r;
}
