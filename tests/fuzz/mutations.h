/* SPDX-License-Identifier: Apache-2.0 */
/* mutations.h -- changes of model files after which most of them are still models: another number, a line of another
   file.  For driver.c and for libFuzzer. */
#ifndef MUTATIONS_H
#define MUTATIONS_H
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIZE = 20000 };

typedef struct {
  char text[MAX_SIZE + 1]; /* ends with '\0' */
  int n;
} input;

/* ---- random numbers ---- */

typedef struct {
  uint64_t state;
} source;

static int pick(source *s, int n)
{
  s->state = s->state * 6364136223846793005u + 1442695040888963407u;
  return n > 0 ? (int)((s->state >> 33) % (uint64_t)n) : 0;
}

/* ---- mutations ---- */

static void splice(input *x, int at, int cut, const char *text, int n)
{
  if (cut > x->n - at) cut = x->n - at;
  if (x->n - cut + n > MAX_SIZE) return;
  memmove(x->text + at + n, x->text + at + cut, (size_t)(x->n - at - cut));
  memcpy(x->text + at, text, (size_t)n);
  x->n += n - cut;
  x->text[x->n] = '\0';
}

/* the number at or after a place; false: none */
static bool find_number(const input *x, int from, int *at, int *length)
{
  int i = from;
  while (i < x->n && !(isdigit((unsigned char)x->text[i]) &&
                       (i == 0 || !isalnum((unsigned char)x->text[i - 1]))))
    i++;
  int end = i;
  while (end < x->n && (isdigit((unsigned char)x->text[end]) || x->text[end] == '.'))
    end++;
  *at = i;
  *length = end - i;
  return end > i;
}

static void change_number(input *x, source *s)
{
  static const char *const special[] = {
      "0",   "1",    "-1",   "1e-9", "1e9", "1e-300",           "1e300",
      "0.5", "-0.5", "1e16", "1e-4", "1e4", "3.14159265358979", "2",
      "10",  "1e-12"};
  int at, length;
  char text[40];
  if (!find_number(x, pick(s, x->n), &at, &length)) return;
  if (pick(s, 2)) {
    snprintf(text, sizeof text, "%s", special[pick(s, (int)(sizeof special / sizeof *special))]);
  } else {
    const double factor = pick(s, 2) ? 0.1 * (1 + pick(s, 30)) : pick(s, 2) ? 1e-3 : 1e3;
    snprintf(text, sizeof text, "%.6g", factor * atof(x->text + at));
  }
  splice(x, at, length, text, (int)strlen(text));
}

/* a line of another model, or of this one, in the place of one */
static void change_line(input *x, const input *from, source *s)
{
  int start = pick(s, from->n), at = pick(s, x->n);
  while (start > 0 && from->text[start - 1] != '\n')
    start--;
  while (at > 0 && x->text[at - 1] != '\n')
    at--;
  int n = 0, cut = 0;
  while (start + n < from->n && from->text[start + n] != '\n')
    n++;
  while (at + cut < x->n && x->text[at + cut] != '\n')
    cut++;
  splice(x, at, pick(s, 3) ? 0 : cut + 1, from->text + start, n + 1 < from->n - start ? n + 1 : n);
}

#endif
