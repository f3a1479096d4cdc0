/* SPDX-License-Identifier: Apache-2.0 */
/* Events on loops with light bodies: the velocities after locks, impulses, impacts, new joints and merges are those of a
   null-space solution in 113 bits, in all formulations, and do not depend on how uneven the masses are. */
#include "light_mechanisms.h"
#include "oracle_jump.h"

#include "linkwork/formulation.h"
#include "linkwork/simulate.h"
#include "linkwork/events.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BODIES = 20, MOST_JOINTS = 25 };

typedef enum { LOCK, IMPULSE, IMPACT, CONNECT, MERGE, HAPPENINGS } happening;
static const char *const happening_name[HAPPENINGS] = {"lock", "impulse", "impact", "connect",
                                                       "merge"};

/* an event, and the mechanism that it leaves */
typedef struct {
  happening what;
  lw_event_desc event;
  lw_joint_desc new_joint;
  lw_body bodies[2];
  lwt_parts parts;
  lw_joint_desc joint[MOST_JOINTS];
  unsigned still[MOST_JOINTS + MOST_BODIES];
  oracle_real p[MOST_BODIES][6]; /* impulses about the centres of mass */
  oracle *o;
} scene;

static int heaviest(const lwt_parts *p)
{
  int best = 0;
  for (int b = 1; b < p->nbody; b++)
    if (p->body[b].mass > p->body[best].mass) best = b;
  return best + 1;
}

/* ---- what happens ---- */

static void find_position(const trial *x, int body, double out[3])
{
  for (int i = 0; i < 3; i++)
    out[i] = (double)x->o->body[body].X.p[i];
}

/* all bodies have the axes of the ground: coordinates are zero */
static void add_joint(const trial *x, scene *s, lw_joint_type type, int parent, int child)
{
  double a[3], b[3];
  lw_joint_desc *j = &s->joint[s->parts.njoint++];
  *j = (lw_joint_desc){.type = type, .parent = {parent}, .child = {child}};
  find_position(x, parent, a);
  find_position(x, child, b);
  for (int i = 0; i < 3; i++)
    j->place.at[i] = b[i] - a[i];
}

static void set_lock(const trial *x, scene *s, unsigned seed)
{
  static char name[16];
  const int joint = (int)(seed % (unsigned)x->parts->njoint);
  snprintf(name, sizeof name, "j%d", joint + 1);
  s->event = (lw_event_desc){.action = LW_ACTION_LOCK, .joint = name};
  s->still[joint] = 0x3f;
}

static void set_impulse(const trial *x, scene *s)
{
  const int b = heaviest(x->parts);
  const lw_body_desc *d = &x->parts->body[b - 1];
  s->event = (lw_event_desc){.action = LW_ACTION_IMPULSE, .body = {b}};
  for (int i = 0; i < 3; i++) {
    s->event.point[i] = d->com[i];
    s->event.linear[i] = d->mass * (double)x->o->length * (1 - 0.7 * i);
    s->p[b][3 + i] = (oracle_real)s->event.linear[i];
  }
}

/* velocity of the centre of mass of a body */
static void velocity_at_centre(const scene *s, int b, const oracle_real V[6], oracle_real out[3])
{
  const double *c = s->parts.body[b - 1].com;
  const oracle_real arm[3] = {c[0], c[1], c[2]};
  for (int i = 0; i < 3; i++)
    out[i] = V[3 + i] + V[(i + 1) % 3] * arm[(i + 2) % 3] - V[(i + 2) % 3] * arm[(i + 1) % 3];
}

static oracle_real normal_speed(const scene *s, const oracle_real V[6])
{
  oracle_real v[3], sum = 0;
  velocity_at_centre(s, s->event.body.id, V, v);
  for (int i = 0; i < 3; i++)
    sum += (oracle_real)s->event.normal[i] * v[i];
  return sum;
}

/* The heaviest body hits something with its centre of mass, straight on. */
static void set_impact(const trial *x, scene *s)
{
  const int b = heaviest(x->parts);
  oracle_real v[3], size = 0;
  s->event = (lw_event_desc){.action = LW_ACTION_IMPACT, .body = {b}, .restitution = 0.5};
  memcpy(s->event.point, x->parts->body[b - 1].com, sizeof s->event.point);
  velocity_at_centre(s, b, x->o->body[b].V, v);
  for (int i = 0; i < 3; i++)
    size += v[i] * v[i];
  for (int i = 0; i < 3; i++)
    s->event.normal[i] = -(double)(v[i] / sqrtl(size));
}

/* a push, by superposition */
static void add_push(scene *s)
{
  const int b = s->event.body.id;
  oracle quiet = *s->o;
  quiet.body = calloc(MOST_BODIES, sizeof *quiet.body);
  for (int i = 0; i <= s->parts.nbody; i++)
    quiet.body[i].X = s->o->body[i].X;
  for (int i = 0; i < 3; i++)
    s->p[b][3 + i] = (oracle_real)s->event.normal[i];
  oracle_jump answer = oracle_jump_solve(&quiet, s->still, s->p);
  oracle_jump without = oracle_jump_solve(s->o, s->still, NULL);
  const oracle_real before = normal_speed(s, s->o->body[b].V);
  const oracle_real aim = -(oracle_real)s->event.restitution * before;
  const oracle_real push = (aim - normal_speed(s, without.V[b])) / normal_speed(s, answer.V[b]);
  for (int i = 0; i < 3; i++)
    s->p[b][3 + i] = (oracle_real)s->event.normal[i] * push;
  oracle_jump_free(&answer);
  oracle_jump_free(&without);
  free(quiet.body);
}

static void set_connect(const trial *x, scene *s)
{
  const int b = x->parts->nbody;
  add_joint(x, s, LW_SPHERICAL, 0, b);
  s->new_joint = s->joint[s->parts.njoint - 1];
  s->new_joint.name = "new";
  s->event = (lw_event_desc){.action = LW_ACTION_CONNECT,
                             .new_joint = &s->new_joint,
                             .placed = true,
                             .child_placed = true};
}

static void set_merge(const trial *x, scene *s)
{
  const lw_joint_desc *j = x->parts->joint;
  while (j->parent.id == 0 || j->child.id == 0)
    j++;
  add_joint(x, s, LW_FIXED, j->parent.id, j->child.id);
  s->bodies[0] = j->parent, s->bodies[1] = j->child;
  s->event =
      (lw_event_desc){.action = LW_ACTION_MERGE, .merge = "m", .bodies = s->bodies, .nbody = 2};
}

static scene *scene_new(const trial *x, happening what, unsigned seed)
{
  scene *s = calloc(1, sizeof *s);
  s->what = what;
  s->parts = *x->parts;
  s->parts.joint = s->joint;
  memcpy(s->joint, x->parts->joint, (size_t)x->parts->njoint * sizeof *s->joint);
  switch (what) {
  case LOCK: set_lock(x, s, seed); break;
  case IMPULSE: set_impulse(x, s); break;
  case IMPACT: set_impact(x, s); break;
  case CONNECT: set_connect(x, s); break;
  default: set_merge(x, s); break;
  }
  s->o = oracle_new(&s->parts);
  s->o->length = x->o->length;
  for (int b = 0; b <= s->parts.nbody; b++)
    s->o->body[b] = x->o->body[b];
  if (what == IMPACT) add_push(s);
  return s;
}

static void scene_free(scene *s)
{
  oracle_free(s->o);
  free(s);
}

/* ---- comparison ---- */

typedef struct {
  double V[MOST_BODIES][6];
  bool heard;
} outcome;

static int listen(void *context, const lw_event_report *r, bool after)
{
  outcome *out = context;
  if (!after) return 0;
  lw_work *w = lw_work_new(r->after);
  lwt_ok(lw_kinematics(w, r->q_after, r->u_after));
  for (int b = 1; b <= lw_nbody(r->after); b++)
    lwt_ok(lw_get_velocity(w, (lw_body){b}, out->V[b]));
  lw_work_free(w);
  out->heard = true;
  return 0;
}

static const struct {
  const char *name;
  lw_simulation_options options;
} way[] = {{"cut", {.formulation = LW_FORMULATION_TREE, .loops = LW_LOOPS_CUT}},
           {"embedded", {.formulation = LW_FORMULATION_TREE, .loops = LW_LOOPS_EMBEDDED}},
           {"dca", {.formulation = LW_FORMULATION_DCA}},
           {"cartesian", {.formulation = LW_FORMULATION_CARTESIAN}}};

static outcome raise_event(const trial *x, const scene *s, int k)
{
  outcome out = {0};
  lw_error err = {0};
  lw_simulation *sim = lw_simulation_new(x->c.m, &way[k].options, &err);
  if (!sim) fail_msg("%s, %s: %s", x->name, way[k].name, err.text);
  if (lw_simulation_start(sim, 0, x->c.q, x->c.u, &err) != LW_OK)
    fail_msg("%s, %s: start: %s", x->name, way[k].name, err.text);
  lw_simulation_on_event(sim, listen, &out);
  if (lw_simulation_raise(sim, &s->event, 1, &err) != LW_OK)
    fail_msg("%s, %s, %s: %s", x->name, way[k].name, happening_name[s->what], err.text);
  assert_true(out.heard);
  lw_simulation_free(sim);
  return out;
}

/* the largest velocity of all bodies, before or after; turns as shifts at a typical arm */
static double largest_speed(const trial *x, const oracle_jump *right)
{
  double most = 1e-3 * (double)x->o->length;
  for (int b = 1; b <= x->parts->nbody; b++)
    for (int i = 0; i < 6; i++) {
      const double unit = i < 3 ? (double)x->o->length : 1;
      most = fmax(most, unit * (double)fabsl(right->V[b][i]));
      most = fmax(most, unit * (double)fabsl(x->o->body[b].V[i]));
    }
  return most;
}

static double error_of(const trial *x, int b, const outcome *out, const oracle_jump *right)
{
  double worst = 0;
  for (int i = 0; i < 6; i++) {
    const double unit = i < 3 ? (double)x->o->length : 1;
    worst = fmax(worst, unit * fabs(out->V[b][i] - (double)right->V[b][i]));
  }
  return worst / largest_speed(x, right);
}

/* Where light bodies have a freedom of their own, rounding errors of what the others carry move them that much
   more. */
static double tolerance_of(const trial *x, int b)
{
  const double ratio = x->parts->body[b - 1].mass / x->parts->body[heaviest(x->parts) - 1].mass;
  return 1e-9 + 1e-16 / ratio;
}

static void check_events(topology kind, unsigned seed, double ratio, double length)
{
  trial x = trial_of(kind, seed, ratio, length);
  for (int what = 0; what < HAPPENINGS; what++) {
    scene *s = scene_new(&x, (happening)what, seed);
    oracle_jump right = oracle_jump_solve(s->o, s->still, s->p);
    for (int k = 0; k < 4; k++) {
      const outcome out = raise_event(&x, s, k);
      for (int b = 1; b <= x.parts->nbody; b++) {
        const double error = error_of(&x, b, &out, &right);
        if (!(error <= tolerance_of(&x, b)))
          fail_msg("%s, %s, %s: body %d is off by %g", x.name, way[k].name, happening_name[what], b,
                   error);
      }
    }
    oracle_jump_free(&right);
    scene_free(s);
  }
  trial_free(&x);
}

static void velocities_after_events_do_not_depend_on_the_formulation(void **state)
{
  (void)state;
  static const double ratios[] = {1, 1e-3, 1e-6, 1e-9, 1e-12};
  for (int kind = 0; kind < TOPOLOGIES; kind++)
    for (int i = 0; i < (int)(sizeof ratios / sizeof *ratios); i++)
      for (unsigned seed = 1; seed <= 3; seed += 2)
        check_events((topology)kind, seed, ratios[i], 1);
}

static void velocities_after_events_do_not_depend_on_the_size(void **state)
{
  (void)state;
  static const double lengths[] = {1e-6, 1e-3, 1e3, 1e6};
  for (int kind = 0; kind < TOPOLOGIES; kind++)
    for (int i = 0; i < 4; i++)
      check_events((topology)kind, 1, i % 2 ? 1e-9 : 1, lengths[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(velocities_after_events_do_not_depend_on_the_formulation),
      cmocka_unit_test(velocities_after_events_do_not_depend_on_the_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
