/* SPDX-License-Identifier: Apache-2.0 */
/* closing_speeds.c -- speeds that belong to loops which are closed (loop_closing.h). */
#include "tree/loops/loop_closing.h"
#include "math/arrays.h"
#include "math/finite.h"
#include "tree/loops/work.h"

enum { MOST_CORRECTIONS = 20 };

/* rhs = minus the rates of all rows at u; returns the largest, scaled */
static double find_rates(const lwi_search *s, const double *u)
{
  lwi_closure *c = s->w->closure;
  s->w->kernels->kinematics(s->m, s->w->tree, s->q, u);
  lwi_closure_place(s->m, s->w, s->t);
  lwi_closure_rate(s->m, s->w, s->x, u, c->rhs);
  for (int i = 0; i < s->x->nrow; i++)
    c->rhs[i] = -c->rhs[i];
  return lwi_largest_or_nan(c->rhs, s->x->nrow);
}

/* corrects u in the present metric until nothing more is gained, at least and at most so many times; returns the
   largest remaining rate */
static double correct_speeds(const lwi_search *s, double *u, int least, int most)
{
  double left = find_rates(s, u);
  for (int pass = 0; pass < most; pass++) {
    const double before = left;
    lwi_closure_solve(s->m, s->w, s->x);
    lwi_closure_move(s->m, s->w, u);
    left = find_rates(s, u);
    if (pass + 1 >= least && !(left < 0.5 * before)) break;
  }
  return left;
}

/* by rows with so much of their diagonals left */
static double close_speeds_by(const lwi_search *s, double *u, bool by_mass, double part)
{
  lwi_closure *c = s->w->closure;
  lwi_rank_rule rule = lwi_closed_rule(s->m);
  rule.dependent *= part;
  rule.lost = c->keep_rank ? 1e-14 : 0;
  s->w->kernels->kinematics(s->m, s->w->tree, s->q, u);
  lwi_closure_place(s->m, s->w, s->t);
  lwi_closure_rows(s->m, s->w, s->x);
  lwi_closure_metric(s->m, s->w, s->x, s->held);
  lwi_closure_compliance(s->m, s->w, s->x, 0, c->hold_rank ? NULL : &rule);
  if (by_mass && lwi_closure_kinetic_metric(s->m, s->w, s->x, s->held)) {
    correct_speeds(s, u, 2, MOST_CORRECTIONS); /* light bodies leave few digits for each */
    lwi_closure_plain_metric(s->m, s->w, s->x, s->held);
    lwi_closure_compliance(s->m, s->w, s->x, 0, NULL);
  }
  return correct_speeds(s, u, 2, 2);
}

double lwi_search_close_speeds(const lwi_search *s, double *u, bool by_mass)
{
  const int nu = s->m->nu;
  double *given = s->zero_speed + nu + 2 * (size_t)s->m->nq, *coarse = given + nu;
  lwi_copy(given, u, nu);
  const double left = close_speeds_by(s, u, by_mass, 1);
  const double enough = 1e-10 * (s->m->length + lwi_largest_or_nan(u, nu));
  if (s->w->closure->hold_rank || !(left > enough)) return left;
  lwi_copy(coarse, u, nu);
  for (double part = 1e-3; part > 5e-6; part *= 1e-2) {
    lwi_copy(u, given, nu);
    const double now = close_speeds_by(s, u, by_mass, part);
    if (now <= enough) return now;
  }
  lwi_copy(u, coarse, nu);
  return close_speeds_by(s, u, by_mass, 1);
}
