/* SPDX-License-Identifier: Apache-2.0 */
/* fit_files.c -- model and measurements over time: tables (--table) and pages (--report), one for each experiment. */
#include "fit.h"

#include "files.h"
#include "linkwork/file.h"
#include "linkwork/query.h"
#include "page_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of several experiments FILE-1.csv, FILE-2.csv, ...; to be freed. */
static char *name_file(const char *path, int i, int n)
{
  const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
  const size_t size = strlen(path) + 16;
  char *name = malloc(size);
  if (!dot || (slash && dot < slash)) dot = path + strlen(path);
  if (name && n == 1) strcpy(name, path);
  if (name && n > 1) snprintf(name, size, "%.*s-%d%s", (int)(dot - path), path, i + 1, dot);
  return name;
}

/* q.A, measured.q.A, residual.q.A, ... after t; to be freed with its texts */
static char **name_columns(const fit_file *f, int n, const char *const prefix[])
{
  char **name = calloc((size_t)(n * f->ncolumn) + 1, sizeof *name);
  for (int k = 0; name && k < n * f->ncolumn; k++) {
    const size_t size = strlen(f->name[k / n]) + 16;
    if ((name[k] = malloc(size))) snprintf(name[k], size, "%s%s", prefix[k % n], f->name[k / n]);
  }
  return name;
}

static void free_names(char **name, int n)
{
  for (int k = 0; name && k < n; k++)
    free(name[k]);
  free(name);
}

/* ---- tables ---- */

static lw_status write_rows(const fit_file *f, const double model[], lw_table *table, double row[])
{
  lw_status status = LW_OK;
  for (long i = 0; i < f->data.rows && status == LW_OK; i++) {
    row[0] = f->data.t[i];
    for (int k = 0; k < f->ncolumn; k++) {
      const double x = model[i * f->ncolumn + k], y = f->data.value[i * f->ncolumn + k];
      row[1 + 3 * k] = x;
      row[2 + 3 * k] = y;
      row[3 + 3 * k] = x - y;
    }
    status = lw_table_write(table, row);
  }
  return status;
}

static int write_table(const cli_args *a, const fit_task *t, int i, const char *path)
{
  static const char *const prefix[] = {"", "measured.", "residual."};
  const fit_file *f = &t->file[i];
  const int n = 3 * f->ncolumn + 1;
  lw_error err = {0};
  char **name = name_columns(f, 3, prefix);
  const char **head = calloc((size_t)n, sizeof *head);
  double *row = calloc((size_t)n, sizeof *row);
  bool allocated = name && head && row;
  for (int k = 0; allocated && k < n; k++) {
    head[k] = k ? name[k - 1] : "t";
    allocated = head[k];
  }
  lw_table *table = allocated ? lw_table_create(path, head, n, &err) : NULL;
  if (table) {
    write_rows(f, lw_fit_model(t->fit, i), table, row);
    lw_table_close(table, &err);
  }
  free_names(name, n - 1);
  free(head);
  free(row);
  if (!allocated) return out_of_memory(a);
  return err.status == LW_OK ? CLI_DONE : report_model_error(a, &err);
}

/* ---- pages ---- */

/* The motion at the times of the measurements, which are columns of the page, too. */
static lw_status add_rows(const fit_file *f, page *p, lw_simulation *sim, lw_error *err)
{
  int nq, nu;
  lw_simulation_capacity(sim, &nq, &nu);
  double *q = malloc((size_t)(nq + nu + 1) * sizeof *q);
  lw_status status = q ? LW_OK : LW_E_MEMORY;
  for (long i = 0; i < f->data.rows && status == LW_OK; i++) {
    if (i > 0 && f->data.t[i] == f->data.t[i - 1]) continue;
    status = lw_simulation_advance(sim, f->data.t[i], q, q + nq, err);
    const lw_row row = {.t = f->data.t[i], .model = lw_simulation_model(sim), .q = q, .u = q + nq};
    if (status == LW_OK) status = page_add_with(p, &row, f->data.value + i * f->ncolumn);
  }
  free(q);
  return status;
}

static lw_model *compile_found(const fit_task *t, const fit_file *f, lw_error *err)
{
  lw_spec *s = lw_spec_copy(f->spec ? f->spec : t->spec);
  if (!s) return err->status = LW_E_MEMORY, NULL;
  for (int k = 0; k < lw_fit_nparameter(t->fit); k++) {
    const lw_fit_parameter p = lw_fit_get_parameter(t->fit, k);
    lw_set_parameter(s, p.name, p.value);
  }
  lw_model *m = lw_compile(s, err);
  lw_spec_free(s);
  return m;
}

static int write_page(const cli_args *a, const fit_task *t, int i, const char *path)
{
  static const char *const prefix[] = {"measured."};
  const fit_file *f = &t->file[i];
  lw_error err = {0};
  page p = {0};
  char **name = name_columns(f, 1, prefix);
  lw_model *m = name ? compile_found(t, f, &err) : NULL;
  lw_simulation *sim = m ? lw_simulation_new(m, &t->options.simulation, &err) : NULL;
  lw_status status =
      sim ? page_start_with(&p, m, sim, NULL, (const char *const *)name, f->ncolumn, &err)
          : LW_E_MEMORY;
  if (status == LW_OK) status = add_rows(f, &p, sim, &err);
  int done = CLI_DONE;
  if (status == LW_OK)
    done = page_report(a, &p, NULL, path);
  else
    done = err.text[0] ? report_model_error(a, &err) : complain_status(a, "the report", status);
  page_free(&p);
  lw_simulation_free(sim);
  lw_model_free(m);
  free_names(name, f->ncolumn);
  return done;
}

/* ---- both ---- */

int fit_write_files(const cli_args *a, const fit_task *t)
{
  static const char *const options[] = {"table", "report"};
  int status = CLI_DONE;
  for (int o = 0; o < 2; o++) {
    const char *path = args_text(a, options[o]);
    for (int i = 0; path && i < t->nfile && status == CLI_DONE; i++) {
      char *name = name_file(path, i, t->nfile);
      if (!name) return out_of_memory(a);
      status = o == 0 ? write_table(a, t, i, name) : write_page(a, t, i, name);
      if (status == CLI_DONE && !args_has(a, "quiet")) print_message("wrote %s", name);
      free(name);
    }
  }
  return status;
}
