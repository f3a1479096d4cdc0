/* SPDX-License-Identifier: Apache-2.0 */
#include "mutants.h"
#include "linkwork/file.h"
#include "linkwork/query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_ROOM = 1 << 14 };

/* ---- models ---- */

static double decades(lwt_random *r)
{
  return pow(10, lwt_uniform(r, -6, 6));
}

/* a tree with forces, some bodies much lighter or heavier, some places far or near */
lwt_parts *mutant_parts(unsigned k)
{
  if (k % 3 != 0) return NULL;
  lwt_random r = lwt_seed(k);
  const lwt_recipe recipe = {.seed = k,
                             .nbody = 1 + lwt_pick(&r, 9),
                             .branching = lwt_uniform(&r, 0, 1),
                             .forces = lwt_pick(&r, 2),
                             .planar = lwt_pick(&r, 4) == 0};
  lwt_parts *p = lwt_random_parts(&recipe);
  for (int i = 0; i < p->nbody; i++) {
    if (lwt_pick(&r, 3)) continue;
    const double by = decades(&r);
    p->body[i].mass *= by;
    for (int j = 0; j < 6; j++)
      p->body[i].inertia[j] *= by;
  }
  for (int i = 0; i < p->njoint; i++)
    for (int j = 0; j < 3 && lwt_pick(&r, 3) == 0; j++)
      p->joint[i].place.at[j] *= pow(10, lwt_uniform(&r, -2, 2));
  return p;
}

static lw_spec *mutate_tree(unsigned k)
{
  lwt_parts *p = mutant_parts(k);
  lw_spec *s = lwt_parts_spec(p);
  lwt_parts_free(p);
  return s;
}

static void keep(const char *text, size_t n)
{
  const char *path = getenv("LINKWORK_MUTANT_FILE");
  FILE *f = path ? fopen(path, "w") : NULL;
  if (f) fwrite(text, 1, n, f);
  if (f) fclose(f);
}

/* every number after `mass:` of a model file, each by its own factor */
static lw_spec *mutate_file(const char *name, unsigned k)
{
  char path[500], in[TEXT_ROOM], out[2 * TEXT_ROOM];
  lwt_random r = lwt_seed(k);
  snprintf(path, sizeof path, "%s/models/%s.yaml", getenv("LINKWORK_SOURCE"), name);
  FILE *f = fopen(path, "r");
  assert_non_null(f);
  const size_t n = fread(in, 1, sizeof in - 1, f);
  fclose(f);
  in[n] = '\0';
  size_t m = 0;
  for (char *at = in; *at;) {
    out[m++] = *at++;
    if (m < 6 || memcmp(out + m - 6, "mass: ", 6) != 0 || lwt_pick(&r, 2)) continue;
    m += (size_t)snprintf(out + m, 40, "%.17g*", decades(&r));
  }
  keep(out, m);
  lw_error err;
  lw_spec *s = lw_spec_parse(out, m, path, &err);
  if (!s) fail_msg("%s", err.text);
  return s;
}

lw_spec *mutant_spec(unsigned k)
{
  static const char *const files[] = {"four-bar",     "slider-crank",    "bricard",  "gripper",
                                      "two-four-bar", "driven-four-bar", "governor", "arm"};
  if (k % 3 == 0) return mutate_tree(k);
  if (k % 3 == 1) return mutate_file(files[k / 3 % 8], k);
  const lwt_loops loops = lwt_loops_recipe(k);
  return lwt_loops_spec(&loops);
}

lw_status mutant_state(const lw_model *m, unsigned k, double q[], double u[], lw_error *err)
{
  lwt_random r = lwt_seed(k + 1);
  lw_initial_state(m, q, u);
  for (int i = 0; i < lw_nu(m) && k % 2 == 1; i++)
    u[i] += lwt_uniform(&r, -1, 1);
  lw_work *w = lw_work_new(m);
  const lw_status status = lw_close_loops(w, 0, q, u, err);
  lw_work_free(w);
  return status;
}

/* ---- events ---- */

typedef struct {
  lw_spec *s;
  const mutant_start *start;
  lwt_random r;
  lw_event_desc e; /* the one that is made */
} maker;

/* a joint of this many freedoms at least, of the tree; 0: none found */
static lw_joint_info pick_joint(maker *x, int most)
{
  for (int tries = 0; tries < 20; tries++) {
    const lw_joint j = {1 + lwt_pick(&x->r, lw_njoint(x->start->m))};
    const lw_joint_info info = lw_get_joint(x->start->m, j);
    if (!info.implicit && !info.cut && info.nu > 0 && info.nu <= most) return info;
  }
  return (lw_joint_info){0};
}

static lw_body pick_body(maker *x)
{
  return (lw_body){1 + lwt_pick(&x->r, lw_nbody(x->start->m))};
}

/* when a joint is where it would be at time t if nothing changed its acceleration, or as fast */
static void reach(maker *x, double t)
{
  char text[200];
  const mutant_start *s = x->start;
  const lw_joint_info j = pick_joint(x, 1);
  if (!j.name) return;
  const double u = s->u[j.u], udot = s->udot[j.u];
  const bool fast = lwt_pick(&x->r, 3) == 0;
  snprintf(text, sizeof text, "%c.%s - (%.17g)", fast ? 'u' : 'q', j.name,
           fast ? u + udot * t : s->q[j.q] + u * t + udot * t * t / 2);
  x->e.has_when = true;
  x->e.at = 0;
  x->e.when = lw_expr(x->s, text);
  x->e.once = lwt_pick(&x->r, 2);
  x->e.direction = (lw_crossing)lwt_pick(&x->r, 3);
}

static void push(maker *x)
{
  const double impulse = lw_body_mass(x->start->m, x->e.body);
  x->e.action = LW_ACTION_IMPULSE;
  for (int i = 0; i < (lw_model_is_planar(x->start->m) ? 2 : 3); i++)
    x->e.linear[i] = impulse * lwt_uniform(&x->r, -1, 1);
}

static void hit(maker *x)
{
  x->e.action = LW_ACTION_IMPACT;
  x->e.normal[lwt_pick(&x->r, 2)] = lwt_pick(&x->r, 2) ? 1 : -1;
  x->e.restitution = lwt_uniform(&x->r, 0, 1);
}

static void connect(maker *x)
{
  static const lw_joint_desc fixed = {.name = "tied", .type = LW_FIXED},
                             hinged = {.name = "tied", .type = LW_REVOLUTE, .axis = {0, 0, 1}};
  static lw_joint_desc d;
  d = lwt_pick(&x->r, 2) ? fixed : hinged;
  d.child = x->e.body;
  d.parent.id = (x->e.body.id + 1) % (lw_nbody(x->start->m) + 1);
  x->e.action = LW_ACTION_CONNECT;
  x->e.new_joint = &d;
}

static void act_on_joint(maker *x, lw_action action)
{
  x->e.joint = pick_joint(x, 6).name;
  x->e.action = action;
  if (!x->e.joint) push(x);
}

static void merge(maker *x)
{
  static lw_body two[2];
  two[0] = x->e.body;
  two[1].id = x->e.body.id % lw_nbody(x->start->m) + 1;
  x->e.action = LW_ACTION_MERGE;
  x->e.merge = "both", x->e.bodies = two, x->e.nbody = 2;
  if (two[0].id == two[1].id) push(x);
}

static void choose_action(maker *x, bool last)
{
  x->e.body = pick_body(x);
  switch (lwt_pick(&x->r, last ? 9 : 8)) {
  case 0:
  case 1: act_on_joint(x, LW_ACTION_LOCK); break;
  case 2: act_on_joint(x, LW_ACTION_DISCONNECT); break;
  case 3:
  case 4: push(x); break;
  case 5: hit(x); break;
  case 6: connect(x); break;
  case 7: merge(x); break;
  default: x->e.action = LW_ACTION_STOP;
  }
}

static void tell(const maker *x)
{
  static const char *const actions[] = {"nothing", "lock",       "unlock",  "replace",
                                        "connect", "disconnect", "impulse", "impact",
                                        "merge",   "split",      "stop"};
  fprintf(stderr, "%s: %s %s, body %d, %s %.9g, end %.9g\n", x->e.name, actions[x->e.action],
          x->e.joint ? x->e.joint : "", x->e.body.id, x->e.has_when ? "when reached" : "at",
          x->e.at, x->start->end);
}

void mutant_add_events(lw_spec *s, const mutant_start *start, unsigned k)
{
  static const char *const names[] = {"first", "second", "third"};
  maker x = {.s = s, .start = start, .r = lwt_seed(k + 99)};
  const int n = 1 + lwt_pick(&x.r, 3);
  for (int i = 0; i < n; i++) {
    const double t = start->end * (i + lwt_uniform(&x.r, 0.2, 0.8)) / n;
    x.e = (lw_event_desc){.name = names[i], .at = t};
    choose_action(&x, i == n - 1);
    /* the expression of an impact would have to be a gap */
    if (x.e.action != LW_ACTION_IMPACT && lwt_pick(&x.r, 2)) reach(&x, t);
    lw_add_event(s, &x.e);
    if (getenv("LINKWORK_MUTANTS_TELL")) tell(&x);
  }
}
