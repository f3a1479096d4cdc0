/* SPDX-License-Identifier: Apache-2.0 */
/* plot_terminal.c -- curves in a terminal, of Braille characters: each has 2 x 4 dots. */
#define _POSIX_C_SOURCE 200809L
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MARGIN = 12, ROWS = 12, LEAST = 30, MOST = 200 };

typedef struct {
  int columns; /* of characters */
  unsigned char dots[ROWS][MOST];
  double from, to, least, most;
  const char *axis; /* what is along it, or its unit */
} sheet;

static int terminal_width(void)
{
  const char *columns = getenv("COLUMNS");
  const int n = columns ? atoi(columns) : 80;
  const int width = n - MARGIN - 2;
  return width < LEAST ? LEAST : width > MOST ? MOST : width;
}

/* Bits of the dots of a character: Unicode, block 2800. */
static void set_dot(sheet *s, int x, int y)
{
  static const unsigned char bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  if (x < 0 || y < 0 || x >= 2 * s->columns || y >= 4 * ROWS) return;
  s->dots[y / 4][x / 2] |= bit[y % 4][x % 2];
}

static double x_of(const sheet *s, double t)
{
  return (t - s->from) / (s->to - s->from) * (2 * s->columns - 1);
}

static double y_of(const sheet *s, double x)
{
  return (s->most - x) / (s->most - s->least) * (4 * ROWS - 1);
}

static void draw_line(sheet *s, const double a[2], const double b[2])
{
  const int n = (int)fmax(1, ceil(fmax(fabs(b[0] - a[0]), fabs(b[1] - a[1]))));
  for (int i = 0; i <= n; i++)
    set_dot(s, (int)lround(a[0] + (b[0] - a[0]) * i / n),
            (int)lround(a[1] + (b[1] - a[1]) * i / n));
}

static bool find_range(sheet *s, const double t[], const double x[], long n)
{
  s->least = (double)INFINITY, s->most = -(double)INFINITY;
  for (long i = 0; i < n; i++)
    if (isfinite(x[i])) s->least = fmin(s->least, x[i]), s->most = fmax(s->most, x[i]);
  if (n == 0 || !(s->least <= s->most)) return false;
  s->from = t[0];
  s->to = t[n - 1] > t[0] ? t[n - 1] : t[0] + 1;
  if (s->most - s->least <= 1e-12 * fmax(fabs(s->least), fabs(s->most))) {
    const double margin = fmax(0.1 * fabs(s->least), 1e-3);
    s->least -= margin, s->most += margin;
  }
  return true;
}

static void print_sheet(const sheet *s)
{
  for (int i = 0; i < ROWS; i++) {
    const bool edge = i == 0 || i == ROWS - 1;
    if (edge)
      printf("%*.5g ┤", MARGIN - 2, i ? s->least : s->most);
    else
      printf("%*s │", MARGIN - 2, "");
    for (int k = 0; k < s->columns; k++) {
      const unsigned code = 0x2800 + s->dots[i][k];
      printf("%c%c%c", (int)(0xe0 | code >> 12), (int)(0x80 | (code >> 6 & 63)),
             (int)(0x80 | (code & 63)));
    }
    printf("\n");
  }
  char end[32];
  const int length = snprintf(end, sizeof end, "%.6g %s", s->to, s->axis);
  printf("%*s %-*.6g%s\n", MARGIN - 1, "", s->columns - length, s->from, end);
}

void plot_in_terminal(const char *name, const char *unit, const double t[], const double x[],
                      long n, const char *axis)
{
  sheet *s = calloc(1, sizeof *s);
  if (!s) return;
  s->columns = terminal_width();
  s->axis = axis;
  printf("%s%s%s\n", show(name).text, *unit ? " in " : "", unit);
  if (find_range(s, t, x, n)) {
    for (long i = 0; i < n; i++) {
      const long before = i > 0 && isfinite(x[i - 1]) ? i - 1 : i;
      if (isfinite(x[i]))
        draw_line(s, (double[]){x_of(s, t[before]), y_of(s, x[before])},
                  (double[]){x_of(s, t[i]), y_of(s, x[i])});
    }
    print_sheet(s);
  } else {
    printf("  no numbers\n");
  }
  free(s);
}

/* ---- while it runs ---- */

lw_status live_plot_start(live_plot *p, const cli_args *a, const lw_model *m,
                          const lw_simulation *sim, lw_error *err)
{
  const char *list = args_text(a, "plot");
  *p = (live_plot){0};
  if (!list) return LW_OK;
  p->columns = lw_columns_new(m, list, err);
  if (!p->columns || lw_columns_follow(p->columns, sim, err) != LW_OK) return err->status;
  p->width = lw_columns_count(p->columns);
  return LW_OK;
}

lw_status live_plot_add(live_plot *p, const lw_row *row)
{
  if (!p->columns) return LW_OK;
  if (p->n == p->capacity) {
    const long more = 2 * p->capacity + 1000;
    double *rows = realloc(p->rows, (size_t)more * (size_t)p->width * sizeof *rows);
    if (!rows) return LW_E_MEMORY;
    p->rows = rows;
    p->capacity = more;
  }
  return lw_columns_row(p->columns, row->t, row->q, row->u, p->rows + p->n++ * p->width);
}

void live_plot_print(const live_plot *p)
{
  double *t = p->columns ? malloc(2 * ((size_t)p->n + 1) * sizeof *t) : NULL,
         *x = t ? t + p->n : NULL;
  for (int k = 1; k < p->width && t; k++) { /* t is first */
    for (long i = 0; i < p->n; i++)
      t[i] = p->rows[i * p->width], x[i] = p->rows[i * p->width + k];
    plot_in_terminal(lw_columns_name(p->columns, k), lw_columns_unit(p->columns, k), t, x, p->n,
                     "s");
  }
  free(t);
}

void live_plot_free(live_plot *p)
{
  lw_columns_free(p->columns);
  free(p->rows);
}
