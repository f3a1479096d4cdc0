/* SPDX-License-Identifier: Apache-2.0 */
/* number_text.c -- numbers as text (number_text.h). */
#include "io/table/number_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* 17 digits and the exponent of a positive number; the locale's decimal point stands after the
   first digit and may have several bytes. */
static int get_digits(double x, char digits[17])
{
  char text[64];
  snprintf(text, sizeof text, "%.16e", x);
  const char *e = strchr(text, 'e');
  digits[0] = text[0];
  memcpy(digits + 1, e - 16, 16);
  return atoi(e + 1);
}

static char *put_exponent(char *out, int exponent)
{
  const int n = abs(exponent);
  *out++ = 'e';
  *out++ = exponent < 0 ? '-' : '+';
  if (n < 10) *out++ = '0';
  return put_integer(out, n);
}

/* As "%.17g": plain digits for exponents from -4 to 16, no zeros at the end. */
static char *put_digits(char *out, const char digits[17], int exponent)
{
  int n = 17;
  while (n > 1 && digits[n - 1] == '0')
    n--;
  const bool plain = exponent >= -4 && exponent < 17;
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
  char digits[17];
  if (signbit(x)) *out++ = '-';
  x = fabs(x);
  if (isinf(x)) return memcpy(out, "inf", 3), out + 3;
  if (x < 1e15 && x == floor(x)) return put_integer(out, (long long)x);
  const int exponent = get_digits(x, digits);
  return put_digits(out, digits, exponent);
}
