/* SPDX-License-Identifier: Apache-2.0 */
/* loop_closing.h -- positions at which loops are closed: from a rough guess (loop_closing.c), or
   the one nearest to given poses of the bodies (nearest_position.c). */
#ifndef LWI_TREE_LOOPS_LOOP_CLOSING_H
#define LWI_TREE_LOOPS_LOOP_CLOSING_H
#include "tree/loops/closure.h"

/* a search for positions; the arrays are scratch of the work's closure */
typedef struct {
  const lw_model *m;
  struct lw_work *w;
  const lwi_tree_constraints *x;
  const bool *held; /* [nu] in link order: freedoms that do not move; NULL: all may */
  bool by_mass;     /* steps are the smallest in kinetic energy; else in the coordinates */
  double t;
  double *q, *trial;  /* [nq] present and trial position */
  double *delta;      /* [nu] the step */
  double *rate;       /* [nq] the step in coordinates */
  double *zero_speed; /* [nu] zeros */
} lwi_search;

/* With all constraints; held freedoms do not move.  Steps are measured in the metric of the
   coordinates: which closed position is found does not depend on masses (docs/format.md 3.12). */
lwi_search lwi_search_begin(const lw_model *m, struct lw_work *w, double t, double q[]);
/* With all constraints, and all freedoms may move: as during integration, by mass. */
lwi_search lwi_search_all(const lw_model *m, struct lw_work *w, double t, double q[]);
/* Rows and the scaled violation at q, in the closure's rhs; returns its norm. */
double lwi_search_find_violation(const lwi_search *s, const double q[]);
/* Closes loops from s->q as far as this start allows; returns the remaining violation. */
double lwi_search_close(const lwi_search *s);
bool lwi_search_is_closed(const lwi_search *s, double violation);
/* After lwi_search_find_violation: names the constraint with the largest violation.  Returns
   LW_E_NOT_CONVERGED. */
lw_status lwi_search_complain(const lwi_search *s, lw_error *err);
/* From s->q, which is closed, to the nearest closed position to written[nq]: a local minimum of the
   distance (nearest_closing.c).  With a link system s->q is left unchanged. */
void lwi_search_nearest(const lwi_search *s, const double written[]);
/* Gears take no part in assembly: they hold from the present position on. */
bool lwi_search_is_gear(const lwi_search *s, const lwi_tree_constraint *t);
void lwi_search_remember_gears(const lwi_search *s);

/* Replaces q by the nearest position at which all constraints hold: that with the least

     f = 1/2 sum over bodies of the integral of |x - x0|^2 dm

   where x0 is where a piece of mass is if the bodies have the poses pose[nbody + 1].  Finds the
   local minimum to which descent from q leads.  LW_E_NOT_CONVERGED: err says why. */
lw_status lwi_move_nearest(const lw_model *m, struct lw_work *w, double t, const lwi_frame pose[],
                           double q[], lw_error *err);

/* Projects u to the nearest speeds at q; returns the largest remaining rate, scaled.  by_mass: nearest in kinetic energy,
   also where bodies are light; else they may be the nearest ones in the coordinates there.  Rows that were taken for
   dependent and are not met count after all, down to rounding errors, if all rows are met then: dropped_rows.h. */
double lwi_search_close_speeds(const lwi_search *s, double *u, bool by_mass);

/* The angle of a gap in the rows of a joint or constraint, of which `row` is one: turns and swings are off by
   2 tan(angle/2) (model/joint/equations.h). */
static inline double lwi_angle_of_gap(double gap, lwi_row row)
{
  return row >= LWI_TURN_0 && row <= LWI_SWING_1 ? 2 * atan(gap / 2) : gap;
}

#endif
