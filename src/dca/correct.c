/* SPDX-License-Identifier: Apache-2.0 */
/* correct.c -- one step of iterative refinement.

   Mobilities of large or nearly rigid groups are small differences of those of their bodies, and joints that
   are eliminated with them satisfy their equations less well than others.  What is lacking,

     c - (A_b - phi* A_a)

   is known exactly from the accelerations, which belong exactly to the loads; a sweep with it in place of
   c, and z = 0, gives what is to be added to both. */
#include "dca/dca.h"

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
static double size_of(const lw_dca *d, int edge, const double lack[6])
{
  const lwi_dca_edge *e = &d->edge[edge];
  double size = 0, norm = 0;
  if (e->kind == LWI_DCA_LIGHT) return 0;
  if (e->kind == LWI_DCA_RELATION) return d->rank[edge] ? fabs(lack[0]) : 0;
  const double *N = lwi_dca_kept_rows(e->kept);
  for (int k = 0; k < e->m; k++, N += 6) {
    double s = 0, n = 0;
    for (int i = 0; i < 6; i++)
      s += N[i] * lack[i], n += N[i] * N[i];
    size += s * s;
    norm = n > norm ? n : norm;
  }
  return norm > 0 ? sqrt(size / norm) : 0;
}

static double larger(double a, double b)
{
  return b > a ? b : a;
}

void lwi_dca_examine(const lw_dca *d, int first, int last, lwi_dca_errors *x)
{
  for (int i = first; i <= last; i++) {
    const lwi_dca_step *s = &d->step[i];
    double lack[6];
    if (s->kind == LWI_ASSEMBLY_LEAF)
      for (int k = 0; k < 6; k++)
        x->largest = larger(x->largest, fabs(d->state[s->link].A[k]));
    if (!s->kept) continue;
    find_lack(d, &d->edge[s->edge], lack);
    x->worst = larger(x->worst, size_of(d, s->edge, lack));
  }
}

static bool is_needed(const lw_dca *d)
{
  lwi_dca_errors all = {.largest = norm3(d->m->gravity)};
  for (int k = 0; k < d->nthread; k++) {
    all.largest = larger(all.largest, d->errors[k].largest);
    all.worst = larger(all.worst, d->errors[k].worst);
  }
  return all.worst > ENOUGH * all.largest;
}

lw_status lwi_dca_correct(lw_dca *d)
{
  if (!is_needed(d)) return LW_OK;
  for (int i = 0; i < d->nedge; i++) {
    lwi_dca_edge *e = &d->edge[i];
    double lack[6];
    find_lack(d, e, lack);
    memcpy(e->given, lack, sizeof lack);
    memcpy(e->load, e->kept, (e->kind == LWI_DCA_RELATION ? 1 : 6) * sizeof(double));
  }
  for (int i = 1; i < d->m->nlink; i++) {
    lwi_dca_state *s = &d->state[i];
    memcpy(d->first[i], s->A, sizeof s->A);
    memset(d->V[i], 0, sizeof d->V[i]);
    memset(s->z, 0, sizeof s->z);
  }
  const size_t nu = (size_t)d->m->nu;
  if (nu) memcpy(d->first_udot, d->udot, nu * sizeof *d->udot);
  const lw_status status = lwi_dca_solve(d, LWI_DCA_SWEEP);
  if (status != LW_OK) return status;
  for (size_t i = 0; i < nu; i++)
    d->udot[i] += d->first_udot[i];
  for (int i = 0; i < d->nedge; i++) {
    lwi_dca_edge *e = &d->edge[i];
    for (int k = 0; k < (e->kind == LWI_DCA_RELATION ? 1 : 6); k++)
      e->kept[k] += e->load[k];
  }
  for (int i = 1; i < d->m->nlink; i++)
    for (int k = 0; k < 6; k++)
      d->state[i].A[k] += d->first[i][k];
  lwi_dca_gather_relations(d);
  return LW_OK;
}
