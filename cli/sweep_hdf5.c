/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_hdf5.c -- the table of a sweep as a file of results in HDF5, and back. */
#include "linkwork/results.h"
#include "results.h"
#include "sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* columns: case, parameters, seed, results, t */
static int count_columns(const sweep_table *t)
{
  return lw_study_design(t->y)->nfactor + lw_study_nresult(t->y) + 3;
}

static void name_columns(const sweep_table *t, const char *name[])
{
  const lw_design *d = lw_study_design(t->y);
  int n = 0;
  name[n++] = "case";
  for (int i = 0; i < d->nfactor; i++)
    name[n++] = d->factor[i].name;
  name[n++] = "seed";
  for (int i = 0; i < lw_study_nresult(t->y); i++)
    name[n++] = lw_study_result_name(t->y, i);
  name[n++] = "t";
}

/* ---- write ---- */

/* The cell that begins there, which ends with a zero then, without quotes; *next: the one behind it. */
static char *cut_cell(char *at, char **next)
{
  char *to = at, *from = at;
  const bool quoted = *from == '"';
  if (quoted) from++;
  for (; *from && *from != '\n' && (quoted || *from != ','); from++) {
    if (quoted && *from == '"' && *++from != '"') break;
    *to++ = *from;
  }
  *next = *from ? from + 1 : from;
  *to = '\0';
  return at;
}

/* Numbers, status and message of a line, which is cut up. */
static void read_line(char *line, int n, double row[], const char **status, const char **message)
{
  char *next = line;
  for (int i = 0; i < n; i++) {
    char *cell = cut_cell(next, &next);
    row[i] = *cell ? strtod(cell, NULL) : (double)NAN;
  }
  *status = cut_cell(next, &next);
  *message = cut_cell(next, &next);
}

static lw_status write_rows(const cli_args *a, const sweep_table *t, lw_case_table *out,
                            const char *path, lw_error *err)
{
  char study[24], cases[24], seed[24];
  const lw_design *d = lw_study_design(t->y);
  const lw_run_record record = run_record(a);
  const lw_fact fact[] = {
      {"study", study}, {"cases", cases}, {"design", design_words(d)}, {"seed", seed}};
  snprintf(study, sizeof study, "%016" PRIx64, t->study);
  snprintf(cases, sizeof cases, "%ld", t->n);
  snprintf(seed, sizeof seed, "%llu", d->seed);
  out->record = &record;
  out->fact = fact;
  out->nfact = sizeof fact / sizeof *fact;
  return lw_results_save_cases(out, path, err);
}

int sweep_hdf5_write(const cli_args *a, const sweep_table *t, const char *path)
{
  lw_error err = {0};
  const int n = count_columns(t);
  const size_t rows = (size_t)t->done + 1;
  const char **name = calloc((size_t)n, sizeof *name);
  const char **status = calloc(2 * rows, sizeof *status), **message = status ? status + rows : NULL;
  char **line = calloc(rows, sizeof *line);
  double *number = malloc(rows * (size_t)n * sizeof *number);
  bool ok = name && status && line && number;
  long k = 0;
  for (long i = 0; i < t->n && ok; i++) {
    if (!t->line[i]) continue;
    ok = (line[k] = malloc(strlen(t->line[i]) + 1));
    if (!ok) break;
    read_line(strcpy(line[k], t->line[i]), n, number + k * n, &status[k], &message[k]);
    k++;
  }
  lw_case_table out = {
      .names = name, .n = n, .rows = k, .number = number, .status = status, .message = message};
  if (ok) name_columns(t, name);
  const lw_status done = ok ? write_rows(a, t, &out, path, &err) : LW_E_MEMORY;
  for (long i = 0; i < k; i++)
    free(line[i]);
  free(line);
  free(name);
  free(status);
  free(number);
  if (done == LW_E_MEMORY) return out_of_memory(a);
  return done == LW_OK ? CLI_DONE : report_model_error(a, &err);
}

/* ---- read ---- */

static const char *find_problem(const sweep_table *t, const lw_results *r)
{
  char study[24];
  const char *found = lw_results_fact(r, "study");
  snprintf(study, sizeof study, "%016" PRIx64, t->study);
  if (!found || (lw_results_rows(r) > 0 && !lw_results_has_cases(r)))
    return "this is no table of linkwork sweep";
  if (strcmp(found, study) != 0 || lw_results_columns(r) != count_columns(t))
    return "this is the table of another study: of another model, design, seed, columns or options";
  return NULL;
}

static lw_status take_rows(sweep_table *t, lw_results *r, double row[], lw_error *err)
{
  const int nfactor = lw_study_design(t->y)->nfactor;
  lw_status status = LW_OK;
  for (long i = 0; i < lw_results_rows(r) && status == LW_OK; i++) {
    status = lw_results_read_rows(r, i, 1, row, err);
    const long index =
        status == LW_OK && row[0] >= 1 && row[0] <= (double)t->n ? (long)row[0] - 1 : -1;
    const char *how = lw_results_case_status(r, i);
    if (index < 0 || t->line[index] || !how) continue;
    char *line = sweep_table_line(t, &(sweep_row){index, row + 1, row + nfactor + 2,
                                                  row[count_columns(t) - 1], how,
                                                  lw_results_case_message(r, i)});
    if (!line || !sweep_table_keep(t, line, index)) free(line), status = LW_E_MEMORY;
  }
  return status;
}

int sweep_hdf5_read(const cli_args *a, sweep_table *t, const char *path)
{
  lw_error err = {0};
  lw_results *r = lw_results_open(path, &err);
  if (!r) return report_results_error(&err);
  const char *problem = find_problem(t, r);
  double *row = malloc((size_t)lw_results_columns(r) * sizeof *row + sizeof *row);
  lw_status status = problem ? LW_E_FILE : row ? take_rows(t, r, row, &err) : LW_E_MEMORY;
  if (problem)
    snprintf(err.text, sizeof err.text, "%.300s: %s", path, problem), err.status = LW_E_FILE;
  free(row);
  lw_results_free(r);
  if (status == LW_E_MEMORY) return out_of_memory(a);
  return status == LW_OK ? CLI_DONE : report_model_error(a, &err);
}
