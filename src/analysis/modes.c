/* SPDX-License-Identifier: Apache-2.0 */
/* modes.c -- eigenvalues and shapes of a linearised mechanism.

   With symmetric K and C the eigenvectors V of K v = square M v, v^T M v = 1, come first (LAPACK's
   dsygv).  Without damping they are the modes.  Otherwise the problem is solved in their
   coordinates, where M is 1 and K diagonal, without the rigid motions (no stiffness, not touched
   by C), whose double eigenvalue zero would perturb the others.  Without symmetry the pencil

     s [1 0; 0 M] = [kin 1; -K -C]

   is solved as it is (dggev), and zero eigenvalues are counted by rank. */
#include "analysis/lapack.h"
#include "analysis/reduced_equations.h"
#include "base/fail.h"
#include "linkwork/analysis.h"

#include <stdlib.h>
#include <string.h>

static const double turn = 6.28318530717958647693;

/* the public struct and its memory */
typedef struct {
  lw_modes shown;
  lw_mode *mode; /* [2n + nstate] capacity for all modes */
  double *shape; /* [2n + nstate][2 width] */
  int width;     /* n + ninput + 6 nbody + nstate */
} parts;

static parts *new_parts(const lw_linearization *l)
{
  const size_t most = 2 * (size_t)l->n + (size_t)l->nstate + 1;
  parts *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->width = l->n + l->ninput + 6 * l->nbody + l->nstate;
  p->mode = calloc(most, sizeof *p->mode);
  p->shape = calloc(2 * most * (size_t)(p->width + 1), sizeof *p->shape);
  if (p->mode && p->shape) return p;
  free(p->mode);
  free(p->shape);
  free(p);
  return NULL;
}

void lw_modes_free(lw_modes *modes)
{
  if (!modes) return;
  parts *p = (parts *)modes;
  free(p->mode);
  free(p->shape);
  free(p);
}

const char *lw_mode_kind_name(lw_mode_kind kind)
{
  static const char *const names[] = {"rigid", "oscillation", "real"};
  return kind <= LW_MODE_REAL ? names[kind] : "";
}

/* ---- one mode ---- */

/* out[rows] = A[rows][n] z */
static void apply(const double *A, int rows, int n, const double z[], double out[])
{
  for (int i = 0; i < rows; i++) {
    out[i] = 0;
    for (int j = 0; j < n; j++)
      out[i] += A[i * n + j] * z[j];
  }
}

/* Scales the shape so that the largest of these entries is 1; returns false if they are zero. */
static bool normalise(double *re, double *im, int first, int count, int width)
{
  int top = first;
  for (int i = first; i < first + count; i++)
    if (hypot(re[i], im[i]) > hypot(re[top], im[top]) * (1 + 1e-9)) top = i;
  const double a = count ? re[top] : 0, b = count ? im[top] : 0, size = a * a + b * b;
  if (!(size > 0)) return false;
  for (int i = 0; i < width; i++) {
    const double x = re[i], y = im[i];
    re[i] = (x * a + y * b) / size;
    im[i] = (y * a - x * b) / size;
  }
  return true;
}

/* z[n] and, behind it, s[nstate] if there are states; zi NULL: real */
static void add_mode(parts *p, const lw_linearization *l, double real, double imaginary,
                     const double *zr, const double *zi)
{
  const int n = l->n, at = p->shown.n++;
  double *re = p->shape + 2 * (size_t)at * (size_t)p->width, *im = re + p->width;
  for (int i = 0; i < n; i++) {
    re[i] = zr[i];
    im[i] = zi ? zi[i] : 0;
  }
  double *const part[] = {re, im};
  for (int k = 0; k < 2; k++) {
    apply(l->joints, l->ninput, n, part[k], part[k] + n);
    apply(l->bodies, 6 * l->nbody, n, part[k], part[k] + n + l->ninput);
  }
  const int states = p->width - l->nstate;
  for (int i = 0; i < l->nstate; i++) {
    re[states + i] = zr[n + i];
    im[states + i] = zi ? zi[n + i] : 0;
  }
  if (!normalise(re, im, n, l->ninput, p->width)) normalise(re, im, states, l->nstate, p->width);
  const double size = hypot(real, imaginary);
  p->mode[at] = (lw_mode){
      .kind = size == 0        ? LW_MODE_RIGID
              : imaginary == 0 ? LW_MODE_REAL
                               : LW_MODE_OSCILLATION,
      .real = real,
      .imaginary = imaginary,
      .frequency = size / turn,
      .damping = real == 0 ? 0 : -real / size,
      .z = {re, im},
      .joints = {re + n, im + n},
      .bodies = {re + n + l->ninput, im + n + l->ninput},
      .states = {re + states, im + states},
  };
}

/* ---- symmetric stiffness ---- */

typedef struct {
  int n;
  double *square, *V; /* [n], [n][n] by columns */
  bool *neutral;      /* [n] */
} basis;

static lw_status find_basis(const lw_linearization *l, basis *b)
{
  const int n = l->n;
  const lwi_linearized view = {.r = {.n = n}, .M = (double *)l->M, .K = (double *)l->K};
  const lw_status status = lwi_linearized_stiffness(&view, b->square, b->V);
  double most = 0;
  for (int k = 0; k < n; k++)
    most = fmax(most, fabs(b->square[k]));
  for (int k = 0; k < n && status == LW_OK; k++)
    b->neutral[k] = fabs(b->square[k]) <=
                    lwi_linearized_noise(l->joints, b->V, l->nu, n, k, l->stiffness, most);
  return status;
}

static void get_vector(const basis *b, int k, double z[])
{
  for (int i = 0; i < b->n; i++)
    z[i] = b->V[i * b->n + k];
}

static void add_undamped(parts *p, const lw_linearization *l, const basis *b, double z[])
{
  for (int k = 0; k < b->n; k++) {
    const double root = sqrt(fabs(b->square[k]));
    get_vector(b, k, z);
    if (b->neutral[k])
      add_mode(p, l, 0, 0, z, NULL);
    else if (b->square[k] > 0)
      add_mode(p, l, 0, root, z, NULL);
    else {
      add_mode(p, l, root, 0, z, NULL);
      add_mode(p, l, -root, 0, z, NULL);
    }
  }
}

/* out[n][n] = V^T C V */
static void transform(const basis *b, const double *C, double *out, double *scratch)
{
  const int n = b->n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      scratch[i * n + j] = 0;
      for (int k = 0; k < n; k++)
        scratch[i * n + j] += C[i * n + k] * b->V[k * n + j];
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      out[i * n + j] = 0;
      for (int k = 0; k < n; k++)
        out[i * n + j] += b->V[k * n + i] * scratch[k * n + j];
    }
}

/* Neutral, and not affected by C. */
static bool is_rigid(const basis *b, const double *C, int k)
{
  double most = 0, own = 0;
  for (int i = 0; i < b->n; i++)
    for (int j = 0; j < b->n; j++)
      most = fmax(most, fabs(C[i * b->n + j]));
  for (int i = 0; i < b->n; i++)
    own = fmax(own, fmax(fabs(C[i * b->n + k]), fabs(C[k * b->n + i])));
  return b->neutral[k] && own <= 1e-11 * most;
}

/* eigenvalues and vectors of F[2n][2n] with respect to E (NULL: 1) */
typedef struct {
  int n; /* 2n */
  double *re, *im, *scale, *V;
} spectrum;

/* The vector of eigenvalue k, first `count` entries; of a pair, k is its first. */
static void read_vector(const spectrum *s, int k, int count, double *re, double *im)
{
  for (int i = 0; i < count; i++) {
    re[i] = s->V[i * s->n + k];
    im[i] = s->im[k] != 0 ? s->V[i * s->n + k + 1] : 0;
  }
}

static lw_status add_damped(parts *p, const lw_linearization *l, const basis *b, double *scratch)
{
  const int n = l->n;
  double *C = scratch, *F = C + n * n, *z = F + 4 * n * n;
  int *keep = calloc((size_t)n + 1, sizeof *keep), count = 0;
  if (!keep) return LW_E_MEMORY;
  transform(b, l->C, C, F);
  for (int k = 0; k < n; k++) {
    get_vector(b, k, z);
    if (is_rigid(b, C, k))
      add_mode(p, l, 0, 0, z, NULL);
    else
      keep[count++] = k;
  }
  spectrum s = {.n = 2 * count, .re = z + 4 * n, .im = z + 6 * n, .V = z + 8 * n};
  memset(F, 0, 4 * (size_t)(n * n) * sizeof(double));
  for (int i = 0; i < count; i++) {
    double *row = F + (size_t)(count + i) * (size_t)s.n;
    F[i * s.n + count + i] = 1;
    row[i] = b->neutral[keep[i]] ? 0 : -b->square[keep[i]];
    for (int j = 0; j < count; j++)
      row[count + j] = -C[keep[i] * n + keep[j]];
  }
  const lw_status status = lwi_lapack_eigen(s.n, F, NULL, s.re, s.im, NULL, s.V);
  double largest = 0;
  for (int k = 0; k < s.n; k++)
    largest = fmax(largest, hypot(s.re[k], s.im[k]));
  for (int k = 0; k < s.n && status == LW_OK; k++) {
    double *x = z, *y = z + n, *re = z + 2 * n, *im = z + 3 * n;
    if (s.im[k] < 0) continue;
    read_vector(&s, k, count, x, y);
    for (int i = 0; i < n; i++) {
      re[i] = im[i] = 0;
      for (int j = 0; j < count; j++) {
        re[i] += b->V[i * n + keep[j]] * x[j];
        im[i] += b->V[i * n + keep[j]] * y[j];
      }
    }
    const bool zero = hypot(s.re[k], s.im[k]) <= 1e-13 * largest;
    add_mode(p, l, zero ? 0 : s.re[k], zero ? 0 : s.im[k], re, im);
  }
  free(keep);
  return status;
}

static lw_status find_symmetric(parts *p, const lw_linearization *l, double *scratch)
{
  const int n = l->n;
  basis b = {.n = n, .square = scratch, .V = scratch + n};
  b.neutral = calloc((size_t)n + 1, sizeof *b.neutral);
  if (!b.neutral) return LW_E_MEMORY;
  lw_status status = find_basis(l, &b);
  if (status == LW_OK && l->damped)
    status = add_damped(p, l, &b, scratch + n + n * n);
  else if (status == LW_OK)
    add_undamped(p, l, &b, scratch + n + n * n);
  free(b.neutral);
  return status;
}

/* ---- any stiffness ---- */

/* In z alone: zdot = w + kin z turns M wdot + C w + K z = 0 into M zddot + D zdot + S z = 0. */
static void eliminate_speeds(const lw_linearization *l, double *D, double *S)
{
  const int n = l->n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      D[i * n + j] = l->C[i * n + j];
      S[i * n + j] = l->K[i * n + j];
      for (int k = 0; k < n; k++) {
        D[i * n + j] -= l->M[i * n + k] * l->kin[k * n + j];
        S[i * n + j] -= l->C[i * n + k] * l->kin[k * n + j];
      }
    }
}

/* The number of zero eigenvalues, and of their vectors: null[vectors][n].  S v = 0 gives one, and a
   second one if the motion v t + ... continues without load: if D v is in the range of S. */
static lw_status count_zeros(const lw_linearization *l, int *zeros, int *vectors, double *null,
                             double *scratch)
{
  const int n = l->n;
  double *D = scratch, *S = D + n * n, *U = S + n * n, *V = U + n * n, *P = V + n * n,
         *value = P + n * n;
  eliminate_speeds(l, D, S);
  lw_status status = lwi_lapack_svd(n, S, value, U, V);
  if (status != LW_OK) return status;
  int rank = 0;
  while (rank < n && value[rank] > 1e-11 * fmax(value[0], l->stiffness))
    rank++;
  const int g = n - rank;
  *vectors = g;
  memcpy(null, V + rank * n, (size_t)(g * n) * sizeof(double));
  double size = 0;
  for (int i = 0; i < n * n; i++)
    size = fmax(size, fabs(D[i]));
  for (int a = 0; a < g; a++)
    for (int b = 0; b < g; b++) {
      P[a * g + b] = 0;
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
          P[a * g + b] += U[i * n + rank + a] * D[i * n + j] * null[b * n + j];
    }
  status = lwi_lapack_svd(g, P, value, U, V);
  if (status != LW_OK) return status;
  *zeros = 2 * g;
  for (int k = 0; k < g; k++)
    *zeros -= value[k] > 1e-9 * size;
  return LW_OK;
}

/* The magnitude of the k-th smallest eigenvalue, k from 1; 0: below all. */
static double kth_smallest(const spectrum *s, int k)
{
  double bound = -1;
  for (int i = 0; i < k; i++) {
    double next = HUGE_VAL;
    for (int j = 0; j < s->n; j++) {
      const double size = hypot(s->re[j], s->im[j]);
      if (size > bound && size < next) next = size;
    }
    int tree_constraints = 0;
    for (int j = 0; j < s->n; j++)
      tree_constraints += hypot(s->re[j], s->im[j]) == next;
    bound = next;
    i += tree_constraints - 1;
  }
  return bound;
}

static lw_status find_general(parts *p, const lw_linearization *l, double *scratch)
{
  const int n = l->n, n2 = 2 * n;
  double *F = scratch, *E = F + n2 * n2, *V = E + n2 * n2, *re = V + n2 * n2, *im = re + n2,
         *scale = im + n2, *null = scale + n2, *more = null + n2 * n2;
  spectrum s = {.n = n2, .re = re, .im = im, .scale = scale, .V = V};
  int zeros = 0, vectors = 0;
  memset(F, 0, 2 * (size_t)(n2 * n2) * sizeof(double));
  for (int i = 0; i < n; i++) {
    F[i * n2 + n + i] = E[i * n2 + i] = 1;
    for (int j = 0; j < n; j++) {
      F[i * n2 + j] = l->kin[i * n + j];
      F[(n + i) * n2 + j] = -l->K[i * n + j];
      F[(n + i) * n2 + n + j] = -l->C[i * n + j];
      E[(n + i) * n2 + n + j] = l->M[i * n + j];
    }
  }
  lw_status status = count_zeros(l, &zeros, &vectors, null, more);
  if (status == LW_OK) status = lwi_lapack_eigen(s.n, F, E, s.re, s.im, s.scale, s.V);
  if (status != LW_OK) return status;
  for (int k = 0; k < vectors; k++)
    add_mode(p, l, 0, 0, null + k * n, NULL);
  const double zero = kth_smallest(&s, zeros);
  for (int k = 0; k < n2; k++) {
    if (s.im[k] < 0 || hypot(s.re[k], s.im[k]) <= zero) continue;
    read_vector(&s, k, n, more, more + n);
    add_mode(p, l, s.re[k], s.im[k], more, more + n);
  }
  return LW_OK;
}

/* ---- with states ---- */

/* Eigenvalues of A itself.  What is zero is decided relative to the largest one. */
static lw_status find_with_states(parts *p, const lw_linearization *l)
{
  const int n = l->n, ns = l->nstate, size = 2 * n + ns;
  const size_t square = (size_t)size * (size_t)size;
  double *F = calloc(2 * square + 4 * (size_t)size + 1, sizeof *F);
  if (!F) return LW_E_MEMORY;
  spectrum s = {.n = size, .V = F + square, .re = F + 2 * square, .im = F + 2 * square + size};
  double *re = s.im + size, *im = re + size, largest = 0;
  memcpy(F, l->A, square * sizeof *F);
  const lw_status status = lwi_lapack_eigen(size, F, NULL, s.re, s.im, NULL, s.V);
  for (int k = 0; k < size; k++)
    largest = fmax(largest, hypot(s.re[k], s.im[k]));
  for (int k = 0; k < size && status == LW_OK; k++) {
    if (s.im[k] < 0) continue;
    read_vector(&s, k, size, re, im);
    memmove(re + n, re + 2 * n, (size_t)ns * sizeof *re); /* z, then s */
    memmove(im + n, im + 2 * n, (size_t)ns * sizeof *im);
    const bool zero = hypot(s.re[k], s.im[k]) <= 1e-10 * largest;
    add_mode(p, l, zero ? 0 : s.re[k], zero ? 0 : s.im[k], re, im);
  }
  free(F);
  return status;
}

/* ---- all ---- */

/* Neither circulatory nor gyroscopic. */
static bool is_symmetric(const lw_linearization *l)
{
  double most = 0, off = 0;
  for (int i = 0; i < l->n; i++)
    for (int j = 0; j < l->n; j++) {
      most = fmax(most, fabs(l->C[i * l->n + j]));
      off = fmax(off, fabs(l->C[i * l->n + j] - l->C[j * l->n + i]));
    }
  return l->symmetric && (!l->damped || off <= 1e-12 * most);
}

static int compare(const void *a, const void *b)
{
  const lw_mode *x = a, *y = b;
  if ((x->kind == LW_MODE_RIGID) != (y->kind == LW_MODE_RIGID))
    return x->kind == LW_MODE_RIGID ? -1 : 1;
  if (x->frequency != y->frequency) return x->frequency < y->frequency ? -1 : 1;
  return x->real < y->real ? -1 : x->real > y->real;
}

lw_modes *lw_modes_new(const lw_linearization *l, lw_error *err)
{
  if (!l) {
    lwi_fail(err, LW_E_ARG, "lw_modes_new: an argument is missing");
    return NULL;
  }
  if (lwi_lapack_ready(err) != LW_OK) return NULL;
  parts *p = new_parts(l);
  const size_t n = (size_t)l->n;
  double *scratch = calloc(48 * n * n + 32 * n + 1, sizeof *scratch);
  lw_status status = p && scratch ? LW_OK : LW_E_MEMORY;
  if (status == LW_OK)
    status = l->nstate > 0     ? find_with_states(p, l)
             : is_symmetric(l) ? find_symmetric(p, l, scratch)
                               : find_general(p, l, scratch);
  free(scratch);
  if (status != LW_OK) {
    lwi_fail(err, status, "the modes cannot be computed: %s", lw_status_text(status));
    if (p) lw_modes_free(&p->shown);
    return NULL;
  }
  qsort(p->mode, (size_t)p->shown.n, sizeof *p->mode, compare);
  p->shown.mode = p->mode;
  return &p->shown;
}
