/* SPDX-License-Identifier: Apache-2.0 */
/* sincos.h -- sines and cosines of several angles at once.

   Joint angles come in arrays, so this works on vectors of them, whatever the width of `real`, and
   gives the same bits for an angle in any lane.  Argument reduction by a three-part pi/2 (Cody and
   Waite) and the minimax polynomials of fdlibm's kernel functions: below one ulp for |x| up to
   2^18; larger and non-finite angles use the C library. */
#ifndef LWI_MATH_SINCOS_H
#define LWI_MATH_SINCOS_H
#include "math/real.h"
#include <string.h>

#if LW_LANES > 1
#define LW_WIDE LW_LANES
#elif defined(__AVX512F__)
#define LW_WIDE 8
#else
#define LW_WIDE 4
#endif

typedef double wide __attribute__((vector_size(8 * LW_WIDE)));
typedef int64_t wide_int __attribute__((vector_size(8 * LW_WIDE)));

static inline wide wide_select(wide_int mask, wide a, wide b)
{
  return (wide)(((wide_int)a & mask) | ((wide_int)b & ~mask));
}

static inline void wide_sincos_reduced(wide x, wide y, wide *s, wide *c)
{
  const wide z = x * x, v = z * x;
  const wide rs = 8.33333333332248946124e-03 +
                  z * (-1.98412698298579493134e-04 +
                       z * (2.75573137070700676789e-06 +
                            z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  *s = x - ((z * (0.5 * y - v * rs) - y) - v * -1.66666666666666324348e-01);
  const wide rc =
      z * (4.16666666666666019037e-02 +
           z * (-1.38888888888741095749e-03 +
                z * (2.48015872894767294178e-05 +
                     z * (-2.75573143513906633035e-07 +
                          z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  const wide hz = 0.5 * z, w = 1.0 - hz;
  *c = w + (((1.0 - w) - hz) + (z * rc - x * y));
}

static inline void wide_sincos(wide x, wide *sine, wide *cosine)
{
  const double shift = 6755399441055744.0; /* 1.5 * 2^52: adding it rounds to an integer */
  const wide k = x * 6.36619772367581382433e-01 + shift;
  const wide n = k - shift;
  const wide t = x - n * 1.57079632673412561417e+00; /* exact: 33-bit parts of pi/2 */
  const wide w2 = n * 6.07710050630396597660e-11;
  const wide r = t - w2;
  const wide w = n * 2.02226624879595063154e-21 - ((t - r) - w2);
  const wide y0 = r - w, y1 = (r - y0) - w;
  wide s, c;
  wide_sincos_reduced(y0, y1, &s, &c);
  const wide_int quadrant = (wide_int)k;
  const wide_int odd = -(quadrant & 1), flip_s = (quadrant & 2) << 62,
                 flip_c = ((quadrant + 1) & 2) << 62;
  *sine = (wide)((wide_int)wide_select(odd, c, s) ^ flip_s);
  *cosine = (wide)((wide_int)wide_select(odd, s, c) ^ flip_c);
}

/* s[i], c[i] of n angles x[i]; n is a multiple of LW_WIDE (pad with anything finite) */
static inline void sincos_array(int n, const double *x, double *s, double *c)
{
  const double most = 262144.0;
  wide_int large = {0};
  for (int i = 0; i < n; i += LW_WIDE) {
    wide a, sine, cosine;
    memcpy(&a, x + i, sizeof a);
    wide_sincos(a, &sine, &cosine);
    memcpy(s + i, &sine, sizeof sine);
    memcpy(c + i, &cosine, sizeof cosine);
    large |= ~((a <= most) & (a >= -most));
  }
  int64_t any = 0;
  for (int k = 0; k < LW_WIDE; k++)
    any |= large[k];
  for (int i = 0; i < n && any; i++)
    if (!(fabs(x[i]) <= most)) s[i] = sin(x[i]), c[i] = cos(x[i]);
}

#endif
