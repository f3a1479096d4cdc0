/* SPDX-License-Identifier: Apache-2.0 */
/* real.h -- the scalar that kernels compute with: one double, or the same quantity of LW_LANES
   states side by side.  The only file that knows LW_LANES.

   Kernels are ordinary C written once against `real`; the build compiles them once per width:
     LW_LANES = 4, 8        a vector of doubles, one lane per state
     LW_LANES = 1           a double; 3-vectors are packed into one vector register (LW_PACKED)
     LW_LANES = 1, LW_PLAIN a double and nothing else: the reference that the others are tested by
     LW_QUAD                quadruple precision, to measure rounding errors
   No `if` on a real: branch on the model, and choose between values with real_select. */
#ifndef LWI_MATH_REAL_H
#define LWI_MATH_REAL_H
#include <math.h>
#include <stdint.h>

#ifndef LW_LANES
#define LW_LANES 1
#endif
#ifndef LW_PLAIN
#define LW_PLAIN 0
#endif
#ifndef LW_QUAD
#define LW_QUAD 0
#endif
#define LW_PACKED (LW_LANES == 1 && !LW_PLAIN && !LW_QUAD)

#if LW_QUAD
__extension__ typedef __float128 real;
typedef int real_mask;
#elif LW_LANES == 1
typedef double real;
typedef int real_mask;
#else
typedef double real __attribute__((vector_size(8 * LW_LANES)));
typedef int64_t real_mask __attribute__((vector_size(8 * LW_LANES)));
#endif

typedef double param; /* a number of the model: the same in all lanes */

#if LW_LANES == 1

static inline real real_set(double x)
{
  return (real)x;
}
static inline double real_lane(real x, int k)
{
  (void)k;
  return (double)x;
}
static inline real real_select(real_mask mask, real a, real b)
{
  return mask ? a : b;
}
static inline int real_any(real_mask mask)
{
  return mask;
}

#else

static inline real real_set(double x)
{
  return x - (real){0};
}
static inline double real_lane(real x, int k)
{
  return x[k];
}
static inline real real_select(real_mask mask, real a, real b)
{
  return (real)(((real_mask)a & mask) | ((real_mask)b & ~mask));
}
static inline int real_any(real_mask mask)
{
  int64_t any = 0;
  for (int k = 0; k < LW_LANES; k++)
    any |= mask[k];
  return any != 0;
}

#endif

static inline real real_map1(real x, double (*f)(double))
{
#if LW_LANES == 1
  return (real)f((double)x);
#else
  for (int k = 0; k < LW_LANES; k++)
    x[k] = f(x[k]);
  return x;
#endif
}

static inline real real_map2(real x, real y, double (*f)(double, double))
{
#if LW_LANES == 1
  return (real)f((double)x, (double)y);
#else
  for (int k = 0; k < LW_LANES; k++)
    x[k] = f(x[k], y[k]);
  return x;
#endif
}

static inline real real_abs(real x)
{
  return real_select(x < 0.0, -x, x);
}

#if LW_QUAD
real sqrtq(real);
void sincosq(real, real *, real *);
static inline real real_sqrt(real x)
{
  return sqrtq(x);
}
#else
static inline real real_sqrt(real x)
{
#if LW_LANES == 1
  return sqrt(x);
#else
  for (int k = 0; k < LW_LANES; k++)
    x[k] = sqrt(x[k]);
  return x;
#endif
}
#endif

#endif
