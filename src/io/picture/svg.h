/* SPDX-License-Identifier: Apache-2.0 */
/* svg.h -- writes pictures: a few shapes, text that is escaped, numbers in any locale.

   Lengths are pixels, y grows downward.  Shapes get their look from a class of the style sheet,
   which svg.c holds.  Errors are remembered and returned by lwi_svg_close. */
#ifndef LWI_IO_PICTURE_SVG_H
#define LWI_IO_PICTURE_SVG_H
#include "linkwork/status.h"

#include <stdbool.h>

typedef struct lwi_svg lwi_svg;

/* `title` is for readers that cannot see.  Returns NULL on failure; err says why. */
lwi_svg *lwi_svg_create(const char *path, double width, double height, const char *title,
                        lw_error *err);
/* Writes the file and frees s.  LW_E_FILE: it could not be written, and an earlier file is
   unchanged. */
lw_status lwi_svg_close(lwi_svg *s, lw_error *err);

typedef struct {
  double x, y;
} lwi_svg_point;
typedef enum { LWI_SVG_START, LWI_SVG_MIDDLE, LWI_SVG_END } lwi_svg_anchor;

void lwi_svg_rect(lwi_svg *s, const char *look, lwi_svg_point at, double width, double height,
                  double radius);
void lwi_svg_line(lwi_svg *s, const char *look, lwi_svg_point from, lwi_svg_point to);
/* On the base line at `at`. */
void lwi_svg_text(lwi_svg *s, const char *look, lwi_svg_point at, lwi_svg_anchor anchor,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

/* A path: begin, then moves, then end; `arrow` puts a head at its end. */
void lwi_svg_path_begin(lwi_svg *s, const char *look, bool arrow);
void lwi_svg_move(lwi_svg *s, lwi_svg_point to);
void lwi_svg_draw(lwi_svg *s, lwi_svg_point to); /* a straight line */
void lwi_svg_curve(lwi_svg *s, lwi_svg_point a, lwi_svg_point b, lwi_svg_point to); /* a cubic */
void lwi_svg_path_end(lwi_svg *s);

/* Lines through points with round ends and corners, closed and filled if fill is not NULL; a single
   point is a dot.  Colours as #rrggbb. */
typedef struct {
  const char *fill, *stroke;
  double width, opacity;
} lwi_svg_paint;
void lwi_svg_polyline(lwi_svg *s, const lwi_svg_paint *paint, const lwi_svg_point p[], int n);

/* The width of a text, rather overestimated: fonts differ. */
double lwi_svg_text_width(const char *text, double font_size);

#endif
