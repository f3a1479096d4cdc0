/* SPDX-License-Identifier: Apache-2.0 */
/* canvas.h -- a page of lines and texts, as SVG or PDF.  Lengths are points of 1/72 inch (pixels of
   an SVG), y grows downward.  What is drawn is remembered as text; lwi_canvas_close writes the file
   as a whole. */
#ifndef LWI_IO_PICTURE_CANVAS_H
#define LWI_IO_PICTURE_CANVAS_H
#include "linkwork/status.h"

#include <stdbool.h>

typedef struct lwi_canvas lwi_canvas;
typedef struct {
  unsigned colour; /* 0xrrggbb */
  double width;    /* of lines */
  double dash;     /* length of dashes; 0: none */
} lwi_stroke;
typedef enum { LWI_TEXT_START, LWI_TEXT_MIDDLE, LWI_TEXT_END } lwi_text_anchor;
typedef struct {
  double size;
  unsigned colour;
  lwi_text_anchor anchor;
  bool upward; /* written from below to above */
  bool bold;
} lwi_text_look;

/* NULL: no memory. */
lwi_canvas *lwi_canvas_new(double width, double height, bool pdf);
void lwi_canvas_line(lwi_canvas *c, const lwi_stroke *s, const double from[2], const double to[2]);
/* A broken line, point by point; further moves begin another piece. */
void lwi_canvas_begin(lwi_canvas *c, const lwi_stroke *s);
void lwi_canvas_move(lwi_canvas *c, double x, double y);
void lwi_canvas_draw(lwi_canvas *c, double x, double y);
void lwi_canvas_end(lwi_canvas *c);
/* Only what is inside is drawn, until the next call; width 0: everything. */
void lwi_canvas_clip(lwi_canvas *c, double x, double y, double width, double height);
void lwi_canvas_text(lwi_canvas *c, const lwi_text_look *look, double x, double y,
                     const char *text);
/* The width of a text, about. */
double lwi_canvas_text_width(const char *text, double size);
/* Writes the file and frees the canvas; path NULL: only frees. */
lw_status lwi_canvas_close(lwi_canvas *c, const char *path, lw_error *err);

#endif
