/* SPDX-License-Identifier: Apache-2.0 */
/* events.c -- what an event costs: the solve for the velocities after it, by the recursion and by
   divide and conquer, beside forward dynamics; and the whole event, with the spec edited, the model
   made and the integration started.  Chains and binary trees; the joint in the middle is locked.

   Then what an event costs beside the solve: the model after it compiled from scratch, and made of
   the one before it, where only what has changed is compiled.  Joints in the middle of a chain and
   of a tree, and of one of many floating groups of ten, are locked and unlocked, taken out and put
   in again.

   Last, what it costs to watch for events that do not come: runs of chains with triggers, relative
   to the run without.

   Times are the least of several rounds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linkwork/dca.h"
#include "linkwork/simulate.h"
#include "linkwork/reader.h"
#include "linkwork_model.h"
#include "measure.h"
#include "model/compile/compile.h"
#include "model/model.h"
#include "sim/run/simulation_data.h"
#include "tree/loops/tree_impulse.h"

typedef struct {
  lw_model *m;
  lw_work *w;
  lw_dca *d, *two; /* on one thread and on two */
  double *q, *u, *udot, (*p)[6], (*V)[6];
  lwi_impulses impulses;
} subject;

static bool open_subject(subject *s, mechanism *mech)
{
  mechanism_state *state = mech ? mechanism_states(mech, 1, 1) : NULL;
  s->m = state ? linkwork_model(mech) : NULL;
  if (!s->m) return false;
  lw_error err;
  const size_t n = (size_t)s->m->nlink;
  s->w = lw_work_new(s->m);
  s->d = lw_dca_new(s->m, NULL, &err);
  s->two = lw_dca_new(s->m, &(lw_dca_options){.threads = 2}, &err);
  s->q = calloc((size_t)(s->m->nq + 2 * s->m->nu) + 1, sizeof *s->q);
  s->p = calloc(n, sizeof *s->p);
  s->V = calloc(n, sizeof *s->V);
  s->impulses = (lwi_impulses){.joint = calloc((size_t)s->m->njoint + 1, sizeof *s->p),
                               .constraint = calloc(1, sizeof *s->p),
                               .relation = calloc(1, sizeof(double)),
                               .link = calloc(n, sizeof *s->p)};
  if (!s->w || !s->d || !s->two || !s->q || !s->p || !s->V || !s->impulses.joint ||
      !s->impulses.link)
    return false;
  s->u = s->q + s->m->nq;
  s->udot = s->u + s->m->nu;
  memcpy(s->q, state->q, (size_t)s->m->nq * sizeof *s->q);
  memcpy(s->u, state->u, (size_t)s->m->nu * sizeof *s->u);
  free(state);
  if (lw_kinematics(s->w, s->q, s->u) != LW_OK) return false;
  for (int b = 1; b <= s->m->nbody; b++)
    lw_get_velocity(s->w, (lw_body){b}, s->V[b]);
  lwi_link_momenta(s->m, s->w, s->V, s->p);
  return true;
}

static void close_subject(subject *s)
{
  lw_dca_free(s->d);
  lw_dca_free(s->two);
  lw_work_free(s->w);
  lw_model_free(s->m);
  free(s->q);
  free(s->p);
  free(s->V);
  free(s->impulses.joint);
  free(s->impulses.constraint);
  free(s->impulses.relation);
  free(s->impulses.link);
}

/* ---- the ways ---- */

static bool forward(subject *s)
{
  return lw_forward_dynamics(s->w, 0, s->q, s->u, NULL, s->udot) == LW_OK;
}

static bool jump(subject *s)
{
  return lwi_tree_impulse(s->m, s->w, 0, s->q, s->p, s->udot, &s->impulses) == LW_OK;
}

static bool jump_by(subject *s, lw_dca *d)
{
  const lw_dca_before before = {.V = (const double(*)[6])s->V};
  return lw_dca_impulse(d, s->w, 0, s->q, &before, s->udot) == LW_OK;
}
static bool jump_dca(subject *s)
{
  return jump_by(s, s->d);
}
static bool jump_dca_two(subject *s)
{
  return jump_by(s, s->two);
}

static double time_of(bool (*way)(subject *), subject *s, int rounds)
{
  double least = 1e300;
  for (int i = 0; i < rounds; i++) {
    const double start = measure_wall();
    if (!way(s)) return -1;
    const double elapsed = measure_wall() - start;
    least = elapsed < least ? elapsed : least;
  }
  return least;
}

/* lock and unlock in turn: each is a whole event */
static double time_of_event(subject *s, int rounds)
{
  lw_error err = {0};
  double least = 1e300;
  const char *joint = lw_get_joint(s->m, (lw_joint){1 + s->m->njoint / 2}).name;
  lw_simulation *sim = lw_simulation_new(s->m, NULL, &err);
  if (!sim || lw_simulation_start(sim, 0, s->q, s->u, &err) != LW_OK) return -1;
  for (int i = 0; i < rounds; i++) {
    const lw_event_desc e = {.action = i % 2 ? LW_ACTION_UNLOCK : LW_ACTION_LOCK, .joint = joint};
    const double start = measure_now();
    if (lw_simulation_raise(sim, &e, 1, &err) != LW_OK) {
      fprintf(stderr, "events: %s\n", err.text);
      return -1;
    }
    const double elapsed = measure_now() - start;
    least = elapsed < least ? elapsed : least;
  }
  lw_simulation_free(sim);
  return least;
}

static bool measure(const measure_run *run, mechanism *mech)
{
  subject s = {0};
  bool fine = open_subject(&s, mech);
  if (fine) {
    const int n = s.m->nbody, rounds = run->quick ? 1 : 50000 / n + 10;
    const double f = time_of(forward, &s, rounds), j = time_of(jump, &s, rounds);
    const double d = time_of(jump_dca, &s, rounds), two = time_of(jump_dca_two, &s, rounds);
    const double e = time_of_event(&s, run->quick ? 2 : 6);
    fine = f > 0 && j > 0 && d > 0 && two > 0 && e > 0;
    printf("%-18s %9.0f %9.0f %9.0f %9.0f %9.2f %9.2f %11.0f %11.4g\n", mech->name, 1e9 * f / n,
           1e9 * j / n, 1e9 * d / n, 1e9 * two / n, d / two, j / f, 1e9 * e / n, 1e3 * e);
    if (run->json)
      fprintf(run->json,
              "{\"mechanism\": \"%s\", \"bodies\": %d, \"forward\": %g, \"jump\": %g, "
              "\"jump_dca\": %g, \"jump_dca_two_threads\": %g, \"event\": %g}\n",
              mech->name, n, f, j, d, two, e);
  }
  close_subject(&s);
  mechanism_free(mech);
  return fine;
}

/* ---- by part ---- */

enum { NACTION = 4 };
static const lw_action actions[NACTION] = {LW_ACTION_LOCK, LW_ACTION_UNLOCK, LW_ACTION_DISCONNECT,
                                           LW_ACTION_CONNECT};

/* least times of one kind of event, s */
typedef struct {
  double whole, scratch, local, work;
} cost;

typedef struct {
  lw_simulation *sim;
  lw_action action;
  cost *now;
  double spent; /* in the callback itself */
  bool fine;
} watcher;

static double since(double start, double *least)
{
  const double end = measure_now();
  if (*least == 0 || end - start < *least) *least = end - start;
  return end;
}

/* the two ways to the model after the event, and room to compute with it */
static int make_models(void *context, const lw_event_report *r, bool after)
{
  watcher *w = context;
  lw_error err;
  if (!after) return 0;
  const lwi_phase *p = w->sim->present;
  const bool locks = w->action == LW_ACTION_LOCK || w->action == LW_ACTION_UNLOCK;
  const double begin = measure_now();
  lw_model *scratch = lwi_compile_phase(p, NULL, &err);
  double t = since(begin, &w->now->scratch);
  lw_model *local = locks ? lwi_compile_locks(p, r->before, r->q_before, &err)
                          : lwi_compile_phase(p, r->before, &err);
  t = since(t, &w->now->local);
  lw_work *work = lw_work_new(w->sim->m);
  since(t, &w->now->work);
  w->fine = w->fine && scratch && local && work;
  lw_model_free(scratch);
  lw_model_free(local);
  lw_work_free(work);
  w->spent = measure_now() - begin;
  return 0;
}

static bool raise_one(watcher *w, const lw_event_desc *e, cost *c)
{
  lw_error err = {0};
  double unused = 0;
  w->now = c;
  w->action = e->action;
  const double start = measure_now();
  if (lw_simulation_raise(w->sim, e, 1, &err) != LW_OK) {
    fprintf(stderr, "events: %s\n", err.text);
    return false;
  }
  since(start + w->spent, c->whole > 0 ? &c->whole : &unused);
  if (c->whole == 0) c->whole = unused;
  return w->fine;
}

/* The joint is taken out and put in again as it was. */
static bool measure_parts(const measure_run *run, const char *name, lw_model *m, const double q[],
                          const double u[])
{
  lw_error err = {0};
  const lw_joint_desc *d = NULL;
  for (int i = m->spec->joints.n / 2; i < m->spec->joints.n && !d; i++)
    if (m->spec->joints.item[i].d.parent.id > 0) d = &m->spec->joints.item[i].d;
  lw_simulation *sim = lw_simulation_new(m, NULL, &err);
  if (!d || !sim || (q && lw_simulation_start(sim, 0, q, u, &err) != LW_OK)) return false;
  watcher w = {.sim = sim, .fine = true};
  lw_simulation_on_event(sim, make_models, &w);
  cost all[NACTION] = {{0}};
  lw_joint_desc again = *d;
  bool fine = true;
  for (int i = 0; fine && i < (run->quick ? 1 : 6) * NACTION; i++) {
    const int k = i % NACTION;
    const lw_event_desc e = {.action = actions[k],
                             .joint = d->name,
                             .new_joint = k == 3 ? &again : NULL,
                             .child_placed = k == 3};
    fine = raise_one(&w, &e, &all[k]);
  }
  for (int k = 0; fine && k < NACTION; k++) {
    const cost *c = &all[k];
    printf("%-18s %-11s %9.4g %9.4g %9.4g %9.4g %8.1f\n", name, lw_action_name(actions[k]),
           1e3 * c->whole, 1e3 * c->scratch, 1e3 * c->local, 1e3 * c->work, c->scratch / c->local);
    if (run->json)
      fprintf(run->json,
              "{\"mechanism\": \"%s\", \"event\": \"%s\", \"whole\": %g, \"scratch\": %g, "
              "\"local\": %g, \"work\": %g}\n",
              name, lw_action_name(actions[k]), c->whole, c->scratch, c->local, c->work);
  }
  lw_simulation_free(sim);
  return fine;
}

static bool measure_mechanism(const measure_run *run, mechanism *mech)
{
  mechanism_state *state = mech ? mechanism_states(mech, 1, 1) : NULL;
  lw_model *m = state ? linkwork_model(mech) : NULL;
  const bool fine = m && measure_parts(run, mech->name, m, state->q, state->u);
  lw_model_free(m);
  free(state);
  mechanism_free(mech);
  return fine;
}

/* chains of ten that float */
static bool measure_groups(const measure_run *run, int n)
{
  lw_error err;
  lw_spec *s = lw_spec_new();
  for (int i = 1; i <= n && s; i++) {
    char name[24], joint[24];
    snprintf(name, sizeof name, "b%d", i);
    snprintf(joint, sizeof joint, "j%d", i);
    const lw_body b = lw_add_body(s, &(lw_body_desc){.name = name,
                                                     .mass = 1 + 0.1 * (i % 7),
                                                     .com = {0.1, 0.2, 0.3},
                                                     .inertia = {1, 1.1, 1.2}});
    if (i % 10 != 1)
      lw_add_joint(s, &(lw_joint_desc){.name = joint,
                                       .type = LW_REVOLUTE,
                                       .parent = {i - 1},
                                       .child = b,
                                       .place.at = {0, 0, 1},
                                       .axis = {0, 0.6, 0.8}});
  }
  lw_model *m = lw_compile(s, &err);
  lw_spec_free(s);
  char name[24];
  snprintf(name, sizeof name, "groups %d", n);
  const bool fine = m && measure_parts(run, name, m, NULL, NULL);
  lw_model_free(m);
  return fine;
}

static bool measure_all_parts(const measure_run *run, int most)
{
  bool fine = true;
  printf("\n%-18s %-11s %9s %9s %9s %9s %8s\n", "ms", "", "event", "model,", "model,", "room to",
         "scratch/");
  printf("%-18s %-11s %9s %9s %9s %9s %8s\n", "", "", "whole", "scratch", "local", "compute",
         "local");
  for (int n = 1000; fine && n <= most; n *= 10)
    fine = measure_mechanism(run, mechanism_chain(n)) &&
           measure_mechanism(run, mechanism_binary_tree(n)) && measure_groups(run, n);
  return fine;
}

/* ---- triggers that do not fire ---- */

typedef struct {
  const char *what; /* of joint or body %d */
  int n;            /* triggers */
} watched;

static lw_model *watched_chain(int nbody, const watched *w)
{
  lw_error err;
  lw_spec *s = lw_spec_new();
  for (int i = 1; i <= nbody && s; i++) {
    char name[24], joint[24];
    snprintf(name, sizeof name, "b%d", i);
    snprintf(joint, sizeof joint, "j%d", i);
    const lw_body b = lw_add_body(
        s, &(lw_body_desc){
               .name = name, .mass = 1, .com = {0, 0, -0.5}, .inertia = {0.09, 0.09, 0.01}});
    lw_add_joint(s, &(lw_joint_desc){.name = joint,
                                     .type = LW_REVOLUTE,
                                     .parent = {i - 1},
                                     .child = b,
                                     .place.at = {0, 0, i > 1 ? -1 : 0},
                                     .axis = {0, 1, 0},
                                     .q = {i % 7 ? 0.1 : 0.3}});
  }
  for (int i = 1; i <= w->n && s; i++) {
    char when[48];
    snprintf(when, sizeof when, w->what, i);
    lw_add_event(
        s, &(lw_event_desc){.has_when = true, .when = lw_expr(s, when), .action = LW_ACTION_STOP});
  }
  lw_model *m = lw_compile(s, &err);
  if (!m) fprintf(stderr, "events: %s\n", err.text);
  lw_spec_free(s);
  return m;
}

/* seconds of a run */
static double time_of_run(lw_model *m, double end, int rounds)
{
  double least = HUGE_VAL;
  lw_error err;
  for (int i = 0; i < rounds; i++) {
    lw_simulation *sim = lw_simulation_new(m, &(lw_simulation_options){.end = end}, &err);
    if (!sim) return (double)NAN;
    const double start = measure_now();
    const lw_status status = lw_simulation_advance(sim, end, NULL, NULL, &err);
    least = fmin(least, measure_now() - start);
    lw_simulation_free(sim);
    if (status != LW_OK) return (double)NAN;
  }
  return least;
}

static bool measure_watching(const measure_run *run, int nbody)
{
  static const watched all[] = {{"", 0},
                                {"q.j%d - 1000", 1},
                                {"u.j%d - 1000", 1},
                                {"x.b%d - 1e6", 1},
                                {"fx.j%d - 1e9", 1},
                                {"u.j%d - 1000", 500},
                                {"x.b%d - 1e6", 500},
                                {"fx.j%d - 1e9", 500}};
  const int rounds = run->quick ? 1 : 7;
  const double end = (nbody > 100 ? 0.3 : 30) * (run->quick ? 0.03 : 1);
  double without = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (all[i].n > nbody) continue;
    lw_model *m = watched_chain(nbody, &all[i]);
    const double t = m ? time_of_run(m, end, rounds) : (double)NAN;
    lw_model_free(m);
    if (!(t > 0)) return false;
    if (i == 0) without = t;
    printf("chain %-12d %4d %-14s %9.2f\n", nbody, all[i].n, all[i].n ? all[i].what : "none",
           t / without);
    if (run->json)
      fprintf(run->json, "{\"chain\": %d, \"triggers\": %d, \"when\": \"%s\", \"ratio\": %g}\n",
              nbody, all[i].n, all[i].what, t / without);
  }
  return true;
}

static bool measure_all_watching(const measure_run *run)
{
  printf("\n%-18s %4s %-14s %9s\n", "triggers", "", "", "run/none");
  return measure_watching(run, 3) && measure_watching(run, 30) && measure_watching(run, 1000);
}

int main(int argc, char **argv)
{
  measure_run run;
  if (!measure_start(&run, "events", argc, argv)) return 2;
  const int most = run.quick ? 1000 : 100000;
  bool fine = true;
  printf("%-18s %9s %9s %9s %9s %9s %9s %11s %11s\n", "", "forward", "jump", "by dca", "2 threads",
         "speed-up", "jump/", "event", "event");
  printf("%-18s %9s %9s %9s %9s %9s %9s %11s %11s\n", "", "ns/body", "ns/body", "ns/body",
         "ns/body", "", "forward", "ns/body", "ms");
  for (int n = 100; fine && n <= most; n *= 10)
    fine = measure(&run, mechanism_chain(n));
  for (int n = 100; fine && n <= most; n *= 10)
    fine = measure(&run, mechanism_binary_tree(n));
  fine = fine && measure_all_parts(&run, most) && measure_all_watching(&run);
  if (run.json) fclose(run.json);
  return !fine;
}
