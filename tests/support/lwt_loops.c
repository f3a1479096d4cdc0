/* SPDX-License-Identifier: Apache-2.0 */
#include "lwt_loops.h"
#include "lwt_measures.h"
#include "lwt_shape.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lwi_frame frame_of(const lw_pose *X)
{
  lwi_frame f = {.R = rot_from_quat(X->quat)};
  memcpy(f.p, X->p, sizeof X->p);
  return f;
}

/* in the plane without the rounding errors that would leave it */
static lw_place place_of(const lwi_frame *f, bool planar)
{
  lw_place p = {.orient = {.type = LW_ORIENT_QUAT}};
  memcpy(p.at, f->p, sizeof p.at);
  quat_from_rot(f->R, p.orient.value);
  if (planar) p.at[2] = p.orient.value[1] = p.orient.value[2] = 0;
  return p;
}

static lwi_frame random_frame(lwt_random *r, bool planar)
{
  double e[4] = {lwt_uniform(r, -1, 1), 0, 0, lwt_uniform(r, -1, 1)}, n = 0;
  if (!planar) e[1] = lwt_uniform(r, -1, 1), e[2] = lwt_uniform(r, -1, 1);
  for (int i = 0; i < 4; i++)
    n += e[i] * e[i];
  for (int i = 0; i < 4; i++)
    e[i] /= sqrt(n);
  return (lwi_frame){.R = rot_from_quat(e),
                     .p = {lwt_uniform(r, -0.5, 0.5), lwt_uniform(r, -0.5, 0.5),
                           planar ? 0 : lwt_uniform(r, -0.5, 0.5)}};
}

/* two bodies, and a frame of each at one place (the child's moved by X on the parent's) */
typedef struct {
  lw_body parent, child;
  lw_place place, child_place;
} spot;

static spot random_spot(lwt_random *r, const lw_model *tree, const lw_work *w, lwi_frame X)
{
  const int n = lw_nbody(tree) + 1;
  spot s = {.parent = {lwt_pick(r, n)}};
  s.child.id = (s.parent.id + 1 + lwt_pick(r, n - 1)) % n;
  lw_pose a, b;
  lwt_ok(lw_get_pose(w, s.parent, &a));
  lwt_ok(lw_get_pose(w, s.child, &b));
  const lwi_frame place = random_frame(r, lw_model_is_planar(tree));
  const lwi_frame there = lwi_frame_mul(lwi_frame_mul(frame_of(&a), place), X);
  const lwi_frame child = lwi_frame_mul(lwi_frame_inverse(frame_of(&b)), there);
  s.place = place_of(&place, lw_model_is_planar(tree));
  s.child_place = place_of(&child, lw_model_is_planar(tree));
  return s;
}

/* forces on a joint that may close a loop, and one that depends on its coordinates */
static void add_joint_forces(lw_spec *s, lw_joint j, int nu, lw_joint_type type, int k)
{
  char name[3][32], value[80];
  for (int i = 0; i < 3; i++)
    snprintf(name[i], 32, "f%d_%d", i, k);
  snprintf(value, sizeof value, nu > 1 ? "2*u.loop%d.1 + q.loop%d.1" : "2*u.loop%d + q.loop%d", k,
           k);
  lw_add_motor(s, &(lw_motor_desc){.name = name[0], .joint = j, .dof = nu, .value = 3 + k});
  lw_add_load(s, &(lw_load_desc){.name = name[1], .body = {1}, .force = {lw_expr(s, value), 0, 0}});
  if (lwi_joint_has_rate_pair(type))
    lw_add_joint_spring(
        s, &(lw_joint_spring_desc){
               .name = name[2], .joint = j, .stiffness = 7, .damping = 0.5, .rest = 0.2});
}

static void add_loop(lwt_random *r, const lwt_loops *d, lw_spec *s, const lw_model *tree,
                     const lw_work *w, int k)
{
  static const lw_joint_type in_plane[] = {LW_REVOLUTE, LW_PRISMATIC, LW_FIXED, LW_PLANAR};
  char name[2][32];
  const bool planar = d->tree.planar;
  lw_joint_desc j = {.name = name[0], .cut = !d->prefer, .has_q = true, .pitch = 0.2};
  j.type = planar ? in_plane[lwt_pick(r, 4)] : lwt_joint_type(r, 0, 7);
  lwt_unit_vector(r, j.axis);
  lwt_unit_vector(r, j.axis2);
  lwt_gimbal_axes(j.type, j.axis, j.axis2, j.axis3);
  if (planar) {
    const double axis[3] = {j.type == LW_PRISMATIC, 0, j.type != LW_PRISMATIC};
    memcpy(j.axis, axis, sizeof axis);
  }
  const lwi_joint_shape shape = lwt_joint_shape(&j, planar);
  for (int i = 0; i < shape.nq; i++)
    j.q[i] = lwt_uniform(r, -1, 1);
  const spot at = random_spot(r, tree, w, lwi_joint_pose(&shape, j.q));
  j.parent = at.parent, j.child = at.child, j.place = at.place, j.child_place = at.child_place;
  snprintf(name[0], 32, "loop%d", k);
  snprintf(name[1], 32, "again%d", k);
  const lw_joint added = lw_add_joint(s, &j);
  if (d->forces && shape.nu > 0) add_joint_forces(s, added, shape.nu, j.type, k);
  j.name = name[1];
  if (d->twice) lw_add_joint(s, &j);
}

static void add_constraint(lwt_random *r, lw_spec *s, const lw_model *tree, const lw_work *w, int k)
{
  static const lw_constraint_type types[] = {LW_DISTANCE, LW_POINT_ON_LINE, LW_POINT_ON_PLANE,
                                             LW_PARALLEL, LW_PERPENDICULAR};
  char name[32];
  snprintf(name, sizeof name, "c%d", k);
  lw_constraint_desc c = {.name = name, .type = types[k % 5], .length = 0.8};
  lwi_frame X = lwi_frame_identity();
  if (c.type == LW_DISTANCE) X.p[0] = c.length;
  const spot at = random_spot(r, tree, w, X);
  c.parent = at.parent, c.child = at.child, c.place = at.place, c.child_place = at.child_place;
  lw_add_constraint(s, &c);
}

/* a coordinate that a relation may name, also of a joint that closes a loop */
static lw_term random_term(lwt_random *r, const lw_model *m)
{
  for (int tries = 0; tries < 200; tries++) {
    const int j = 1 + lwt_pick(r, lw_njoint(m));
    const lw_joint_info info = lw_get_joint(m, (lw_joint){j});
    if (info.implicit || !lwi_joint_has_rate_pair(info.type)) continue;
    return (lw_term){
        .joint = {j}, .dof = 1 + lwt_pick(r, info.nu), .coefficient = lwt_uniform(r, 0.5, 2)};
  }
  return (lw_term){0}; /* there is none */
}

static void add_relation(lwt_random *r, lw_spec *s, int k)
{
  char name[32];
  lw_error err;
  lw_model *m = lw_compile(s, &err);
  lw_term terms[2] = {random_term(r, m), random_term(r, m)};
  for (int tries = 0; tries < 200 && terms[0].joint.id == terms[1].joint.id; tries++)
    terms[1] = random_term(r, m);
  if (terms[0].joint.id == terms[1].joint.id) {
    lw_model_free(m);
    return;
  }
  snprintf(name, sizeof name, "r%d", k);
  static const lw_constraint_type types[] = {LW_GEAR, LW_COUPLER, LW_DRIVER};
  lw_constraint_desc c = {.name = name,
                          .type = types[k % 3],
                          .terms = terms,
                          .nterm = 2,
                          .ratio = -1.7,
                          .value = lw_expr(s, "0.3*sin(2*t) + t^2")};
  if (c.type == LW_DRIVER) c.nterm = 1;
  lw_add_constraint(s, &c);
  lw_model_free(m);
}

static void make_light(lwt_parts *p, const lwt_loops *d)
{
  lwt_random r = lwt_seed(d->tree.seed + 77);
  for (int i = 0; i < p->nbody; i += d->light) {
    double y[3], *I = p->body[i].inertia, size = lwt_pick(&r, 3) ? 0.3 : 0;
    lwt_unit_vector(&r, y);
    if (d->tree.planar) size = 0;
    for (int k = 0; k < 3; k++)
      I[k] = size * (1 - y[k] * y[k]);
    I[3] = -size * y[0] * y[1], I[4] = -size * y[0] * y[2], I[5] = -size * y[1] * y[2];
  }
}

void lwt_change_masses(lwt_parts *p, unsigned seed)
{
  lwt_random r = lwt_seed(seed);
  for (int i = 0; i < p->nbody; i++) {
    const double by = pow(10, lwt_uniform(&r, -12, 0));
    p->body[i].mass *= by;
    for (int k = 0; k < 6; k++)
      p->body[i].inertia[k] *= by;
  }
}

static lw_spec *tree_spec(const lwt_loops *d)
{
  lwt_recipe bare = d->tree;
  bare.forces = false;
  lwt_parts *p = lwt_random_parts(&bare);
  if (d->light) make_light(p, d);
  if (d->masses) lwt_change_masses(p, d->masses);
  lw_spec *s = lwt_parts_spec(p);
  lwt_parts_free(p);
  return s;
}

lw_spec *lwt_loops_spec(const lwt_loops *d)
{
  lwt_random r = lwt_seed(d->tree.seed + 31);
  lw_error err;
  lw_spec *s = tree_spec(d);
  lw_model *tree = lw_compile(s, &err);
  if (!tree) fail_msg("seed %u: %s", d->tree.seed, err.text);
  lw_work *w = lw_work_new(tree);
  double *q = calloc((size_t)(lw_nq(tree) + lw_nu(tree)) + 1, sizeof *q);
  lw_initial_state(tree, q, q + lw_nq(tree));
  lwt_ok(lw_kinematics(w, q, q + lw_nq(tree)));
  for (int k = 0; k < d->loops; k++)
    add_loop(&r, d, s, tree, w, k);
  for (int k = 0; k < d->constraints; k++)
    add_constraint(&r, s, tree, w, (int)(d->tree.seed % 5) + k);
  for (int k = 0; k < d->relations; k++)
    add_relation(&r, s, k);
  if (d->tree.measured) lwt_add_measured_forces(s, d->tree.seed);
  lw_work_free(w);
  lw_model_free(tree);
  free(q);
  return s;
}

lw_model *lwt_loops_model(const lwt_loops *d)
{
  lw_error err;
  lw_spec *s = lwt_loops_spec(d);
  lw_model *m = lw_compile(s, &err);
  if (!m) fail_msg("seed %u: %s", d->tree.seed, err.text);
  lw_spec_free(s);
  return m;
}

lwt_loops lwt_loops_recipe(unsigned k)
{
  return (lwt_loops){.tree = {.seed = k,
                              .nbody = 4 + (int)(k * 5 % 14),
                              .branching = (double)(k % 4) / 3,
                              .floating = k % 4 == 0,
                              .planar = k % 6 == 5,
                              .joints = 0},
                     .loops = 1 + (int)(k % 6),
                     .constraints = (int)(k % 3),
                     .relations = (int)(k % 4 == 3 ? 2 : 0)};
}

lwt_case lwt_loops_case(const lwt_loops *d)
{
  lwt_case c = lwt_case_of(lwt_loops_model(d), d->tree.seed);
  double *speeds = calloc((size_t)c.nu + 1, sizeof *speeds);
  lw_initial_state(c.m, c.q, speeds);
  free(speeds);
  return c;
}
