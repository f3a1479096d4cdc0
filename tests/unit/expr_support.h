/* SPDX-License-Identifier: Apache-2.0 */
/* expr_support.h -- what the tests of expressions share: random numbers and short ways to a value
   or a slope.  The names x, y, z have the slots 0, 1, 2. */
#ifndef EXPR_SUPPORT_H
#define EXPR_SUPPORT_H
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/expression/expr.h"
#include "model/expression/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* splitmix64 */
static inline uint64_t random_bits(uint64_t *seed)
{
  uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static inline double uniform(uint64_t *seed, double low, double high)
{
  return low + (high - low) * (double)(random_bits(seed) >> 11) / 9007199254740992.0;
}

static inline int below(uint64_t *seed, int n)
{
  return (int)(random_bits(seed) % (uint64_t)n);
}

static inline int find_xyz(const char *name, void *context)
{
  (void)context;
  return name[0] >= 'x' && name[0] <= 'z' && !name[1] ? name[0] - 'x' : -1;
}

static inline int find_anything(const char *name, void *context)
{
  (void)name;
  (void)context;
  return 0;
}

/* ---- functions and tables that expressions of tests may call ---- */

static inline void add_function(lwi_library **x, const char *name, int n, const char *text)
{
  static const char *const arguments[] = {"a", "b", "c"};
  lwi_expr body;
  lwi_expr_error err;
  if (lwi_expr_parse_function(text, strlen(text), n, arguments, *x, &body, &err))
    fail_msg("%s: column %zu: %s", text, err.column, err.text);
  assert_true(lwi_library_add(x, &(lwi_definition){.name = name, .nargument = n}, &body, NULL));
}

/* the points of the tables; those of one variable have the first seven values */
static const double table_x[] = {-2.5, -1.25, -0.5, 0.25, 0.625, 1.5, 2.75};
static const double table_y[] = {-2, -0.75, 0.5, 1.75, 3};
static const double table_value[] = {0.3,  -0.7, 0.1,   0.9,  0.8,  -0.2, 0.6,  0.2, 0.1,
                                     -0.5, 0.35, 0.75,  0.6,  -0.9, -0.8, 0.15, 0.4, 0.55,
                                     -0.1, 0.05, 0.7,   0.2,  -0.6, 0.3,  0.5,  0.5, 0.5,
                                     0.1,  -0.3, -0.35, 0.85, 0.65, 0.25, -0.4, 0};

static inline void add_table(lwi_library **x, const char *name, int ny, lwi_table_kind kind,
                             lwi_table_outside outside)
{
  const lwi_table_desc d = {.name = name,
                            .n = {7, ny},
                            .x = {table_x, table_y},
                            .value = table_value,
                            .kind = kind,
                            .outside = outside};
  lwi_table *t = lwi_table_new(&d);
  assert_non_null(t);
  assert_true(
      lwi_library_add(x, &(lwi_definition){.name = name, .nargument = ny ? 2 : 1}, NULL, t));
}

/* The same for the whole program; it ends with it. */
static inline const lwi_library *test_library(void)
{
  static lwi_library *x;
  if (x) return x;
  add_function(&x, "sq", 1, "a^2");
  add_function(&x, "wave", 2, "sq(sin(a)) + b*cos(a) - x/4");
  add_function(&x, "pick", 3, "if(a > b, sq(c) - a, wave(b, a) + c)");
  add_table(&x, "akima", 0, LWI_TABLE_AKIMA, LWI_OUTSIDE_EXTEND);
  add_table(&x, "pchip", 0, LWI_TABLE_PCHIP, LWI_OUTSIDE_HOLD);
  add_table(&x, "linear", 0, LWI_TABLE_LINEAR, LWI_OUTSIDE_EXTEND);
  add_table(&x, "steps", 0, LWI_TABLE_HOLD, LWI_OUTSIDE_HOLD);
  add_table(&x, "ends", 0, LWI_TABLE_AKIMA, LWI_OUTSIDE_ERROR);
  add_table(&x, "map", 5, LWI_TABLE_AKIMA, LWI_OUTSIDE_EXTEND);
  add_table(&x, "grid", 5, LWI_TABLE_LINEAR, LWI_OUTSIDE_HOLD);
  add_table(&x, "cells", 5, LWI_TABLE_HOLD, LWI_OUTSIDE_HOLD);
  return x;
}

static inline lwi_expr parse(const char *text)
{
  lwi_expr e;
  lwi_expr_error err;
  if (lwi_expr_parse_with(text, strlen(text), test_library(), &e, &err))
    fail_msg("%s: column %zu: %s", text, err.column, err.text);
  const lwi_expr_name *unknown = lwi_expr_resolve(&e, find_xyz, NULL);
  if (unknown) fail_msg("%s: unknown name %s", text, unknown->text);
  return e;
}

static inline double value_at(const char *text, double x, double y)
{
  lwi_expr e = parse(text);
  const double value = lwi_expr_value(&e, (double[]){x, y, 0.0});
  lwi_expr_free(&e);
  return value;
}

static inline double value_of(const char *text)
{
  return value_at(text, 0.0, 0.0);
}

/* Derivative along (dx, dy). */
static inline double slope_at(const char *text, double x, double y, double dx, double dy)
{
  lwi_expr e = parse(text);
  double value, d;
  lwi_expr_dual(&e, (double[]){x, y, 0.0}, 1, (double[]){dx, dy, 0.0}, &value, &d);
  lwi_expr_free(&e);
  return d;
}

static inline bool close_to(double a, double b, double tolerance)
{
  return a == b || fabs(a - b) <= tolerance * fmax(1.0, fmax(fabs(a), fabs(b)));
}

#define assert_close(a, b, tolerance, what)                                                        \
  do {                                                                                             \
    const double a_ = (a), b_ = (b);                                                               \
    if (!close_to(a_, b_, tolerance)) fail_msg("%s: %.17g, expected %.17g", what, a_, b_);         \
  } while (0)

#endif
