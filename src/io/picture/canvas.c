/* SPDX-License-Identifier: Apache-2.0 */
/* canvas.c -- a page as SVG or PDF (canvas.h).  PDF: one page with the fonts that every reader has
   (ISO 32000, 9.6.2.2), text in WinAnsiEncoding; characters that it lacks become question marks. */
#define _POSIX_C_SOURCE 200809L
#include "io/picture/canvas.h"

#include "base/fail.h"
#include "linkwork/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lwi_canvas {
  FILE *file; /* in memory */
  char *text;
  size_t size;
  bool pdf, clipped;
  double width, height;
  int clips;
};

/* ---- numbers and characters ---- */

/* Hundredths, without the locale's decimal point. */
static void put_number(lwi_canvas *c, double x)
{
  const long n = isfinite(x) ? lround(fmax(fmin(x, 1e6), -1e6) * 100) : 0;
  fprintf(c->file, "%s%ld.%02ld", n < 0 ? "-" : "", labs(n) / 100, labs(n) % 100);
}

static void put_numbers(lwi_canvas *c, const double x[], int n)
{
  for (int i = 0; i < n; i++) {
    put_number(c, x[i]);
    fputc(' ', c->file);
  }
}

/* y of PDF grows upward. */
static void put_point(lwi_canvas *c, double x, double y)
{
  put_numbers(c, (double[]){x, c->pdf ? c->height - y : y}, 2);
}

static void put_colour(lwi_canvas *c, unsigned colour, const char *operator)
{
  put_numbers(
      c, (double[]){(colour >> 16) / 255.0, (colour >> 8 & 255) / 255.0, (colour & 255) / 255.0},
      3);
  fprintf(c->file, "%s\n", operator);
}

static void put_svg_characters(lwi_canvas *c, const char *text)
{
  unsigned code;
  for (int n; (n = lw_get_character(text, &code)) > 0; text += n) {
    const char *entity = code == '<' ? "&lt;" : code == '>' ? "&gt;" : code == '&' ? "&amp;" : NULL;
    if (entity)
      fputs(entity, c->file);
    else if (code == LW_NO_CHARACTER || !lw_is_printable(code))
      fputc('?', c->file);
    else
      fwrite(text, 1, (size_t)n, c->file);
  }
}

/* Latin 1, which WinAnsiEncoding contains. */
static void put_pdf_characters(lwi_canvas *c, const char *text)
{
  unsigned code;
  for (int n; (n = lw_get_character(text, &code)) > 0; text += n) {
    if (code == '(' || code == ')' || code == '\\')
      fprintf(c->file, "\\%c", (int)code);
    else if (code >= 0x20 && code < 0x7f)
      fputc((int)code, c->file);
    else if (code >= 0xa0 && code < 0x100)
      fprintf(c->file, "\\%03o", code);
    else
      fputc('?', c->file);
  }
}

/* ---- shapes ---- */

lwi_canvas *lwi_canvas_new(double width, double height, bool pdf)
{
  lwi_canvas *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  *c = (lwi_canvas){.pdf = pdf, .width = width, .height = height};
  c->file = open_memstream(&c->text, &c->size);
  if (c->file) return c;
  free(c);
  return NULL;
}

void lwi_canvas_begin(lwi_canvas *c, const lwi_stroke *s)
{
  if (!c->pdf) {
    fprintf(c->file,
            "<path fill=\"none\" stroke=\"#%06x\" stroke-linejoin=\"round\" stroke-width=\"",
            s->colour);
    put_number(c, s->width);
    if (s->dash > 0) {
      fputs("\" stroke-dasharray=\"", c->file);
      put_number(c, s->dash);
    }
    fputs("\" d=\"", c->file);
    return;
  }
  put_colour(c, s->colour, "RG");
  put_number(c, s->width);
  fputs(" w 1 j [", c->file);
  if (s->dash > 0) put_number(c, s->dash);
  fputs("] 0 d\n", c->file);
}

void lwi_canvas_move(lwi_canvas *c, double x, double y)
{
  if (!c->pdf) fputc('M', c->file);
  put_point(c, x, y);
  if (c->pdf) fputs("m\n", c->file);
}

void lwi_canvas_draw(lwi_canvas *c, double x, double y)
{
  if (!c->pdf) fputc('L', c->file);
  put_point(c, x, y);
  if (c->pdf) fputs("l\n", c->file);
}

void lwi_canvas_end(lwi_canvas *c)
{
  fputs(c->pdf ? "S\n" : "\"/>\n", c->file);
}

void lwi_canvas_line(lwi_canvas *c, const lwi_stroke *s, const double from[2], const double to[2])
{
  lwi_canvas_begin(c, s);
  lwi_canvas_move(c, from[0], from[1]);
  lwi_canvas_draw(c, to[0], to[1]);
  lwi_canvas_end(c);
}

void lwi_canvas_clip(lwi_canvas *c, double x, double y, double width, double height)
{
  if (c->clipped) fputs(c->pdf ? "Q\n" : "</g>\n", c->file);
  c->clipped = width > 0;
  if (!c->clipped) return;
  if (c->pdf) {
    fputs("q ", c->file);
    put_numbers(c, (double[]){x, c->height - y - height, width, height}, 4);
    fputs("re W n\n", c->file);
    return;
  }
  fprintf(c->file, "<clipPath id=\"c%d\"><rect x=\"", ++c->clips);
  put_number(c, x);
  fputs("\" y=\"", c->file);
  put_number(c, y);
  fputs("\" width=\"", c->file);
  put_number(c, width);
  fputs("\" height=\"", c->file);
  put_number(c, height);
  fprintf(c->file, "\"/></clipPath>\n<g clip-path=\"url(#c%d)\">\n", c->clips);
}

/* ---- text ---- */

/* Widths of Helvetica, in thousandths of its size, of ! to ~ (Adobe Font Metrics). */
double lwi_canvas_text_width(const char *text, double size)
{
  static const short width[] = {
      278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556,
      556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015,
      667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667,
      778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333,
      556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556,
      556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};
  double sum = 0;
  unsigned code;
  for (int n; (n = lw_get_character(text, &code)) > 0; text += n)
    sum += code == ' ' ? 278 : code > ' ' && code < 0x7f ? width[code - '!'] : 600;
  return sum * size / 1000;
}

static void put_svg_text(lwi_canvas *c, const lwi_text_look *look, double x, double y,
                         const char *text)
{
  static const char *const anchors[] = {"start", "middle", "end"};
  fputs("<text transform=\"translate(", c->file);
  put_number(c, x);
  fputc(' ', c->file);
  put_number(c, y);
  fprintf(c->file, ")%s\" font-size=\"", look->upward ? " rotate(-90)" : "");
  put_number(c, look->size);
  fprintf(c->file, "\" fill=\"#%06x\" text-anchor=\"%s\"%s>", look->colour, anchors[look->anchor],
          look->bold ? " font-weight=\"bold\"" : "");
  put_svg_characters(c, text);
  fputs("</text>\n", c->file);
}

void lwi_canvas_text(lwi_canvas *c, const lwi_text_look *look, double x, double y, const char *text)
{
  if (!c->pdf) {
    put_svg_text(c, look, x, y, text);
    return;
  }
  const double shift = 0.5 * (double)look->anchor * lwi_canvas_text_width(text, look->size);
  fputs("BT ", c->file);
  put_colour(c, look->colour, "rg");
  fprintf(c->file, "/%s ", look->bold ? "B" : "R");
  put_number(c, look->size);
  fputs(look->upward ? " Tf 0 1 -1 0 " : " Tf 1 0 0 1 ", c->file);
  put_point(c, look->upward ? x : x - shift, look->upward ? y + shift : y);
  fputs("Tm (", c->file);
  put_pdf_characters(c, text);
  fputs(") Tj ET\n", c->file);
}

/* ---- files ---- */

static void write_svg(const lwi_canvas *c, FILE *f)
{
  fprintf(
      f,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
      "font-family=\"Helvetica,Arial,'DejaVu Sans',sans-serif\">\n"
      "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
      (int)c->width, (int)c->height, (int)c->width, (int)c->height, (int)c->width, (int)c->height);
  fwrite(c->text, 1, c->size, f);
  fputs("</svg>\n", f);
}

/* Five objects and the table of where they are. */
static void write_pdf(const lwi_canvas *c, FILE *f)
{
  long at[7];
  static const char *const fonts[] = {"Helvetica", "Helvetica-Bold"};
  fputs("%PDF-1.4\n", f);
  at[1] = ftell(f);
  fputs("1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n", f);
  at[2] = ftell(f);
  fputs("2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n", f);
  at[3] = ftell(f);
  fprintf(f,
          "3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 4 0 R /Resources "
          "<< /Font << /R 5 0 R /B 6 0 R >> >> >>\nendobj\n",
          (int)c->width, (int)c->height);
  at[4] = ftell(f);
  fprintf(f, "4 0 obj\n<< /Length %zu >>\nstream\n", c->size);
  fwrite(c->text, 1, c->size, f);
  fputs("endstream\nendobj\n", f);
  for (int i = 0; i < 2; i++) {
    at[5 + i] = ftell(f);
    fprintf(f,
            "%d 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding "
            ">>\nendobj\n",
            5 + i, fonts[i]);
  }
  const long table = ftell(f);
  fputs("xref\n0 7\n0000000000 65535 f \n", f);
  for (int i = 1; i < 7; i++)
    fprintf(f, "%010ld 00000 n \n", at[i]);
  fprintf(f, "trailer\n<< /Size 7 /Root 1 0 R >>\nstartxref\n%ld\n%%%%EOF\n", table);
}

lw_status lwi_canvas_close(lwi_canvas *c, const char *path, lw_error *err)
{
  lwi_canvas_clip(c, 0, 0, 0, 0);
  char *text = NULL;
  size_t size = 0;
  bool ok = !ferror(c->file);
  ok = fclose(c->file) == 0 && ok && c->text;
  FILE *f = ok && path ? open_memstream(&text, &size) : NULL;
  if (f) (c->pdf ? write_pdf : write_svg)(c, f);
  if (f) {
    ok = !ferror(f);
    ok = fclose(f) == 0 && ok && text;
  }
  lw_status status = LW_OK;
  if (path && (!f || !ok)) status = lwi_out_of_memory(err, "the picture");
  if (path && status == LW_OK) status = lw_write_file(path, text, size, err);
  free(text);
  free(c->text);
  free(c);
  return status;
}
