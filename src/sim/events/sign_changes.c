/* SPDX-License-Identifier: Apache-2.0 */
/* sign_changes.c -- the first sign change of a function with bounds: interval bisection, then the
   Illinois method. */
#include "sim/events/sign_changes.h"

#include <math.h>

enum {
  QUIET_DEPTH =
      6, /* bisections after which an interval with nothing but noise at five points is all noise */
  DEPTH = 200,
  MOST_PARTS = 100000 /* per search */
};

typedef struct {
  double t, g, noise;
} point;

typedef struct {
  const lwi_scalar *f;
  int directions;
  lwi_side *s;
  lwi_sign_change found;
  long parts; /* evaluated so far */
} scan;

static int sign(double g)
{
  return (g > 0) - (g < 0); /* NaN: 0 */
}

static point evaluate_at(const lwi_scalar *f, double t)
{
  point p = {.t = t};
  p.g = f->value(f->context, t, &p.noise);
  return p;
}

static bool is_noise(point p)
{
  return fabs(p.g) <= p.noise;
}

/* Times that differ by less are equal. */
static double resolution(double a, double b)
{
  return 2e-16 * fmax(fabs(a), fabs(b)) + 1e-300;
}

/* The zero between two points of different sign, from just behind it: the Illinois variant of
   regula falsi, with bisection where that is slow. */
static double find_zero(const lwi_scalar *f, point a, point b)
{
  const int behind = sign(b.g);
  int side = 0;
  for (int i = 0; i < 200 && b.t - a.t > resolution(a.t, b.t); i++) {
    double t = b.t - b.g * (b.t - a.t) / (b.g - a.g);
    if (!(t > a.t && t < b.t) || i % 4 == 3) t = a.t + 0.5 * (b.t - a.t);
    if (!(t > a.t && t < b.t)) break;
    const point c = evaluate_at(f, t);
    if (sign(c.g) == behind) {
      b = c;
      if (side == 1) a.g *= 0.5;
      side = 1;
    } else {
      a = c;
      if (side == -1) b.g *= 0.5;
      side = -1;
    }
  }
  return b.t;
}

/* The function has left its noise on the other side. */
static lwi_sign_change cross_to(lwi_side *s, double t, int to, int directions)
{
  const lwi_sign_change change = {LWI_CROSSES, s->rooted ? s->root : t, to};
  s->side = to;
  s->rooted = false;
  return directions & (to > 0 ? LWI_RISING : LWI_FALLING) ? change : (lwi_sign_change){0};
}

/* From a to b with at most one zero between.  Returns true if something was found. */
static bool search_monotone(scan *x, point a, point b)
{
  lwi_side *s = x->s;
  const int to = sign(b.g);
  if (to != 0 && to == s->side) s->rooted = false;
  if (to != 0 && to == -s->side && !s->rooted) {
    s->root = sign(a.g) == -to ? find_zero(x->f, a, b) : a.t;
    s->rooted = true;
  }
  if (to == 0 || is_noise(b)) return false;
  if (s->side == 0) s->side = to;
  if (s->side == to) return false;
  x->found = cross_to(s, a.t, to, x->directions);
  return x->found.kind != LWI_STAYS;
}

static bool excludes_zero(lwi_interval x)
{
  return x.low > 0 || x.high < 0;
}

static bool is_all_noise(const scan *x, point a, point middle, point b)
{
  if (!is_noise(a) || !is_noise(middle) || !is_noise(b)) return false;
  const double quarter = 0.25 * (b.t - a.t);
  return is_noise(evaluate_at(x->f, a.t + quarter)) && is_noise(evaluate_at(x->f, b.t - quarter));
}

static bool search(scan *x, point a, point b, int depth)
{
  const lwi_bounds r = x->f->bounds(x->f->context, a.t, b.t);
  const double t = a.t + 0.5 * (b.t - a.t);
  if (b.t - a.t <= resolution(a.t, b.t) || !(t > a.t && t < b.t) || depth == DEPTH) {
    if (!isnan(b.g)) return search_monotone(x, a, b); /* too short to be bisected */
    x->found = (lwi_sign_change){LWI_NOT_A_NUMBER, b.t, 0};
    return true;
  }
  if (++x->parts > MOST_PARTS) {
    x->found = (lwi_sign_change){LWI_UNRESOLVED, a.t, 0};
    return true;
  }
  const double noise = fmin(a.noise, b.noise);
  const bool quiet = r.value.low >= -noise && r.value.high <= noise;
  const bool clear = excludes_zero(r.value) || excludes_zero(r.rate) || quiet;
  if (!r.partial && clear && !isnan(a.g) && !isnan(b.g)) {
    const bool passes = sign(b.g) != 0 && sign(b.g) == -x->s->side;
    if (!passes || !is_noise(b)) return search_monotone(x, a, b);
    const point middle = evaluate_at(x->f, t); /* the value there may exceed the noise */
    return search_monotone(x, a, middle) || search_monotone(x, middle, b);
  }
  const point middle = evaluate_at(x->f, t);
  if (depth >= QUIET_DEPTH && !r.partial && is_all_noise(x, a, middle, b))
    return search_monotone(x, a, middle) || search_monotone(x, middle, b);
  return search(x, a, middle, depth + 1) || search(x, middle, b, depth + 1);
}

lwi_sign_change lwi_first_sign_change(const lwi_scalar *f, double a, double b, int directions,
                                      lwi_side *s)
{
  scan x = {.f = f, .directions = directions, .s = s};
  const point from = evaluate_at(f, a), to = evaluate_at(f, b);
  if (isnan(from.g)) return (lwi_sign_change){LWI_NOT_A_NUMBER, a, 0};
  if (!(b > a)) return (lwi_sign_change){0};
  if (!search_monotone(&x, from, from)) search(&x, from, to, 0);
  return x.found;
}

void lwi_side_begin(const lwi_scalar *f, double t, lwi_side *s)
{
  if (s->side != 0 || !is_noise(evaluate_at(f, t))) return;
  double noise;
  const double rate = f->rate(f->context, t, &noise);
  if (fabs(rate) > noise) s->side = sign(rate);
}

lwi_sign_change lwi_side_end(const lwi_scalar *f, double b, double h, int directions, lwi_side *s)
{
  if (!s->rooted) return (lwi_sign_change){0};
  const point p = evaluate_at(f, b);
  double noise;
  const double rate = f->rate(f->context, b, &noise);
  const bool leaves = sign(p.g) * sign(rate) > 0 && fabs(rate) > noise;
  if (leaves && fabs(p.g) + fabs(rate) * h > p.noise) return cross_to(s, b, sign(p.g), directions);
  s->rooted = false;
  return (lwi_sign_change){0};
}
