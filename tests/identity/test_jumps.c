/* SPDX-License-Identifier: Apache-2.0 */
/* Random events on random mechanisms, in all formulations, against a dense projection in maximal coordinates
   and against each other: locks of all and of some freedoms, unlocks, other joint types, connections that
   join and that close loops, disconnections, merges and splits, impulses and impacts; several of them at
   once, one instant after the other.  Where constraints are redundant, what is determined of the impulses
   is compared. */
#include "linkwork/formulation.h"
#include "linkwork/events.h"
#include "oracle_internal.h"
#include "oracle_jump.h"
#include "random_events.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 3, MOST_INSTANTS = 8, MOST_AFTER = RANDOM_JOINTS + RANDOM_BODIES };
static const lw_formulation way[WAYS] = {LW_FORMULATION_TREE, LW_FORMULATION_DCA,
                                         LW_FORMULATION_CARTESIAN};

typedef enum { CHAIN, TREE, LOOPS, SHAPES } shape;
static const char *const shape_name[SHAPES] = {"chains", "trees", "loops"};

/* what has been compared, in every formulation */
static struct {
  int events[SHAPES][EVENT_KINDS];
  int instants, redundant, several, impulses;
} counted;

/* ---- what linkwork says ---- */

typedef struct {
  double V[RANDOM_BODIES][6]; /* afterwards */
  double impulse[MOST_AFTER][6];
  double kinetic_before, kinetic_after, jump_energy;
} outcome;

typedef struct {
  int calls;
  const event_world *w;
  outcome *out;
  int njoint; /* of w, then fixed joints of merged bodies */
  bool known[MOST_AFTER];
  int held[RANDOM_BODIES]; /* the bodies that these hold */
} listener;

static int listen(void *context, const lw_event_report *r, bool after)
{
  listener *l = context;
  l->calls++;
  if (!after) return 0;
  lw_work *w = lw_work_new(r->after);
  lwt_ok(lw_kinematics(w, r->q_after, r->u_after));
  memset(l->known, 0, sizeof l->known);
  for (int b = 1; b <= lw_nbody(r->after); b++)
    lwt_ok(lw_get_velocity(w, (lw_body){b}, l->out->V[b]));
  l->njoint = l->w->njoint;
  for (int j = 1; j <= lw_njoint(r->after); j++) {
    const lw_joint_info info = lw_get_joint(r->after, (lw_joint){j});
    int at = 0;
    while (at < l->w->njoint && strcmp(l->w->name[at], info.name) != 0)
      at++;
    if (info.implicit && strncmp(info.name, "m.", 2) != 0) continue; /* floats */
    if (at == l->w->njoint) { /* holds merged bodies together */
      assert_int_equal(info.parent.id, 1);
      at = l->njoint++;
      l->held[at - l->w->njoint] = info.child.id;
    }
    l->known[at] = true;
    memcpy(l->out->impulse[at], r->impulses + 6 * j, sizeof l->out->impulse[at]);
  }
  l->out->kinetic_before = r->kinetic_before;
  l->out->kinetic_after = r->kinetic_after;
  l->out->jump_energy = r->jump_energy;
  lw_work_free(w);
  return 0;
}

/* ---- the mechanism after the event ---- */

typedef struct {
  lwt_parts parts;
  lw_joint_desc joint[MOST_AFTER];
  unsigned still[MOST_AFTER + RANDOM_BODIES];
  int from[MOST_AFTER]; /* which of the world, from njoint on: which that hold merged bodies */
} mechanism;

static void add_fixed(const event_world *w, mechanism *x, int child, int from)
{
  const int n = x->parts.njoint++;
  x->joint[n] =
      (lw_joint_desc){.type = LW_FIXED,
                      .parent = {1},
                      .child = {child},
                      .place = event_place(compose(invert(w->pose[1]), w->pose[child]), false)};
  x->from[n] = from;
}

/* The first joints that join two merged bodies are locked, as docs/format.md 8.15 says. */
static void lock_merged(const event_world *w, mechanism *x)
{
  int group[RANDOM_BODIES];
  for (int b = 0; b < RANDOM_BODIES; b++)
    group[b] = b;
  for (int i = 0; i < x->parts.njoint; i++) {
    const int a = x->joint[i].parent.id, b = x->joint[i].child.id;
    if (a < 1 || b < 1 || a > w->nmerged || b > w->nmerged || group[a] == group[b]) continue;
    x->still[i] = 0x3f;
    const int old = group[b];
    for (int k = 1; k <= w->nmerged; k++)
      if (group[k] == old) group[k] = group[a];
  }
}

/* Merged bodies are held together by fixed joints to the first of them (l NULL), or as linkwork does. */
static mechanism *mechanism_new(const event_world *w, const listener *l)
{
  mechanism *x = calloc(1, sizeof *x);
  x->parts = *w->parts;
  x->parts.njoint = 0;
  for (int j = 0; j < w->njoint; j++) {
    if (!w->present[j]) continue;
    const int n = x->parts.njoint++;
    x->still[n] = w->still[j];
    x->from[n] = j;
    x->joint[n] = w->joint[j];
  }
  x->parts.joint = x->joint;
  if (!w->merged) return x;
  if (l) lock_merged(w, x);
  for (int k = 2; k <= w->nmerged && !l; k++)
    add_fixed(w, x, k, -1);
  for (int k = w->njoint; l && k < l->njoint; k++)
    add_fixed(w, x, l->held[k - w->njoint], k);
  return x;
}

static oracle *oracle_at(const event_world *w, const mechanism *x, double V[][6])
{
  oracle *o = oracle_new(&x->parts);
  for (int b = 0; b <= w->parts->nbody; b++) {
    o->body[b].X = w->pose[b];
    memcpy(o->body[b].V, V[b], sizeof o->body[b].V);
  }
  return o;
}

/* ---- impact: a push x along the normal, by superposition ---- */

static void add_push(event_world *w, double size, double p[][6])
{
  const lw_event_desc *e = &w->impact;
  const int body[2] = {e->body.id, e->other.id};
  double at[3];
  turn(w->pose[body[0]].R, e->point, at);
  for (int side = 0; side < 2; side++) {
    const int b = body[side];
    double c[3], arm[3];
    if (b == 0) continue;
    turn(w->pose[b].R, w->parts->body[b - 1].com, c);
    for (int i = 0; i < 3; i++)
      arm[i] = w->pose[body[0]].p[i] + at[i] - w->pose[b].p[i] - c[i];
    add_cross(p[b], side ? -size : size, arm, e->normal);
    add(p[b] + 3, side ? -size : size, e->normal);
  }
}

static void add_impact(event_world *w, const oracle *o, const unsigned still[], double V[][6])
{
  static double rest[RANDOM_BODIES][6];
  double unit[RANDOM_BODIES][6] = {{0}};
  if (!w->impact.body.id) return;
  const double approach = event_approach(w, V);
  if (approach >= 0) return;
  oracle_jump without = oracle_jump_solve(o, still, w->p);
  oracle quiet = *o;
  quiet.body = calloc((size_t)o->parts->nbody + 1, sizeof *quiet.body);
  for (int b = 0; b <= o->parts->nbody; b++) {
    quiet.body[b].X = o->body[b].X;
    memcpy(quiet.body[b].V, rest[b], sizeof rest[b]);
  }
  add_push(w, 1, unit);
  oracle_jump answer = oracle_jump_solve(&quiet, still, unit);
  const double gain = event_approach(w, answer.V);
  const double size = (-w->impact.restitution * approach - event_approach(w, without.V)) / gain;
  if (gain > 1e-9 && size > 0) add_push(w, size, w->p);
  free(quiet.body);
  oracle_jump_free(&without);
  oracle_jump_free(&answer);
}

/* ---- comparison ---- */

typedef struct {
  const char *what;
  unsigned seed;
  double speed; /* typical size at the start */
} test_case;

static void compare_motion(const event_world *w, const outcome *out, const oracle_jump *x,
                           test_case *c)
{
  const int n = w->parts->nbody;
  const double energy = fmax(fmax(x->kinetic_before, x->kinetic_after), 1e-6);
  const double scale = fmax(lwt_scale(x->V[1], 6 * n), c->speed);
  lwt_close(out->V[1], x->V[1], 6 * n, 1e-9, scale, "%s, seed %u: velocities", c->what, c->seed);
  lwt_near(out->kinetic_before, x->kinetic_before, 1e-9 * energy, "%s, seed %u: before", c->what,
           c->seed);
  lwt_near(out->kinetic_after, x->kinetic_after, 1e-9 * energy, "%s, seed %u: after", c->what,
           c->seed);
  lwt_near(out->jump_energy, x->jump_energy, 1e-9 * fmax(energy, x->jump_energy),
           "%s, seed %u: energy of the jump", c->what, c->seed);
}

/* What of the impulses of linkwork is determined, also into out; the dense ones have minimum norm already. */
static bool compare_impulses(const event_world *w, const listener *l, const oracle *o,
                             const mechanism *m, const oracle_jump *x, const test_case *c)
{
  const int n = m->parts.njoint;
  double(*own)[6] = calloc((size_t)o->njoint + 1, sizeof *own);
  double most =
      1e-3 * fmax(1, c->speed); /* what is lost of momenta in both, where none is passed on */
  for (int j = 0; j < w->njoint; j++)
    assert_int_equal(l->known[j], w->present[j]);
  for (int j = 0; j < n; j++) {
    memcpy(own[j], l->out->impulse[m->from[j]], sizeof own[j]);
    most = fmax(most, fmax(lwt_scale(own[j], 6), lwt_scale(x->impulse[j], 6)));
  }
  const bool redundant = oracle_jump_keep_determined(o, m->still, own) > 0;
  for (int j = 0; j < n; j++) {
    lwt_close(own[j], x->impulse[j], 6, 1e-9, most, "%s, seed %u: impulse of %s", c->what, c->seed,
              m->from[j] < w->njoint ? w->name[m->from[j]] : "merged bodies");
    memcpy(l->out->impulse[m->from[j]], own[j], sizeof own[j]);
  }
  counted.impulses += n;
  free(own);
  return redundant;
}

/* Returns whether constraints are redundant. */
static bool compare(event_world *w, const listener *l, double V[][6], test_case *c)
{
  mechanism *star = mechanism_new(w, NULL), *alike = w->merged ? mechanism_new(w, l) : star;
  oracle *o = oracle_at(w, star, V), *p = w->merged ? oracle_at(w, alike, V) : o;
  if (c->speed == 0) c->speed = lwt_scale(V[1], 6 * w->parts->nbody);
  add_impact(w, o, star->still, V);
  oracle_jump x = oracle_jump_solve(o, star->still, w->p);
  compare_motion(w, l->out, &x, c);
  oracle_jump y = w->merged ? oracle_jump_solve(p, alike->still, w->p) : x;
  const bool redundant = compare_impulses(w, l, p, alike, &y, c);
  if (w->merged) {
    oracle_jump_free(&y);
    oracle_free(p);
    free(alike);
  }
  oracle_jump_free(&x);
  oracle_free(o);
  free(star);
  return redundant;
}

static shape shape_of(const event_world *w)
{
  int joints[RANDOM_BODIES] = {0};
  bool branches = false;
  for (int j = 0; j < w->njoint; j++) {
    const int a = w->joint[j].parent.id, b = w->joint[j].child.id;
    if (!w->present[j]) continue;
    if (event_world_joined(w, a, b, j)) return LOOPS;
    branches = branches || (a && ++joints[a] > 2) || (b && ++joints[b] > 2);
  }
  return branches ? TREE : CHAIN;
}

static void count(const event_world *w, const event_batch *x, shape before, bool redundant)
{
  const shape after = shape_of(w);
  for (int i = 0; i < x->n; i++)
    counted.events[after > before ? after : before][x->kind[i]]++;
  counted.instants++;
  counted.redundant += redundant;
  counted.several += x->n > 1;
}

/* ---- one mechanism, several instants ---- */

static void run_with(int k, const lwt_recipe *recipe, int instants, int at_once, const char *kind,
                     outcome *out)
{
  char what[64];
  snprintf(what, sizeof what, "%s, %s", kind, lw_formulation_name(way[k]));
  test_case c = {what, recipe->seed, 0};
  event_world *w = event_world_new(recipe);
  lw_model *m = lwt_parts_compile(w->parts);
  double *q = calloc((size_t)lw_nq(m) + 1, sizeof *q), *u = calloc((size_t)lw_nu(m) + 1, sizeof *u);
  lwt_random_state(m, recipe->seed, q, u);
  lw_error err = {0};
  lw_simulation *sim = lw_simulation_new(m, &(lw_simulation_options){.formulation = way[k]}, &err);
  if (!sim) fail_msg("%s", err.text);
  lwt_ok(lw_simulation_start(sim, 0, q, u, &err));
  listener l = {.w = w};
  lw_simulation_on_event(sim, listen, &l);
  for (int i = 0; i < instants; i++) {
    static event_batch x;
    double V[RANDOM_BODIES][6];
    event_world_read(w, sim);
    memcpy(V, w->V, sizeof V);
    const shape before = shape_of(w);
    event_world_happen(w, &x, at_once);
    l.out = &out[i];
    if (lw_simulation_raise(sim, x.event, x.n, &err) != LW_OK)
      fail_msg("%s, seed %u, instant %d: %s", what, recipe->seed, i, err.text);
    const bool redundant = compare(w, &l, V, &c);
    if (k == WAYS - 1) count(w, &x, before, redundant);
  }
  assert_int_equal(l.calls, 2 * instants);
  free(q);
  free(u);
  lw_simulation_free(sim);
  lw_model_free(m);
  event_world_free(w);
}

/* every formulation meets the same events, and they say the same of them */
static void run_world(const lwt_recipe *recipe, int instants, int at_once, const char *kind)
{
  outcome(*out)[MOST_INSTANTS] = calloc(WAYS, sizeof *out);
  for (int k = 0; k < WAYS; k++)
    run_with(k, recipe, instants, at_once, kind, out[k]);
  for (int k = 1; k < WAYS; k++)
    for (int i = 0; i < instants; i++) {
      const char *name = lw_formulation_name(way[k]);
      const outcome *a = &out[0][i], *b = &out[k][i];
      const int n = 6 * recipe->nbody;
      lwt_close(b->V[1], a->V[1], n, 1e-9, 0.1 + lwt_scale(a->V[1], n), "%s, seed %u, %s: jump",
                kind, recipe->seed, name);
      lwt_close(b->impulse[0], a->impulse[0], 6 * MOST_AFTER, 1e-9,
                0.1 + lwt_scale(a->impulse[0], 6 * MOST_AFTER), "%s, seed %u, %s: impulses", kind,
                recipe->seed, name);
    }
  free(out);
}

static void events_on_chains_agree_with_a_dense_projection(void **state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 16; seed++)
    run_world(&(lwt_recipe){.seed = seed, .nbody = 6, .keep_direction = seed % 2}, 6,
              1 + (int)seed % 3, "chain");
}

static void events_on_trees_agree_with_a_dense_projection(void **state)
{
  (void)state;
  for (unsigned seed = 103; seed < 119; seed++)
    run_world(&(lwt_recipe){.seed = seed, .nbody = 9, .branching = 0.8, .floating = seed % 2}, 6,
              1 + (int)seed % 4, "tree");
}

/* joints of many freedoms, so that loops move, and universal ones */
static void events_on_loops_agree_with_a_dense_projection(void **state)
{
  (void)state;
  const unsigned joints = 1u << LW_UNIVERSAL | 1u << LW_SPHERICAL | 1u << LW_CYLINDRICAL |
                          1u << LW_REVOLUTE | 1u << LW_FIXED;
  for (unsigned seed = 400; seed < 416; seed++)
    run_world(
        &(lwt_recipe){.seed = seed, .nbody = 7, .branching = seed % 2 * 0.6, .joints = joints}, 8,
        2, "loops");
  for (unsigned seed = 420; seed < 428; seed++)
    run_world(
        &(lwt_recipe){.seed = seed, .nbody = 6, .joints = 1u << LW_GIMBAL | 1u << LW_REVOLUTE}, 6,
        2, "gimbals");
}

static void events_on_floating_bodies_agree_with_a_dense_projection(void **state)
{
  (void)state;
  for (unsigned seed = 200; seed < 208; seed++)
    run_world(&(lwt_recipe){.seed = seed, .nbody = 5, .loose = true, .branching = 0.5}, 6, 3,
              "floating");
}

static void events_in_the_plane_agree_with_a_dense_projection(void **state)
{
  (void)state;
  for (unsigned seed = 300; seed < 308; seed++)
    run_world(&(lwt_recipe){.seed = seed, .nbody = 6, .planar = true, .branching = 0.5}, 5, 2,
              "plane");
}

static void enough_of_every_kind_was_compared(void **state)
{
  (void)state;
  int total = 0;
  printf("%-12s", "");
  for (int k = 0; k < EVENT_KINDS; k++)
    printf(" %s,", event_kind_name((event_kind)k));
  printf("\n");
  for (int s = 0; s < SHAPES; s++) {
    int own = 0;
    printf("%-12s", shape_name[s]);
    for (int k = 0; k < EVENT_KINDS; k++) {
      printf(" %d", counted.events[s][k]);
      own += counted.events[s][k];
    }
    printf(": %d\n", own);
    assert_true(own > 60);
    total += own;
  }
  printf("%d events in %d instants, %d of them with several events, %d with redundant constraints; "
         "%d joint impulses\n",
         total, counted.instants, counted.several, counted.redundant, counted.impulses);
  for (int k = 0; k < EVENT_KINDS; k++)
    assert_true(counted.events[0][k] + counted.events[1][k] + counted.events[2][k] >= 8);
  assert_true(total >= 400 && counted.several > 100 && counted.redundant > 50);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(events_on_chains_agree_with_a_dense_projection),
      cmocka_unit_test(events_on_trees_agree_with_a_dense_projection),
      cmocka_unit_test(events_on_loops_agree_with_a_dense_projection),
      cmocka_unit_test(events_on_floating_bodies_agree_with_a_dense_projection),
      cmocka_unit_test(events_in_the_plane_agree_with_a_dense_projection),
      cmocka_unit_test(enough_of_every_kind_was_compared),
  };
  return cmocka_run_group_tests_name("identity/jumps", tests, NULL, NULL);
}
