/* SPDX-License-Identifier: Apache-2.0 */
/* plot.c -- columns of results over time: one panel for each unit, events as dashed lines, SVG or
   PDF. */
#define _POSIX_C_SOURCE 200809L
#include "base/fail.h"
#include "io/picture/canvas.h"
#include "linkwork/output.h"
#include "linkwork/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
  WIDTH = 640,
  PANEL = 210, /* height, without the space between panels */
  GAP = 34,
  LEFT = 76,
  RIGHT = 18,
  TOP = 50,
  BOTTOM = 44,
  MOST_TICKS = 20,
  LABELS = 12, /* events whose names are written */
  LINE = 13,   /* of a legend ... */
  MOST_LINES = 6
};

/* Colours that remain distinct for the colour-blind (Okabe and Ito). */
static const unsigned colours[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                   0x000000, 0xe69f00, 0x56b4e9, 0x8c510a};
static const lwi_stroke frame = {0x333333, 0.8, 0}, grid = {0xe3e3e3, 0.6, 0},
                        mark = {0x999999, 0.7, 3};
static const lwi_text_look tick_look = {10, 0x333333, LWI_TEXT_MIDDLE, false, false},
                           value_look = {10, 0x333333, LWI_TEXT_END, false, false},
                           axis_look = {11, 0x111111, LWI_TEXT_MIDDLE, false, false},
                           unit_look = {11, 0x111111, LWI_TEXT_MIDDLE, true, false},
                           name_look = {10, 0x111111, LWI_TEXT_START, false, false},
                           event_look = {8, 0x777777, LWI_TEXT_START, false, false},
                           title_look = {13, 0x111111, LWI_TEXT_START, false, true};

typedef struct {
  double least, most, step; /* of ticks */
  double from, to;          /* in the picture */
} axis;

typedef struct {
  lw_results *r;
  const int *column;
  int n;
  long rows;
  double *t, *x; /* [rows] times, and one column */
  lwi_canvas *c;
  axis time;
} plot;

/* ---- axes ---- */

/* Ticks at 1, 2 or 5 times a power of ten, about n of them. */
static double tick_step(double range, int n)
{
  const double raw = range / n, power = pow(10, floor(log10(raw))), m = raw / power;
  return power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

static axis make_axis(double least, double most, double from, double to, int n)
{
  if (!(least <= most)) least = 0, most = 1;
  double range = most - least;
  const double rounding = 1e-12 * fmax(fabs(least), fabs(most));
  if (!(range > rounding)) {
    range = fmax(0.1 * fabs(least), 1e-3);
    least -= range, most += range, range *= 2;
  }
  return (axis){least, most, tick_step(range, n), from, to};
}

static double place(const axis *a, double x)
{
  return a->from + (x - a->least) / (a->most - a->least) * (a->to - a->from);
}

static void tick_text(const axis *a, double x, char text[32])
{
  const double largest = fmax(fabs(a->least), fabs(a->most));
  if (fabs(x) < 1e-6 * a->step) x = 0;
  if (largest >= 1e5 || largest < 1e-3) {
    const int digits = (int)fmax(0, fmin(9, ceil(log10(largest / a->step))));
    snprintf(text, 32, "%.*g", digits + 1, x);
  } else {
    snprintf(text, 32, "%.*f", (int)fmax(0, fmin(9, -floor(log10(a->step) + 1e-9))), x);
  }
}

/* The point of the C locale. */
static void fix_point(char *text)
{
  char *comma = strchr(text, ',');
  if (comma) *comma = '.';
}

static double first_tick(const axis *a)
{
  return a->step * ceil(a->least / a->step - 1e-9);
}

static void draw_time_ticks(const plot *p, double top, double bottom, bool texts)
{
  char text[32];
  const axis *a = &p->time;
  int n = 0;
  for (double t = first_tick(a); t <= a->most + 1e-9 * a->step && n < MOST_TICKS;
       t = first_tick(a) + ++n * a->step) {
    const double x = place(a, t);
    lwi_canvas_line(p->c, &grid, (double[]){x, top}, (double[]){x, bottom});
    if (!texts) continue;
    tick_text(a, t, text);
    fix_point(text);
    lwi_canvas_text(p->c, &tick_look, x, bottom + 14, text);
  }
}

static void draw_value_ticks(const plot *p, const axis *a)
{
  char text[32];
  int n = 0;
  for (double v = first_tick(a); v <= a->most + 1e-9 * a->step && n < MOST_TICKS;
       v = first_tick(a) + ++n * a->step) {
    const double y = place(a, v);
    lwi_canvas_line(p->c, &grid, (double[]){LEFT, y}, (double[]){WIDTH - RIGHT, y});
    tick_text(a, v, text);
    fix_point(text);
    lwi_canvas_text(p->c, &value_look, LEFT - 6, y + 3.5, text);
  }
}

static void draw_frame(const plot *p, double top)
{
  lwi_canvas_begin(p->c, &frame);
  lwi_canvas_move(p->c, LEFT, top);
  lwi_canvas_draw(p->c, WIDTH - RIGHT, top);
  lwi_canvas_draw(p->c, WIDTH - RIGHT, top + PANEL);
  lwi_canvas_draw(p->c, LEFT, top + PANEL);
  lwi_canvas_draw(p->c, LEFT, top);
  lwi_canvas_end(p->c);
}

/* ---- events ---- */

static void draw_events(const plot *p, double top, bool names)
{
  const int n = lw_results_nevent(p->r);
  long instant = -1;
  double free = LEFT; /* names do not overlap */
  for (int i = 0; i < n; i++) {
    const lw_result_event e = lw_results_event(p->r, i);
    if (e.instant == instant) continue;
    instant = e.instant;
    const double x = place(&p->time, e.time);
    lwi_canvas_line(p->c, &mark, (double[]){x, top}, (double[]){x, top + PANEL});
    if (!names || n > LABELS || x < free) continue;
    lwi_canvas_text(p->c, &event_look, x + 2, top - 3, e.name);
    free = x + lwi_canvas_text_width(e.name, event_look.size) + 8;
  }
}

/* ---- curves ---- */

/* Of the rows within a pixel the first, smallest, largest and last are drawn. */
static void draw_curve(const plot *p, const axis *a)
{
  bool down = false;
  for (long i = 0; i < p->rows;) {
    if (!isfinite(p->x[i])) {
      down = false;
      i++;
      continue;
    }
    const double pixel = floor(4 * place(&p->time, p->t[i]));
    long end = i, low = i, high = i;
    while (end + 1 < p->rows && isfinite(p->x[end + 1]) &&
           floor(4 * place(&p->time, p->t[end + 1])) == pixel) {
      end++;
      if (p->x[end] < p->x[low]) low = end;
      if (p->x[end] > p->x[high]) high = end;
    }
    const long shown[] = {i, low < high ? low : high, low < high ? high : low, end};
    for (int k = 0; k < 4; k++) {
      if (k > 0 && shown[k] == shown[k - 1]) continue;
      (down ? lwi_canvas_draw : lwi_canvas_move)(p->c, place(&p->time, p->t[shown[k]]),
                                                 place(a, p->x[shown[k]]));
      down = true;
    }
    i = end + 1;
  }
}

static lw_status find_range(const plot *p, const int column[], int n, double range[2],
                            lw_error *err)
{
  lw_status status = LW_OK;
  range[0] = (double)INFINITY, range[1] = -(double)INFINITY;
  for (int k = 0; k < n && status == LW_OK; k++) {
    status = lw_results_read(p->r, column[k], 0, p->rows, p->x, err);
    for (long i = 0; i < p->rows && status == LW_OK; i++)
      if (isfinite(p->x[i])) range[0] = fmin(range[0], p->x[i]), range[1] = fmax(range[1], p->x[i]);
  }
  const double margin = 0.05 * (range[1] - range[0]);
  range[0] -= margin, range[1] += margin;
  return status;
}

/* Names with a piece of their line, from the right, above the panel, in as many lines as they need; c NULL: none are drawn.
   Returns the number of lines. */
static int draw_legend(const plot *p, lwi_canvas *c, const int column[], int n, double top)
{
  const double end = WIDTH - RIGHT;
  double x = end, y = top - 12;
  int line = 1;
  for (int k = n - 1; k >= 0; k--) {
    const char *name = lw_results_name(p->r, column[k]);
    const lwi_stroke s = {colours[k % 8], 1.6, k < 8 ? 0 : 4};
    /* fonts that stand in for another one are up to a seventh wider */
    const double width = 1.15 * lwi_canvas_text_width(name, name_look.size) + 24;
    if (x - width < LEFT && x < end) line++, x = end, y -= LINE;
    if (line > MOST_LINES) {
      char more[40];
      snprintf(more, sizeof more, "and %d more before these", k + 1);
      if (c) lwi_canvas_text(c, &name_look, LEFT, y, more);
      return line;
    }
    x -= width;
    if (!c) continue;
    lwi_canvas_text(c, &name_look, x + 20, y, name);
    lwi_canvas_line(c, &s, (double[]){x, y - 3.5}, (double[]){x + 16, y - 3.5});
  }
  return line;
}

typedef struct {
  bool first, last; /* of the page */
} place_on_page;

static lw_status draw_panel(const plot *p, const int column[], int n, double top, place_on_page at,
                            lw_error *err)
{
  double range[2];
  lw_status status = find_range(p, column, n, range, err);
  if (status != LW_OK) return status;
  const axis a = make_axis(range[0], range[1], top + PANEL, top, 5);
  draw_time_ticks(p, top, top + PANEL, at.last);
  draw_value_ticks(p, &a);
  draw_events(p, top, at.first);
  lwi_canvas_clip(p->c, LEFT, top, WIDTH - LEFT - RIGHT, PANEL);
  for (int k = 0; k < n && status == LW_OK; k++) {
    const lwi_stroke s = {colours[k % 8], 1.3, k < 8 ? 0 : 4};
    status = lw_results_read(p->r, column[k], 0, p->rows, p->x, err);
    lwi_canvas_begin(p->c, &s);
    if (status == LW_OK) draw_curve(p, &a);
    lwi_canvas_end(p->c);
  }
  lwi_canvas_clip(p->c, 0, 0, 0, 0);
  draw_frame(p, top);
  draw_legend(p, p->c, column, n, top);
  const char *unit = lw_results_unit(p->r, column[0]);
  char text[80];
  snprintf(text, sizeof text, "%s%s%s", n == 1 ? lw_results_name(p->r, column[0]) : "",
           *unit && n == 1 ? " in " : "", unit);
  lwi_canvas_text(p->c, &unit_look, 16, top + PANEL / 2.0, text);
  return status;
}

/* ---- the page ---- */

/* The columns of one unit, in order, beginning with the first that is not drawn yet. */
static int take_group(const plot *p, bool drawn[], int group[])
{
  int n = 0;
  const char *unit = NULL;
  for (int i = 0; i < p->n; i++) {
    const char *own = lw_results_unit(p->r, p->column[i]);
    if (drawn[i] || (unit && strcmp(unit, own) != 0)) continue;
    unit = own;
    drawn[i] = true;
    group[n++] = p->column[i];
  }
  return n;
}

/* The number of panels, and the lines of legends beyond one each. */
static int count_units(const plot *p, bool drawn[], int group[], int *lines)
{
  int n = 0, size;
  for (*lines = 0; (size = take_group(p, drawn, group)) > 0; n++)
    *lines += draw_legend(p, NULL, group, size, 0) - 1;
  memset(drawn, 0, (size_t)p->n * sizeof *drawn);
  return n;
}

static lw_status draw_page(plot *p, bool drawn[], int group[], const char *path, lw_error *err)
{
  const size_t length = strlen(path);
  const bool pdf = length > 4 && strcasecmp(path + length - 4, ".pdf") == 0;
  int lines;
  const int panels = count_units(p, drawn, group, &lines);
  p->c = lwi_canvas_new(WIDTH, TOP + BOTTOM + panels * (PANEL + GAP) - GAP + lines * LINE, pdf);
  if (!p->c) return lwi_out_of_memory(err, "the picture");
  p->time =
      make_axis(p->rows ? p->t[0] : 0, p->rows ? p->t[p->rows - 1] : 1, LEFT, WIDTH - RIGHT, 8);
  const char *name = lw_results_fact(p->r, "name");
  lwi_canvas_text(p->c, &title_look, LEFT, 20, name ? name : "");
  lw_status status = LW_OK;
  double top = TOP;
  for (int i = 0; i < panels && status == LW_OK; i++, top += PANEL + GAP) {
    const int n = take_group(p, drawn, group);
    top += (draw_legend(p, NULL, group, n, 0) - 1) * LINE;
    status = draw_panel(p, group, n, top, (place_on_page){i == 0, i == panels - 1}, err);
  }
  lwi_canvas_text(p->c, &axis_look, (LEFT + WIDTH - RIGHT) / 2.0, top - GAP + 32,
                  lw_results_has_cases(p->r) ? "case" : "t in s");
  const lw_status closed = lwi_canvas_close(p->c, status == LW_OK ? path : NULL, err);
  return status == LW_OK ? closed : status;
}

lw_status lw_results_plot(lw_results *r, const int columns[], int n, const char *path,
                          lw_error *err)
{
  if (!r || !columns || n < 1 || !path)
    return lwi_fail(err, LW_E_ARG, "lw_results_plot: an argument is missing");
  const int time = lw_results_find(r, lw_results_has_cases(r) ? "case" : "t");
  for (int i = 0; i < n; i++)
    if (columns[i] < 0 || columns[i] >= lw_results_columns(r))
      return lwi_fail(err, LW_E_ARG, "lw_results_plot: there is no such column");
  if (time < 0) return lwi_fail(err, LW_E_ARG, "lw_results_plot: there is no column t");
  const size_t rows = (size_t)lw_results_rows(r) + 1;
  plot p = {.r = r, .column = columns, .n = n, .rows = lw_results_rows(r)};
  p.t = malloc(rows * sizeof *p.t);
  p.x = malloc(rows * sizeof *p.x);
  bool *drawn = calloc((size_t)n, sizeof *drawn);
  int *group = calloc((size_t)n, sizeof *group);
  lw_status status = p.t && p.x && drawn && group ? lw_results_read(r, time, 0, p.rows, p.t, err)
                                                  : lwi_out_of_memory(err, NULL);
  if (status == LW_OK) status = draw_page(&p, drawn, group, path, err);
  free(group);
  free(drawn);
  free(p.x);
  free(p.t);
  return status;
}
