/* SPDX-License-Identifier: Apache-2.0 */
/* stiffness.c -- finds out whether steps are short for the sake of stability.

   Of every m-th step y is kept.  Through six of these samples a polynomial of degree 5 is laid, and
   its value where the seventh is,

       e = y(t_7) - sum of c_i y(t_i),   c_i = product over j of (t_7 - t_j) / (t_i - t_j),

   is what BDF of order 5 would predict with steps m times as long.  Samples are accurate to the
   tolerance of a step, so that e is noise if |e| <= 1 + sum |c_i| in units of that tolerance: the
   motion would permit steps m times as long, and a method of order 6 or more for which the motion
   is all that matters would have found that out.  In motions that are not stiff e is some 1e5 times
   as large, since it grows like m^6.

   Rounding errors of the rates keep steps short, too, and BDF does not help there.  Therefore the
   largest eigenvalue of the Jacobian is estimated by some steps of the power method: where
   stability limits the steps, |lambda| h is 0.045 at high orders to 0.5 at low ones; with rounding
   errors it was below 0.025.  Each time that this is not confirmed, twice as many steps are
   observed next.

   m is such that BDF is cheaper with steps half as long, its Jacobian included.  Where the
   corrector of the explicit method fails to converge, less evidence is enough. */
#include "sim/integrate/stiffness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LAST = LWI_STIFFNESS_SAMPLES - 1 };
enum { POWERS = 8, MOST_STEPS = 1000 };
static const double limited = 0.03; /* least |lambda| h of steps that stability limits */
static const double growing = 3;    /* of steps that still grow nothing is known */

bool lwi_stiffness_open(lwi_stiffness *s, int n)
{
  *s = (lwi_stiffness){.n = n};
  s->y = malloc((LWI_STIFFNESS_SAMPLES + 4) * (size_t)n * sizeof(double) + 1);
  s->work = s->y ? s->y + LWI_STIFFNESS_SAMPLES * (size_t)n : NULL;
  return s->y;
}

void lwi_stiffness_close(lwi_stiffness *s)
{
  free(s->y);
  s->y = NULL;
}

void lwi_stiffness_begin(lwi_stiffness *s)
{
  lwi_stiffness_reset(s);
  s->every = 8 + s->n / 8;
  s->suspected = false;
}

void lwi_stiffness_reset(lwi_stiffness *s)
{
  s->steps = s->count = 0;
}

void lwi_stiffness_suspect(lwi_stiffness *s)
{
  if (s->suspected) return;
  lwi_stiffness_reset(s);
  s->every /= 4;
  s->suspected = true;
}

static double *sample(const lwi_stiffness *s, int i)
{
  return s->y + (size_t)i * (size_t)s->n;
}

static void take_sample(lwi_stiffness *s, double t, const double y[])
{
  if (s->count == LWI_STIFFNESS_SAMPLES) {
    memmove(s->t, s->t + 1, LAST * sizeof *s->t);
    memmove(s->y, sample(s, 1), LAST * (size_t)s->n * sizeof(double));
    s->count--;
  }
  s->t[s->count] = t;
  memcpy(sample(s, s->count), y, (size_t)s->n * sizeof(double));
  s->count++;
}

/* c_i; returns the sum of their magnitudes */
static double find_weights(const double t[LWI_STIFFNESS_SAMPLES], double c[LAST])
{
  double sum = 0;
  for (int i = 0; i < LAST; i++) {
    c[i] = 1;
    for (int j = 0; j < LAST; j++)
      if (j != i) c[i] *= (t[LAST] - t[j]) / (t[i] - t[j]);
    sum += fabs(c[i]);
  }
  return sum;
}

bool lwi_stiffness_notice(lwi_stiffness *s, double t, const double y[], const double weight[])
{
  double c[LAST], square = 0;
  if (s->n == 0 || ++s->steps < s->every) return false;
  s->steps = 0;
  take_sample(s, t, y);
  if (s->count < LWI_STIFFNESS_SAMPLES) return false;
  if (s->t[LAST] - s->t[LAST - 1] > growing * (s->t[1] - s->t[0])) return false;
  const double noise = 1 + find_weights(s->t, c);
  for (int k = 0; k < s->n; k++) {
    double e = y[k];
    for (int i = 0; i < LAST; i++)
      e -= c[i] * sample(s, i)[k];
    square += (e * weight[k]) * (e * weight[k]);
  }
  return sqrt(square / s->n) <= noise;
}

/* ---- the largest eigenvalue ---- */

static double largest(const double y[], int n)
{
  double most = 0;
  for (int i = 0; i < n; i++)
    most = fmax(most, fabs(y[i]));
  return most > 0 ? most : 1;
}

/* v /= |v|, in units of scale; returns |v| */
static double normalize(double v[], const double scale[], int n)
{
  double square = 0;
  for (int i = 0; i < n; i++)
    square += v[i] / scale[i] * (v[i] / scale[i]);
  const double norm = sqrt(square);
  for (int i = 0; i < n && norm > 0; i++)
    v[i] /= norm;
  return norm;
}

/* v becomes the Jacobian times v, by a difference along v */
static bool multiply(lwi_system *system, double t, const double y[], const double f[], double v[],
                     double shifted[], int n)
{
  static const double shift = 1e-6;
  for (int i = 0; i < n; i++)
    shifted[i] = y[i] + shift * v[i];
  if (lwi_system_rate_first(system, t, shifted, v) != LW_OK) return false;
  for (int i = 0; i < n; i++)
    v[i] = (v[i] - f[i]) / shift;
  return true;
}

bool lwi_stiffness_find_rate(lwi_system *system, double t, const double y[], int n, double work[],
                             double *rate)
{
  const int nq = system->nposition;
  double *f = work, *v = f + n, *shifted = v + n, *scale = shifted + n, before = 0;
  *rate = 0;
  if (lwi_system_rate_first(system, t, y, f) != LW_OK) return false;
  for (int i = 0; i < n; i++) {
    scale[i] = i < nq ? largest(y, nq) : largest(y + nq, n - nq);
    v[i] = i % 3 == 1 ? -scale[i] : scale[i];
  }
  normalize(v, scale, n);
  for (int k = 0; k < POWERS; k++) { /* pairs, since positions and speeds take turns */
    if (!multiply(system, t, y, f, v, shifted, n)) return false;
    const double norm = normalize(v, scale, n);
    *rate = sqrt(norm * before);
    before = norm;
  }
  return true;
}

bool lwi_stiffness_confirm(lwi_stiffness *s, lwi_system *system, double t, const double y[],
                           double h)
{
  double rate;
  if (!lwi_stiffness_find_rate(system, t, y, s->n, s->work, &rate)) return false;
  lwi_stiffness_reset(s);
  s->every *= s->every < MOST_STEPS ? 2 : 1;
  return rate * h >= limited;
}
