/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_page.c -- a sweep as a page for browsers: quantiles, scatter plots of each result over each parameter, and parallel coordinates.  The
   plots are SVG in the page, which needs nothing else. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "linkwork/output.h"
#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_POINTS = 5000, /* of a scatter plot, */
  MOST_LINES = 1000,  /* of parallel coordinates: evenly chosen cases */
  MOST_PLOTS = 60,
  WIDTH = 260,
  HEIGHT = 190,
  LEFT = 60,
  BOTTOM = 34
};

/* a parameter or result: its numbers and their range */
typedef struct {
  const char *name;
  const double *x; /* [n] */
  double least, most;
} axis;

static void put_html(FILE *f, const char *text)
{
  const safe_text safe = show(text);
  for (const char *c = safe.text; *c; c++)
    switch (*c) {
    case '&': fputs("&amp;", f); break;
    case '<': fputs("&lt;", f); break;
    case '>': fputs("&gt;", f); break;
    case '"': fputs("&quot;", f); break;
    default: fputc(*c, f);
    }
}

static axis make_axis(const char *name, const double x[], long n)
{
  axis a = {.name = name, .x = x, .least = HUGE_VAL, .most = -HUGE_VAL};
  for (long i = 0; i < n; i++) {
    if (!isfinite(x[i])) continue;
    a.least = fmin(a.least, x[i]);
    a.most = fmax(a.most, x[i]);
  }
  return a;
}

/* Where x is between the ends of the axis: 0 ... 1; all the same: in the middle. */
static double place(const axis *a, double x)
{
  return a->most > a->least ? (x - a->least) / (a->most - a->least) : 0.5;
}

static void put_ends(FILE *f, const axis *a, double x0, double y0, double x1, double y1,
                     const char *anchor)
{
  fprintf(f, "<text x=\"%g\" y=\"%g\" text-anchor=\"%s\">%.4g</text>", x0, y0, anchor, a->least);
  fprintf(f, "<text x=\"%g\" y=\"%g\" text-anchor=\"end\">%.4g</text>\n", x1, y1, a->most);
}

/* ---- scatter ---- */

static void put_scatter(FILE *f, const axis *h, const axis *v, long n)
{
  const double wide = WIDTH - LEFT - 10, high = HEIGHT - BOTTOM - 10,
               r = lw_correlation(h->x, v->x, n);
  const long step = n / MOST_POINTS + 1;
  fprintf(f, "<svg width=\"%d\" height=\"%d\"><rect x=\"%d\" y=\"10\" width=\"%g\" height=\"%g\"/>",
          WIDTH, HEIGHT, LEFT, wide, high);
  for (long i = 0; i < n; i += step)
    if (isfinite(h->x[i]) && isfinite(v->x[i]))
      fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.6\"><title>case %ld</title></circle>",
              LEFT + wide * place(h, h->x[i]), 10 + high * (1 - place(v, v->x[i])), i + 1);
  put_ends(f, h, LEFT, HEIGHT - BOTTOM + 13, WIDTH - 10, HEIGHT - BOTTOM + 13, "start");
  put_ends(f, v, LEFT - 3, HEIGHT - BOTTOM, LEFT - 3, 19, "end");
  fprintf(f, "<text class=\"name\" x=\"%g\" y=\"%d\" text-anchor=\"middle\">", LEFT + wide / 2,
          HEIGHT - 6);
  put_html(f, h->name);
  fprintf(f,
          "</text><text class=\"name\" transform=\"translate(12 %g) rotate(-90)\" "
          "text-anchor=\"middle\">",
          10 + high / 2);
  put_html(f, v->name);
  fputs("</text>", f);
  if (isfinite(r)) fprintf(f, "<text x=\"%d\" y=\"22\">r = %.2f</text>", LEFT + 4, r);
  fputs("</svg>\n", f);
}

/* ---- parallel coordinates ---- */

/* One line per case, from the colour of the least first result to that of the largest. */
static void put_line(FILE *f, const axis axes[], int n, int colour_by, long i)
{
  const double hue = isfinite(axes[colour_by].x[i])
                         ? 240 * (1 - place(&axes[colour_by], axes[colour_by].x[i]))
                         : 0;
  fprintf(f, "<path style=\"stroke:hsl(%.0f,70%%,45%%)\" d=\"", hue);
  bool drawn = false;
  for (int k = 0; k < n; k++) {
    if (isfinite(axes[k].x[i]))
      fprintf(f, "%c%d %.1f", drawn ? 'L' : 'M', 60 + 120 * k,
              20 + 240 * (1 - place(&axes[k], axes[k].x[i])));
    drawn = isfinite(axes[k].x[i]);
  }
  fprintf(f, "\"><title>case %ld</title></path>", i + 1);
}

static void put_parallel(FILE *f, const axis axes[], int n, int colour_by, long cases)
{
  const long step = cases / MOST_LINES + 1;
  fprintf(f, "<h2>Parallel coordinates</h2><p>One line per case, coloured by ");
  put_html(f, axes[colour_by].name);
  if (step > 1) fprintf(f, "; every %ldth case", step);
  fprintf(f, ".</p>\n<svg width=\"%d\" height=\"300\">", 120 * n);
  for (long i = 0; i < cases; i += step)
    put_line(f, axes, n, colour_by, i);
  for (int k = 0; k < n; k++) {
    fprintf(f, "<line x1=\"%d\" x2=\"%d\" y1=\"20\" y2=\"260\"/>", 60 + 120 * k, 60 + 120 * k);
    fprintf(f, "<text x=\"%d\" y=\"14\" text-anchor=\"middle\">%.4g</text>", 60 + 120 * k,
            axes[k].most);
    fprintf(f, "<text x=\"%d\" y=\"274\" text-anchor=\"middle\">%.4g</text>", 60 + 120 * k,
            axes[k].least);
    fprintf(f, "<text class=\"name\" x=\"%d\" y=\"292\" text-anchor=\"middle\">", 60 + 120 * k);
    put_html(f, axes[k].name);
    fputs("</text>", f);
  }
  fputs("</svg>\n", f);
}

/* ---- the page ---- */

static void put_head(FILE *f, const cli_args *a, const sweep_table *t)
{
  const lw_design *d = lw_study_design(t->y);
  fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", f);
  put_html(f, a->model);
  fputs("</title><style>body{font:14px sans-serif;margin:24px;color:#222}td,th{padding:2px "
        "10px;text-align:right}"
        "th:first-child,td:first-child{text-align:left}svg{margin:4px}svg "
        "text{font-size:10px;fill:#444}svg .name{font-size:12px;fill:#111}"
        "rect{fill:none;stroke:#bbb}circle{fill:#2563a8;fill-opacity:.6}path{fill:none;stroke-"
        "opacity:.5}line{stroke:#333}</style></head><body><h1>",
        f);
  put_html(f, a->model);
  fprintf(f, "</h1><p>%ld cases, %s of %d parameter%s, seed %llu; %ld computed, %ld failed.</p>\n",
          t->n, design_words(d), d->nfactor, plural(d->nfactor), d->seed, t->done, t->failed);
}

static void put_quantiles(FILE *f, const sweep_sample *s)
{
  fputs("<table><tr><th>result</th><th>cases</th><th>mean</th><th>deviation</th><th>least</"
        "th><th>5 %</th><th>25 %</th><th>median</th>"
        "<th>75 %</th><th>95 %</th><th>most</th></tr>\n",
        f);
  for (int k = 0; k < s->nresult; k++) {
    const lw_statistics x = s->statistics[k];
    const double number[] = {x.mean,        x.deviation,   x.least,
                             x.quantile[0], x.quantile[1], x.quantile[2],
                             x.quantile[3], x.quantile[4], x.most};
    fputs("<tr><td>", f);
    put_html(f, lw_study_result_name(s->t->y, k));
    fprintf(f, "</td><td>%ld</td>", x.n);
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
      fprintf(f, isfinite(number[i]) ? "<td>%.6g</td>" : "<td>-</td>", number[i]);
    fputs("</tr>\n", f);
  }
  fputs("</table>\n", f);
}

static void put_plots(FILE *f, const sweep_sample *s, const axis axes[])
{
  const int nfactor = s->d->nfactor, plots = nfactor * s->nresult;
  fputs("<h2>Results over parameters</h2>\n", f);
  if (plots > MOST_PLOTS)
    fprintf(f, "<p>The first %d of %d plots; --columns and --vary choose others.</p>\n", MOST_PLOTS,
            plots);
  if (s->t->n > MOST_POINTS) fprintf(f, "<p>Every %ldth case.</p>\n", s->t->n / MOST_POINTS + 1);
  for (int p = 0; p < plots && p < MOST_PLOTS; p++)
    put_scatter(f, &axes[p % nfactor], &axes[nfactor + p / nfactor], s->t->n);
  put_parallel(f, axes, nfactor + s->nresult, nfactor, s->t->n);
}

static bool put_page(FILE *f, const cli_args *a, const sweep_sample *s)
{
  const int n = s->d->nfactor + s->nresult;
  axis *axes = malloc((size_t)n * sizeof *axes);
  if (!axes) return false;
  for (int k = 0; k < s->d->nfactor; k++)
    axes[k] = make_axis(s->d->factor[k].name, s->value + k * s->t->n, s->t->n);
  for (int k = 0; k < s->nresult; k++)
    axes[s->d->nfactor + k] =
        make_axis(lw_study_result_name(s->t->y, k), s->result + k * s->t->n, s->t->n);
  put_head(f, a, s->t);
  put_quantiles(f, s);
  put_plots(f, s, axes);
  fputs("</body></html>\n", f);
  free(axes);
  return true;
}

int sweep_page(const cli_args *a, const sweep_table *t, const char *path)
{
  sweep_sample s;
  char *text = NULL;
  size_t size = 0;
  lw_error err = {0};
  bool ok = sweep_sample_start(&s, t);
  FILE *f = ok ? open_memstream(&text, &size) : NULL;
  ok = f && put_page(f, a, &s);
  if (f) ok = fclose(f) == 0 && ok;
  sweep_sample_free(&s);
  const lw_status status = ok ? lw_write_file(path, text, size, &err) : LW_E_MEMORY;
  free(text);
  if (status == LW_E_MEMORY) return out_of_memory(a);
  if (status != LW_OK) return report_model_error(a, &err);
  if (!args_has(a, "quiet")) print_message("wrote %s", path);
  return CLI_DONE;
}
