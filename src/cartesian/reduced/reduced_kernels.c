/* SPDX-License-Identifier: Apache-2.0 */
/* reduced_kernels.c -- the hot part of reduced.h, compiled once per instruction set.  Blocks have
   one to six rows, so that every loop over them has a constant length in some copy of the code. */
#include "cartesian/reduced/reduced_blocks.h"
#include "cartesian/reduced/reduced_residual.h"

#include <string.h>

/* ---- fronts ---- */

static void clear(double *x, size_t n)
{
  v4 *const to = as_vectors(x);
  for (size_t i = 0; i < n / 4; i++)
    to[i] = (v4){0, 0, 0, 0};
}

/* What a child leaves goes where its rows are in the front. */
static void add_child(const lwi_reduced_plan *p, const lwi_front *f, const lwi_front_child *child,
                      lwi_reduced_work *w)
{
  const lwi_front *c = &p->front[child->front];
  const int n = c->h - c->w, *map = p->map + child->map;
  const double *from = w->rest + c->rest + (c->w - c->base);
  double *const panel = w->panel + f->panel, *const rest = w->rest + f->rest;
  for (int j = 0; j < n; j++, from += c->ldr) {
    const int at = map[j];
    double *to = at < f->w ? panel + (size_t)at * (size_t)f->ld
                           : rest + (size_t)(at - f->w) * (size_t)f->ldr - f->base;
    for (int i = j; i < n; i++)
      to[map[i]] += from[i];
    to[f->h] += from[n];
  }
}

static void assemble(const lwi_reduced_plan *p, const lwi_front *f, lwi_reduced_work *w,
                     const lwi_descriptor_values *v)
{
  double *const panel = w->panel + f->panel, *const own = w->own + f->pivot;
  const int *rows = p->rows + f->row;
  clear(panel, lwi_reduced_panel_size(f));
  for (int i = 0; i < f->w; i++)
    own[i] = 0;
  const lwi_op *const ops = p->ops + f->op;
  if (p->width == 3) {
    for (int i = 0; i < f->nop; i++)
      put_op(3, f, &ops[i], w, v);
  } else {
    for (int i = 0; i < f->nop; i++)
      put_op(6, f, &ops[i], w, v);
  }
  for (int i = 0; i < f->w && v->give; i++)
    if (rows[i] < p->nrow) panel[i + i * f->ld] += v->give[rows[i]];
  for (int i = 0; i < f->w; i++) {
    const double d = panel[i + i * f->ld];
    if (d > 0) own[i] = d;
    panel[f->h + i * f->ld] = w->x[rows[i]];
  }
  if (f->nchild) clear(w->rest + f->rest, (size_t)(f->h - f->w) * (size_t)f->ldr);
  for (int i = 0; i < f->nchild; i++)
    add_child(p, f, &p->children[f->child + i], w);
}

/* to += sum over k < n of V_k S_k[0], for `count` vectors.  V_k = V + k ld, S_k = S + k ld. */
INLINE void reduce(v4 *to, const double *V, const double *S, int ld, int n, int count, bool fresh)
{
  v4 s[8];
  for (int i = 0; i < count; i++)
    s[i] = fresh ? (v4){0, 0, 0, 0} : to[i];
  for (int k = 0; k < n; k++, V += ld, S += ld) {
    const double c = *S;
    const v4 *const x = as_const_vectors(V);
    for (int i = 0; i < count; i++)
      s[i] += x[i] * c;
  }
  for (int i = 0; i < count; i++)
    to[i] = s[i];
}

/* the same for two neighbouring columns */
INLINE void reduce_two(v4 *to, v4 *to2, const double *V, const double *S, int ld, int n, int count,
                       bool fresh)
{
  v4 s[4], t[4];
  for (int i = 0; i < count; i++) {
    s[i] = fresh ? (v4){0, 0, 0, 0} : to[i];
    t[i] = fresh ? (v4){0, 0, 0, 0} : to2[i];
  }
  for (int k = 0; k < n; k++, V += ld, S += ld) {
    const double c = S[0], d = S[1];
    const v4 *const x = as_const_vectors(V);
    for (int i = 0; i < count; i++) {
      s[i] += x[i] * c;
      t[i] += x[i] * d;
    }
  }
  for (int i = 0; i < count; i++) {
    to[i] = s[i];
    to2[i] = t[i];
  }
}

INLINE void reduce_any(v4 *to, const double *V, const double *S, int ld, int n, int count,
                       bool fresh)
{
  for (; count > 8; count -= 8, to += 8, V += 32)
    reduce(to, V, S, ld, n, 8, fresh);
  switch (count) {
  case 1: reduce(to, V, S, ld, n, 1, fresh); break;
  case 2: reduce(to, V, S, ld, n, 2, fresh); break;
  case 3: reduce(to, V, S, ld, n, 3, fresh); break;
  case 4: reduce(to, V, S, ld, n, 4, fresh); break;
  case 5: reduce(to, V, S, ld, n, 5, fresh); break;
  case 6: reduce(to, V, S, ld, n, 6, fresh); break;
  case 7: reduce(to, V, S, ld, n, 7, fresh); break;
  case 8: reduce(to, V, S, ld, n, 8, fresh); break;
  default: break;
  }
}

/* The pivot of a row that no other set can replace has to be compared with what it was before the
   other rows of its set, and with nothing else: articulated inertias may be as large as they
   like. */
static bool is_strong_in_set(const lwi_reduced_plan *p, const lwi_front *f, const double *V,
                             const double *S, int c)
{
  const int *end = p->block_end + f->pivot;
  const double d = V[c + c * f->ld];
  double own = d;
  if (p->rows[f->row + c] >= p->nrow) return d < 0;
  for (int k = c - 1; k >= 0 && end[k] == end[c]; k--)
    own -= V[c + k * f->ld] * S[c + k * f->ld];
  return d > 1e-13 * own;
}

typedef struct {
  bool fair, strong;
} verdict;

INLINE void judge(verdict *v, double d, double own)
{
  v->fair &= own > 0 ? d > LWI_WEAK_PIVOT * own : d < 0;
  v->strong &= d > LWI_MODEST_PIVOT * own || d < 0;
}

INLINE void reduce_pair(v4 *a, v4 *b, const double *V, const double *S, int ld, int n, int count,
                        bool fresh)
{
  switch (count) {
  case 1: reduce_two(a, b, V, S, ld, n, 1, fresh); break;
  case 2: reduce_two(a, b, V, S, ld, n, 2, fresh); break;
  case 3: reduce_two(a, b, V, S, ld, n, 3, fresh); break;
  case 4: reduce_two(a, b, V, S, ld, n, 4, fresh); break;
  default: reduce_any(a, V, S, ld, n, count, fresh); reduce_any(b, V, S + 1, ld, n, count, fresh);
  }
}

/* Columns of the front: V_c = A_c - sum_k<c V_k V_ck / d_k, S_c = -V_c / d_c.  Two at a time, so
   that their two divisions do not wait for each other: 1 / d_2 = a / (a e - b b). */
static lwi_pivots eliminate(const lwi_reduced_plan *p, const lwi_front *f, lwi_reduced_work *w)
{
  double *const panel = w->panel + f->panel, *const V = w->column;
  double *const inverse = w->inverse + f->pivot, *const own = w->own + f->pivot;
  const int ld = f->ld, nv = ld / 4;
  verdict v = {true, true};
  int c = 0;
  for (; c + 1 < f->w; c += 2) {
    const int first = c / 4;
    double *const S = panel + (size_t)c * (size_t)ld, *const T = S + ld;
    double *const Vc = V + (size_t)c * (size_t)ld, *const Vd = Vc + ld;
    reduce_pair(as_vectors(S + 4 * first), as_vectors(T + 4 * first), V + 4 * first, panel + c, ld,
                c, nv - first, false);
    const double a = S[c], b = S[c + 1], e = T[c + 1];
    const double one = -1 / a, two = -a / (a * e - b * b), l = b * one;
    inverse[c] = -one;
    inverse[c + 1] = -two;
    judge(&v, a, own[c]);
    judge(&v, e + b * l, own[c + 1]);
    for (int i = first; i < nv; i++) {
      const v4 x = as_vectors(S)[i], y = as_vectors(T)[i] + x * l;
      as_vectors(Vc)[i] = x;
      as_vectors(Vd)[i] = y;
      as_vectors(S)[i] = x * one;
      as_vectors(T)[i] = y * two;
    }
  }
  if (c < f->w) {
    const int first = c / 4;
    double *const S = panel + (size_t)c * (size_t)ld, *const Vc = V + (size_t)c * (size_t)ld;
    reduce_any(as_vectors(S + 4 * first), V + 4 * first, panel + c, ld, c, nv - first, false);
    const double d = S[c], minus = -1 / d;
    inverse[c] = -minus;
    judge(&v, d, own[c]);
    for (int i = first; i < nv; i++) {
      const v4 x = as_vectors(S)[i];
      as_vectors(Vc)[i] = x;
      as_vectors(S)[i] = x * minus;
    }
  }
  if (p->independent) {
    v.fair = v.strong = true;
    for (c = 0; c < f->w; c++)
      v.fair &= is_strong_in_set(p, f, V, panel, c);
  }
  return !v.fair ? LWI_PIVOTS_WEAK : v.strong ? LWI_PIVOTS_STRONG : LWI_PIVOTS_MODEST;
}

/* What is left for the parent. */
static void reduce_rest(const lwi_front *f, lwi_reduced_work *w)
{
  const double *const S = w->panel + f->panel;
  const int nv = f->ld / 4;
  const bool fresh = f->nchild == 0;
  int c = f->w;
  for (; c + 1 < f->h; c += 2) {
    const int first = c / 4, count = nv - first;
    double *to = w->rest + f->rest + (size_t)(c - f->w) * (size_t)f->ldr + (4 * first - f->base);
    v4 *const a = as_vectors(to), *const b = as_vectors(to + f->ldr);
    const double *V = w->column + 4 * first;
    reduce_pair(a, b, V, S + c, f->ld, f->w, count, fresh);
  }
  for (; c < f->h; c++) {
    const int first = c / 4;
    double *to = w->rest + f->rest + (size_t)(c - f->w) * (size_t)f->ldr + (4 * first - f->base);
    reduce_any(as_vectors(to), w->column + 4 * first, S + c, f->ld, f->w, nv - first, fresh);
  }
}

static lwi_pivots factor(const lwi_reduced_plan *p, lwi_reduced_work *w,
                         const lwi_descriptor_values *v)
{
  lwi_pivots least = LWI_PIVOTS_STRONG;
  prepare(p, w, v);
  for (int i = 0; i < p->nfront; i++) {
    const lwi_front *f = &p->front[i];
    assemble(p, f, w, v);
    const lwi_pivots pivots = eliminate(p, f, w);
    if (pivots < least) least = pivots;
    if (least == LWI_PIVOTS_WEAK) break;
    reduce_rest(f, w);
  }
  return least;
}

/* ---- solutions ---- */

/* The right side in x goes into the fronts: x_r += S_rk x_k for r > k.  Vectors begin above k, where
   nothing is read any more. */
static void forward(const lwi_reduced_plan *p, lwi_reduced_work *w)
{
  double *const x = w->local;
  for (int i = 0; i < p->nfront; i++) {
    const lwi_front *f = &p->front[i];
    const int *rows = w->swapped + f->row;
    for (int r = 0; r < f->h; r++)
      x[r] = w->x[rows[r]];
    for (int r = f->h; r < f->ld; r++)
      x[r] = 0;
    for (int k = 0; k < f->w; k++) {
      double *const S = w->panel + f->panel + (size_t)k * (size_t)f->ld;
      const double t = x[k];
      v4 *const y = as_vectors(x);
      for (int j = (k + 1) / 4; j < f->ld / 4; j++)
        y[j] += as_const_vectors(S)[j] * t;
      S[f->h] = -t * w->inverse[f->pivot + k];
    }
    for (int r = f->w; r < f->h; r++)
      w->x[rows[r]] = x[r];
  }
}

/* x_k = sum over r > k of S_rk x_r, the right side counting with x_h = -1 */
static void back(const lwi_reduced_plan *p, lwi_reduced_work *w)
{
  double *const x = w->local;
  for (int i = p->nfront - 1; i >= 0; i--) {
    const lwi_front *f = &p->front[i];
    const int *rows = w->swapped + f->row;
    const double *const S = w->panel + f->panel;
    for (int r = f->base; r < f->w; r++)
      x[r] = 0;
    for (int r = f->w; r < f->h; r++)
      x[r] = w->x[rows[r]];
    x[f->h] = -1;
    for (int r = f->h + 1; r < f->ld; r++)
      x[r] = 0;
    for (int k = f->w - 1; k >= 0; k--) {
      const v4 *const s = as_const_vectors(S + (size_t)k * (size_t)f->ld), *const y =
                                                                               as_const_vectors(x);
      v4 t = {0, 0, 0, 0};
      for (int j = f->base / 4; j < f->ld / 4; j++)
        t += s[j] * y[j];
      w->column[k] = (t[0] + t[1]) + (t[2] + t[3]);
    }
    /* the newest comes last: everything before it can be summed while it is being waited for */
    for (int k = f->w - 1; k >= 0; k--) {
      const double *s = S + (size_t)k * (size_t)f->ld;
      double t = w->column[k];
      for (int r = f->w - 1; r > k; r--)
        t += s[r] * x[r];
      x[k] = t;
      w->x[rows[k]] = t;
    }
  }
}

INLINE void add_load(const double *phi, const double *lambda, int width, int rows, double *f)
{
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < width; i++)
      f[i] -= phi[r * width + i] * lambda[r];
}

static void recover(const lwi_reduced_plan *p, const lwi_reduced_work *w,
                    const lwi_descriptor_values *v, double a[])
{
  memcpy(a, v->force, (size_t)p->nbody * (size_t)p->width * sizeof(double));
  for (int i = 0; i < p->nblock; i++) {
    const lwi_block *b = &p->block[i];
    const double *phi = v->jacobian + b->phi, *lambda = w->x + b->row;
    if (p->width == 3) {
#define LOAD(n) add_load(phi, lambda, 3, n, a + 3 * b->body)
      BY_ROWS(b->rows, LOAD)
#undef LOAD
    } else {
#define LOAD(n) add_load(phi, lambda, 6, n, a + 6 * b->body)
      BY_ROWS(b->rows, LOAD)
#undef LOAD
    }
  }
  for (int i = 0; i < p->nbody; i++) {
    const lwi_descriptor_mass *m = &v->mass[i];
    double *f = a + i * p->width;
    if (p->width == 3) {
      f[0] *= m->inverse_inertia[2];
      f[1] *= m->inverse_mass;
      f[2] *= m->inverse_mass;
      continue;
    }
    const double *K = m->inverse_inertia, t[3] = {f[0], f[1], f[2]};
    f[0] = K[0] * t[0] + K[3] * t[1] + K[4] * t[2];
    f[1] = K[3] * t[0] + K[1] * t[1] + K[5] * t[2];
    f[2] = K[4] * t[0] + K[5] * t[1] + K[2] * t[2];
    for (int k = 3; k < 6; k++)
      f[k] *= m->inverse_mass;
  }
  for (int i = 0; i < p->nhub; i++)
    memcpy(a + p->hub[i] * p->width, w->x + p->nrow + i * p->width,
           (size_t)p->width * sizeof(double));
}

extern const lwi_reduced_kernels LW_REDUCED_KERNELS;
const lwi_reduced_kernels LW_REDUCED_KERNELS = {.factor = factor,
                                                .forward = forward,
                                                .back = back,
                                                .recover = recover,
                                                .prepare = prepare,
                                                .assemble = assemble,
                                                .row_residual = row_residual,
                                                .force_residual = force_residual};
