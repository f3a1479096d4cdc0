/* SPDX-License-Identifier: Apache-2.0 */
/* number_text.c -- the shortest decimal that reads back as the same number.

   x = c 2^e stands for all reals of the interval around it that round to it: with c = 4 m its ends
   are 4 m +- 2, of which the lower one is 4 m - 1 where m is the least of its binade, and they
   belong to it if m is even.  Scaled by 10^k so that x has 17 digits before the point, the
   multiples of 10, 100, ... in the interval are the shorter decimals; the last power that has one
   gives the fewest digits (Steele and White, How to print floating-point numbers accurately, 1990).
   From 1e-38 to 1e15 the scaled numbers are exact in 192 bits,

     c 10^k 2^e = c 5^k 2^(e + k),   5^k < 2^128 for k < 56

   and other numbers, which are rare, are left to the C library.  Results are mostly numbers: nothing here
   divides by a variable more than once, or calls. */
#include "base/number_text.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 17 };
static const uint64_t ten8 = 100000000u, ten16 = 10000000000000000u, ten17 = 100000000000000000u;

__extension__ typedef unsigned __int128 wide;

/* ---- powers ---- */

#define FOUR(x) (wide)(x), (wide)(x)*5, (wide)(x)*25, (wide)(x)*125
#define SIXTEEN(x) FOUR(x), FOUR((wide)(x)*625), FOUR((wide)(x)*390625), FOUR((wide)(x)*244140625)
#define FIVE16 (wide)152587890625u

/* 5^k for k < 64, of which those below 2^128 are used */
static const wide power_of_five[] = {SIXTEEN(1), SIXTEEN(FIVE16), SIXTEEN(FIVE16 *FIVE16),
                                     SIXTEEN(FIVE16 *FIVE16 *FIVE16)};

enum { LEAST_POWER = -38, MOST_POWER = 15 };
static const double power_of_ten[] = {1e-38, 1e-37, 1e-36, 1e-35, 1e-34, 1e-33, 1e-32, 1e-31, 1e-30,
                                      1e-29, 1e-28, 1e-27, 1e-26, 1e-25, 1e-24, 1e-23, 1e-22, 1e-21,
                                      1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12,
                                      1e-11, 1e-10, 1e-9,  1e-8,  1e-7,  1e-6,  1e-5,  1e-4,  1e-3,
                                      1e-2,  1e-1,  1e0,   1e1,   1e2,   1e3,   1e4,   1e5,   1e6,
                                      1e7,   1e8,   1e9,   1e10,  1e11,  1e12,  1e13,  1e14,  1e15};

/* floor(log10 x) of m 2^e, m < 2^53, up to the rounding of the powers of ten */
static int find_exponent(double x, int e)
{
  const int at = ((e + 52) * 78913) >> 18; /* log10 of 2: of the least number with this e */
  return at < MOST_POWER && x >= power_of_ten[at + 1 - LEAST_POWER] ? at + 1 : at;
}

/* ---- digits and exponent of a positive number ---- */

/* floor(c five / 2^shift), 0 < shift < 192; *rest: is there a remainder? */
static uint64_t scale(uint64_t c, wide five, int shift, bool *rest)
{
  const wide low = (wide)c * (uint64_t)five;
  const wide high = (wide)c * (uint64_t)(five >> 64) + (uint64_t)(low >> 64);
  const uint64_t least = (uint64_t)low;
  if (shift < 64) {
    *rest = least << (64 - shift) != 0;
    return (uint64_t)(high << (64 - shift)) | least >> shift;
  }
  const int s = shift - 64;
  *rest = least != 0 || high != (high >> s) << s;
  return (uint64_t)(high >> s);
}

/* eight digits, the first one in the lowest byte: halves, quarters, digits side by side */
static uint64_t eight_digits(uint32_t n)
{
  const uint64_t two = n / 10000 | (uint64_t)(n % 10000) << 32;
  const uint64_t hundreds = ((two * 10486) >> 20) & 0x0000007f0000007fu;
  const uint64_t four = hundreds | (two - 100 * hundreds) << 16;
  const uint64_t tens = ((four * 103) >> 10) & 0x000f000f000f000fu;
  return (tens | (four - 10 * tens) << 8) + 0x3030303030303030u;
}
static void write_eight(uint64_t eight, char digits[8])
{
  if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
    memcpy(digits, &eight, sizeof eight); /* gcc does not make one store of the loop */
  else
    for (int i = 0; i < 8; i++)
      digits[i] = (char)(eight >> 8 * i);
}
static void write_digits(uint64_t n, char digits[DIGITS])
{
  const uint64_t low = n % ten16;
  digits[0] = (char)('0' + n / ten16);
  write_eight(eight_digits((uint32_t)(low / ten8)), digits + 1);
  write_eight(eight_digits((uint32_t)(low % ten8)), digits + 9);
}

/* m 2^e, in 10^k; twice the number is needed to see its nearest multiple */
typedef struct {
  uint64_t twice, least, most; /* floor(2 x); whole numbers that stand for x are least ... most */
  bool rest;                   /* 2 x is larger */
} interval;

static interval find_interval(uint64_t m, int e, int k)
{
  const int shift = 2 - e - k;
  const bool even = m % 2 == 0, narrow = m == (uint64_t)1 << 52;
  bool below, above;
  interval x;
  x.twice = scale(4 * m, power_of_five[k], shift - 1, &x.rest);
  x.least = scale(4 * m - (narrow ? 1 : 2), power_of_five[k], shift, &below);
  x.least += below || !even;
  x.most = scale(4 * m + 2, power_of_five[k], shift, &above);
  x.most -= !above && !even;
  return x;
}

/* Of the two multiples of p around x the nearer one, or the one that stands for x. */
static uint64_t nearest_multiple(const interval *x, uint64_t p)
{
  const uint64_t below = x->twice / 2 / p * p, middle = 2 * below + p;
  const bool tie = x->twice == middle && !x->rest;
  const bool up = tie ? below / p % 2 != 0 : x->twice >= middle;
  if (below < x->least) return below + p;
  if (below + p > x->most) return below;
  return up ? below + p : below;
}

static int exact_digits(double x, char digits[DIGITS])
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  const uint64_t m = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
  const int e = (int)(bits >> 52) - 1075;
  int k = DIGITS - 1 - find_exponent(x, e);
  interval at = find_interval(m, e, k);
  if (at.twice / 2 >= ten17) at = find_interval(m, e, --k); /* a power of ten was rounded */
  if (at.twice / 2 < ten16) at = find_interval(m, e, ++k);
  uint64_t p = 1;
  for (uint64_t least = (at.least + 9) / 10, most = at.most / 10; least <= most;
       least = (least + 9) / 10, most /= 10)
    p *= 10; /* some multiple of 10 p is in the interval */
  const uint64_t n = nearest_multiple(&at, p);
  write_digits(n < ten17 ? n : n / 10, digits);
  return DIGITS - 1 - k + (n >= ten17);
}

/* By the C library: 15, 16 or 17 digits, of subnormal numbers any number of them.  The locale's
   decimal point comes after the first digit and may have several bytes. */
static int library_digits(double x, char digits[DIGITS])
{
  char text[64];
  int n = x < DBL_MIN ? 1 : DIGITS - 2;
  do
    snprintf(text, sizeof text, "%.*e", n - 1, x);
  while (strtod(text, NULL) != x && ++n <= DIGITS);
  if (n > DIGITS) n = DIGITS;
  const char *exponent = strchr(text, 'e');
  memset(digits, '0', DIGITS);
  digits[0] = text[0];
  memcpy(digits + 1, exponent - (n - 1), (size_t)(n - 1));
  return atoi(exponent + 1);
}

/* ---- text ---- */

/* Digits of a whole number. */
static char *put_integer(char *out, long long n)
{
  char digits[24];
  int count = 0;
  do
    digits[count++] = (char)('0' + n % 10);
  while (n /= 10);
  while (count > 0)
    *out++ = digits[--count];
  return out;
}

static char *put_exponent(char *out, int exponent)
{
  const int n = abs(exponent);
  *out++ = 'e';
  *out++ = exponent < 0 ? '-' : '+';
  if (n < 10) *out++ = '0';
  return put_integer(out, n);
}

/* Plain digits for exponents from -4 to 16, no zeros at the end. */
static char *put_digits(char *out, const char digits[DIGITS], int exponent)
{
  int n = DIGITS;
  while (n > 1 && digits[n - 1] == '0')
    n--;
  const bool plain = exponent >= -4 && exponent < DIGITS;
  const int before = plain ? exponent + 1 : 1; /* digits before the point */
  if (before <= 0) {
    memcpy(out, "0.0000", 6);
    memcpy(out + 2 - before, digits, DIGITS);
    return out + 2 - before + n;
  }
  memcpy(out + 1, digits, DIGITS); /* behind the point, all at once; then those before it */
  for (int i = 0; i < before; i++)
    out[i] = digits[i];
  out[before] = '.';
  out += n > before ? n + 1 : before;
  return plain ? out : put_exponent(out, exponent);
}

char *lwi_put_number(char *out, double x)
{
  char digits[DIGITS];
  if (signbit(x)) *out++ = '-';
  x = fabs(x);
  if (isinf(x)) return memcpy(out, "inf", 3), out + 3;
  if (x < 1e15 && x == floor(x)) return put_integer(out, (long long)x);
  const int exponent = x > 1e-38 && x < 1e15 ? exact_digits(x, digits) : library_digits(x, digits);
  return put_digits(out, digits, exponent);
}
