/* SPDX-License-Identifier: Apache-2.0 */
/* number.h -- the scalar that compilation computes with: a double, or a double with its derivative along
   one direction.  The only file that knows how the derivative is carried.

   What turns written numbers into the constants of a model is ordinary C written once against `number`;
   the build compiles it once more with LW_CHANGE, and so constants and their derivatives cannot diverge.
   A number with its derivative is a complex one whose imaginary part is the derivative times 2^-600: then
   C's own operators are the rules of differentiation, since the square of such a step is below every double
   [Squire1998].  Derivatives up to 1e140 and down to 1e-120 are exact to rounding errors.

   Branch on value_of; the compiler refuses to compare numbers themselves. */
#ifndef LWI_MATH_NUMBER_H
#define LWI_MATH_NUMBER_H
#include <math.h>

#ifndef LW_CHANGE
#define LW_CHANGE 0
#endif

#if LW_CHANGE

#include <complex.h>
#undef I

typedef double complex number;
#define NUMBER_STEP 0x1p-600

static inline number number_of(double x, double change)
{
  return CMPLX(x, NUMBER_STEP * change);
}
static inline double value_of(number x)
{
  return creal(x);
}
static inline double change_of(number x)
{
  return cimag(x) / NUMBER_STEP;
}
/* a function of x with this value and this slope */
static inline number number_chain(double value, double slope, number x)
{
  return CMPLX(value, slope * cimag(x));
}
static inline number number_sqrt(number x)
{
  const double root = sqrt(creal(x));
  return CMPLX(root, root > 0 ? 0.5 * cimag(x) / root : 0);
}
static inline number number_sin(number x)
{
  return number_chain(sin(creal(x)), cos(creal(x)), x);
}
static inline number number_cos(number x)
{
  return number_chain(cos(creal(x)), -sin(creal(x)), x);
}
static inline number number_atan2(number y, number x)
{
  const double a = creal(x), b = creal(y);
  return CMPLX(atan2(b, a), (a * cimag(y) - b * cimag(x)) / (a * a + b * b));
}

#else

typedef double number;

static inline number number_of(double x, double change)
{
  (void)change;
  return x;
}
static inline double value_of(number x)
{
  return x;
}
static inline number number_sqrt(number x)
{
  return sqrt(x);
}
static inline number number_sin(number x)
{
  return sin(x);
}
static inline number number_cos(number x)
{
  return cos(x);
}
static inline number number_atan2(number y, number x)
{
  return atan2(y, x);
}

#endif

/* what a model keeps of a number: its value, or its derivative */
static inline double kept_of(number x)
{
#if LW_CHANGE
  return change_of(x);
#else
  return x;
#endif
}

#endif
