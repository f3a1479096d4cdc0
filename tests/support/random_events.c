/* SPDX-License-Identifier: Apache-2.0 */
#include "random_events.h"
#include "oracle_internal.h"
#include "linkwork/columns.h"
#include "linkwork/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *event_kind_name(event_kind k)
{
  static const char *const name[EVENT_KINDS] = {
      "lock",       "partial lock", "skew lock", "unlock", "replace", "connect", "close",
      "disconnect", "open",         "impulse",   "impact", "merge",   "split"};
  return name[k];
}

/* ---- make ---- */

event_world *event_world_new(const lwt_recipe *recipe)
{
  event_world *w = calloc(1, sizeof *w);
  w->r = lwt_seed(recipe->seed + 31);
  w->parts = lwt_random_parts(recipe);
  w->njoint = w->parts->njoint;
  for (int j = 0; j < w->njoint; j++) {
    w->joint[j] = w->parts->joint[j];
    snprintf(w->name[j], sizeof w->name[j], "j%d", j + 1);
    w->present[j] = true;
  }
  return w;
}

void event_world_free(event_world *w)
{
  lwt_parts_free(w->parts);
  free(w);
}

/* ---- where everything is ---- */

void event_world_read(event_world *w, lw_simulation *sim)
{
  const lw_model *m = lw_simulation_model(sim);
  int nq, nu;
  lw_simulation_capacity(sim, &nq, &nu);
  double *q = calloc((size_t)nq + 1, sizeof *q), *u = calloc((size_t)nu + 1, sizeof *u);
  lwt_ok(lw_simulation_advance(sim, 0, q, u, NULL));
  lw_work *work = lw_work_new(m);
  lwt_ok(lw_kinematics(work, q, u));
  for (int b = 1; b <= w->parts->nbody; b++) {
    lw_pose X;
    lwt_ok(lw_get_pose(work, (lw_body){b}, &X));
    lwt_ok(lw_get_velocity(work, (lw_body){b}, w->V[b]));
    memcpy(w->pose[b].p, X.p, sizeof X.p);
    rotation_of_quaternion(X.quat, w->pose[b].R);
  }
  for (int i = 0; i < 3; i++)
    w->pose[0].R[i][i] = 1;
  lw_work_free(work);
  free(q);
  free(u);
}

static void quaternion_of(double R[3][3], double e[4])
{
  /* the largest of the four by its square, the others from the sums of off-diagonal entries */
  const double t[4] = {1 + R[0][0] + R[1][1] + R[2][2], 1 + R[0][0] - R[1][1] - R[2][2],
                       1 - R[0][0] + R[1][1] - R[2][2], 1 - R[0][0] - R[1][1] + R[2][2]};
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (t[i] > t[k]) k = i;
  const double s = sqrt(t[k]) / 2, f = 1 / (4 * s);
  const double a = R[2][1] - R[1][2], b = R[0][2] - R[2][0], c = R[1][0] - R[0][1];
  const double x = R[0][1] + R[1][0], y = R[0][2] + R[2][0], z = R[1][2] + R[2][1];
  const double all[4][4] = {{s, a * f, b * f, c * f},
                            {a * f, s, x * f, y * f},
                            {b * f, x * f, s, z * f},
                            {c * f, y * f, z * f, s}};
  memcpy(e, all[k], sizeof all[k]);
}

lw_place event_place(oracle_frame X, bool planar)
{
  lw_place p = {.orient.type = LW_ORIENT_QUAT};
  memcpy(p.at, X.p, sizeof X.p);
  quaternion_of(X.R, p.orient.value);
  if (planar) p.at[2] = p.orient.value[1] = p.orient.value[2] = 0;
  return p;
}

/* ---- who is joined ---- */

bool event_world_joined(const event_world *w, int a, int b, int skip)
{
  bool reached[RANDOM_BODIES] = {false};
  reached[a] = true;
  for (bool more = true; more;) {
    more = false;
    for (int j = 0; j < w->njoint; j++) {
      const int p = w->joint[j].parent.id, c = w->joint[j].child.id;
      if (!w->present[j] || j == skip || reached[p] == reached[c]) continue;
      reached[p] = reached[c] = more = true;
    }
  }
  return reached[b];
}

/* ---- random events: each changes the description too ---- */

static lw_joint_type random_type(event_world *w)
{
  static const lw_joint_type plane[] = {LW_FIXED, LW_REVOLUTE, LW_PRISMATIC, LW_PLANAR};
  return w->parts->planar ? plane[lwt_pick(&w->r, 4)] : lwt_joint_type(&w->r, 0, 7);
}

static void random_axes(event_world *w, lw_joint_desc *d)
{
  if (w->parts->planar) {
    d->axis[0] = d->axis[1] = d->axis[2] = 0;
    if (d->type == LW_PRISMATIC) d->axis[0] = 0.6, d->axis[1] = -0.8;
    return;
  }
  lwt_unit_vector(&w->r, d->axis);
  do
    lwt_unit_vector(&w->r, d->axis2); /* skew, as events must not mind */
  while (fabs(dot(d->axis, d->axis2)) > 0.8);
  lwt_gimbal_axes(d->type, d->axis, d->axis2, d->axis3);
  d->pitch = 0.3;
}

static int pick_present(event_world *w)
{
  for (int tries = 0; tries < 50; tries++) {
    const int j = lwt_pick(&w->r, w->njoint);
    if (w->present[j]) return j;
  }
  return -1;
}

static bool make_lock(event_world *w, lw_event_desc *e, int dofs[6])
{
  const int j = pick_present(w);
  if (j < 0) return false;
  const int nu = lw_joint_type_nu(w->joint[j].type, w->parts->planar);
  if (nu == 0 || w->still[j]) return false;
  *e = (lw_event_desc){.action = LW_ACTION_LOCK, .joint = w->name[j]};
  if (nu > 1 && lwt_pick(&w->r, 3) > 0) {
    e->ndof = 1 + lwt_pick(&w->r, nu - 1);
    const int from = lwt_pick(&w->r, nu);
    for (int i = 0; i < e->ndof; i++) {
      dofs[i] = 1 + (from + i) % nu;
      w->still[j] |= 1u << (dofs[i] - 1);
    }
    e->dofs = dofs;
  } else {
    w->still[j] = (1u << nu) - 1;
  }
  return true;
}

static bool make_unlock(event_world *w, lw_event_desc *e)
{
  const int j = pick_present(w);
  if (j < 0 || w->still[j] == 0) return false;
  *e = (lw_event_desc){.action = LW_ACTION_UNLOCK, .joint = w->name[j]};
  w->still[j] = 0;
  return true;
}

static bool make_connect(event_world *w, lw_event_desc *e, lw_joint_desc *d)
{
  const int n = w->parts->nbody, j = w->njoint, a = lwt_pick(&w->r, n + 1);
  const int b = 1 + lwt_pick(&w->r, n);
  if (a == b || j == RANDOM_JOINTS) return false;
  snprintf(w->name[j], sizeof w->name[j], "c%d", j);
  *d = (lw_joint_desc){.name = w->name[j], .type = random_type(w), .parent = {a}, .child = {b}};
  random_axes(w, d);
  *e = (lw_event_desc){.action = LW_ACTION_CONNECT, .new_joint = d};
  const bool planar = w->parts->planar;
  w->joint[j] = *d;
  /* one side is written, the other one follows from where the bodies are */
  const bool child = lwt_pick(&w->r, 2);
  lw_place *written = child ? &d->child_place : &d->place;
  for (int i = 0; i < 3; i++)
    written->at[i] = planar && i == 2 ? 0 : lwt_uniform(&w->r, -0.5, 0.5);
  *(child ? &e->child_placed : &e->placed) = true;
  const oracle_frame X = compose(w->pose[child ? b : a], frame_of_place(written));
  w->joint[j].place = event_place(compose(invert(w->pose[a]), X), planar);
  w->joint[j].child_place = event_place(compose(invert(w->pose[b]), X), planar);
  w->present[j] = true;
  w->still[j] = 0;
  w->njoint++;
  return true;
}

static bool make_disconnect(event_world *w, lw_event_desc *e)
{
  const int j = pick_present(w);
  if (j < 0) return false;
  *e = (lw_event_desc){.action = LW_ACTION_DISCONNECT, .joint = w->name[j]};
  w->present[j] = false;
  return true;
}

/* fixed and spherical joints can become others that they fit: the frames coincide, or nearly so */
static bool make_replace(event_world *w, lw_event_desc *e, lw_joint_desc *d)
{
  const int j = pick_present(w);
  if (j < 0 || w->joint[j].type != LW_FIXED) return false;
  *d = (lw_joint_desc){.type = random_type(w)};
  random_axes(w, d);
  *e = (lw_event_desc){.action = LW_ACTION_REPLACE, .joint = w->name[j], .new_joint = d};
  w->joint[j].type = d->type;
  w->joint[j].pitch = d->pitch;
  memcpy(w->joint[j].axis, d->axis, sizeof d->axis);
  memcpy(w->joint[j].axis2, d->axis2, sizeof d->axis2);
  memcpy(w->joint[j].axis3, d->axis3, sizeof d->axis3);
  w->still[j] = 0;
  return true;
}

double event_approach(event_world *w, double V[][6])
{
  const lw_event_desc *e = &w->impact;
  double at[3], speed = 0;
  turn(w->pose[e->body.id].R, e->point, at);
  for (int side = 0; side < 2; side++) {
    const int b = side ? e->other.id : e->body.id;
    double arm[3], v[3] = {0};
    if (b == 0) continue;
    for (int i = 0; i < 3; i++)
      arm[i] = w->pose[e->body.id].p[i] + at[i] - w->pose[b].p[i];
    add(v, 1, V[b] + 3);
    add_cross(v, 1, V[b], arm);
    speed += (side ? -1 : 1) * dot(v, e->normal);
  }
  return speed;
}

/* On another body or the ground; whether it approaches must not be a matter of rounding errors. */
static bool make_impact(event_world *w, lw_event_desc *e)
{
  const int n = w->parts->nbody, b = 1 + lwt_pick(&w->r, n), other = lwt_pick(&w->r, n + 1);
  if (w->impact.body.id || b == other) return false;
  *e = (lw_event_desc){.action = LW_ACTION_IMPACT,
                       .body = {b},
                       .other = {other},
                       .restitution = lwt_uniform(&w->r, 0, 1)};
  lwt_unit_vector(&w->r, e->normal);
  if (w->parts->planar) {
    const double size = hypot(e->normal[0], e->normal[1]);
    e->normal[0] /= size, e->normal[1] /= size, e->normal[2] = 0;
  }
  for (int i = 0; i < 3; i++)
    e->point[i] = w->parts->planar && i == 2 ? 0 : lwt_uniform(&w->r, -1, 1);
  w->impact = *e;
  return fabs(event_approach(w, w->V)) > 1e-6;
}

static bool make_impulse(event_world *w, lw_event_desc *e)
{
  const int b = 1 + lwt_pick(&w->r, w->parts->nbody);
  *e = (lw_event_desc){.action = LW_ACTION_IMPULSE, .body = {b}};
  for (int i = 0; i < 3; i++) {
    const bool flat = w->parts->planar;
    e->point[i] = flat && i == 2 ? 0 : lwt_uniform(&w->r, -1, 1);
    e->linear[i] = flat && i == 2 ? 0 : lwt_uniform(&w->r, -1, 1);
    e->angular[i] = flat && i < 2 ? 0 : lwt_uniform(&w->r, -1, 1);
  }
  double at[3], c[3], arm[3];
  turn(w->pose[b].R, e->point, at);
  turn(w->pose[b].R, w->parts->body[b - 1].com, c);
  for (int i = 0; i < 3; i++)
    arm[i] = at[i] - c[i];
  add(w->p[b], 1, e->angular);
  add_cross(w->p[b], 1, arm, e->linear);
  add(w->p[b] + 3, 1, e->linear);
  return true;
}

static bool make_merge(event_world *w, lw_event_desc *e, lw_body *bodies)
{
  if (w->merged) {
    *e = (lw_event_desc){.action = LW_ACTION_SPLIT, .merge = "m"};
    w->merged = false;
    return true;
  }
  w->nmerged = 2 + lwt_pick(&w->r, w->parts->nbody - 1);
  for (int i = 0; i < w->nmerged; i++)
    bodies[i].id = i + 1;
  *e = (lw_event_desc){
      .action = LW_ACTION_MERGE, .merge = "m", .bodies = bodies, .nbody = w->nmerged};
  w->merged = true;
  return true;
}

/* ---- several at once ---- */

static event_kind kind_of_lock(const event_world *w, const lw_event_desc *e)
{
  if (e->ndof == 0) return EVENT_LOCK;
  for (int j = 0; j < w->njoint; j++)
    if (strcmp(w->name[j], e->joint) == 0 &&
        (w->joint[j].type == LW_UNIVERSAL || w->joint[j].type == LW_GIMBAL))
      return EVENT_SKEW_LOCK; /* random axes are never perpendicular */
  return EVENT_PARTIAL_LOCK;
}

/* before: the world without it */
static event_kind kind_of(const event_world *w, const event_world *before, const lw_event_desc *e)
{
  switch (e->action) {
  case LW_ACTION_LOCK: return kind_of_lock(w, e);
  case LW_ACTION_UNLOCK: return EVENT_UNLOCK;
  case LW_ACTION_REPLACE: return EVENT_REPLACE;
  case LW_ACTION_CONNECT:
    return event_world_joined(before, e->new_joint->parent.id, e->new_joint->child.id, -1)
               ? EVENT_CLOSE
               : EVENT_JOIN;
  case LW_ACTION_DISCONNECT:
    for (int j = 0; j < w->njoint; j++)
      if (strcmp(w->name[j], e->joint) == 0 &&
          event_world_joined(before, w->joint[j].parent.id, w->joint[j].child.id, j))
        return EVENT_OPEN;
    return EVENT_LEAVE;
  case LW_ACTION_IMPULSE: return EVENT_IMPULSE;
  case LW_ACTION_IMPACT: return EVENT_IMPACT;
  case LW_ACTION_MERGE: return EVENT_MERGE;
  default: return EVENT_SPLIT;
  }
}

/* is the joint of an event that of another one? */
static bool meets(const lw_event_desc *e, const lw_event_desc *other)
{
  const char *new_name = other->new_joint ? other->new_joint->name : NULL;
  if (!e->joint) return false;
  return (other->joint && strcmp(e->joint, other->joint) == 0) ||
         (new_name && strcmp(e->joint, new_name) == 0);
}

static bool make_one(event_world *w, event_batch *x, bool merges)
{
  lw_event_desc *e = &x->event[x->n];
  switch (lwt_pick(&w->r, 10)) {
  case 0:
  case 1: return make_lock(w, e, x->dofs[x->n]);
  case 2: return make_unlock(w, e);
  case 3:
  case 4: return make_connect(w, e, &x->joint[x->n]);
  case 5: return make_disconnect(w, e);
  case 6: return make_replace(w, e, &x->joint[x->n]);
  case 7: return make_impulse(w, e);
  case 8: return make_impact(w, e);
  default: return !merges && make_merge(w, e, x->bodies);
  }
}

void event_world_happen(event_world *w, event_batch *x, int n)
{
  memset(w->p, 0, sizeof w->p);
  w->impact = (lw_event_desc){.body = {0}};
  x->n = 0;
  bool merges = false;
  for (int tries = 0; tries < 200 && x->n < n; tries++) {
    const lw_event_desc *e = &x->event[x->n];
    const event_world before = *w;
    bool made = make_one(w, x, merges);
    for (int k = 0; k < x->n && made; k++)
      made = !meets(e, &x->event[k]);
    if (!made) {
      const lwt_random r = w->r;
      *w = before;
      w->r = r;
      continue;
    }
    x->kind[x->n] = kind_of(w, &before, e);
    merges = merges || x->kind[x->n] == EVENT_MERGE || x->kind[x->n] == EVENT_SPLIT;
    x->n++;
  }
}
