/* SPDX-License-Identifier: Apache-2.0 */
/* page_write.c -- the file of a page: the program of report/ with its data. */
#define _POSIX_C_SOURCE 200809L
#include "linkwork/inspect.h"
#include "linkwork/output.h"
#include "linkwork/query.h"
#include "page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_MOTION = 8000000, /* numbers in the file: about two bytes each */
  MOST_TABLE = 3000000,
  LEAST_ROWS = 200
};

/* Positions to a millionth of the size of the motion, quaternions to 5e-7. */
static double *motion_steps(const page *p)
{
  double *step = malloc(((size_t)p->npose + 1) * sizeof *step), largest = 0;
  if (!step) return NULL;
  for (long i = 0; i < p->motion.n; i++)
    for (int k = 0; k < p->npose; k++) {
      const double x = fabs((double)p->motion.cell[(size_t)i * (size_t)p->npose + (size_t)k]);
      if (k % 7 < 3 && isfinite(x)) largest = fmax(largest, x);
    }
  for (int k = 0; k < p->npose; k++)
    step[k] = k % 7 >= 3 ? 0x1p-20 : largest > 0 ? largest * 0x1p-20 : 1;
  return step;
}

/* To 24 bits of the largest value, as single precision. */
static double *table_steps(const page *p)
{
  const int n = p->nshown;
  double *step = malloc(((size_t)n + 1) * sizeof *step);
  for (int k = 0; step && k < n; k++) {
    double largest = 0;
    for (long i = 0; i < p->table.n; i++) {
      const double x = fabs((double)p->table.cell[(size_t)i * (size_t)n + (size_t)k]);
      if (isfinite(x)) largest = fmax(largest, x);
    }
    step[k] = largest > 0 ? largest * 0x1p-24 : 1;
  }
  return step;
}

static long rows_for(int columns, long most)
{
  const long rows = most / (columns > 0 ? columns : 1);
  return rows > LEAST_ROWS ? rows : LEAST_ROWS;
}

/* The picture of the topology, through a temporary file; without one there is none.  False: no
   memory. */
static bool put_picture(json *j, const lw_model *m)
{
  char path[40], *text = NULL;
  errno = 0;
  FILE *f = tmpfile();
  if (!f) return errno != ENOMEM && errno != 0;
  snprintf(path, sizeof path, "/dev/fd/%d", fileno(f));
  lw_error err = {0};
  const lw_status status = lw_write_graph_svg(m, path, &err);
  if (status == LW_OK && fseek(f, 0, SEEK_END) == 0) {
    const long size = ftell(f);
    text = malloc((size_t)(size > 0 ? size : 0) + 1);
    rewind(f);
    if (text) text[fread(text, 1, (size_t)(size > 0 ? size : 0), f)] = 0;
    if (text) json_text(j, "topology", text);
  }
  const bool good = status == LW_OK ? text != NULL : status != LW_E_MEMORY;
  free(text);
  fclose(f);
  return good;
}

static void put_names(json *j, const page *p)
{
  json_list(j, "names");
  for (int i = 0; i < p->nshown; i++)
    json_text(j, NULL, p->name[p->shown[i]]);
  json_list_end(j);
  json_list(j, "units");
  for (int i = 0; i < p->nshown; i++)
    json_text(j, NULL, p->unit[p->shown[i]]);
  json_list_end(j);
  json_integer(j, "left", p->nleft);
}

/* Freedoms at the start, and the kind of the system. */
static bool put_topology(json *j, const lw_model *m)
{
  lw_topology *t = lw_topology_new(m, NULL);
  lw_work *w = lw_work_new(m);
  double *q = calloc((size_t)lw_nq_all(m) + (size_t)lw_nu_all(m) + 1, sizeof *q);
  int dof, redundant;
  json_object(j, "model");
  if (t) json_text(j, "class", lw_system_class_name(t->kind));
  if (w && q) {
    lw_initial_state(m, q, q + lw_nq(m));
    if (lw_close_loops(w, 0, q, q + lw_nq(m), NULL) == LW_OK &&
        lw_dof(w, q, &dof, &redundant) == LW_OK) {
      json_integer(j, "dof", dof);
      json_integer(j, "redundant", redundant);
    }
  }
  json_object_end(j);
  const bool good = t && w && q;
  free(q);
  lw_work_free(w);
  lw_topology_free(t);
  return good;
}

/* Shapes of modes, each to 14 bits of the largest entry of all. */
static bool put_shapes(json *j, const page *p)
{
  const page_rows *r = &p->shapes;
  double *step = malloc(((size_t)r->ncell + 1) * sizeof *step), largest = 0;
  if (r->n == 0 || !step) return free(step), r->n == 0;
  for (size_t i = 0; i < (size_t)r->n * (size_t)r->ncell; i++)
    largest = fmax(largest, fabs((double)r->cell[i]));
  for (int k = 0; k < r->ncell; k++)
    step[k] = largest > 0 ? largest * 0x1p-18 : 1;
  const bool good = page_stream(j, "mode_shapes", r, step, r->n);
  free(step);
  return good;
}

static bool put_data(json *j, const page *p, const lw_scene *s, const char *facts)
{
  double *motion = motion_steps(p), *table = table_steps(p), g[3];
  lw_gravity(p->m, g);
  json_object(j, NULL);
  json_integer(j, "format", 1);
  json_text(j, "version", LINKWORK_VERSION);
  const char *name = lw_model_name(p->m);
  json_text(j, "name", name && *name ? name : *p->title ? p->title : "model");
  json_bool(j, "planar", lw_model_is_planar(p->m));
  json_numbers(j, "gravity", g, 3);
  const bool scene = page_scene_json(j, s);
  if (p->parts_text)
    json_raw(j, "parts", p->parts_text);
  else
    page_parts_json(j, "parts", &p->parts);
  put_names(j, p);
  const bool known = put_topology(j, p->m) && put_picture(j, p->m);
  if (facts) json_raw(j, p->facts_are ? p->facts_are : "facts", facts);
  if (p->ghost) json_numbers_short(j, "ghost", p->ghost, p->npose);
  const bool good = scene && known && motion && table && put_shapes(j, p) &&
                    page_stream(j, "motion", &p->motion, motion, rows_for(p->npose, MOST_MOTION)) &&
                    page_stream(j, "table", &p->table, table, rows_for(p->nshown, MOST_TABLE));
  json_object_end(j);
  free(motion);
  free(table);
  return good;
}

/* HTML ends a script at the next "</script": no "<" in it.  JSON has it in strings only. */
static size_t put_escaped(char *to, const char *text)
{
  size_t n = 0;
  for (; *text; text++) {
    if (*text == '<') {
      if (to) memcpy(to + n, "\\u003c", 6);
      n += 6;
    } else {
      if (to) to[n] = *text;
      n++;
    }
  }
  return n;
}

static lw_status write_page(const char *data, const char *path, lw_error *err)
{
  const size_t head = strlen(page_text.head), tail = strlen(page_text.tail),
               middle = put_escaped(NULL, data);
  char *text = malloc(head + middle + tail + 1);
  if (!text) return LW_E_MEMORY;
  memcpy(text, page_text.head, head);
  put_escaped(text + head, data);
  memcpy(text + head + middle, page_text.tail, tail);
  const lw_status status = lw_write_file(path, text, head + middle + tail, err);
  free(text);
  return status;
}

static lw_status fail(lw_error *err, const char *text, const char *why)
{
  err->status = LW_E_UNSUPPORTED;
  snprintf(err->text, sizeof err->text, "%s%s", text, why);
  return err->status;
}

lw_status page_write(page *p, const char *facts, const char *path, lw_error *err)
{
  json j;
  if (!page_text.head[0])
    return fail(err, "this linkwork was built without its report page: ", page_text.missing);
  lw_scene *s = lw_scene_new(p->m, true, err);
  if (!s) return err->status;
  p->nmissing = s->nmissing;
  if (s->nmissing > 0) snprintf(p->missing, sizeof p->missing, "%s", s->missing[0]);
  char *data = NULL;
  if (json_start(&j)) {
    const bool good = put_data(&j, p, s, facts);
    data = json_take(&j);
    if (!good) free(data), data = NULL;
  }
  lw_scene_free(s);
  const lw_status status = data ? write_page(data, path, err) : LW_E_MEMORY;
  free(data);
  return status;
}
