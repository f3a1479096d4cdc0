/* SPDX-License-Identifier: Apache-2.0 */
/* num.h -- the scalar that compilation computes with: a double, or a double with its derivative along
   one direction.  The only file that knows how the derivative is carried.

   What turns written numbers into the constants of a model is ordinary C written once against `num`;
   the build compiles it once more with LW_CHANGE, and so constants and their derivatives cannot diverge.
   A number with its derivative is a complex one whose imaginary part is the derivative times 2^-600: then
   C's own operators are the rules of differentiation, since the square of such a step is below every double
   [Squire1998].  Derivatives up to 1e140 and down to 1e-120 are exact to rounding errors.

   Branch on value_of; the compiler refuses to compare numbers themselves. */
#ifndef LWI_MATH_NUM_H
#define LWI_MATH_NUM_H
#include <math.h>

#ifndef LW_CHANGE
#define LW_CHANGE 0
#endif

#if LW_CHANGE

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
static inline num num_of(double x, double change)
{
  return num_parts(x, NUM_STEP * change);
}
static inline double value_of(num x)
{
  return creal(x);
}
static inline double change_of(num x)
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

static inline num num_of(double x, double change)
{
  (void)change;
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
#if LW_CHANGE
  return change_of(x);
#else
  return x;
#endif
}

#endif
