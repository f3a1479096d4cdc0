/* SPDX-License-Identifier: Apache-2.0 */
/* from.c -- --from RESULT.csv[@T]: the state in a row of an earlier table of results. */
#include "from.h"
#include "linkwork/query.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* a table of which one row is kept */
typedef struct {
  char *line; /* the header, cut into names */
  size_t line_size;
  const char **name; /* [n] */
  int n;
  double *row, *next; /* [n] the row that is wanted so far, and the one being read; NaN: empty */
  bool found;
  double nearest; /* time, where no row is wanted */
} table;

static void table_free(table *t)
{
  free(t->line);
  free(t->name);
  free(t->row);
}

char *next_cell(char **at)
{
  char *cell = *at, *to = cell, *from = cell;
  if (!cell) return NULL;
  bool quoted = *from == '"';
  if (quoted) from++;
  for (; *from && (quoted || *from != ','); from++) {
    if (quoted && *from == '"' && from[1] != '"') {
      quoted = false;
      continue;
    }
    if (quoted && *from == '"') from++;
    *to++ = *from;
  }
  *at = *from ? from + 1 : NULL;
  *to = '\0';
  return cell;
}

bool read_line(FILE *f, char **line, size_t *size)
{
  size_t length = 0;
  for (int c; (c = fgetc(f)) != EOF && c != '\n';) {
    if (length + 2 > *size) {
      char *more = realloc(*line, 2 * *size + 1024);
      if (!more) return false;
      *line = more;
      *size = 2 * *size + 1024;
    }
    if (c != '\r') (*line)[length++] = (char)c;
    (*line)[length] = '\0';
  }
  return length > 0 || !feof(f);
}

static bool read_header(FILE *f, table *t)
{
  do {
    if (!read_line(f, &t->line, &t->line_size) || !t->line) return false;
  } while (t->line[0] == '#');
  int n = 1;
  for (const char *c = t->line; *c; c++)
    n += *c == ',';
  t->name = malloc((size_t)n * sizeof *t->name);
  t->row = malloc(2 * (size_t)n * sizeof *t->row);
  t->next = t->row + n;
  if (!t->name || !t->row) return false;
  char *at = t->line;
  for (char *cell; (cell = next_cell(&at));)
    t->name[t->n++] = cell;
  return true;
}

static int find_column(const table *t, const char *name)
{
  for (int i = 0; i < t->n; i++)
    if (strcmp(t->name[i], name) == 0) return i;
  return -1;
}

/* Keeps the row if it is the one at this time, or (NaN) the last one. */
static void take_row(table *t, char *line, int time, double wanted)
{
  char *at = line, *cell;
  for (int i = 0; i < t->n; i++)
    if (!(cell = next_cell(&at)) || !read_number(cell, &t->next[i])) t->next[i] = (double)NAN;
  const double now = t->next[time];
  if (!(fabs(now - wanted) >= fabs(t->nearest - wanted))) t->nearest = now;
  if (!isnan(wanted) && !(fabs(now - wanted) <= 1e-9 * fmax(1, fabs(wanted)))) return;
  memcpy(t->row, t->next, (size_t)t->n * sizeof *t->row);
  t->found = true;
}

static int read_table(const cli_args *a, const char *path, double wanted, table *t)
{
  FILE *f = fopen(path, "r");
  if (!f) return usage_error(a->verb, "--from %s: %s", path, strerror(errno));
  char *line = NULL;
  size_t size = 0;
  t->nearest = (double)INFINITY;
  const bool header = read_header(f, t);
  const int time = header ? find_column(t, "t") : -1;
  while (time >= 0 && read_line(f, &line, &size))
    if (line && line[0] != '#' && line[0]) take_row(t, line, time, wanted);
  free(line);
  fclose(f);
  if (time < 0)
    return usage_error(a->verb, "--from %s: a table of results has a header with the column t",
                       path);
  if (!t->found && isfinite(t->nearest))
    return usage_error(a->verb, "--from %s: no row at t = %.10g; the nearest is at %.10g", path,
                       wanted, t->nearest);
  return t->found ? CLI_DONE : usage_error(a->verb, "--from %s: there are no rows", path);
}

/* ---- from columns to joints ---- */

/* "q.A", or "q.S.2" */
static int take_values(const cli_args *a, const table *t, const char *kind, const lw_joint_info *j,
                       int n, double x[])
{
  for (int i = 0; i < n; i++) {
    char name[300];
    if (n == 1)
      snprintf(name, sizeof name, "%s.%s", kind, j->name);
    else
      snprintf(name, sizeof name, "%s.%s.%d", kind, j->name, i + 1);
    const int column = find_column(t, name);
    if (column < 0)
      return usage_error(a->verb,
                         "--from: the table has no column %s: is it a table of this model?", name);
    x[i] = t->row[column];
    if (!isfinite(x[i]))
      return usage_error(a->verb,
                         "--from: %s is empty at t = %.10g: joint \"%s\" does not exist there",
                         name, t->row[find_column(t, "t")], j->name);
  }
  return CLI_DONE;
}

/* Is a coordinate of the table one of the model? */
static bool is_known(const lw_model *m, const char *column)
{
  char name[300];
  if (strncmp(column, "q.", 2) != 0) return true;
  snprintf(name, sizeof name, "%s", column + 2);
  if (lw_find_joint(m, name).id > 0) return true;
  char *dot = strrchr(name, '.');
  if (dot) *dot = '\0';
  return dot && lw_find_joint(m, name).id > 0;
}

static int take_state(const cli_args *a, const lw_model *m, const table *t, double q[], double u[])
{
  int status = CLI_DONE;
  for (int i = 0; i < t->n; i++)
    if (!is_known(m, t->name[i]))
      return usage_error(a->verb, "--from: column %s of the table belongs to no joint of the model",
                         t->name[i]);
  for (int i = 1; i <= lw_njoint(m) && status == CLI_DONE; i++) {
    const lw_joint_info j = lw_get_joint(m, (lw_joint){i});
    if (j.cut) continue; /* follows from the others */
    status = take_values(a, t, "q", &j, j.nq, q + j.q);
    if (status == CLI_DONE) status = take_values(a, t, "u", &j, j.nu, u + j.u);
  }
  for (int i = 0; i < lw_nstate(m) && status == CLI_DONE; i++) {
    const int column = find_column(t, lw_state_name(m, i));
    if (column < 0 || !isfinite(t->row[column]))
      return usage_error(a->verb, "--from: the table has no value of state \"%s\"",
                         lw_state_name(m, i));
    q[lw_nq(m) - lw_nstate(m) + i] = t->row[column];
  }
  return status;
}

int read_from(const cli_args *a, const lw_model *m, double *t, double q[], double u[])
{
  const char *given = args_text(a, "from");
  if (!given) return CLI_DONE;
  char *path = malloc(strlen(given) + 1);
  if (!path) return out_of_memory(a);
  strcpy(path, given);
  char *at = strrchr(path, '@');
  double wanted = (double)NAN;
  if (at && read_number(at + 1, &wanted)) *at = '\0';
  table x = {0};
  int status = read_table(a, path, wanted, &x);
  if (status == CLI_DONE) status = take_state(a, m, &x, q, u);
  if (status == CLI_DONE) *t = x.row[find_column(&x, "t")];
  table_free(&x);
  free(path);
  return status;
}
