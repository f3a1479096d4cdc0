/* SPDX-License-Identifier: Apache-2.0 */
#include "random_scenarios.h"
#include "lwt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const scenario_parameters[SCENARIO_PARAMETERS] = {"L", "m", "w", "k", "T", "E"};

const char *scenario_kind_name(scenario_kind k)
{
  static const char *const names[] = {
      "quiet",       "lock",          "unlock",        "lock when",      "connect",
      "move",        "leave",         "impulse",       "impact",         "stop when",
      "stop at",     "hit and stop",  "lock and stop", "halving impact", "soft impact",
      "dead impact", "move to plane", "move and drive"};
  return names[k];
}

const char *mechanism_kind_name(mechanism_kind k)
{
  static const char *const names[] = {"chain",  "planar", "spatial", "four-bar",
                                      "driven", "geared", "unequal", "unheld"};
  return names[k];
}

/* what a mechanism has for events and objectives */
typedef struct {
  const char *body;    /* what is hit, connected, watched */
  const char *lock;    /* what is locked */
  const char *leave;   /* what is disconnected; NULL: nothing can be */
  const char *connect; /* type of a new joint */
  const char *coordinate;
  const char *columns[8]; /* that exist all the time; ends with NULL */
} handles;

static const handles handle[MECHANISM_KINDS] = {
    {"b3", "B", "C", "revolute", "q.B", {"q.A", "u.A", "y.b3", "x.b2", "energy.total", "udot.A"}},
    {"b3", "B", "C", "revolute", "q.B", {"q.A", "u.A", "y.b3", "x.b2", "energy.total", "fx.A"}},
    {"hand",
     "U",
     "U",
     "spherical",
     "q.U.1",
     {"z.hand", "x.rock", "vz.arm", "q.S.2", "energy.kinetic"}},
    {"b", "A", NULL, "revolute", "q.B", {"q.A", "u.A", "y.b", "x.c", "energy.kinetic", "udot.A"}},
    {"d",
     "F",
     "F",
     "revolute",
     "q.F",
     {"q.B", "u.C", "y.d", "x.b", "load.drive", "energy.kinetic"}},
    {"b", "B", "B", "spherical", "q.C", {"q.A", "u.C", "x.c", "y.b", "energy.total", "udot.C"}},
    {"b3", "B", "C", "revolute", "q.B", {"q.A", "u.A", "y.b3", "x.b2", "vy.b2"}},
    {"d", "F", "F", "revolute", "q.F", {"q.B", "u.C", "y.d", "x.b", "energy.kinetic"}},
};

typedef struct {
  scenario *s;
  lwt_random r;
  double end, L, m, w, k, T;
} maker;

static void put(maker *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(maker *g, const char *format, ...)
{
  const size_t at = strlen(g->s->text);
  va_list list;
  va_start(list, format);
  vsnprintf(g->s->text + at, sizeof g->s->text - at, format, list);
  va_end(list);
}

static double between(maker *g, double low, double high)
{
  return lwt_uniform(&g->r, low, high);
}

/* ---- mechanisms ---- */

static void put_chain(maker *g, bool planar, double ratio)
{
  const char *down = planar ? "[0, -1]" : "[0, -1, 0]", *zero = planar ? "" : ", 0";
  put(g,
      "bodies:\n"
      "  b1: {solid: {rod: {length: L, mass: m, axis: %s}}}\n"
      "  b2: {solid: {rod: {length: 0.7*L, mass: %.3g*m*L, axis: %s}}}\n"
      "  b3: {solid: {rod: {length: 0.6, mass: 0.8, axis: %s}}}\n",
      down, ratio, down, down);
  if (planar) put(g, "  cart: {mass: 2*m, inertia: 0.3}\n");
  put(g, "joints:\n");
  if (planar)
    put(g, "  P: {type: prismatic, parent: ground, child: cart, axis: [1, %.3f], u: w/3}\n",
        between(g, -0.3, 0.3));
  put(g,
      "  A: {type: revolute, parent: %s, child: b1, q: %.3f, u: w}\n"
      "  B: {type: revolute, parent: b1, child: b2, at: [0, -L%s], q: %.3f}\n"
      "  C: {type: revolute, parent: b2, child: b3, at: [0, -0.7*L%s], q: %.3f, u: %.3f}\n",
      planar ? "cart" : "ground", between(g, 0.3, 0.9), zero, between(g, -0.8, 0.8), zero,
      between(g, -0.8, 0.8), between(g, -1, 1));
  put(g,
      "forces:\n  turn: {type: joint_spring, joint: B, stiffness: %.3f*k, damping: 0.1, rest: "
      "0.2*w}\n",
      between(g, 1, 8));
  if (planar)
    put(g, "  pull: {type: spring, from: {body: ground, at: [-1, 0.2]}, to: {body: cart}, "
           "stiffness: 20*k, length: L}\n");
}

static void put_spatial(maker *g)
{
  put(g,
      "bodies:\n"
      "  arm: {mass: m, com: [L/2, 0, 0.1], inertia: [0.15, 0.3*L, 0.3]}\n"
      "  hand: {mass: 0.8, com: [0.2, 0.1, 0], inertia: [0.05, 0.06, 0.07*m]}\n"
      "  rock: {mass: 2*m, inertia: [0.2, 0.3, 0.4], pose: {at: [1.5, L, 0.3]},\n"
      "         velocity: {linear: [0, 0, 1], angular: [w, %.3f, -0.3]}}\n"
      "joints:\n"
      "  S: {type: spherical, parent: ground, child: arm, u: [0.3, w, %.3f]}\n"
      "  U: {type: universal, parent: arm, child: hand, at: [L, 0, 0], q: [%.3f, 0.2], u: [1, w]}\n"
      "forces:\n"
      "  tie: {type: spring, from: {body: hand}, to: {body: rock, at: [0.1, 0, 0]}, stiffness: "
      "9*k, damping: 0.3, length: L}\n",
      between(g, -1, 1), between(g, -1, 1), between(g, 0.1, 0.6));
}

static void put_four_bar(maker *g, bool driven, bool held)
{
  const char *hold = held ? ", hold: true" : "";
  const bool arm = driven || !held;
  put(g, "bodies:\n"
         "  a: {solid: {rod: {length: 0.4*L, mass: m, axis: [1, 0]}}}\n"
         "  b: {solid: {rod: {length: 1.1, mass: 2*m, axis: [1, 0]}}}\n"
         "  c: {solid: {rod: {length: L, mass: 1.5, axis: [1, 0]}}}\n");
  if (arm) put(g, "  d: {solid: {rod: {length: 0.5*k, mass: 0.7, axis: [0, -1]}}}\n");
  put(g,
      "joints:\n"
      "  A: {type: revolute, parent: ground, child: a, q: %.3f, u: w%s}\n"
      "  B: {type: revolute, parent: a, child: b, at: [0.4*L, 0], q: -1}\n"
      "  C: {type: revolute, parent: ground, child: c, at: [1.2, 0], q: 1.6}\n"
      "  D: {type: revolute, parent: b, child: c, at: [1.1, 0], child_at: [L, 0]}\n",
      between(g, 0.8, 1.6), hold);
  if (arm)
    put(g, "  F: {type: revolute, parent: b, child: d, at: [0.5, 0], q: %.3f*L%s}\n",
        between(g, -0.4, 0.4), hold);
  if (driven)
    put(g, "  drive: {type: driver, joint: A, value: \"1 + w*t + %.3f*k*sin(3*t)\"}\n",
        between(g, 0.1, 0.4));
  put(g,
      "forces:\n  hold: {type: joint_spring, joint: C, stiffness: %.3f, damping: 0.2*k, rest: "
      "1.2*L}\n",
      between(g, 5, 20));
}

static void put_geared(maker *g)
{
  put(g,
      "bodies:\n"
      "  a: {mass: m, com: [0, -L/2, 0.1], inertia: [0.1, 0.05, 0.1*m]}\n"
      "  b: {mass: 0.7, com: [0.1, -0.3, 0], inertia: [0.05, 0.02*k, 0.05]}\n"
      "  c: {mass: 0.5*m, com: [L/3, 0, 0.05], inertia: [0.02, 0.06, 0.06]}\n"
      "joints:\n"
      "  A: {type: revolute, parent: ground, child: a, axis: [0.2, 0, 1], q: 0.4, u: w}\n"
      "  B: {type: spherical, parent: a, child: b, at: [0, -L, 0], u: [0.3, w, %.3f]}\n"
      "  C: {type: revolute, parent: ground, child: c, at: [1, 0, 0], q: 0.2}\n"
      "  mesh: {type: gear, joints: [A, C], ratio: %.3f*k}\n"
      "forces:\n"
      "  back: {type: joint_spring, joint: C, stiffness: 6*L, damping: 0.1}\n"
      "  push: {type: motor, joint: A, value: \"m*cos(3*t) - 0.3*u.A\"}\n",
      between(g, -1, 1), between(g, 0.8, 2.2));
}

/* a loop that has one freedom besides its driver */
static bool takes_one(const scenario *s)
{
  return s->mechanism == MECHANISM_FOUR_BAR || s->mechanism == MECHANISM_DRIVEN;
}

/* takes two freedoms, more than a driver leaves */
static bool connects(const scenario *s)
{
  return s->kind == SCENARIO_CONNECT || s->kind == SCENARIO_MOVE ||
         s->kind == SCENARIO_MOVE_AND_DRIVE;
}

/* joints that are held do not move (docs/format.md 8.6) */
static bool holds(const scenario *s)
{
  return s->kind != SCENARIO_MOVE && s->kind != SCENARIO_MOVE_TO_PLANE &&
         s->kind != SCENARIO_MOVE_AND_DRIVE;
}

static void put_mechanism(maker *g)
{
  switch (g->s->mechanism) {
  case MECHANISM_CHAIN: put_chain(g, false, 1); break;
  case MECHANISM_PLANAR: put_chain(g, true, 0.6); break;
  case MECHANISM_SPATIAL: put_spatial(g); break;
  case MECHANISM_FOUR_BAR: put_four_bar(g, false, holds(g->s)); break;
  case MECHANISM_DRIVEN: put_four_bar(g, true, holds(g->s)); break;
  case MECHANISM_GEARED: put_geared(g); break;
  case MECHANISM_UNHELD: put_four_bar(g, !connects(g->s) && lwt_pick(&g->r, 2) == 0, false); break;
  default: put_chain(g, false, pow(10, between(g, -4, 4)));
  }
}

static bool is_planar(const scenario *s)
{
  return s->mechanism == MECHANISM_PLANAR || s->mechanism == MECHANISM_FOUR_BAR ||
         s->mechanism == MECHANISM_DRIVEN || s->mechanism == MECHANISM_UNHELD;
}

/* ---- objectives ---- */

static void choose_objectives(maker *g)
{
  scenario *s = g->s;
  const handles *h = &handle[s->mechanism];
  int n = 0;
  while (n < 8 && h->columns[n])
    n++;
  s->subject.n = 5;
  for (int i = 0; i < 5; i++) {
    run_objective *o = &s->subject.objective[i];
    *o = (run_objective){.kind = i == 0 ? LW_OBJECTIVE_FINAL : (lw_objective_kind)(i - 1),
                         .x = h->columns[lwt_pick(&g->r, n)],
                         .y = h->columns[lwt_pick(&g->r, n)],
                         .p = scenario_parameters[lwt_pick(&g->r, 4)],
                         .a = between(g, 0.2, 1),
                         .b = between(g, -1, 1),
                         .c = between(g, -1, 1)};
    if (strncmp(o->x, "energy", 6) == 0 || strncmp(o->x, "load", 4) == 0 ||
        strncmp(o->x, "udot", 4) == 0)
      o->a *= 0.02;
  }
  run_objective *time = &s->subject.objective[0]; /* when the run ends */
  time->a = time->b = 0;
  time->c = 1;
}

static void put_objectives(maker *g)
{
  static const char *const kind[] = {"final", "integral", "max", "min"};
  put(g, "sensitivity:\n  objectives:\n");
  for (int i = 0; i < g->s->subject.n; i++) {
    const run_objective *o = &g->s->subject.objective[i];
    put(g, "    o%d: {%s: \"%.17g*%s^2 + %.17g*%s*%s + %.17g*t\"}\n", i, kind[o->kind], o->a, o->x,
        o->b, o->y, o->p, o->c);
  }
}

/* ---- the motion without events: where something is, and how fast ---- */

static bool look(maker *g, const char *column, double t, double *value, double *rate)
{
  lw_error err = {0};
  char *events = strstr(g->s->text, "events:"); /* what is written of them so far */
  if (events) *events = '\0';
  lw_model *m = run_model(&g->s->subject, NULL, 0);
  if (events) *events = 'e';
  lw_simulation *sim = lw_simulation_new(m, NULL, &err);
  lw_columns *c = lw_columns_new(m, column, &err);
  double q[200], u[200], row[3], before = 0;
  bool ok = sim && c && lw_columns_follow(c, sim, &err) == LW_OK;
  for (int i = 0; i < 3 && ok; i++) {
    const double at = t + 1e-3 * (i - 1);
    ok = lw_simulation_advance(sim, at, q, u, &err) == LW_OK &&
         lw_columns_row(c, at, q, u, row) == LW_OK;
    if (i == 0) before = row[1];
    if (i == 1) *value = row[1];
    if (i == 2) *rate = (row[1] - before) / 2e-3;
  }
  lw_columns_free(c);
  lw_simulation_free(sim);
  lw_model_free(m);
  return ok;
}

/* an expression of a column that crosses zero somewhere in the middle, and later or earlier with k and L */
static bool put_trigger(maker *g, const char *column, double *rate)
{
  double value = 0;
  for (int i = 0; i < 40; i++) {
    const double t = g->end * between(g, 0.25, 0.75);
    if (!look(g, column, t, &value, rate)) return false;
    if (fabs(*rate) < (i < 20 ? 0.3 : 0.1)) continue; /* slow mechanisms have nothing faster */
    put(g, "when: \"%s - %.17g - 0.2*(k - %.17g)*L\"", column, value, g->k);
    return true;
  }
  return false;
}

/* ---- events ---- */

static void put_connection(maker *g, const handles *h)
{
  put(g,
      "  - {at: T, connect: {name: tip, type: %s, parent: ground, child: %s, child_at: [0, "
      "-0.3*k%s]}}\n",
      h->connect, h->body, is_planar(g->s) ? "" : ", 0");
  put(g, "  - {at: 1.5*T, disconnect: tip}\n");
}

/* A point of the body, beside its origin, comes to where its origin is: within reach.  plane: into a plane through
   that place. */
static bool put_move(maker *g, const handles *h, bool plane)
{
  const char axis[] = "xyz", *more = is_planar(g->s) ? "" : ", 0";
  double at[3] = {0}, rate;
  for (int i = 0; i < (is_planar(g->s) ? 2 : 3); i++) {
    char name[16];
    snprintf(name, sizeof name, "%c.%s", axis[i], h->body);
    if (!look(g, name, g->T, &at[i], &rate)) return false;
  }
  put(g, "  - {at: T, connect: {name: tip, type: %s, parent: ground, child: %s, ",
      plane ? "point_on_plane" : h->connect, h->body);
  if (plane) put(g, "axis: [0.3, 1%s], ", more);
  put(g, "at: [%.17g + 0.02*(k - %.17g), %.17g - 0.1*(L - %.17g)", at[0], g->k, at[1], g->L);
  if (!is_planar(g->s)) put(g, ", %.17g", at[2]);
  put(g, "], child_at: [%s*k, -0.2*k%s], move: true}}\n", plane ? "0.1" : "0", more);
  return true;
}

/* a coordinate turns by about 0.1, and is driven from there */
static bool put_driven_move(maker *g, const handles *h)
{
  double value, rate;
  const char *joint = h->coordinate + 2;
  if (!look(g, h->coordinate, g->T, &value, &rate)) return false;
  put(g, "  - {at: T, connect: {name: turn, type: ");
  if (strchr(joint, '.'))
    put(g, "coupler, joints: {%s: 1, U.2: 0.3*k}, offset: \"%.17g + 0.2*k*L\"", joint, value);
  else
    put(g, "driver, joint: %s, value: \"%.17g + 0.2*k*L + w*(t - %.17g)\"", joint, value, g->T);
  put(g, ", move: true}}\n");
  return true;
}

/* the axis along which a body moves fastest halfway; 0: x */
static int find_axis(maker *g, const char *body)
{
  int best = 1;
  double most = 0;
  if (g->s->mechanism == MECHANISM_SPATIAL) return 2;
  for (int axis = 0; axis < 2; axis++) {
    char column[16];
    double value, rate = 0;
    snprintf(column, sizeof column, "%c.%s", "xy"[axis], body);
    if (look(g, column, 0.5 * g->end, &value, &rate) && fabs(rate) > most)
      best = axis, most = fabs(rate);
  }
  return best;
}

/* restitution NULL: an impulse */
static bool put_hit(maker *g, const handles *h, const char *restitution)
{
  char column[16];
  double rate;
  const int axis = find_axis(g, h->body);
  snprintf(column, sizeof column, "%c.%s", "xyz"[axis], h -> body);
  put(g, "  - {");
  if (!put_trigger(g, column, &rate)) return false;
  const int side = rate < 0 ? 1 : -1;
  put(g, ", direction: %s, ", rate < 0 ? "falling" : "rising");
  if (restitution) {
    put(g, "impact: {body: %s, normal: [%d, %d", h->body, axis == 0 ? side : 0,
        axis == 1 ? side : 0);
    if (!is_planar(g->s)) put(g, ", %d", axis == 2 ? side : 0);
    put(g, "], restitution: %s}}\n", restitution);
  } else {
    put(g, "impulse: {body: %s, linear: [0.3*w, 0.2*k%s]}}\n", h->body,
        is_planar(g->s) ? "" : ", 0");
  }
  return true;
}

static bool put_when(maker *g, const char *column, const char *what)
{
  double rate;
  put(g, "  - {");
  if (!put_trigger(g, column, &rate)) return false;
  put(g, ", %s}\n", what);
  return true;
}

static bool put_events(maker *g)
{
  const handles *h = &handle[g->s->mechanism];
  char what[80];
  put(g, "events:\n");
  switch (g->s->kind) {
  case SCENARIO_LOCK: put(g, "  - {at: T, lock: %s}\n", h->lock); return true;
  case SCENARIO_UNLOCK:
    put(g, "  - {at: T, lock: %s}\n  - {at: 1.6*T, unlock: %s}\n", h->lock, h->lock);
    return true;
  case SCENARIO_LOCK_WHEN:
    snprintf(what, sizeof what, "lock: %s, once: true", h->lock);
    return put_when(g, h->coordinate, what);
  case SCENARIO_CONNECT: put_connection(g, h); return true;
  case SCENARIO_MOVE: return put_move(g, h, takes_one(g->s));
  case SCENARIO_MOVE_TO_PLANE: return put_move(g, h, true);
  case SCENARIO_MOVE_AND_DRIVE: return put_driven_move(g, h);
  case SCENARIO_LEAVE:
    if (!h->leave) return false;
    snprintf(what, sizeof what, "disconnect: %s, once: true", h->leave);
    return put_when(g, h->coordinate, what);
  case SCENARIO_IMPULSE: return put_hit(g, h, NULL);
  case SCENARIO_IMPACT: return put_hit(g, h, "1 - 0.1*k");
  case SCENARIO_HALVING_IMPACT: return put_hit(g, h, "0.3 + 0.5*k");
  case SCENARIO_SOFT_IMPACT: return put_hit(g, h, "0.3*k");
  case SCENARIO_DEAD_IMPACT: return put_hit(g, h, "0");
  case SCENARIO_STOP_WHEN: return put_when(g, h->columns[0], "stop: true");
  case SCENARIO_STOP_AT: put(g, "  - {at: 1.2*T*L, stop: true}\n"); return true;
  case SCENARIO_HIT_AND_STOP:
    if (!put_when(g, h->columns[0], "stop: true")) return false;
    put(g, "  - {at: 0.5*T, impulse: {body: %s, linear: [0.01*w, 0.01%s]}}\n", h->body,
        is_planar(g->s) ? "" : ", 0");
    return true;
  case SCENARIO_LOCK_AND_STOP:
    put(g, "  - {at: T, lock: %s}\n  - {at: T, stop: true}\n", h->lock);
    return true;
  default: return false;
  }
}

/* ---- together ---- */

/* ends that stay, and that move */
static void put_end(maker *g)
{
  put(g, "simulation: {output_step: 0.1, end: ");
  switch (lwt_pick(&g->r, 4)) {
  case 0: put(g, "%.17g}\n", g->end); break;
  case 1: put(g, "E}\n"); break;
  case 2: put(g, "E*L/%.17g}\n", g->L); break;
  default: put(g, "T + %.17g*k}\n", (g->end - g->T) / g->k);
  }
}

bool scenario_make(scenario *s, unsigned seed, mechanism_kind mechanism, scenario_kind kind)
{
  maker g = {.s = s, .r = lwt_seed(seed)};
  *s = (scenario){.kind = kind, .mechanism = mechanism};
  s->subject.text = s->text;
  g.end = between(&g, 0.5, 0.8);
  g.L = between(&g, 0.7, 0.95);
  g.m = between(&g, 0.6, 1.6);
  g.w = between(&g, 0.4, 1.2);
  g.k = between(&g, 0.4, 0.8);
  g.T = between(&g, 0.3, 0.5) * g.end;
  put(&g, "linkwork: 1\nplanar: %s\n", is_planar(s) ? "true" : "false");
  put(&g, "gravity: %s\n",
      is_planar(s)                     ? "[0, -9.81]"
      : mechanism == MECHANISM_SPATIAL ? "[0, 0, -9.81]"
                                       : "[0, -9.81, 0]");
  put(&g, "parameters: {L: %.17g, m: %.17g, w: %.17g, k: %.17g, T: %.17g, E: %.17g}\n", g.L, g.m,
      g.w, g.k, g.T, g.end);
  put_mechanism(&g);
  put_end(&g);
  choose_objectives(&g);
  put_objectives(&g);
  return kind == SCENARIO_QUIET || put_events(&g);
}
