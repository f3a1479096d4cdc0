/* SPDX-License-Identifier: Apache-2.0 */
/* dropped_rows.c -- do rows that were taken for dependent on others follow from these?

   A row that depends on others is met as far as the state meets the constraints.  One at the distance
   delta from the others, whose pivot is delta^2 of its diagonal, is not: it is off by delta times the
   acceleration of the motion that it forbids.  So what is left of the dropped rows tells rows that count from
   rows that do not, far below the distance at which pivots can. */
#include "math/finite.h"
#include "tree/loops/dropped_rows.h"
#include "tree/loops/work.h"

/* relative to the accelerations, to those that cancel in rows, and to what the state violates the constraints by */
static const double NOISE = 1e-10, ROUNDED = 1e-12, VIOLATIONS = 30;

/* the largest velocity and acceleration of a link, as of a point at a typical arm */
static void find_sizes(const lw_model *m, const lw_work *w, double *velocity, double *acceleration)
{
  *velocity = 0;
  *acceleration = norm3(m->gravity);
  for (int i = 1; i < m->nlink; i++) {
    double V[6], A[6];
    w->kernels->get_motion(m, w->tree, i, V, A);
    *velocity = fmax(*velocity, norm3(V) * m->length + norm3(V + 3));
    *acceleration = fmax(*acceleration, norm3(A) * m->length + norm3(A + 3));
  }
}

/* what violations of positions and speeds leave of dependent rows */
static double explained_by_violations(const lw_model *m, lw_work *w, const double q[],
                                      const double u[], double velocity, double acceleration)
{
  const lwi_tree_constraints *x = &m->tree_constraints;
  double *rhs = w->closure->rhs;
  lwi_closure_residual(m, w, x, q, rhs);
  const double off = lwi_largest(rhs, x->nrow);
  lwi_closure_rate(m, w, x, u, rhs);
  return VIOLATIONS * (off * acceleration + lwi_largest(rhs, x->nrow) * velocity) / m->length;
}

static void note_row(const lw_model *m, lw_work *w, int row, double residual)
{
  const lwi_tree_constraint *t = m->tree_constraints.constraint;
  while (row >= t->row + t->n)
    t++;
  const bool joint =
      t->kind != LWI_TREE_CONSTRAINT_GEOMETRIC && t->kind != LWI_TREE_CONSTRAINT_RELATION;
  w->unsolved = (lwi_unsolved){.joint = joint ? t->id : 0,
                               .constraint = joint ? 0 : t->id,
                               .residual = residual,
                               .dropped = true};
}

bool lwi_dropped_rows_hold(const lw_model *m, lw_work *w, const double q[], const double u[],
                           const double udot[], const bool kept[])
{
  const lwi_tree_constraints *x = &m->tree_constraints;
  const double terms = w->closure->reduced ? 0 : w->closure->terms;
  double *rhs = w->closure->rhs, velocity, acceleration, worst = 0;
  int row = 0;
  w->kernels->accelerations(m, w->tree, udot);
  find_sizes(m, w, &velocity, &acceleration);
  lwi_closure_deficit(m, w, x, udot, rhs);
  acceleration = fmax(acceleration, lwi_largest(w->closure->gamma, x->nrow));
  for (int i = 0; i < x->nrow; i++)
    if (!(kept && kept[i]) && fabs(rhs[i]) > worst) worst = fabs(rhs[i]), row = i;
  if (worst <= NOISE * acceleration + ROUNDED * terms ||
      worst <= explained_by_violations(m, w, q, u, velocity, acceleration))
    return true;
  note_row(m, w, row, worst / acceleration);
  return false;
}
