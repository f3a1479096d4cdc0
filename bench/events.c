/* SPDX-License-Identifier: Apache-2.0 */
/* events.c -- what an event costs: the solve for the velocities after it, by the recursion and by divide
   and conquer, beside forward dynamics; and the whole event, with the spec edited, the model compiled anew
   and the integration started.  Chains and binary trees; the joint in the middle is locked.

   Times are the least of several rounds. */
#include <stdlib.h>
#include <string.h>

#include "linkwork/dca.h"
#include "linkwork/simulate.h"
#include "linkwork_model.h"
#include "measure.h"
#include "model/model.h"
#include "tree/impulse.h"

typedef struct {
  lw_model *m;
  lw_work *w;
  lw_dca *d;
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
  s->q = calloc((size_t)(s->m->nq + 2 * s->m->nu) + 1, sizeof *s->q);
  s->p = calloc(n, sizeof *s->p);
  s->V = calloc(n, sizeof *s->V);
  s->impulses = (lwi_impulses){.joint = calloc((size_t)s->m->njoint + 1, sizeof *s->p),
                               .constraint = calloc(1, sizeof *s->p),
                               .relation = calloc(1, sizeof(double)),
                               .link = calloc(n, sizeof *s->p)};
  if (!s->w || !s->d || !s->q || !s->p || !s->V || !s->impulses.joint || !s->impulses.link)
    return false;
  s->u = s->q + s->m->nq;
  s->udot = s->u + s->m->nu;
  memcpy(s->q, state->q, (size_t)s->m->nq * sizeof *s->q);
  memcpy(s->u, state->u, (size_t)s->m->nu * sizeof *s->u);
  free(state);
  if (lw_kinematics(s->m, s->w, s->q, s->u) != LW_OK) return false;
  for (int b = 1; b <= s->m->nbody; b++)
    lw_get_velocity(s->m, s->w, (lw_body){b}, s->V[b]);
  lwi_link_momenta(s->m, s->w, s->V, s->p);
  return true;
}

static void close_subject(subject *s)
{
  lw_dca_free(s->d);
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
  return lw_forward_dynamics(s->m, s->w, 0, s->q, s->u, NULL, s->udot) == LW_OK;
}

static bool jump(subject *s)
{
  return lwi_tree_impulse(s->m, s->w, 0, s->q, s->p, s->udot, &s->impulses) == LW_OK;
}

static bool jump_dca(subject *s)
{
  const lw_dca_before before = {.V = (const double(*)[6])s->V};
  return lw_dca_impulse(s->d, s->m, s->w, 0, s->q, &before, s->udot) == LW_OK;
}

static double time_of(bool (*way)(subject *), subject *s, int rounds)
{
  double least = 1e300;
  for (int i = 0; i < rounds; i++) {
    const double start = measure_now();
    if (!way(s)) return -1;
    const double elapsed = measure_now() - start;
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
    const int n = s.m->nbody, rounds = run->quick ? 1 : 20000 / n + 5;
    const double f = time_of(forward, &s, rounds), j = time_of(jump, &s, rounds);
    const double d = time_of(jump_dca, &s, rounds), e = time_of_event(&s, run->quick ? 2 : 6);
    fine = f > 0 && j > 0 && d > 0 && e > 0;
    printf("%-18s %9.0f %9.0f %9.0f %9.2f %11.0f %11.4g\n", mech->name, 1e9 * f / n, 1e9 * j / n,
           1e9 * d / n, j / f, 1e9 * e / n, 1e3 * e);
    if (run->json)
      fprintf(run->json,
              "{\"mechanism\": \"%s\", \"bodies\": %d, \"forward\": %g, \"jump\": %g, "
              "\"jump_dca\": %g, \"event\": %g}\n",
              mech->name, n, f, j, d, e);
  }
  close_subject(&s);
  mechanism_free(mech);
  return fine;
}

int main(int argc, char **argv)
{
  measure_run run;
  if (!measure_start(&run, "events", argc, argv)) return 2;
  const int most = run.quick ? 1000 : 100000;
  bool fine = true;
  printf("%-18s %9s %9s %9s %9s %11s %11s\n", "", "forward", "jump", "by dca", "jump/", "event",
         "event");
  printf("%-18s %9s %9s %9s %9s %11s %11s\n", "", "ns/body", "ns/body", "ns/body", "forward",
         "ns/body", "ms");
  for (int n = 100; fine && n <= most; n *= 10)
    fine = measure(&run, mechanism_chain(n));
  for (int n = 100; fine && n <= most; n *= 10)
    fine = measure(&run, mechanism_binary_tree(n));
  if (run.json) fclose(run.json);
  return !fine;
}
