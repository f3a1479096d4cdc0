/* SPDX-License-Identifier: Apache-2.0 */
/* page.c -- collects a run for a page: which columns are poses, which ones plots can show. */
#include "page.h"

#include <math.h>
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
static int find_pose(const lw_columns *c, const char *body, int *from)
{
  const int n = lw_columns_count(c);
  for (int i = 0; i < n; i++) {
    const int k = (*from + i) % n;
    const char *name = lw_columns_name(c, k);
    if (!begins(name, "x.") || strcmp(name + 2, body) != 0 || k + 6 >= n) continue;
    if (!begins(lw_columns_name(c, k + 6), "e3.")) continue;
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
    const int first = find_pose(p->columns, lw_body_name(p->m, (lw_body){b}), &from);
    for (int i = 0; first >= 0 && i < 7; i++)
      p->pose[p->npose++] = first + i;
  }
  return p->npose == 7 * nbody;
}

/* Columns other than t and poses, as far as `most` go: whole classes in the order above. */
static bool find_shown(page *p, int most)
{
  const int n = lw_columns_count(p->columns);
  bool *is_pose = calloc((size_t)n + 1, sizeof *is_pose);
  p->shown = malloc(((size_t)n + 1) * sizeof *p->shown);
  if (is_pose && p->shown) {
    for (int i = 0; i < p->npose; i++)
      is_pose[p->pose[i]] = true;
    for (int class = 0; class <= NCLASS; class ++)
      for (int i = 1; i < n; i++) {
        if (is_pose[i] || class_of(lw_columns_name(p->columns, i)) != class) continue;
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
  *p = (page){.m = m};
  char *wanted = columns ? patterns(columns) : NULL;
  if (columns && !wanted) return LW_E_MEMORY;
  p->columns = lw_columns_new(m, lw_nbody(m) > 0 ? wanted : columns, err);
  free(wanted);
  if (!p->columns) return err->status;
  const lw_status status = lw_columns_follow(p->columns, sim, err);
  if (status != LW_OK) return status;
  p->row = malloc(((size_t)lw_columns_count(p->columns) + 1) * sizeof *p->row);
  const long rows = lw_simulation_rows(sim) + 1;
  const int most = rows < MOST_SHOWN ? (int)(MOST_SHOWN / rows) + 8 : 8;
  return p->row && find_poses(p) && find_shown(p, most) ? LW_OK : LW_E_MEMORY;
}

/* Of the two quaternions of a rotation the one nearer to that of the row before. */
static void continue_quaternions(page *p)
{
  const float *before = p->motion.cell + (size_t)(p->motion.n - 1) * (size_t)p->npose;
  for (int i = 3; p->motion.n > 0 && i < p->npose; i += 7) {
    double dot = 0;
    for (int k = 0; k < 4; k++)
      dot += (double)before[i + k] * p->row[p->pose[i + k]];
    for (int k = 0; dot < 0 && k < 4; k++)
      p->row[p->pose[i + k]] *= -1;
  }
}

lw_status page_add(page *p, const lw_row *row)
{
  const lw_status status = lw_columns_row(p->columns, row->t, row->q, row->u, p->row);
  if (status != LW_OK) return status;
  if (row->model != p->phase || row->event) {
    if (!page_parts_note(&p->parts, row->model, row->t)) return LW_E_MEMORY;
    p->phase = row->model;
  }
  const bool must = row->event;
  if (!page_rows_add(&p->table, row->t, p->row, p->shown, p->nshown, must)) return LW_E_MEMORY;
  continue_quaternions(p);
  return page_rows_add(&p->motion, row->t, p->row, p->pose, p->npose, must) ? LW_OK : LW_E_MEMORY;
}

void page_free(page *p)
{
  page_rows_free(&p->motion);
  page_rows_free(&p->table);
  page_parts_free(&p->parts);
  lw_columns_free(p->columns);
  free(p->row);
  free(p->pose);
  free(p->shown);
}
