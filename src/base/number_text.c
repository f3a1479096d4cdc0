/* SPDX-License-Identifier: Apache-2.0 */
/* number_text.c -- the shortest decimal that reads back as the same number.

   x = c 2^e stands for all reals of the interval around it that round to it: with c = 4 m its ends
   are 4 m +- 2, of which the lower one is 4 m - 1 where m is the least of its binade, and they
   belong to it if m is even.  Scaled by 10^k so that x has 17 digits before the point, the
   multiples of 10, 100, ... in the interval are the shorter decimals; the last power that has one
   gives the fewest digits (Steele and White, How to print floating-point numbers accurately, 1990).
   From 1e-38 to 1e15 the scaled numbers are exact in 192 bits,

     c 10^k 2^e = c 5^k 2^(e + k),   5^k < 2^128 for k < 56

   and other numbers, which are rare, are left to the C library. */
#include "base/number_text.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 17 };
static const uint64_t ten16 = 10000000000000000u, ten17 = 100000000000000000u;

__extension__ typedef unsigned __int128 wide;

/* ---- digits and exponent of a positive number ---- */

static wide power_of_five(int k)
{
  enum { MOST = 27 }; /* 5^27 < 2^64 */
  uint64_t low = 1, high = 1;
  for (int i = 0; i < k && i < MOST; i++)
    low *= 5;
  for (int i = MOST; i < k; i++)
    high *= 5;
  return (wide)low * high;
}

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

static void write_digits(uint64_t n, char digits[DIGITS])
{
  for (int i = DIGITS - 1; i >= 0; i--, n /= 10)
    digits[i] = (char)('0' + n % 10);
}

/* m 2^e, in 10^k; twice the number is needed to see its nearest multiple */
typedef struct {
  uint64_t twice, least, most; /* floor(2 x); whole numbers that stand for x are least ... most */
  bool rest;                   /* 2 x is larger */
} interval;

static interval find_interval(uint64_t m, int e, int k)
{
  const wide five = power_of_five(k);
  const int shift = 2 - e - k;
  const bool even = m % 2 == 0, narrow = m == (uint64_t)1 << 52;
  bool below, above;
  interval x;
  x.twice = scale(4 * m, five, shift - 1, &x.rest);
  x.least = scale(4 * m - (narrow ? 1 : 2), five, shift, &below);
  x.least += below || !even;
  x.most = scale(4 * m + 2, five, shift, &above);
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
  int e;
  const uint64_t m = (uint64_t)ldexp(frexp(x, &e), 53);
  e -= 53;
  int k = DIGITS - 1 - (int)floor(log10(x));
  interval at = find_interval(m, e, k);
  if (at.twice / 2 >= ten17) at = find_interval(m, e, --k); /* log10 was rounded */
  if (at.twice / 2 < ten16) at = find_interval(m, e, ++k);
  uint64_t p = 1;
  while (at.most / (10 * p) * (10 * p) >= at.least)
    p *= 10;
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
    *out++ = '0';
    *out++ = '.';
    for (int i = before; i < 0; i++)
      *out++ = '0';
  }
  for (int i = 0; i < n || i < before; i++) {
    if (i == before && before > 0) *out++ = '.';
    *out++ = digits[i];
  }
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
