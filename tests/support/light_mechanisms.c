/* SPDX-License-Identifier: Apache-2.0 */
#include "light_mechanisms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BODIES = 20, MOST_JOINTS = 24 };

/* ---- mechanisms, drawn where all coordinates are zero ---- */

static const char *const topology_name[TOPOLOGIES] = {
    "four-bar", "ring", "side by side",    "series", "Bricard", "slider-crank", "shafts",
    "gripper",  "foot", "parallel cranks", "ladder", "slides",  "platform"};

typedef struct {
  lwt_random random;
  double ratio, length; /* mass of light bodies; size of the mechanism */
  int nbody, njoint;
  lw_body_desc body[MOST_BODIES];
  double at[MOST_BODIES + 1][3]; /* origins of bodies; those of the ground first */
  lw_joint_desc joint[MOST_JOINTS];
} drawing;

static const double x_axis[3] = {1, 0, 0}, y_axis[3] = {0, 1, 0}, z_axis[3] = {0, 0, 1};

/* a body with its origin at p, of this size; returns its number */
static int add_body(drawing *d, const double p[3], double size, bool light)
{
  lw_body_desc *b = &d->body[d->nbody++];
  *b = (lw_body_desc){.mass = lwt_uniform(&d->random, 0.5, 2) * (light ? d->ratio : 1)};
  size *= d->length;
  for (int i = 0; i < 3; i++) {
    b->com[i] = size * lwt_uniform(&d->random, -0.3, 0.6);
    b->inertia[i] = b->mass * size * size * lwt_uniform(&d->random, 0.08, 0.11);
    d->at[d->nbody][i] = d->length * p[i];
  }
  return d->nbody;
}

static void join(drawing *d, lw_joint_type type, int parent, int child, const double p[3],
                 const double axis[3])
{
  lw_joint_desc *j = &d->joint[d->njoint++];
  *j = (lw_joint_desc){.type = type, .parent = {parent}, .child = {child}};
  for (int i = 0; i < 3; i++) {
    j->place.at[i] = d->length * p[i] - d->at[parent][i];
    j->child_place.at[i] = d->length * p[i] - d->at[child][i];
    j->axis[i] = axis[i];
  }
}

static bool toss(drawing *d)
{
  return lwt_uniform(&d->random, 0, 1) < 0.5;
}

/* a corner of a polygon about (0.5, 0), k of n */
static void corner(drawing *d, int k, int n, double p[3])
{
  const double angle = 6.283185307179586 * (k + lwt_uniform(&d->random, -0.2, 0.2)) / n;
  p[0] = 0.5 + lwt_uniform(&d->random, 0.7, 1.3) * cos(angle);
  p[1] = lwt_uniform(&d->random, 0.7, 1.3) * sin(angle);
  p[2] = 0;
}

/* n bars in a polygon from body a to body b, hinges about z; at least one is light and one is not */
static void add_ring(drawing *d, int a, int b, int n, double shift)
{
  double p[8][3];
  const int light = 1 + lwt_pick(&d->random, n - 1), heavy = light % (n - 1) + 1;
  int before = a;
  for (int k = 0; k < n; k++) {
    corner(d, k, n, p[k]);
    p[k][0] += shift;
  }
  for (int k = 1; k < n; k++) {
    const int bar = add_body(d, p[k - 1], 1, k == light || (k != heavy && toss(d)));
    join(d, LW_REVOLUTE, before, bar, p[k - 1], z_axis);
    before = bar;
  }
  join(d, LW_REVOLUTE, before, b, p[n - 1], z_axis);
}

static void add_side_by_side(drawing *d)
{
  int left = 0;
  double foot[3] = {0}, top[3] = {0, 1, 0};
  for (int k = 0; k < 4; k++) {
    const double next[3] = {k + lwt_uniform(&d->random, -0.1, 0.1), 0, 0};
    const double above[3] = {next[0] + lwt_uniform(&d->random, -0.3, 0.3), 1, 0};
    const int bar = add_body(d, next, 1, k % 2 == 1);
    join(d, LW_REVOLUTE, 0, bar, next, z_axis);
    if (k > 0) {
      const int rung = add_body(d, top, 1, toss(d));
      join(d, LW_REVOLUTE, left, rung, top, z_axis);
      join(d, LW_REVOLUTE, rung, bar, above, z_axis);
    }
    left = bar;
    memcpy(foot, next, sizeof foot);
    memcpy(top, above, sizeof top);
  }
}

static void add_bricard(drawing *d)
{
  static const double p[6][3] = {{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                 {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  const double *const axis[6] = {y_axis, z_axis, x_axis, y_axis, z_axis, x_axis};
  const int heavy = lwt_pick(&d->random, 5);
  int before = 0;
  for (int k = 0; k < 5; k++) {
    const int rod = add_body(d, p[k], 1, k != heavy && toss(d));
    join(d, LW_REVOLUTE, before, rod, p[k], axis[k]);
    before = rod;
  }
  join(d, LW_REVOLUTE, before, 0, p[5], axis[5]);
}

static void add_slider_crank(drawing *d)
{
  const double o[3] = {0}, b[3] = {0.4, 0.9, 0}, c[3] = {1.7, 0.1, 0};
  const int crank = add_body(d, o, 1, false), rod = add_body(d, b, 1, true),
            slider = add_body(d, c, 0.3, toss(d));
  join(d, LW_REVOLUTE, 0, crank, o, z_axis);
  join(d, LW_REVOLUTE, crank, rod, b, z_axis);
  join(d, LW_REVOLUTE, rod, slider, c, z_axis);
  join(d, LW_PRISMATIC, 0, slider, c, x_axis);
}

static void add_shafts(drawing *d)
{
  const double o[3] = {0}, b[3] = {0.5, 0.8, 0.2}, c[3] = {1.4, 0.3, 0.9}, e[3] = {1.9, 0.2, 0.1};
  double axis[3];
  lwt_unit_vector(&d->random, axis);
  const int crank = add_body(d, o, 1, false), rod = add_body(d, b, 1, true),
            rocker = add_body(d, c, 1, toss(d)), slide = add_body(d, e, 1, toss(d));
  join(d, LW_REVOLUTE, 0, crank, o, axis);
  join(d, LW_SPHERICAL, crank, rod, b, z_axis);
  join(d, LW_UNIVERSAL, rod, rocker, c, y_axis);
  join(d, LW_REVOLUTE, rocker, slide, e, z_axis);
  join(d, LW_PRISMATIC, slide, 0, e, x_axis);
}

/* a hand that floats, with two fingers: driver, coupler, follower, spring link; the coupler is on the follower
   by two hinges with a tiny link between them */
static void add_gripper(drawing *d)
{
  const double o[3] = {0}, size = 1e-3;
  const int hand = add_body(d, o, 1, false);
  join(d, LW_FREE, 0, hand, o, z_axis);
  for (int side = 0; side < 2; side++) {
    double p[4][3];
    for (int k = 0; k < 4; k++) {
      corner(d, k, 4, p[k]);
      p[k][0] += side ? 1.5 : -2.5;
    }
    const int driver = add_body(d, p[0], 1, toss(d)), coupler = add_body(d, p[1], 1, toss(d));
    const int tiny = add_body(d, p[2], size, true), follower = add_body(d, p[2], 1, false);
    join(d, LW_REVOLUTE, hand, driver, p[0], z_axis);
    join(d, LW_REVOLUTE, driver, coupler, p[1], z_axis);
    join(d, LW_REVOLUTE, coupler, tiny, p[2], z_axis);
    join(d, LW_REVOLUTE, tiny, follower, p[2], x_axis);
    join(d, LW_REVOLUTE, follower, hand, p[3], z_axis);
  }
}

/* three hinges in one point with two tiny links between them */
static void join_by_hinges(drawing *d, int parent, int child, const double p[3])
{
  const int one = add_body(d, p, 1e-3, true), two = add_body(d, p, 1e-3, true);
  join(d, LW_REVOLUTE, parent, one, p, x_axis);
  join(d, LW_REVOLUTE, one, two, p, y_axis);
  join(d, LW_REVOLUTE, two, child, p, z_axis);
}

static void add_foot(drawing *d)
{
  const double o[3] = {0}, knee[3] = {0.2, -1, 0.1}, heel[3] = {0.9, -1.1, -0.2},
               ankle[3] = {0.8, -0.1, 0.3};
  const int shin = add_body(d, o, 1, false), foot = add_body(d, ankle, 0.5, false);
  const int rod = add_body(d, knee, 1, toss(d));
  join(d, LW_REVOLUTE, 0, shin, o, z_axis);
  join(d, LW_UNIVERSAL, 0, foot, ankle, z_axis);
  join_by_hinges(d, shin, rod, knee);
  join_by_hinges(d, rod, foot, heel);
}

/* equal cranks under one bar: the loops beyond the first repeat each other */
static void add_parallel(drawing *d)
{
  const double top[3] = {0.3, 0.9, 0};
  const int bar = add_body(d, top, 3, toss(d));
  for (int k = 0; k < 4; k++) {
    const double foot[3] = {0.8 * k, 0, 0}, head[3] = {foot[0] + top[0], top[1], 0};
    const int crank = add_body(d, foot, 1, k % 2 == 1);
    join(d, LW_REVOLUTE, 0, crank, foot, z_axis);
    join(d, LW_REVOLUTE, crank, bar, head, z_axis);
  }
}

/* rungs on two rails of bars, each cell on the rung below it */
static void add_ladder(drawing *d)
{
  int below = 0;
  double left[3] = {0}, right[3] = {1, 0, 0};
  for (int k = 0; k < 3; k++) {
    const double lean = lwt_uniform(&d->random, 0.1, 0.4);
    const double up[2][3] = {{left[0] + lean, left[1] + 0.9, 0},
                             {right[0] + lean + 0.1, right[1] + 1, 0}};
    const int a = add_body(d, left, 1, k == 0), b = add_body(d, right, 1, toss(d)),
              rung = add_body(d, up[0], 1, k == 1 || toss(d));
    join(d, LW_REVOLUTE, below, a, left, z_axis);
    join(d, LW_REVOLUTE, below, b, right, z_axis);
    join(d, LW_REVOLUTE, a, rung, up[0], z_axis);
    join(d, LW_REVOLUTE, b, rung, up[1], z_axis);
    memcpy(left, up[0], sizeof left);
    memcpy(right, up[1], sizeof right);
    below = rung;
  }
}

static void add_slides(drawing *d)
{
  static const double p[4][3] = {{0, 0, 0}, {1, 0.2, 0}, {1, 1, 0.3}, {0.2, 0.9, 1}};
  const double skew[3] = {0.6, 0.64, 0.48}, *const axis[4] = {x_axis, y_axis, z_axis, skew};
  const int heavy = lwt_pick(&d->random, 3);
  int before = 0;
  for (int k = 0; k < 3; k++) {
    const int block = add_body(d, p[k], 0.5, k != heavy);
    join(d, LW_PRISMATIC, before, block, p[k], axis[k]);
    before = block;
  }
  join(d, LW_PRISMATIC, before, 0, p[3], axis[3]);
}

/* universal, prismatic and spherical joints along each leg */
static void add_platform(drawing *d)
{
  const double centre[3] = {0, 0, 1};
  const int plate = add_body(d, centre, 1, false);
  for (int k = 0; k < 6; k++) {
    const double foot = 1.0471975511965976 * (k + (k % 2 ? 0.35 : -0.35)),
                 head = foot + (k % 2 ? 0.6 : -0.6);
    const double a[3] = {1.2 * cos(foot), 1.2 * sin(foot), 0},
                 b[3] = {0.7 * cos(head), 0.7 * sin(head), 1};
    double along[3], size = 0;
    for (int i = 0; i < 3; i++)
      along[i] = b[i] - a[i], size += along[i] * along[i];
    for (int i = 0; i < 3; i++)
      along[i] /= sqrt(size);
    const int lower = add_body(d, a, 0.5, true), upper = add_body(d, b, 0.5, true);
    join(d, LW_UNIVERSAL, 0, lower, a, y_axis);
    join(d, LW_PRISMATIC, lower, upper, a, along);
    join(d, LW_SPHERICAL, upper, plate, b, z_axis);
  }
}

static void draw(drawing *d, topology kind, unsigned seed, double ratio, double length)
{
  *d = (drawing){.random = lwt_seed(seed), .ratio = ratio, .length = length};
  switch (kind) {
  case FOUR_BAR: add_ring(d, 0, 0, 4, 0); break;
  case RING: add_ring(d, 0, 0, 5 + lwt_pick(&d->random, 3), 0); break;
  case SIDE_BY_SIDE: add_side_by_side(d); break;
  case SERIES:
    add_ring(d, 0, 0, 4, 0);
    add_ring(d, 2, 2, 4, 3);
    break;
  case BRICARD: add_bricard(d); break;
  case SLIDER_CRANK: add_slider_crank(d); break;
  case SHAFTS: add_shafts(d); break;
  case GRIPPER: add_gripper(d); break;
  case FOOT: add_foot(d); break;
  case PARALLEL: add_parallel(d); break;
  case LADDER: add_ladder(d); break;
  case SLIDES: add_slides(d); break;
  default: add_platform(d); break;
  }
}

static lwt_parts *parts_of(const drawing *d)
{
  lwt_parts *p = lwt_parts_new(d->nbody, d->njoint);
  p->gravity[0] = 1.3, p->gravity[1] = -9.2, p->gravity[2] = 2.1;
  memcpy(p->body, d->body, (size_t)d->nbody * sizeof *p->body);
  memcpy(p->joint, d->joint, (size_t)d->njoint * sizeof *p->joint);
  return p;
}

/* ---- the same state everywhere ---- */

bool trial_slides(lw_joint_type type, int u)
{
  return type == LW_PRISMATIC || (type == LW_FREE && u > 2);
}

/* q = 0 and random speeds, moved to where the loops of the mechanism hold, at a size of one */
static void find_speeds(topology kind, unsigned seed, oracle_real *q, oracle_real *u)
{
  drawing d;
  lwt_random random = lwt_seed(seed);
  draw(&d, kind, seed, 1, 1);
  lwt_parts *parts = parts_of(&d);
  oracle *o = oracle_new(parts);
  for (int j = 0; j < o->njoint; j++) {
    if (o->joint[j].type == LW_SPHERICAL) q[o->q[j]] = 1;
    if (o->joint[j].type == LW_FREE) q[o->q[j] + 3] = 1;
  }
  for (int i = 0; i < o->nu && seed % 2 == 1; i++)
    u[i] = lwt_uniform(&random, -1, 1);
  if (seed % 2 == 1) assert_true(oracle_close(o, 0, q, u));
  oracle_free(o);
  lwt_parts_free(parts);
}

static void find_state(trial *x, topology kind, unsigned seed, double length)
{
  oracle *o = x->o;
  oracle_real *q = calloc((size_t)o->nq + 1, sizeof *q), *u = calloc((size_t)o->nu + 1, sizeof *u);
  find_speeds(kind, seed, q, u);
  for (int j = 0; j < o->njoint; j++) {
    const lw_joint_info info = lw_get_joint(x->c.m, (lw_joint){j + 1});
    if (info.type == LW_PRISMATIC) q[o->q[j]] *= length;
    for (int i = 0; i < 3 && info.type == LW_FREE; i++)
      q[o->q[j] + i] *= length;
    for (int i = 0; i < info.nu; i++)
      u[o->u[j] + i] *= trial_slides(info.type, i) ? length : 1;
    for (int i = 0; i < info.nq && !info.cut; i++)
      x->c.q[info.q + i] = (double)q[o->q[j] + i];
    for (int i = 0; i < info.nu && !info.cut; i++)
      x->c.u[info.u + i] = (double)u[o->u[j] + i];
  }
  oracle_kinematics(o, q, u);
  free(q);
  free(u);
}

trial trial_of(topology kind, unsigned seed, double ratio, double length)
{
  drawing d;
  draw(&d, kind, seed, ratio, length);
  trial x = {.parts = parts_of(&d)};
  snprintf(x.name, sizeof x.name, "%s, seed %u, ratio %g, length %g", topology_name[kind], seed,
           ratio, length);
  x.o = oracle_new(x.parts);
  x.c = lwt_case_of(lwt_parts_compile(x.parts), seed);
  x.c.t = 0;
  find_state(&x, kind, seed, length);
  x.o->length = length;
  oracle_dynamics(x.o, 0, NULL);
  x.dof = 6 * x.parts->nbody - x.o->rank;
  x.right = calloc((size_t)x.c.nu + 1, sizeof *x.right);
  for (int j = 0; j < x.o->njoint; j++) {
    const lw_joint_info info = lw_get_joint(x.c.m, (lw_joint){j + 1});
    for (int i = 0; i < info.nu && !info.cut; i++)
      x.right[info.u + i] = (double)x.o->udot[x.o->u[j] + i];
  }
  return x;
}

void trial_free(trial *x)
{
  oracle_free(x->o);
  lwt_case_free(&x->c);
  lwt_parts_free(x->parts);
  free(x->right);
}
