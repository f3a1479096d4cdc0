/* SPDX-License-Identifier: Apache-2.0 */
/* dropped_rows.c -- do rows that were taken for dependent on others follow from these?

   A row that depends on others is met as far as the state meets the constraints.  One at the distance
   delta from the others, whose pivot is delta^2 of its diagonal, is not: it is off by delta times the
   acceleration of the motion that it forbids.  So what is left of the dropped rows tells rows that count from
   rows that do not, far below the distance at which pivots can. */
#include "math/finite.h"
#include "cartesian/form/cartesian.h"

/* relative to the terms of a row, and to what the state violates the constraints by */
static const double NOISE = 1e-10, VIOLATIONS = 30;

/* fastest of the bodies, as a point at a typical arm; speeds go to scratch[2] */
static double gather_speeds(lw_cartesian *c)
{
  const int turns = c->width == 6 ? 3 : 1;
  double *V = c->scratch[2], most = 0;
  for (int b = 0; b < c->nbody; b++, V += c->width) {
    lwi_pick(c, c->state[b + 1].V, V);
    most = fmax(
        most, fmax(lwi_largest(V, turns) * c->m->length, lwi_largest(V + turns, c->width - turns)));
  }
  return most;
}

/* What violations of positions and speeds leave of dependent rows, relative to accelerations of the size
   `most`. */
static double explained_by_violations(lw_cartesian *c, double most)
{
  const double length = c->m->length;
  double *rate = c->scratch_rows[1];
  lwi_cartesian_residual(c);
  lwi_cartesian_rates(c);
  const double off = lwi_largest(c->phi, c->nrow) * fmax(1, 1 / length), speed = gather_speeds(c);
  lwi_cartesian_multiply(c, c->scratch[2], rate);
  for (int i = 0; i < c->nrow; i++)
    rate[i] -= c->nu[i];
  return VIOLATIONS * (off + lwi_largest(rate, c->nrow) * speed / (length * most));
}

bool lwi_cartesian_rows_hold(lw_cartesian *c, const lwi_descriptor_values *v, double most, bool all)
{
  double *g = c->scratch_rows[1], *sizes = c->scratch_rows[3], worst = NOISE;
  int row = -1;
  lwi_descriptor_all_residuals(c->linear, v, c->a, c->lambda, most / c->m->length, most, g, sizes);
  for (int i = 0; i < c->nrow; i++)
    if ((all || !lwi_descriptor_row_kept(c->linear, i)) && fabs(g[i]) > worst * sizes[i]) {
      worst = fabs(g[i]) / sizes[i];
      row = i;
    }
  if (row < 0 || worst <= explained_by_violations(c, most)) return true;
  const lwi_row_set *s = c->set;
  while (row >= s->row + s->n)
    s++;
  c->unsolved = (lwi_unsolved){
      .joint = s->joint, .constraint = s->constraint, .residual = worst, .dropped = true};
  return false;
}
