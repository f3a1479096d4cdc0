/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_table.c -- the table of a sweep as CSV: one row per case, of failed ones with their
   message.

   While the sweep runs, rows are appended as cases are finished, so that a sweep that is killed
   loses nothing but what it was just computing; at the end the file is replaced by the same rows in
   order.  The first line says which study the rows belong to, so that rows of another one are not
   mixed with them.

   A table in HDF5 is written when all is done; until then the rows are in FILE.h5.csv beside it. */
#define _POSIX_C_SOURCE 200809L
#include "sweep.h"

#include "files.h"
#include "linkwork/output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool sweep_table_start(sweep_table *t, const lw_study *y, uint64_t study)
{
  const long n = lw_design_cases(lw_study_design(y), NULL);
  *t = (sweep_table){.y = y, .study = study, .n = n};
  t->line = calloc((size_t)n, sizeof *t->line);
  t->result = malloc((size_t)n * (size_t)lw_study_nresult(y) * sizeof *t->result);
  return t->line && t->result;
}

void sweep_table_free(sweep_table *t)
{
  for (long i = 0; i < t->n && t->line; i++)
    free(t->line[i]);
  free(t->line);
  free(t->result);
  free(t->rows);
  if (t->journal) fclose(t->journal);
  *t = (sweep_table){0};
}

/* ---- lines ---- */

/* A cell by RFC 4180, on one line. */
static void put_text(FILE *f, const char *text)
{
  if (!strpbrk(text, ",\"\n\r")) {
    fputs(text, f);
    return;
  }
  fputc('"', f);
  for (; *text; text++) {
    if (*text == '"') fputc('"', f);
    fputc(*text == '\n' || *text == '\r' ? ' ' : *text, f);
  }
  fputc('"', f);
}

static void put_number(FILE *f, double x)
{
  char text[LW_NUMBER_TEXT];
  fputc(',', f);
  if (isnan(x)) return;
  lw_number_text(x, text);
  fputs(text, f);
}

static void put_head(FILE *f, const sweep_table *t)
{
  const lw_design *d = lw_study_design(t->y);
  fprintf(f, "# linkwork sweep of %ld cases, study %016" PRIx64 "\ncase", t->n, t->study);
  for (int i = 0; i < d->nfactor; i++)
    fputc(',', f), put_text(f, d->factor[i].name);
  fputs(",seed", f);
  for (int i = 0; i < lw_study_nresult(t->y); i++)
    fputc(',', f), put_text(f, lw_study_result_name(t->y, i));
  fputs(",t,status,message\n", f);
}

char *sweep_table_line(const sweep_table *t, const sweep_row *r)
{
  const lw_design *d = lw_study_design(t->y);
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (!f) return NULL;
  fprintf(f, "%ld", r->index + 1);
  for (int i = 0; i < d->nfactor; i++)
    put_number(f, r->value[i]);
  fprintf(f, ",%llu", d->seed);
  for (int i = 0; i < lw_study_nresult(t->y); i++)
    put_number(f, r->result[i]);
  put_number(f, r->t);
  fprintf(f, ",%s,", r->status);
  put_text(f, r->message);
  fputc('\n', f);
  if (fclose(f) == 0) return text;
  free(text);
  return NULL;
}

/* The line becomes that of case i; its results are read from it. */
bool sweep_table_keep(sweep_table *t, char *line, long i)
{
  const int nfactor = lw_study_design(t->y)->nfactor, nresult = lw_study_nresult(t->y);
  const char *at = strchr(line, ',');
  for (int k = 0; k < nfactor + 1 && at; k++)
    at = strchr(at + 1, ',');
  for (int k = 0; k < nresult && at; k++, at = strchr(at + 1, ',')) {
    char *end;
    const double x = strtod(at + 1, &end);
    t->result[i * nresult + k] = end == at + 1 ? (double)NAN : x;
  }
  if (at) at = strchr(at + 1, ',');
  if (!at) return false;
  t->line[i] = line;
  t->done++;
  t->failed += strncmp(at, ",ok,", 4) != 0;
  return true;
}

/* ---- files ---- */

const char *sweep_table_rows(sweep_table *t, const char *path)
{
  if (!names_hdf5(path)) return path;
  free(t->rows);
  if ((t->rows = malloc(strlen(path) + 5))) sprintf(t->rows, "%s.csv", path);
  return t->rows;
}

static int complain(const cli_args *a, const char *path, const char *what)
{
  lw_error err = {.status = LW_E_FILE};
  snprintf(err.text, sizeof err.text, "%.300s: %s", path, what);
  return report_model_error(a, &err);
}

static int check_head(const cli_args *a, const sweep_table *t, FILE *f, const char *path)
{
  char *head = NULL, *line = NULL;
  size_t size = 0, length = 0;
  FILE *text = open_memstream(&head, &size);
  if (!text) return out_of_memory(a);
  put_head(text, t);
  if (fclose(text) != 0) return free(head), out_of_memory(a);
  bool same = getline(&line, &length, f) > 0,
       table = same && strncmp(line, "# linkwork sweep ", 17) == 0;
  const size_t first = strcspn(head, "\n") + 1;
  same = same && strncmp(line, head, first) == 0 && getline(&line, &length, f) > 0 &&
         strcmp(line, head + first) == 0;
  free(head);
  free(line);
  if (same) return CLI_DONE;
  return complain(a, path,
                  table ? "this is the table of another study: of another model, design, seed, "
                          "columns or options"
                        : "this is no table of linkwork sweep");
}

static int read_csv(const cli_args *a, sweep_table *t, const char *path)
{
  FILE *f = fopen(path, "r");
  if (!f) return complain(a, path, strerror(errno));
  int status = check_head(a, t, f, path);
  char *line = NULL;
  size_t size = 0;
  for (ssize_t n; status == CLI_DONE && (n = getline(&line, &size, f)) > 0;) {
    const long i = strtol(line, NULL, 10) - 1;
    if (line[n - 1] != '\n') break;
    if (i < 0 || i >= t->n || t->line[i]) continue;
    char *copy = malloc((size_t)n + 1);
    if (!copy)
      status = out_of_memory(a);
    else if (!sweep_table_keep(t, strcpy(copy, line), i))
      free(copy);
  }
  free(line);
  fclose(f);
  return status;
}

int sweep_table_read(const cli_args *a, sweep_table *t, const char *path)
{
  const char *rows = sweep_table_rows(t, path);
  int status = CLI_DONE;
  if (!rows) return out_of_memory(a);
  if (names_hdf5(path) && access(path, F_OK) == 0) status = sweep_hdf5_read(a, t, path);
  if (status == CLI_DONE && (!names_hdf5(path) || access(rows, F_OK) == 0))
    status = read_csv(a, t, rows);
  t->reused = t->done;
  return status;
}

bool sweep_table_add(sweep_table *t, const lw_case *c)
{
  const bool ok = c->err->status == LW_OK;
  char *line = sweep_table_line(t, &(sweep_row){c->index, c->value, c->result, c->t,
                                                ok ? "ok" : status_name(c->err->status),
                                                ok ? "" : c->err->text});
  if (!line || !sweep_table_keep(t, line, c->index))
    return free(line), t->written = LW_E_MEMORY, false;
  if (t->journal && (fputs(line, t->journal) < 0 || fflush(t->journal) != 0))
    t->written = LW_E_FILE;
  return t->written == LW_OK;
}

static int write_csv(const cli_args *a, sweep_table *t, const char *path)
{
  char *text = NULL;
  size_t size = 0;
  lw_error err = {0};
  if (t->journal) fclose(t->journal);
  t->journal = NULL;
  FILE *f = open_memstream(&text, &size);
  if (!f) return out_of_memory(a);
  put_head(f, t);
  for (long i = 0; i < t->n; i++)
    if (t->line[i]) fputs(t->line[i], f);
  const bool whole = fclose(f) == 0;
  const lw_status status = whole ? lw_write_file(path, text, size, &err) : LW_E_MEMORY;
  free(text);
  if (!whole) return out_of_memory(a);
  return status == LW_OK ? CLI_DONE : report_model_error(a, &err);
}

int sweep_table_write(const cli_args *a, sweep_table *t, const char *path)
{
  const char *rows = sweep_table_rows(t, path);
  if (!rows) return out_of_memory(a);
  if (!names_hdf5(path)) return write_csv(a, t, path);
  const int status = sweep_hdf5_write(a, t, path);
  if (t->journal) fclose(t->journal);
  t->journal = NULL;
  if (status == CLI_DONE) remove(rows);
  return status;
}

int sweep_table_open(const cli_args *a, sweep_table *t, const char *path)
{
  const char *rows = sweep_table_rows(t, path);
  if (!rows) return out_of_memory(a);
  const int status = write_csv(a, t, rows); /* at once: rows from before are never in danger */
  if (status != CLI_DONE) return status;
  t->journal = fopen(rows, "a");
  return t->journal ? CLI_DONE : complain(a, rows, strerror(errno));
}
