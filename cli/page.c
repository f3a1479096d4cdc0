/* SPDX-License-Identifier: Apache-2.0 */
/* page.c -- collects a run for a page: which columns are poses, which ones plots can show. */
#include "linkwork/query.h"
#include "page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is kept is limited: first the columns that are looked at first. */
enum { MOST_SHOWN = 12000000 /* numbers in memory */ };
static const char *const classes[] = {"energy.", "drift", "q.",  "u.",  "load.", "tension.", "gap.",
                                      "fx.",     "fy.",   "fz.", "tx.", "ty.",   "tz.",      "vx.",
                                      "vy.",     "vz.",   "wx.", "wy.", "wz.",   "udot."};
enum { NCLASS = sizeof classes / sizeof *classes };

static bool begins(const char *name, const char *with)
{
  return strncmp(name, with, strlen(with)) == 0;
}

/* Those of the model's own, outputs and states, come first. */
static int class_of(const char *name)
{
  for (int i = 0; i < NCLASS; i++)
    if (begins(name, classes[i])) return i + 1;
  return 0;
}

/* "x.NAME" ... "e3.NAME": at column *from or later, or before it. */
static int find_pose(const page *p, const char *body, int *from)
{
  const int n = p->ncolumn;
  for (int i = 0; i < n; i++) {
    const int k = (*from + i) % n;
    const char *name = p->name[k];
    if (!begins(name, "x.") || strcmp(name + 2, body) != 0 || k + 6 >= n) continue;
    if (!begins(p->name[k + 6], "e3.")) continue;
    *from = k + 7;
    return k;
  }
  return -1;
}

static bool find_poses(page *p)
{
  const int nbody = lw_nbody(p->m);
  p->pose = malloc(7 * ((size_t)nbody + 1) * sizeof *p->pose);
  if (!p->pose) return false;
  int from = 0;
  for (int b = 1; b <= nbody; b++) {
    const int first = find_pose(p, lw_body_name(p->m, (lw_body){b}), &from);
    for (int i = 0; first >= 0 && i < 7; i++)
      p->pose[p->npose++] = first + i;
  }
  return p->npose == 7 * nbody;
}

/* Columns other than t and poses, as far as `most` go: whole classes in the order above. */
static bool find_shown(page *p, int most)
{
  const int n = p->ncolumn;
  bool *is_pose = calloc((size_t)n + 1, sizeof *is_pose);
  p->shown = malloc(((size_t)n + 1) * sizeof *p->shown);
  if (is_pose && p->shown) {
    for (int i = 0; i < p->npose; i++)
      is_pose[p->pose[i]] = true;
    for (int class = 0; class <= NCLASS; class ++)
      for (int i = 1; i < n; i++) {
        if (is_pose[i] || class_of(p->name[i]) != class) continue;
        if (p->nshown < most)
          p->shown[p->nshown++] = i;
        else
          p->nleft++;
      }
  }
  const bool good = is_pose && p->shown;
  free(is_pose);
  return good;
}

/* Which columns are what; rows: how many there will be. */
static lw_status sort_columns(page *p, long rows)
{
  const int most = rows < MOST_SHOWN ? (int)(MOST_SHOWN / (rows + 1)) + 8 : 8;
  p->row = malloc(((size_t)p->ncolumn + 1) * sizeof *p->row);
  return p->row && find_poses(p) && find_shown(p, most) ? LW_OK : LW_E_MEMORY;
}

static bool make_names(page *p, int n)
{
  p->ncolumn = n;
  p->name = calloc((size_t)n + 1, sizeof *p->name);
  p->unit = calloc((size_t)n + 1, sizeof *p->unit);
  return p->name && p->unit;
}

/* The user's columns, and the poses. */
static char *patterns(const char *columns)
{
  static const char poses[] = ",x.*,y.*,z.*,e0.*,e1.*,e2.*,e3.*";
  char *text = malloc(strlen(columns) + sizeof poses);
  if (text) strcat(strcpy(text, columns), poses);
  return text;
}

lw_status page_start(page *p, const lw_model *m, const lw_simulation *sim, const char *columns,
                     lw_error *err)
{
  return page_start_with(p, m, sim, columns, NULL, 0, err);
}

lw_status page_start_with(page *p, const lw_model *m, const lw_simulation *sim, const char *columns,
                          const char *const name[], int n, lw_error *err)
{
  *p = (page){.m = m};
  char *wanted = columns ? patterns(columns) : NULL;
  if (columns && !wanted) return LW_E_MEMORY;
  p->columns = lw_columns_new(m, lw_nbody(m) > 0 ? wanted : columns, err);
  free(wanted);
  if (!p->columns) return err->status;
  const lw_status status = lw_columns_follow(p->columns, sim, err);
  if (status != LW_OK) return status;
  const int own = lw_columns_count(p->columns);
  if (!make_names(p, own + n)) return LW_E_MEMORY;
  for (int i = 0; i < own; i++) {
    p->name[i] = lw_columns_name(p->columns, i);
    p->unit[i] = lw_columns_unit(p->columns, i);
  }
  for (int i = 0; i < n; i++) {
    p->name[own + i] = name[i];
    p->unit[own + i] = "";
  }
  p->nextra = n;
  return sort_columns(p, lw_simulation_rows(sim));
}

/* Of the two quaternions of a rotation the one nearer to that of the row before. */
static void continue_quaternions(page *p)
{
  if (p->motion.n == 0) return;
  const float *before = p->motion.cell + (size_t)(p->motion.n - 1) * (size_t)p->npose;
  for (int i = 3; i < p->npose; i += 7) {
    double dot = 0;
    for (int k = 0; k < 4; k++)
      dot += (double)before[i + k] * p->row[p->pose[i + k]];
    for (int k = 0; dot < 0 && k < 4; k++)
      p->row[p->pose[i + k]] *= -1;
  }
}

static lw_status add_row(page *p, double t, bool must)
{
  if (!page_rows_add(&p->table, t, p->row, p->shown, p->nshown, must)) return LW_E_MEMORY;
  continue_quaternions(p);
  return page_rows_add(&p->motion, t, p->row, p->pose, p->npose, must) ? LW_OK : LW_E_MEMORY;
}

lw_status page_add(page *p, const lw_row *row)
{
  return page_add_with(p, row, NULL);
}

lw_status page_add_with(page *p, const lw_row *row, const double extra[])
{
  for (int i = 0; i < p->nextra; i++)
    p->row[p->ncolumn - p->nextra + i] = extra[i];
  const lw_status status = lw_columns_row(p->columns, row->t, row->q, row->u, p->row);
  if (status != LW_OK) return status;
  if (row->model != p->phase || row->event) {
    if (!page_parts_note(&p->parts, row->model, row->t)) return LW_E_MEMORY;
    p->phase = row->model;
  }
  return add_row(p, row->t, row->event);
}

/* A file may have been written with some columns only. */
static lw_status check_poses(const page *p, lw_error *err)
{
  if (p->npose == 7 * lw_nbody(p->m)) return LW_OK;
  err->status = LW_E_ARG;
  snprintf(err->text, sizeof err->text,
           "there are no poses of bodies in these results: they were made with some columns only");
  return LW_E_ARG;
}

static lw_status read_rows(page *p, const page_table *t, lw_error *err)
{
  lw_status status = LW_OK;
  for (long i = 0; i < t->rows && status == LW_OK; i++) {
    status = t->read(t->context, i, p->row, err);
    if (status == LW_OK) status = add_row(p, p->row[0], t->must && t->must[i]);
  }
  return status;
}

lw_status page_read(page *p, const lw_model *m, const page_table *t, lw_error *err)
{
  *p = (page){.m = m};
  if (!make_names(p, t->ncolumn)) return LW_E_MEMORY;
  for (int i = 0; i < p->ncolumn; i++) {
    p->name[i] = t->name[i];
    p->unit[i] = t->unit[i];
  }
  lw_status status = sort_columns(p, t->rows);
  if (p->row && p->npose != 7 * lw_nbody(m)) status = check_poses(p, err);
  if (status == LW_OK) status = read_rows(p, t, err);
  if (status == LW_OK && t->rows > 0 && !page_parts_note(&p->parts, m, p->motion.time[0]))
    status = LW_E_MEMORY;
  return status;
}

/* ---- a state ---- */

lw_status page_poses(const lw_model *m, lw_work *w, const double q[], double pose[])
{
  double *rest = calloc((size_t)lw_nu_all(m) + 1, sizeof *rest);
  lw_status status = rest ? lw_kinematics(w, q, rest) : LW_E_MEMORY;
  free(rest);
  for (int b = 1; b <= lw_nbody(m) && status == LW_OK; b++) {
    lw_pose X;
    status = lw_get_pose(w, (lw_body){b}, &X);
    memcpy(pose + 7 * (b - 1), X.p, sizeof X.p);
    memcpy(pose + 7 * (b - 1) + 3, X.quat, sizeof X.quat);
  }
  return status;
}

lw_status page_still(page *p, const lw_model *m, lw_work *w, double t, const double q[])
{
  *p = (page){.m = m, .npose = 7 * lw_nbody(m)};
  p->row = malloc(((size_t)p->npose + 1) * sizeof *p->row);
  p->pose = malloc(((size_t)p->npose + 1) * sizeof *p->pose);
  if (!p->row || !p->pose) return LW_E_MEMORY;
  for (int i = 0; i < p->npose; i++)
    p->pose[i] = i;
  const lw_status status = page_poses(m, w, q, p->row);
  if (status != LW_OK) return status;
  return page_parts_note(&p->parts, m, t) ? add_row(p, t, true) : LW_E_MEMORY;
}

void page_free(page *p)
{
  page_rows_free(&p->shapes);
  free(p->ghost);
  page_rows_free(&p->motion);
  page_rows_free(&p->table);
  page_parts_free(&p->parts);
  lw_columns_free(p->columns);
  free(p->row);
  free(p->pose);
  free(p->shown);
  free(p->name);
  free(p->unit);
}
