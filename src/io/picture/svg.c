/* SPDX-License-Identifier: Apache-2.0 */
/* svg.c -- writes pictures: put together in memory, written as a whole. */
#define _POSIX_C_SOURCE 200809L
#include "io/picture/svg.h"

#include "base/fail.h"
#include "io/file/utf8.h"
#include "linkwork/file.h"
#include "linkwork/output.h"

#include <math.h>
#include <stdarg.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lwi_svg {
  bool failed; /* out of memory */
  FILE *file;  /* in memory */
  char *text;
  size_t length;
  char *path;
};

static const char STYLE[] =
    "text{font-family:'Helvetica Neue',Helvetica,Arial,'DejaVu Sans',sans-serif;font-size:12px;"
    "fill:#1f2d3d}\n"
    ".title{font-size:20px;font-weight:600}\n"
    ".subtitle{font-size:12.5px;fill:#5b6b7b}\n"
    ".head{font-size:14px;font-weight:600}\n"
    ".note{font-size:11px;fill:#5b6b7b}\n"
    ".rule{stroke:#d5dce4;stroke-width:1}\n"
    ".page{fill:#fff}\n"
    ".band{fill:#f2f5f8}\n"
    ".tag{font-size:10px;fill:#7a8896;font-weight:600}\n"
    ".node{fill:#e3edf7;stroke:#34597c;stroke-width:1.2}\n"
    ".ground{fill:#fff;stroke:#1f2d3d;stroke-width:1.6}\n"
    ".hatch{stroke:#1f2d3d;stroke-width:1}\n"
    ".body,.earth{font-size:12px}\n"
    ".joint{font-size:11px}\n"
    ".type{font-size:9.5px;fill:#7a8896}\n"
    ".edge{fill:none;stroke:#34597c;stroke-width:1.3}\n"
    ".free{fill:none;stroke:#9fb0c0;stroke-width:1.3}\n"
    ".cut{fill:none;stroke:#b4532a;stroke-width:1.4;stroke-dasharray:5 3.5}\n"
    ".cutname{font-size:11px;fill:#9a4320}\n"
    ".constraint{fill:none;stroke:#8a6d1d;stroke-width:1.4;stroke-dasharray:1.5 3}\n"
    ".tiename{font-size:11px;fill:#755b12}\n"
    ".push{fill:none;stroke:#3f7f4f;stroke-width:1.3;stroke-dasharray:7 2 1.5 2}\n"
    ".pushname{font-size:11px;fill:#2f6b3e}\n"
    ".segment{fill:#fff;stroke:#34597c;stroke-width:1.2}\n"
    ".number{font-size:12px;font-weight:600}\n"
    ".frame{fill:none;stroke:#7a8896;stroke-width:1}\n"
    ".members{font-size:12px}\n"
    ".own{fill:#34597c}\n"
    ".diagonal{stroke:#34597c;stroke-width:1}\n"
    ".shared{fill:#a9c3dc}\n"
    ".none{fill:#fff;stroke:#7a8896;stroke-width:1}\n"
    ".cell{stroke:#fff;stroke-width:0.7}\n"
    ".axis{font-size:10px;fill:#4a5a6a}\n";

/* One arrow head a colour. */
static const struct {
  const char *look, *colour;
} heads[] = {{"edge", "#34597c"},
             {"free", "#9fb0c0"},
             {"cut", "#b4532a"},
             {"constraint", "#8a6d1d"},
             {"push", "#3f7f4f"}};

/* ---- characters ---- */

/* The C library does not note in the stream that its memory could not grow. */
__attribute__((format(printf, 2, 3))) static void print(lwi_svg *s, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  if (vfprintf(s->file, format, list) < 0) s->failed = true;
  va_end(list);
}

/* Hundredths of a pixel, without the locale's decimal point. */
static void put_number(lwi_svg *s, double x)
{
  const long n = isfinite(x) ? lround(fmax(fmin(x, 1e7), -1e7) * 100) : 0;
  const long whole = labs(n) / 100, rest = labs(n) % 100;
  print(s, rest ? "%s%ld.%02ld" : "%s%ld", n < 0 ? "-" : "", whole, rest);
}

static void put_attribute(lwi_svg *s, const char *name, double x)
{
  print(s, " %s=\"", name);
  put_number(s, x);
  print(s, "%c", '"');
}

/* XML 1.0, production [2]; control characters beyond ASCII are allowed there, but are not
   visible. */
static bool is_allowed(uint32_t code)
{
  return code >= 0x20 && !(code >= 0x7f && code < 0xa0) && code != 0xfffe && code != 0xffff;
}

/* What is no character of XML becomes U+FFFD. */
static void put_escaped(lwi_svg *s, const char *text)
{
  const unsigned char *c = (const unsigned char *)text;
  for (size_t left = strlen(text), n; left > 0; c += n, left -= n) {
    uint32_t code;
    const size_t length = lwi_utf8_decode(c, left, &code);
    n = length ? length : 1;
    if (!length || !is_allowed(code))
      print(s, "%s", "\xef\xbf\xbd");
    else if (code == '<')
      print(s, "%s", "&lt;");
    else if (code == '>')
      print(s, "%s", "&gt;");
    else if (code == '&')
      print(s, "%s", "&amp;");
    else if (code == '"')
      print(s, "%s", "&quot;");
    else
      print(s, "%.*s", (int)(n), c);
  }
}

/* A text that was too long ends with its last whole character and dots. */
static void end_with_dots(char *text, size_t size)
{
  static const char dots[] = "\xe2\x80\xa6";
  size_t end = size - sizeof dots;
  while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80)
    end--;
  memcpy(text + end, dots, sizeof dots);
}

double lwi_svg_text_width(const char *text, double font_size)
{
  double units = 0;
  for (; *text; text++) {
    const unsigned char c = (unsigned char)*text;
    if ((c & 0xc0) == 0x80) continue; /* inside a UTF-8 character */
    if (strchr("ijlI|.,:;'!", c))
      units += 0.34;
    else if (strchr("mwMW@%", c) || c >= 0xe0)
      units += 0.97;
    else
      units += (c >= 'A' && c <= 'Z') || c >= 0x80 ? 0.72 : 0.62;
  }
  return units * font_size;
}

/* ---- the file ---- */

static void put_head(lwi_svg *s, double width, double height, const char *title)
{
  print(s, "%s",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"");
  put_attribute(s, "width", width);
  put_attribute(s, "height", height);
  print(s, "%s", " viewBox=\"0 0 ");
  put_number(s, width);
  print(s, "%c", ' ');
  put_number(s, height);
  print(s, "%s", "\" role=\"img\">\n<title>");
  put_escaped(s, title);
  print(s, "</title>\n<style>\n%s</style>\n<defs>\n", STYLE);
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
    print(s,
          "<marker id=\"head-%s\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" "
          "markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
          "<path d=\"M0 1 L8 4 L0 7 z\" fill=\"%s\"/></marker>\n",
          heads[i].look, heads[i].colour);
  print(s, "%s", "</defs>\n");
  lwi_svg_rect(s, "page", (lwi_svg_point){0, 0}, width, height, 0);
}

lwi_svg *lwi_svg_create(const char *path, double width, double height, const char *title,
                        lw_error *err)
{
  lwi_svg *s = calloc(1, sizeof *s);
  char *copy = malloc(strlen(path) + 1);
  if (s && copy) s->file = open_memstream(&s->text, &s->length);
  if (s && s->file) {
    s->path = strcpy(copy, path);
    put_head(s, width, height, title);
    return s;
  }
  lwi_out_of_memory(err, NULL);
  free(copy);
  free(s);
  return NULL;
}

lw_status lwi_svg_close(lwi_svg *s, lw_error *err)
{
  print(s, "%s", "</svg>\n");
  const bool complete = !s->failed && !ferror(s->file);
  const bool closed = fclose(s->file) == 0;
  const lw_status status = complete && closed && s->text
                               ? lw_write_file(s->path, s->text, s->length, err)
                               : lwi_out_of_memory(err, NULL);
  free(s->text);
  free(s->path);
  free(s);
  return status;
}

/* ---- shapes ---- */

void lwi_svg_rect(lwi_svg *s, const char *look, lwi_svg_point at, double width, double height,
                  double radius)
{
  print(s, "<rect class=\"%s\"", look);
  put_attribute(s, "x", at.x);
  put_attribute(s, "y", at.y);
  put_attribute(s, "width", width);
  put_attribute(s, "height", height);
  if (radius > 0) put_attribute(s, "rx", radius);
  print(s, "%s", "/>\n");
}

void lwi_svg_line(lwi_svg *s, const char *look, lwi_svg_point from, lwi_svg_point to)
{
  print(s, "<line class=\"%s\"", look);
  put_attribute(s, "x1", from.x);
  put_attribute(s, "y1", from.y);
  put_attribute(s, "x2", to.x);
  put_attribute(s, "y2", to.y);
  print(s, "%s", "/>\n");
}

void lwi_svg_text(lwi_svg *s, const char *look, lwi_svg_point at, lwi_svg_anchor anchor,
                  const char *format, ...)
{
  static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  char text[512];
  va_list list;
  va_start(list, format);
  const int length = vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (length >= (int)sizeof text) end_with_dots(text, sizeof text);
  print(s, "<text class=\"%s\"%s", look, anchors[anchor]);
  put_attribute(s, "x", at.x);
  put_attribute(s, "y", at.y);
  print(s, "%c", '>');
  put_escaped(s, text);
  print(s, "%s", "</text>\n");
}

void lwi_svg_path_begin(lwi_svg *s, const char *look, bool arrow)
{
  print(s, "<path class=\"%s\"", look);
  if (arrow) print(s, " marker-end=\"url(#head-%s)\"", look);
  print(s, "%s", " d=\"");
}

static void put_spot(lwi_svg *s, char command, lwi_svg_point p)
{
  if (command) print(s, "%c", command);
  put_number(s, p.x);
  print(s, "%c", ' ');
  put_number(s, p.y);
  print(s, "%c", ' ');
}

void lwi_svg_move(lwi_svg *s, lwi_svg_point to)
{
  put_spot(s, 'M', to);
}

void lwi_svg_draw(lwi_svg *s, lwi_svg_point to)
{
  put_spot(s, 'L', to);
}

void lwi_svg_curve(lwi_svg *s, lwi_svg_point a, lwi_svg_point b, lwi_svg_point to)
{
  put_spot(s, 'C', a);
  put_spot(s, 0, b);
  put_spot(s, 0, to);
}

void lwi_svg_path_end(lwi_svg *s)
{
  print(s, "%s", "\"/>\n");
}

void lwi_svg_polyline(lwi_svg *s, const lwi_svg_paint *paint, const lwi_svg_point p[], int n)
{
  print(s, "<path fill=\"%s\" stroke=\"%s\" stroke-linejoin=\"round\" stroke-linecap=\"round\"",
        paint->fill ? paint->fill : "none", paint->stroke ? paint->stroke : "none");
  put_attribute(s, "stroke-width", paint->width);
  if (paint->opacity < 1) put_attribute(s, "opacity", paint->opacity);
  print(s, "%s", " d=\"");
  for (int i = 0; i < n + (n == 1); i++) {
    print(s, "%s", i == 0 ? "M" : "L");
    put_number(s, p[i < n ? i : 0].x);
    print(s, "%c", ' ');
    put_number(s, p[i < n ? i : 0].y);
  }
  print(s, "%s", paint->fill ? "Z\"/>\n" : "\"/>\n");
}
