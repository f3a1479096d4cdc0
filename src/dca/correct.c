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

/* c of a sweep that will be needed if one of them lacks too much */
void lwi_dca_examine(lw_dca *d, int first, int last, lwi_dca_errors *x)
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
    memcpy(d->edge[s->edge].given, lack, sizeof lack);
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
  return is_needed(d) ? lwi_dca_solve(d, LWI_DCA_CORRECT) : LW_OK;
}

/* ---- the sweep ---- */

static int numbers_of_load(const lwi_dca_step *s)
{
  return s->edge_kind == LWI_DCA_RELATION ? 1 : 6;
}

void lwi_dca_set_aside(lw_dca *d, int first, int last)
{
  for (int i = first; i <= last; i++) {
    const lwi_dca_step *s = &d->step[i];
    if (s->kind == LWI_ASSEMBLY_LEAF) {
      lwi_dca_state *b = &d->state[s->link];
      memcpy(d->first[s->link], b->A, sizeof b->A);
      memset(b->z, 0, sizeof b->z);
    } else if (s->kept) {
      memcpy(d->edge[s->edge].load, s->kept, (size_t)numbers_of_load(s) * sizeof(double));
    }
  }
}

void lwi_dca_add_up(lw_dca *d, int first, int last)
{
  for (int i = first; i <= last; i++) {
    const lwi_dca_step *s = &d->step[i];
    if (s->kind == LWI_ASSEMBLY_LEAF)
      for (int k = 0; k < 6; k++)
        d->state[s->link].A[k] += d->first[s->link][k];
    else if (s->kept)
      for (int k = 0; k < numbers_of_load(s); k++)
        s->kept[k] += d->edge[s->edge].load[k];
  }
}
