/* SPDX-License-Identifier: Apache-2.0 */
/* cones.c -- projected Gauss-Seidel on the exact cones of friction: loads are changed one contact
   after the other by what their speed requires, and projected onto what is possible.  Where that
   goes on slowly, because the loads only just touch a cone or their responses are nearly dependent,
   Newton's method (cones_newton.c) ends it.  Problems are small, what touches at one instant, and
   only who sticks, slides and opens, and where to, is taken from it: the loads are those of the
   model that is made of that (docs/decisions/019-cones.md). */
#include "linalg/cones.h"

#include <math.h>

enum { MOST_SWEEPS = 50000, MANY_SWEEPS = 2000, SOME_SWEEPS = 200 };
/* relative to the largest speed without loads: after many sweeps, rounding errors, which may go
   round for ever */
static const double no_speed = 1e-11;
/* to which share of it Newton's method makes speeds right */
static const double to_newton = 1e-13;

/* w_i */
static double speed(int n, const double *A, const double *b, const double *x, int i)
{
  double sum = b[i];
  for (int j = 0; j < n; j++)
    sum += A[i * n + j] * x[j];
  return sum;
}

/* Response of a cone to its own loads. */
static double response(int n, const double *A, const lwi_cone *k)
{
  double sum = 0;
  for (int i = 0; i < k->n; i++)
    sum += A[(k->first + i) * n + k->first + i];
  return sum;
}

/* Changes the loads of one cone; returns how far. */
static double relax(int n, const double *A, const double *b, const lwi_cone *k, double *x)
{
  double y[2], size = 0, moved = 0;
  const double by = response(n, A, k);
  if (!(by > 0)) return 0; /* no load has an effect */
  for (int i = 0; i < k->n; i++) {
    y[i] = x[k->first + i] - speed(n, A, b, x, k->first + i) / by;
    size = hypot(size, y[i]);
  }
  if (k->normal < 0) {
    y[0] = fmin(fmax(y[0], k->lower), k->upper);
  } else {
    const double most = k->coefficient * x[k->normal];
    for (int i = 0; i < k->n && size > most; i++)
      y[i] *= most / size;
  }
  for (int i = 0; i < k->n; i++) {
    moved = hypot(moved, y[i] - x[k->first + i]);
    x[k->first + i] = y[i];
  }
  return moved;
}

bool lwi_solve_cones(int n, const double *A, const double *b, double noise, int ncone,
                     const lwi_cone cone[], double *x)
{
  double fastest = 0;
  for (int i = 0; i < n; i++)
    fastest = fmax(fastest, fabs(b[i]));
  for (int k = 1; k <= MOST_SWEEPS; k++) {
    double moved = 0, speed_left = 0, size = 1e-300;
    for (int i = 0; i < ncone; i++) {
      const double far = relax(n, A, b, &cone[i], x);
      moved = fmax(moved, far);
      speed_left = fmax(speed_left, far * response(n, A, &cone[i]));
    }
    for (int i = 0; i < n; i++)
      size = fmax(size, fabs(x[i]));
    if (!isfinite(moved) || size > 1e250) return false;
    const bool right =
        speed_left <= fmax(no_speed * fastest, noise); /* by which loads were changed */
    if (moved <= 1e-15 * size || size <= 1e-299 || (k >= MANY_SWEEPS && right)) return true;
    const bool slow = k == SOME_SWEEPS || k == MANY_SWEEPS || k == MOST_SWEEPS;
    if (slow && lwi_cones_newton(n, A, b, ncone, cone, fmax(fastest, noise / to_newton), x))
      return true;
  }
  return false;
}
