/* SPDX-License-Identifier: Apache-2.0 */
/* page_stream.c -- series of numbers as text: multiples of a step, second differences, one plane
   per byte, deflate (RFC 1950), base64 (RFC 4648).  Smooth motion has small second differences, so
   that most planes are zeros. */
#include "page.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

static char *base64(const unsigned char *from, size_t n)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char *text = malloc(n / 3 * 4 + 8), *to = text;
  if (!text) return NULL;
  *to++ = '"';
  for (size_t i = 0; i < n; i += 3) {
    const size_t left = n - i;
    const unsigned bits = (unsigned)from[i] << 16 | (left > 1 ? (unsigned)from[i + 1] << 8 : 0) |
                          (left > 2 ? from[i + 2] : 0);
    *to++ = digits[bits >> 18];
    *to++ = digits[bits >> 12 & 63];
    *to++ = left > 1 ? digits[bits >> 6 & 63] : '=';
    *to++ = left > 2 ? digits[bits & 63] : '=';
  }
  *to++ = '"';
  *to = 0;
  return text;
}

/* bytes[n] to a JSON text; frees them. */
static bool put_bytes(json *j, const char *key, unsigned char *bytes, size_t n)
{
  uLongf size = compressBound((uLong)n);
  unsigned char *packed = bytes ? malloc(size) : NULL;
  const bool good = packed && compress2(packed, &size, bytes, (uLong)n, 6) == Z_OK;
  char *text = good ? base64(packed, size) : NULL;
  if (text) json_raw(j, key, text);
  free(text);
  free(packed);
  free(bytes);
  return text;
}

/* the second differences of one series, in planes of n bytes */
typedef struct {
  unsigned char *plane;
  size_t n, at;
  uint32_t last, slope;
} planes;

static void put_number(planes *p, uint32_t x)
{
  const uint32_t slope = x - p->last, d = slope - p->slope;
  const uint32_t zigzag = d << 1 ^ (d >> 31 ? UINT32_MAX : 0);
  for (unsigned k = 0; k < 4; k++)
    p->plane[k * p->n + p->at] = (unsigned char)(zigzag >> 8 * k);
  p->at++;
  p->last = x;
  p->slope = slope;
}

/* INT32_MIN: there is no number. */
static uint32_t multiple(double x, double step)
{
  const double m = x / step;
  return isfinite(m) && fabs(m) < 2147483647.0 ? (uint32_t)(int32_t)lrint(m) : 0x80000000u;
}

static bool put_cells(json *j, const page_rows *r, const double step[], const bool keep[],
                      long kept)
{
  const size_t n = (size_t)kept * (size_t)r->ncell;
  planes p = {.plane = malloc(4 * n + 1), .n = n};
  for (int k = 0; p.plane && k < r->ncell; k++) {
    p.last = p.slope = 0;
    for (long i = 0; i < r->n; i++)
      if (keep[i])
        put_number(&p,
                   multiple((double)r->cell[(size_t)i * (size_t)r->ncell + (size_t)k], step[k]));
  }
  return put_bytes(j, "data", p.plane, 4 * n);
}

static bool put_times(json *j, const page_rows *r, const bool keep[], long kept)
{
  const double first = r->n ? r->time[0] : 0, span = r->n ? r->time[r->n - 1] - first : 0;
  const double step = span > 0 ? span / 1073741824.0 : 1;
  planes p = {.plane = malloc(4 * (size_t)kept + 1), .n = (size_t)kept};
  for (long i = 0; p.plane && i < r->n; i++)
    if (keep[i]) put_number(&p, multiple(r->time[i] - first, step));
  json_number(j, "first", first);
  json_number(j, "step", step);
  return put_bytes(j, "time", p.plane, 4 * (size_t)kept);
}

bool page_stream(json *j, const char *key, const page_rows *r, const double step[], long most)
{
  bool *keep = malloc((size_t)r->n + 1);
  if (!keep) return false;
  const long kept = page_rows_thin(r, most, keep);
  if (kept < 0) {
    free(keep);
    return false;
  }
  json_object(j, key);
  json_integer(j, "rows", kept);
  json_integer(j, "of", r->n);
  json_integer(j, "columns", r->ncell);
  json_numbers(j, "steps", step, r->ncell);
  const bool good = put_times(j, r, keep, kept) && put_cells(j, r, step, keep, kept);
  json_object_end(j);
  free(keep);
  return good;
}
