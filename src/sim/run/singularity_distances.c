/* SPDX-License-Identifier: Apache-2.0 */
/* singularity_distances.c -- how far the parts of a mechanism are from singular configurations at the
   states of a run, and their ranks there (singularity_distances.h). */
#include "sim/run/singularity_distances.h"
#include "sim/run/simulation_data.h"
#include "tree/loops/regularity.h"
#include "tree/loops/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

static double *take(double **at, int n)
{
  double *taken = *at;
  *at += n;
  return taken;
}

static lwi_distances take_distances(double **at, int npart)
{
  return (lwi_distances){.r = take(at, npart), .speed = take(at, npart)};
}

bool lwi_singularities_init(lwi_singularities *x, const lwi_system *s)
{
  if (!lwi_is_constrained(s->m) || s->m->tree_constraints.link_system) return true;
  const int n = x->npart = lwi_regularity_parts(s->m);
  const size_t parts = (size_t)n;
  x->probe = lw_work_new(s->m);
  x->q = calloc(2 * (size_t)lw_nq(s->m) + 1, sizeof *x->q);
  x->rank = calloc(3 * parts + 1, sizeof *x->rank);
  x->numbers = calloc((2 * LWI_SINGULAR_DEPTH + 10) * parts + 1, sizeof *x->numbers);
  x->parts = calloc((LWI_SINGULAR_DEPTH + 1) * parts + 1, sizeof *x->parts);
  x->arrival = calloc(parts + 1, sizeof *x->arrival);
  x->bracket = calloc(parts + 1, sizeof *x->bracket);
  if (!x->probe || !x->q || !x->rank || !x->numbers || !x->parts || !x->arrival || !x->bracket)
    return false;
  double *at = x->numbers;
  x->there = x->rank + n;
  lwi_distances *const all[] = {&x->now, &x->last, &x->end, &x->scratch, &x->spare};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    *all[i] = take_distances(&at, n);
  for (int i = 0; i < LWI_SINGULAR_DEPTH; i++)
    x->middle[i] = take_distances(&at, n);
  for (int i = 0; i <= LWI_SINGULAR_DEPTH; i++)
    x->open[i] = x->parts + i * n;
  return true;
}

void lwi_singularities_free(lwi_singularities *x)
{
  lw_work_free(x->probe);
  free(x->q);
  free(x->rank);
  free(x->numbers);
  free(x->parts);
  free(x->arrival);
  free(x->bracket);
  free(x->found);
}

void lwi_distances_copy(const lwi_singularities *x, const lwi_distances *from, lwi_distances *to)
{
  const size_t size = (size_t)x->npart * sizeof(double);
  to->t = from->t;
  if (size == 0) return;
  memcpy(to->r, from->r, size);
  memcpy(to->speed, from->speed, size);
}

lwi_distance lwi_distance_of(const lwi_distances *x, int part)
{
  return (lwi_distance){x->t, x->r[part], x->speed[part]};
}

/* ---- distances ---- */

void lwi_singularities_measure_state(lwi_singularities *x, const lw_model *m, const double q[],
                                     const double u[], lwi_distances *out)
{
  if (m->nq) memcpy(x->q + m->nq, q, (size_t)m->nq * sizeof(double));
  lwi_regularity(m, x->probe, q, x->rank, out->r);
  lwi_regularity_speeds(m, x->probe, u, out->speed);
}

static double smallest(const lwi_singularities *x, const lwi_distances *d)
{
  double r = 1;
  for (int i = 0; i < x->npart; i++)
    r = fmin(r, d->r[i]);
  return r;
}

void lwi_singularities_measure(lwi_singularities *x, const lw_model *m, double t, const double q[],
                               const double u[])
{
  x->now.t = t;
  x->r = 1;
  if (!x->probe) return;
  lwi_singularities_measure_state(x, m, q, u, &x->now);
  x->r = smallest(x, &x->now);
}

static void decide_rank_as_before(lwi_singularities *x, const lw_model *m)
{
  lwi_regularity(m, x->probe, x->q + m->nq, x->rank, x->spare.r);
}

/* The same for y without projection, with the rank decided at the last state measured. */
static bool measure_y(lwi_singularities *x, const lw_model *m, double t, const double y[],
                      lwi_distances *out)
{
  if (m->nq) memcpy(x->q, y, (size_t)m->nq * sizeof(double));
  if (lw_normalize(m, x->q) != LW_OK) return false;
  out->t = t;
  lwi_regularity_near(m, x->probe, x->q, x->rank, out->r);
  lwi_regularity_speeds(m, x->probe, y + m->nq, out->speed);
  if (smallest(x, out) == 0) decide_rank_as_before(x, m);
  return true;
}

/* y within the last step, without projection, which is not defined at a singular configuration. */
static bool find_y(lw_simulation *sim, double t)
{
  return lwi_simulation_find_y(sim, t) == LW_OK;
}

bool lwi_singularities_measure_at(lw_simulation *sim, double t, lwi_distances *out)
{
  lwi_singularities *x = &sim->singularities;
  x->looked++;
  return find_y(sim, t) && measure_y(x, sim->system->m, t, sim->y, out);
}

static void keep_least(int n, int least[], const int rank[])
{
  for (int i = 0; i < n; i++)
    least[i] = rank[i] < least[i] ? rank[i] : least[i];
}

void lwi_singularities_find_ranks(lw_simulation *sim, double t, double there)
{
  lwi_singularities *x = &sim->singularities;
  const lw_model *m = sim->system->m;
  int *rank = x->there + x->npart;
  memcpy(x->there, x->rank, (size_t)x->npart * sizeof *rank);
  if (find_y(sim, t)) {
    memcpy(x->q, sim->y, (size_t)m->nq * sizeof(double));
    if (lw_normalize(m, x->q) == LW_OK) {
      lwi_regularity_ranks(m, x->probe, x->q, there, rank);
      keep_least(x->npart, x->there, rank);
    }
  }
  if (lwi_simulation_find_state(sim, t) == LW_OK) {
    lwi_regularity_ranks(m, x->probe, sim->q, there, rank);
    keep_least(x->npart, x->there, rank);
  }
  decide_rank_as_before(x, m);
}

int lwi_singularities_more_freedoms(const lwi_singularities *x, int part)
{
  return x->rank[part] - x->there[part];
}
