/* SPDX-License-Identifier: Apache-2.0 */
/* correct.c -- iterative refinement.

   Mobilities of large or nearly rigid groups are small differences of those of their bodies, and
   the joints eliminated with them satisfy their equations less accurately.  The residual

     c - (A_b - phi* A_a)

   is known accurately from the accelerations, which are consistent with the loads.  A sweep with it
   in place of c, and z = 0, gives the corrections of both.  Usually one sweep is enough; its own
   residual decides whether another one follows ([Higham2002], iterative refinement). */
#include "dca/dca.h"
#include "dca/leaf.h"

enum { MOST_SWEEPS = 5 };
/* Accepted residual, relative to the largest acceleration: the rounding errors after a sweep.
   Implicit integrators take differences of accelerations, so that ten times as much acts as noise
   (a vehicle at rest: six times as many evaluations).  Most mechanisms have a smaller residual
   without correction. */
static const double ENOUGH = 3e-14;
static const double UNSOLVED = 1e-6; /* a larger residual counts as unsolved */

/* the acceleration found by the present pass, without previous ones */
static void find_own(const lw_dca *d, int link, double A[6])
{
  for (int i = 0; i < 6; i++)
    A[i] = d->state[link].A[i] - (d->pass == LWI_DCA_CORRECT ? d->first[link][i] : 0);
}

static void find_own_load(const lw_dca *d, const lwi_dca_edge *e, double f[6])
{
  for (int i = 0; i < 6; i++)
    f[i] = e->kept[i] - (d->pass == LWI_DCA_CORRECT ? e->load[i] : 0);
}

/* residual of the equation of an edge; of a relation one number */
static void find_residual(const lw_dca *d, const lwi_dca_edge *e, double residual[6])
{
  double a[6], b[6], turn[3];
  memset(residual, 0, 6 * sizeof *residual);
  if (e->kind == LWI_DCA_LIGHT) {
    memcpy(residual, e->given, 6 * sizeof *residual);
    find_own(d, e->b, a);
    find_own_load(d, e, b);
    lwi_dca_light_residual(d, e, a, b, residual);
    return;
  }
  if (e->kind == LWI_DCA_RELATION) {
    residual[0] = e->given[0];
    for (int k = 0; k < e->nlink; k++) {
      find_own(d, e->links[k], a);
      for (int i = 0; i < 6; i++)
        residual[0] -= e->kept[2 + 6 * k + i] * a[i];
    }
    return;
  }
  find_own_load(d, e, b);
  add_rotor_motion(d, e, b, residual);
  find_own(d, e->a, a);
  find_own(d, e->b, b);
  cross3(a, lwi_dca_kept_arm(e->kept), turn);
  for (int i = 0; i < 3; i++) {
    residual[i] += e->given[i] - (b[i] - a[i]);
    residual[3 + i] += e->given[3 + i] - (b[3 + i] - a[3 + i] - turn[i]);
  }
}

/* Size of the part of the residual that loads can correct, N residual, relative to the mobility: as
   an acceleration of a point at a typical lever arm. */
static double size_of(const lw_dca *d, int edge, const double residual[6])
{
  const lwi_dca_edge *e = &d->edge[edge];
  const double length = d->m->length;
  double size = 0, norm = 0;
  if (e->kind == LWI_DCA_RELATION) return d->rank[edge] ? fabs(residual[0]) : 0;
  const double *N = lwi_dca_kept_rows(e->kept);
  for (int k = 0; k < e->m; k++, N += 6) {
    double s = 0, n = 0;
    for (int i = 0; i < 6; i++) {
      const double unit = i < 3 ? 1 / length : 1;
      s += N[i] * residual[i], n += N[i] * N[i] * unit * unit;
    }
    size += s * s;
    norm = n > norm ? n : norm;
  }
  return norm > 0 ? sqrt(size / norm) : 0;
}

static double larger(double a, double b)
{
  return b > a ? b : a;
}

/* largest accelerations, of a point at a typical lever arm; for a jump, with the velocities before
   it */
static void note_acceleration(const lw_dca *d, int link, lwi_dca_errors *x)
{
  const lwi_dca_state *s = &d->state[link];
  for (int k = 0; k < 6; k++) {
    const double unit = k < 3 ? d->m->length : 1;
    x->largest = larger(x->largest, fabs(s->A[k]) * unit);
    if (d->jump) x->largest = larger(x->largest, fabs(d->V[link][k]) * unit);
    x->free = larger(x->free, fabs(s->z[k]) * unit);
  }
}

static void note_residual(lwi_dca_errors *x, int edge, double size)
{
  if (size <= x->worst) return;
  x->worst = size;
  x->edge = edge;
}

/* sets c of the sweep that follows if a residual is too large */
void lwi_dca_examine(lw_dca *d, int first, int last, lwi_dca_errors *x)
{
  for (int i = first; i <= last; i++) {
    const lwi_dca_step *s = &d->step[i];
    double residual[6];
    if (s->kind == LWI_ASSEMBLY_LEAF) note_acceleration(d, s->link, x);
    if (!s->kept) continue;
    find_residual(d, &d->edge[s->edge], residual);
    note_residual(x, s->edge, size_of(d, s->edge, residual));
    memcpy(d->edge[s->edge].given, residual, sizeof residual);
  }
}

static lwi_dca_errors all_errors(const lw_dca *d)
{
  lwi_dca_errors all = {.largest = d->jump ? 0 : norm3(d->m->gravity)};
  for (int k = 0; k < d->nthread; k++) {
    all.largest = larger(all.largest, d->errors[k].largest);
    all.free = larger(all.free, d->errors[k].free);
    note_residual(&all, d->errors[k].edge, d->errors[k].worst);
  }
  return all;
}

/* the joint, constraint or light body whose equation is not solved */
static lw_status fail(const lw_dca *d, const lwi_dca_errors *found, double size)
{
  const lwi_dca_edge *e = &d->edge[found->edge];
  lwi_unsolved *x = &d->caller->unsolved;
  *x = (lwi_unsolved){
      .joint = e->joint, .constraint = e->constraint, .residual = found->worst / size};
  for (int b = 1; b <= d->m->nbody && e->kind == LWI_DCA_LIGHT; b++)
    if (d->m->body[b].link == e->b) x->body = b;
  return LW_E_SINGULAR;
}

lw_status lwi_dca_correct(lw_dca *d)
{
  lwi_dca_errors found = all_errors(d);
  double before = HUGE_VAL;
  /* joint loads may cancel all accelerations; below 1e-250 numbers lose their digits */
  const double all = larger(larger(found.largest, found.free), 1e-250);
  for (int i = 0; i < MOST_SWEEPS; i++) {
    if (!(found.worst > ENOUGH * found.largest && found.worst < 0.5 * before)) break;
    const lw_status status = lwi_dca_solve(d, LWI_DCA_CORRECT);
    if (status != LW_OK) return status;
    before = found.worst;
    found = all_errors(d);
  }
  return found.worst > UNSOLVED * all ? fail(d, &found, all) : LW_OK;
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
      if (d->balances) push_body(b, d->unbalanced[s->link], b->z);
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
