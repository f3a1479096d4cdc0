/* SPDX-License-Identifier: Apache-2.0 */
/* correct.c -- iterative refinement.

   Mobilities of large or nearly rigid groups are small differences of those of their bodies, and joints that
   are eliminated with them satisfy their equations less well than others.  What is lacking,

     c - (A_b - phi* A_a)

   is known exactly from the accelerations, which belong exactly to the loads; a sweep with it in place of
   c, and z = 0, gives what is to be added to both.  Most often once is enough. */
#include "dca/dca.h"

enum { MOST_SWEEPS = 5 };
static const double ENOUGH = 1e-12; /* of the largest acceleration */

/* what the equation of an edge lacks; of a relation one number */
static void find_lack(const lw_dca *d, const lwi_dca_edge *e, double lack[6])
{
  memset(lack, 0, 6 * sizeof *lack);
  if (e->kind == LWI_DCA_LIGHT) return;
  if (e->kind == LWI_DCA_RELATION) {
    lack[0] = e->given[0];
    for (int k = 0; k < e->nlink; k++)
      for (int i = 0; i < 6; i++)
        lack[0] -= e->kept[2 + 6 * k + i] * d->state[e->links[k]].A[i];
    return;
  }
  const double *a = d->state[e->a].A, *b = d->state[e->b].A;
  double turn[3];
  cross3(a, lwi_dca_kept_arm(e->kept), turn);
  for (int i = 0; i < 3; i++) {
    lack[i] = e->given[i] - (b[i] - a[i]);
    lack[3 + i] = e->given[3 + i] - (b[3 + i] - a[3 + i] - turn[i]);
  }
}

/* the part of it that loads can make up for, N lack, against the mobility: as an acceleration */
static double size_of(const lwi_dca_edge *e, const double lack[6])
{
  double size = 0, norm = 0;
  if (e->kind == LWI_DCA_LIGHT) return 0;
  if (e->kind == LWI_DCA_RELATION) return e->rank ? fabs(lack[0]) : 0;
  const double *N = lwi_dca_kept_rows(e->kept);
  for (int k = 0; k < e->m; k++, N += 6) {
    double s = 0, n = 0;
    for (int i = 0; i < 6; i++)
      s += N[i] * lack[i], n += N[i] * N[i];
    size += s * s;
    norm = fmax(norm, n);
  }
  return norm > 0 ? sqrt(size / norm) : 0;
}

static double largest_acceleration(const lw_dca *d)
{
  double largest = norm3(d->m->gravity);
  for (int i = 1; i < d->m->nlink; i++)
    for (int k = 0; k < 6; k++)
      largest = fmax(largest, fabs(d->state[i].A[k]));
  return largest;
}

static double largest_lack(const lw_dca *d)
{
  double worst = 0, lack[6];
  for (int i = 0; i < d->nedge; i++) {
    find_lack(d, &d->edge[i], lack);
    worst = fmax(worst, size_of(&d->edge[i], lack));
  }
  return worst;
}

/* numbers that are kept as the load of an edge */
static int load_size(const lwi_dca_edge *e)
{
  return e->kind == LWI_DCA_RELATION ? 1 : 6;
}

/* what there is becomes the first part of a sum */
static void begin_sum(lw_dca *d)
{
  for (int i = 0; i < d->nedge; i++)
    memcpy(d->edge[i].load, d->edge[i].kept, (size_t)load_size(&d->edge[i]) * sizeof(double));
  for (int i = 1; i < d->m->nlink; i++)
    memcpy(d->state[i].first, d->state[i].A, sizeof d->state[i].A);
  if (d->m->nu) memcpy(d->first_udot, d->udot, (size_t)d->m->nu * sizeof *d->udot);
}

static void add_to_sum(lw_dca *d)
{
  for (int i = 0; i < d->nedge; i++)
    for (int k = 0; k < load_size(&d->edge[i]); k++)
      d->edge[i].load[k] += d->edge[i].kept[k];
  for (int i = 1; i < d->m->nlink; i++)
    for (int k = 0; k < 6; k++)
      d->state[i].first[k] += d->state[i].A[k];
  for (int i = 0; i < d->m->nu; i++)
    d->first_udot[i] += d->udot[i];
}

static void take_sum(lw_dca *d)
{
  for (int i = 0; i < d->nedge; i++)
    memcpy(d->edge[i].kept, d->edge[i].load, (size_t)load_size(&d->edge[i]) * sizeof(double));
  for (int i = 1; i < d->m->nlink; i++)
    memcpy(d->state[i].A, d->state[i].first, sizeof d->state[i].A);
  if (d->m->nu) memcpy(d->udot, d->first_udot, (size_t)d->m->nu * sizeof *d->udot);
  lwi_dca_gather_relations(d);
}

/* the answer to what is lacking */
static lw_status answer_lack(lw_dca *d)
{
  for (int i = 0; i < d->nedge; i++) {
    double lack[6];
    find_lack(d, &d->edge[i], lack);
    memcpy(d->edge[i].given, lack, sizeof lack);
  }
  for (int i = 1; i < d->m->nlink; i++) {
    memset(d->state[i].V, 0, sizeof d->state[i].V);
    memset(d->state[i].z, 0, sizeof d->state[i].z);
  }
  return lwi_dca_solve(d, LWI_DCA_SWEEP);
}

/* After a sweep, what was given to it and what came out of it tell what is lacking still. */
lw_status lwi_dca_correct(lw_dca *d)
{
  const double enough = ENOUGH * largest_acceleration(d);
  double lack = largest_lack(d), before = HUGE_VAL;
  if (!(lack > enough)) return LW_OK;
  begin_sum(d);
  for (int i = 0; i < MOST_SWEEPS && lack > enough && lack < 0.5 * before; i++) {
    const lw_status status = answer_lack(d);
    if (status != LW_OK) return status;
    add_to_sum(d);
    before = lack;
    lack = largest_lack(d);
  }
  take_sum(d);
  return LW_OK;
}
