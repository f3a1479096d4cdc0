/* SPDX-License-Identifier: Apache-2.0 */
/* num.h -- the scalar of all that is differentiated along one direction p: a double, or a double
   with its derivative by p.  The only file that knows how the derivative is carried.

   What turns written numbers into the constants of a model, and what joints, constraints and loads
   are at a state, is ordinary C written once against `num`; the build compiles it once more with
   LW_DERIVATIVE, and so values and their derivatives cannot diverge. A number with its derivative
   is a complex one whose imaginary part is the derivative times 2^-600: then C's own operators are
   the rules of differentiation, since the square of such a step is below every double
   [Squire1998].  Derivatives up to 1e140 and down to 1e-120 are exact to rounding errors.

   Branch on value_of; the compiler refuses to compare numbers themselves. */
#ifndef LWI_MATH_NUM_H
#define LWI_MATH_NUM_H
#include <math.h>

#ifndef LW_DERIVATIVE
#define LW_DERIVATIVE 0
#endif

#if LW_DERIVATIVE

#include <complex.h>
#undef I

typedef double complex num;
#define NUM_STEP 0x1p-600

/* real and imaginary part: CMPLX is not everywhere */
static inline num num_parts(double x, double y)
{
  const union {
    double part[2];
    num z;
  } both = {{x, y}};
  return both.z;
}
static inline num num_of(double x, double derivative)
{
  return num_parts(x, NUM_STEP * derivative);
}
static inline double value_of(num x)
{
  return creal(x);
}
static inline double derivative_of(num x)
{
  return cimag(x) / NUM_STEP;
}
/* a function of x with this value and this slope */
static inline num num_chain(double value, double slope, num x)
{
  return num_parts(value, slope * cimag(x));
}
static inline num num_sqrt(num x)
{
  const double root = sqrt(creal(x));
  return num_parts(root, root > 0 ? 0.5 * cimag(x) / root : 0);
}
static inline num num_hypot(num x, num y)
{
  const double r = hypot(creal(x), creal(y));
  return num_parts(r, r > 0 ? (creal(x) * cimag(x) + creal(y) * cimag(y)) / r : 0);
}
static inline num num_sin(num x)
{
  return num_chain(sin(creal(x)), cos(creal(x)), x);
}
static inline num num_cos(num x)
{
  return num_chain(cos(creal(x)), -sin(creal(x)), x);
}
static inline num num_atan2(num y, num x)
{
  const double a = creal(x), b = creal(y), r2 = a * a + b * b;
  return num_parts(atan2(b, a), r2 > 0 ? (a * cimag(y) - b * cimag(x)) / r2 : 0);
}

#else

typedef double num;

static inline num num_of(double x, double derivative)
{
  (void)derivative;
  return x;
}
static inline double value_of(num x)
{
  return x;
}
static inline num num_sqrt(num x)
{
  return sqrt(x);
}
static inline num num_hypot(num x, num y)
{
  return hypot(x, y);
}
static inline num num_sin(num x)
{
  return sin(x);
}
static inline num num_cos(num x)
{
  return cos(x);
}
static inline num num_atan2(num y, num x)
{
  return atan2(y, x);
}

#endif

/* what a model keeps of a number: its value, or its derivative */
static inline double kept_of(num x)
{
#if LW_DERIVATIVE
  return derivative_of(x);
#else
  return x;
#endif
}

#endif
