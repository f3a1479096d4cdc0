/* SPDX-License-Identifier: Apache-2.0 */
/* least_loads.c -- the least of all loads L + N z that are possible: a projection onto the
   intersection of an affine and a convex set K, bounds and cones of friction, by the method of
   multipliers.

     minimise over z   1/2 |x|^2 + rho/2 |v - P(v)|^2,   v = x + y/rho,   then   y = rho (v - P(v))

   P is the projection onto K.  The minimum is found by Newton's method: the function is convex, its
   Hessian is 1 + rho N^T (1 - P') N on orthonormal columns N.  If there are no possible loads, y
   grows without bound and the distance from K does not vanish. */
#include "linalg/least_loads.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 300, MOST_STEPS = 60, STALLED = 25 };
static const double rho = 1000;
/* relative to the largest load: rounding errors */
static const double enough = 1e-14;
/* relative to the column: no other direction */
static const double dependent = 1e-9;

typedef struct {
  int n, r, k;
  double *Q;    /* [n][r] orthonormal directions ... */
  double *C;    /* [k][r] ... made of the given ones */
  double *from; /* [n] weight L */
  double *x, *y, *v, *P;
  double *s, *step, *gradient; /* [r] */
  double *H, *M;               /* [r][r], [n][r] */
  int ncone;
  const lwi_cone *cone;
  const double *weight;
} problem;

/* ---- the set ---- */

static bool has_cone(const problem *p, int normal)
{
  for (int i = 0; i < p->ncone; i++)
    if (p->cone[i].normal == normal) return true;
  return false;
}

/* v = (a, t) is projected onto |t| <= mu a: onto itself, the tip, or the edge g (g . v), g = (1, mu
   e) / sqrt(1 + mu^2). */
typedef enum { INSIDE, TIP, EDGE } part;

static part part_of(const problem *p, const lwi_cone *k, const double v[], double *size)
{
  double sum = 0;
  for (int i = 0; i < k->n; i++)
    sum += v[k->first + i] * v[k->first + i];
  *size = sqrt(sum);
  (void)p;
  if (*size <= k->coefficient * v[k->normal]) return INSIDE;
  return k->coefficient * *size <= -v[k->normal] ? TIP : EDGE;
}

static void project_cone(const problem *p, const lwi_cone *k, const double v[], double P[])
{
  double size;
  const part where = part_of(p, k, v, &size);
  if (where == INSIDE) return;
  const double mu = k->coefficient,
               a = where == TIP ? 0 : (v[k->normal] + mu * size) / (1 + mu * mu);
  P[k->normal] = a;
  for (int i = 0; i < k->n; i++)
    P[k->first + i] = where == TIP ? 0 : mu * a * v[k->first + i] / size;
}

static void project(const problem *p, const double v[], double P[])
{
  memcpy(P, v, (size_t)p->n * sizeof *P);
  for (int i = 0; i < p->ncone; i++) {
    const lwi_cone *k = &p->cone[i];
    const double w = p->weight[k->first];
    if (k->normal >= 0)
      project_cone(p, k, v, P);
    else if (!has_cone(p, k->first))
      P[k->first] = fmin(fmax(v[k->first], w * k->lower), w * k->upper);
  }
}

/* M = (1 - P') Q, row by row; at the edge with e the direction of t

     P' = g g^T + (mu a / |t|) (1 - e e^T) */
static void reject_edge(const problem *p, const lwi_cone *k, const double v[], double size)
{
  const double mu = k->coefficient, a = (v[k->normal] + mu * size) / (1 + mu * mu),
               turn = mu * a / size;
  for (int c = 0; c < p->r; c++) {
    const double *q = p->Q + c;
    double along = 0;
    for (int i = 0; i < k->n; i++)
      along += v[k->first + i] / size * q[(k->first + i) * p->r];
    const double g = (q[k->normal * p->r] + mu * along) / (1 + mu * mu);
    p->M[k->normal * p->r + c] = q[k->normal * p->r] - g;
    for (int i = 0; i < k->n; i++) {
      const double e = v[k->first + i] / size, t = q[(k->first + i) * p->r];
      p->M[(k->first + i) * p->r + c] = t - mu * g * e - turn * (t - along * e);
    }
  }
}

static void set_rows(const problem *p, int row, bool rejected)
{
  for (int c = 0; c < p->r; c++)
    p->M[row * p->r + c] = rejected ? p->Q[row * p->r + c] : 0;
}

static void reject(const problem *p)
{
  for (int i = 0; i < p->ncone; i++) {
    const lwi_cone *k = &p->cone[i];
    double size;
    if (k->normal < 0) {
      if (!has_cone(p, k->first)) set_rows(p, k->first, p->v[k->first] != p->P[k->first]);
      continue;
    }
    const part where = part_of(p, k, p->v, &size);
    set_rows(p, k->normal, where == TIP);
    for (int l = 0; l < k->n; l++)
      set_rows(p, k->first + l, where == TIP);
    if (where == EDGE) reject_edge(p, k, p->v, size);
  }
}

/* ---- Newton's method ---- */

/* x, v and P at s; returns the function. */
static double evaluate(const problem *p, const double s[])
{
  double sum = 0;
  memcpy(p->x, p->from, (size_t)p->n * sizeof *p->x);
  lwi_mulv(p->n, p->r, 1, p->Q, s, p->x);
  for (int i = 0; i < p->n; i++)
    p->v[i] = p->x[i] + p->y[i] / rho;
  project(p, p->v, p->P);
  for (int i = 0; i < p->n; i++) {
    const double off = p->v[i] - p->P[i];
    sum += 0.5 * p->x[i] * p->x[i] + 0.5 * rho * off * off;
  }
  return sum;
}

/* The gradient at s; returns its size.  After evaluate. */
static double find_gradient(const problem *p)
{
  double sum = 0;
  memset(p->gradient, 0, (size_t)p->r * sizeof *p->gradient);
  for (int i = 0; i < p->n; i++)
    for (int c = 0; c < p->r; c++)
      p->gradient[c] += p->Q[i * p->r + c] * (p->x[i] + rho * (p->v[i] - p->P[i]));
  for (int c = 0; c < p->r; c++)
    sum += p->gradient[c] * p->gradient[c];
  return sqrt(sum);
}

/* The step to the minimum of the model at s; returns the slope along it.  After find_gradient. */
static double find_step(const problem *p)
{
  memset(p->H, 0, (size_t)p->r * (size_t)p->r * sizeof *p->H);
  reject(p);
  lwi_tmul(p->r, p->n, p->r, rho, p->Q, p->M, p->H);
  for (int i = 0; i < p->r; i++)
    p->H[i * p->r + i] += 1;
  for (int c = 0; c < p->r; c++)
    p->step[c] = -p->gradient[c];
  if (lwi_cholesky(p->r, p->H)) {
    lwi_solve_lower(p->r, 1, p->H, p->step);
    lwi_solve_upper(p->r, 1, p->H, p->step);
  }
  double slope = 0;
  for (int c = 0; c < p->r; c++)
    slope += p->step[c] * p->gradient[c];
  return slope;
}

/* Steps are halved until the function falls; close to the minimum, where it is flat to rounding
   errors, the gradient says whether they lead on. */
static void minimise(const problem *p)
{
  double *trial = p->gradient + p->r, now = evaluate(p, p->s), size = find_gradient(p);
  for (int step = 0; step < MOST_STEPS; step++) {
    const double slope = find_step(p);
    double length = 1, next = now;
    bool falls = false;
    for (int half = 0; half < 40 && !falls; half++, length *= 0.5) {
      for (int c = 0; c < p->r; c++)
        trial[c] = p->s[c] + length * p->step[c];
      next = evaluate(p, trial);
      falls = next <= now + 1e-4 * length * slope;
      if (half == 0 && fabs(slope) < 1e-9 * now) falls = find_gradient(p) < 0.5 * size;
      if (half == 0 && fabs(slope) < 1e-9 * now && !falls) break;
    }
    if (!falls) break;
    memcpy(p->s, trial, (size_t)p->r * sizeof *p->s);
    now = next;
    size = find_gradient(p);
    if (!(size > 0)) break;
  }
  evaluate(p, p->s);
}

/* How far x is outside K. */
static double violation(const problem *p)
{
  double most = 0;
  project(p, p->x, p->M); /* scratch, [n] at least */
  for (int i = 0; i < p->n; i++)
    most = fmax(most, fabs(p->x[i] - p->M[i]));
  return most;
}

static double iterate(const problem *p)
{
  double least = HUGE_VAL, size = 0;
  int stalled = 0;
  for (int round = 0; round < MOST_ROUNDS; round++) {
    minimise(p);
    const double off = violation(p);
    for (int i = 0; i < p->n; i++)
      size = fmax(size, fabs(p->x[i]));
    stalled = off < 0.99 * least ? 0 : stalled + 1;
    least = fmin(least, off);
    if (off <= enough * size || stalled > STALLED) return off;
    for (int i = 0; i < p->n; i++)
      p->y[i] = rho * (p->v[i] - p->P[i]);
  }
  return least;
}

/* ---- directions ---- */

static double dot(int n, const double *a, int step_a, const double *b, int step_b)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i * step_a] * b[i * step_b];
  return sum;
}

/* Orthonormal columns Q = weight N C, by Gram-Schmidt, twice. */
static void orthonormalise(problem *p, const double *N)
{
  const int most = p->k;
  for (int c = 0; c < most; c++) {
    double *q = p->Q + p->r, *own = p->C + p->r;
    for (int i = 0; i < p->n; i++)
      q[i * most] = p->weight[i] * N[i * most + c];
    for (int i = 0; i < most; i++)
      own[i * most] = i == c;
    const double before = sqrt(dot(p->n, q, most, q, most));
    for (int pass = 0; pass < 2; pass++)
      for (int l = 0; l < p->r; l++) {
        const double along = dot(p->n, q, most, p->Q + l, most);
        for (int i = 0; i < p->n; i++)
          q[i * most] -= along * p->Q[i * most + l];
        for (int i = 0; i < most; i++)
          own[i * most] -= along * p->C[i * most + l];
      }
    const double after = sqrt(dot(p->n, q, most, q, most));
    if (!(after > dependent * before)) continue;
    for (int i = 0; i < p->n; i++)
      q[i * most] /= after;
    for (int i = 0; i < most; i++)
      own[i * most] /= after;
    p->r++;
  }
  for (int i = 1; i < p->n; i++) /* without gaps */
    memmove(p->Q + i * p->r, p->Q + i * most, (size_t)p->r * sizeof *p->Q);
}

double lwi_least_loads(int n, int k, const double *N, const double weight[], int ncone,
                       const lwi_cone cone[], const double L[], double z[])
{
  const size_t rows = (size_t)n, most = (size_t)k;
  double *block =
      calloc(2 * rows * most + most * most * 2 + 5 * rows + 4 * most + rows + 1, sizeof *block);
  if (!block) return -1;
  problem p = {.n = n, .k = k, .ncone = ncone, .cone = cone, .weight = weight, .Q = block};
  p.C = p.Q + rows * most;
  p.H = p.C + most * most;
  p.from = p.H + most * most;
  p.x = p.from + rows;
  p.y = p.x + rows;
  p.v = p.y + rows;
  p.P = p.v + rows;
  p.s = p.P + rows;
  p.step = p.s + most;
  p.gradient = p.step + most; /* and a trial */
  p.M = p.gradient + 2 * most;
  orthonormalise(&p, N);
  for (int i = 0; i < n; i++)
    p.from[i] = weight[i] * L[i];
  for (int c = 0; c < p.r; c++)
    p.s[c] = -dot(n, p.Q + c, p.r, p.from, 1);
  const double off = iterate(&p);
  for (int i = 0; i < k; i++)
    z[i] = dot(p.r, p.C + i * k, 1, p.s, 1);
  free(block);
  return off;
}
