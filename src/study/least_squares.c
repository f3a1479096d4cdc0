/* SPDX-License-Identifier: Apache-2.0 */
/* least_squares.c -- the method of Levenberg and Marquardt between bounds (least_squares.h).

     minimise  |J dx + r|^2 + damping |D dx|^2          D_k = the largest |J_k| so far [More1978]

   by reflections, not by J^T J, which would lose half of the digits.  Unknowns at a bound beyond which r would become smaller are
   held; a step that leaves the bounds is cut there, and judged by what is left of it.  The damping follows the ratio of
   what a step gains to what it should gain [Nielsen1999]. */
#include "study/least_squares.h"

#include "math/arrays.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double dot(int n, const double a[], const double b[])
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* ---- reflections and rotations ---- */

void lwi_orthogonalise(int m, int n, double A[], double b[], double R[])
{
  for (int k = 0; k < n; k++) {
    double *v = A + (size_t)k * (size_t)m + k; /* column k from row k on becomes the reflection */
    const double length = sqrt(dot(m - k, v, v)), head = v[0] > 0 ? -length : length;
    for (int i = 0; i < k; i++)
      R[k * n + i] = 0;
    R[k * n + k] = head;
    v[0] -= head;
    const double square = dot(m - k, v, v);
    for (int j = k + 1; j <= n; j++) {
      double *x = j < n ? A + (size_t)j * (size_t)m + k : b + k;
      const double s = square > 0 ? 2 * dot(m - k, v, x) / square : 0;
      for (int i = 0; i < m - k; i++)
        x[i] -= s * v[i];
      if (j < n) R[k * n + j] = x[0];
    }
  }
}

/* Turns columns p and q of R, and rows p and q of V, until the columns are orthogonal.  False: they were. */
static bool rotate(int n, double R[], double V[], int p, int q)
{
  double pp = 0, qq = 0, pq = 0;
  for (int i = 0; i < n; i++) {
    pp += R[i * n + p] * R[i * n + p];
    qq += R[i * n + q] * R[i * n + q];
    pq += R[i * n + p] * R[i * n + q];
  }
  if (fabs(pq) <= DBL_EPSILON * sqrt(pp * qq)) return false;
  const double z = (qq - pp) / (2 * pq), t = copysign(1, z) / (fabs(z) + hypot(1, z));
  const double c = 1 / hypot(1, t), s = c * t;
  for (int i = 0; i < n; i++) {
    const double a = R[i * n + p], b = R[i * n + q], e = V[p * n + i], f = V[q * n + i];
    R[i * n + p] = c * a - s * b;
    R[i * n + q] = s * a + c * b;
    V[p * n + i] = c * e - s * f;
    V[q * n + i] = s * e + c * f;
  }
  return true;
}

void lwi_singular_values(int n, double R[], double value[], double V[])
{
  for (int i = 0; i < n * n; i++)
    V[i] = i % (n + 1) == 0;
  bool turned = true;
  for (int sweep = 0; sweep < 60 && turned; sweep++) {
    turned = false;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++)
        turned = rotate(n, R, V, p, q) || turned;
  }
  for (int k = 0; k < n; k++) {
    double square = 0;
    for (int i = 0; i < n; i++)
      square += R[i * n + k] * R[i * n + k];
    value[k] = sqrt(square);
  }
  for (int k = 0; k < n; k++) { /* the largest first */
    int most = k;
    for (int i = k + 1; i < n; i++)
      if (value[i] > value[most]) most = i;
    for (int i = 0; i < n && most != k; i++) {
      const double x = V[k * n + i];
      V[k * n + i] = V[most * n + i];
      V[most * n + i] = x;
    }
    const double x = value[k];
    value[k] = value[most];
    value[most] = x;
  }
}

/* ---- one step ---- */

typedef struct {
  const lwi_least_squares *p;
  double *size;           /* [n] D */
  bool *held;             /* [n] */
  int nfree, *unknown;    /* [n] those that are not held */
  double *A, *b;          /* [n][m], [m] scratch */
  double *R, *y;          /* [nfree][nfree], [nfree]: r of J and r reflected */
  double *B, *c, *S;      /* [n][2n], [2n], [n][n] scratch */
  double *dx, *x, *r, *J; /* of a step */
} search;

void lwi_least_squares_held(const lwi_least_squares *p, const double x[], const double r[],
                            const double J[], bool held[])
{
  for (int k = 0; k < p->n; k++) {
    const double slope = dot(p->m, J + (size_t)k * (size_t)p->m, r);
    held[k] = (x[k] <= p->min[k] && slope >= 0) || (x[k] >= p->max[k] && slope <= 0);
  }
}

/* At a new x: sizes, held unknowns, and J of the others as R. */
static void prepare(search *s, const double x[], const double r[], const double J[])
{
  const lwi_least_squares *p = s->p;
  const size_t m = (size_t)p->m;
  lwi_least_squares_held(p, x, r, J, s->held);
  s->nfree = 0;
  for (int k = 0; k < p->n; k++) {
    const double length = sqrt(dot(p->m, J + (size_t)k * m, J + (size_t)k * m));
    if (length > s->size[k]) s->size[k] = length;
    if (s->held[k]) continue;
    memcpy(s->A + (size_t)s->nfree * m, J + (size_t)k * m, m * sizeof *J);
    s->unknown[s->nfree++] = k;
  }
  if (m > 0) memcpy(s->b, r, m * sizeof *r);
  lwi_orthogonalise(p->m, s->nfree, s->A, s->b, s->R);
  memcpy(s->y, s->b, (size_t)s->nfree * sizeof *s->y);
}

/* dx[n] of least |J dx + r|^2 + damping |D dx|^2. */
static void find_step(search *s, double damping)
{
  const int n = s->nfree;
  for (int k = 0; k < n; k++) {
    const double size = s->size[s->unknown[k]];
    for (int i = 0; i < n; i++) {
      s->B[k * 2 * n + i] = i <= k ? s->R[i * n + k] : 0;
      s->B[k * 2 * n + n + i] = i == k ? sqrt(damping) * (size > 0 ? size : 1) : 0;
    }
    s->c[k] = -s->y[k];
    s->c[n + k] = 0;
  }
  lwi_orthogonalise(2 * n, n, s->B, s->c, s->S);
  memset(s->dx, 0, (size_t)s->p->n * sizeof *s->dx);
  for (int k = n - 1; k >= 0; k--) {
    for (int i = k + 1; i < n; i++)
      s->c[k] -= s->S[k * n + i] * s->c[i];
    s->c[k] /= s->S[k * n + k];
    s->dx[s->unknown[k]] = s->c[k];
  }
}

/* By how much the step makes |J dx + r|^2 smaller than |r|^2; *change: |J dx|. */
static double predict(const search *s, double *change)
{
  double gain = 0, square = 0;
  for (int k = 0; k < s->nfree; k++) {
    double moved = 0;
    for (int i = k; i < s->nfree; i++)
      moved += s->R[k * s->nfree + i] * s->dx[s->unknown[i]];
    gain -= moved * (moved + 2 * s->y[k]);
    square += moved * moved;
  }
  *change = sqrt(square);
  return gain;
}

/* The step from x, cut at the bounds.  False: nothing is left of it. */
static bool cut_step(search *s, const double x[])
{
  bool moves = false;
  for (int k = 0; k < s->p->n; k++) {
    s->x[k] = fmin(fmax(x[k] + s->dx[k], s->p->min[k]), s->p->max[k]);
    s->dx[k] = s->x[k] - x[k];
    moves = moves || s->dx[k] != 0;
  }
  return moves;
}

/* ---- the search ---- */

static bool allocate(search *s, const lwi_least_squares *p)
{
  const size_t n = (size_t)p->n, m = (size_t)p->m;
  *s = (search){.p = p};
  s->held = calloc(n + 1, sizeof *s->held);
  s->unknown = calloc(n + 1, sizeof *s->unknown);
  double *block = calloc(2 * n * m + 2 * m + 4 * n * n + 6 * n + 1, sizeof *block);
  s->A = block;
  if (!block || !s->held || !s->unknown) return false;
  s->J = block + n * m;
  s->b = s->J + n * m;
  s->r = s->b + m;
  s->R = s->r + m;
  s->S = s->R + n * n;
  s->B = s->S + n * n;
  s->size = s->B + 2 * n * n;
  s->y = s->size + n;
  s->c = s->y + n;
  s->dx = s->c + 2 * n;
  s->x = s->dx + n;
  return true;
}

static void release(search *s)
{
  free(s->A);
  free(s->held);
  free(s->unknown);
}

static const double LEAST = 1e-12, FIRST = 1e-3, MOST = 1e12; /* damping */

/* Tries steps from x until one is better.  LWI_CONVERGED: it is, or none is needed: *done. */
static lwi_end improve(search *s, double x[], double r[], double J[], double *damping, bool *done)
{
  const lwi_least_squares *p = s->p;
  const double squares = dot(p->m, r, r);
  double change, factor = 2;
  *done = true;
  find_step(s, LEAST);
  const bool moves = cut_step(s, x);
  predict(s, &change);
  if (!moves || change <= p->tolerance) return LWI_CONVERGED;
  for (; *damping <= MOST; *damping *= factor, factor *= 2) {
    find_step(s, *damping);
    if (!cut_step(s, x)) return LWI_STALLED;
    const double expected = predict(s, &change);
    if (!(expected > 0)) continue;
    const lwi_evaluation found = p->evaluate(p->context, s->x, s->r, s->J);
    if (found == LWI_STOP) return LWI_STOPPED;
    const double ratio = found == LWI_EVALUATED ? (squares - dot(p->m, s->r, s->r)) / expected : -1;
    if (!(ratio > 1e-4)) continue;
    memcpy(x, s->x, (size_t)p->n * sizeof *x);
    memcpy(r, s->r, (size_t)p->m * sizeof *r);
    memcpy(J, s->J, (size_t)p->n * (size_t)p->m * sizeof *J);
    *damping = fmax(LEAST, *damping * fmax(0.1, 1 - pow(2 * ratio - 1, 3)));
    *done = false;
    return LWI_CONVERGED;
  }
  return LWI_STALLED;
}

lw_status lwi_least_squares_solve(const lwi_least_squares *p, double x[], double r[], double J[],
                                  lwi_end *end)
{
  search s;
  if (p->m < p->n) return LW_E_ARG;
  const lwi_evaluation first = p->known ? LWI_EVALUATED : p->evaluate(p->context, x, r, J);
  if (first != LWI_EVALUATED) return first == LWI_STOP ? LW_E_STOPPED : LW_E_NUMBER;
  const bool allocated = allocate(&s, p);
  double damping = FIRST;
  *end = LWI_EXHAUSTED;
  for (int i = 0; i < p->iterations && allocated; i++) {
    bool done;
    prepare(&s, x, r, J);
    *end = improve(&s, x, r, J, &damping, &done);
    if (done) break;
    *end = LWI_EXHAUSTED;
    if (p->accepted && !p->accepted(p->context, x, dot(p->m, r, r))) {
      *end = LWI_STOPPED;
      break;
    }
  }
  release(&s);
  return allocated ? LW_OK : LW_E_MEMORY;
}
