/* SPDX-License-Identifier: Apache-2.0 */
/* from.c -- --from RESULT[@T]: the state in a row of earlier results. */
#include "from.h"
#include "linkwork/query.h"
#include "linkwork/signals.h"
#include "results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* one row of results */
typedef struct {
  const lw_results *r;
  double t;
  double *row; /* [columns] NaN: empty */
} state_row;

static bool is_at(double t, double wanted)
{
  return fabs(t - wanted) <= 1e-9 * fmax(1, fabs(wanted));
}

/* The last row at this time (behind an event), or (NaN) the last one; -1 after a message. */
static long find_row(const cli_args *a, const double t[], long n, double wanted)
{
  const char *given = args_text(a, "from");
  long nearest = 0, found = isnan(wanted) ? n - 1 : -1;
  for (long i = 0; i < n && !isnan(wanted); i++) {
    if (is_at(t[i], wanted)) found = i;
    if (fabs(t[i] - wanted) < fabs(t[nearest] - wanted)) nearest = i;
  }
  if (n == 0)
    usage_error(a->verb, "--from %s: there are no rows", given);
  else if (found < 0)
    usage_error(a->verb, "--from %s: no row at t = %.10g; the nearest is at %.10g", given, wanted,
                t[nearest]);
  return found;
}

static int read_row(const cli_args *a, lw_results *r, double wanted, state_row *out)
{
  lw_error err = {0};
  const long n = lw_results_rows(r);
  double *t = malloc(((size_t)n + 1) * sizeof *t);
  out->r = r;
  out->row = malloc(((size_t)lw_results_columns(r) + 1) * sizeof *out->row);
  if (!t || !out->row) return free(t), out_of_memory(a);
  lw_status status = lw_results_read(r, lw_results_find(r, "t"), 0, n, t, &err);
  const long at = status == LW_OK ? find_row(a, t, n, wanted) : -1;
  if (at >= 0) out->t = t[at];
  if (at >= 0) status = lw_results_read_rows(r, at, 1, out->row, &err);
  free(t);
  if (status != LW_OK) return usage_error(a->verb, "--from: %s", err.text);
  return at >= 0 ? CLI_DONE : CLI_USAGE;
}

/* ---- from columns to joints ---- */

/* "q.A", or "q.S.2" */
static int take_values(const cli_args *a, const state_row *t, const char *kind,
                       const lw_joint_info *j, int n, double x[])
{
  for (int i = 0; i < n; i++) {
    char name[300];
    if (n == 1)
      snprintf(name, sizeof name, "%s.%s", kind, j->name);
    else
      snprintf(name, sizeof name, "%s.%s.%d", kind, j->name, i + 1);
    const int column = lw_results_find(t->r, name);
    if (column < 0)
      return usage_error(a->verb,
                         "--from: the table has no column %s: is it a table of this model?", name);
    x[i] = t->row[column];
    if (!isfinite(x[i]))
      return usage_error(a->verb,
                         "--from: %s is empty at t = %.10g: joint \"%s\" does not exist there",
                         name, t->t, j->name);
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

static int take_state(const cli_args *a, const lw_model *m, const state_row *t, double q[],
                      double u[])
{
  int status = CLI_DONE;
  for (int i = 0; i < lw_results_columns(t->r); i++)
    if (!is_known(m, lw_results_name(t->r, i)))
      return usage_error(a->verb, "--from: column %s of the table belongs to no joint of the model",
                         lw_results_name(t->r, i));
  for (int i = 1; i <= lw_njoint(m) && status == CLI_DONE; i++) {
    const lw_joint_info j = lw_get_joint(m, (lw_joint){i});
    if (j.cut) continue; /* follows from the others */
    status = take_values(a, t, "q", &j, j.nq, q + j.q);
    if (status == CLI_DONE) status = take_values(a, t, "u", &j, j.nu, u + j.u);
  }
  for (int i = 0; i < lw_nstate(m) && status == CLI_DONE; i++) {
    if (lw_state_is_internal(m, i)) continue; /* follows from the others */
    const int column = lw_results_find(t->r, lw_state_name(m, i));
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
  state_row x = {0};
  lw_results *r = open_table(a, "from", path);
  int status = r ? read_row(a, r, wanted, &x) : CLI_USAGE;
  if (status == CLI_DONE) status = take_state(a, m, &x, q, u);
  if (status == CLI_DONE) *t = x.t;
  free(x.row);
  lw_results_free(r);
  free(path);
  return status;
}
