/* SPDX-License-Identifier: Apache-2.0 */
/* results_head.c -- what a file of results says before its rows: columns, model, parameters,
   options. */
#define _POSIX_C_SOURCE 200809L
#include "io/results/results_data.h"
#include "io/results/results_writer.h"
#include "linkwork/columns.h"
#include "linkwork/formulation.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROOM = 1 << 20 }; /* bytes of all that has no length of its own */

typedef struct {
  const lwi_hdf5 *h;
  hid_t file;
  bool ok, no_memory;
} head;

static void check(head *x, bool ok)
{
  x->ok = x->ok && ok;
}

static bool check_memory(head *x, const void *block)
{
  check(x, block);
  x->no_memory = x->no_memory || !block;
  return block;
}

/* ---- attributes ---- */

static void put_attribute(head *x, hid_t at, const char *name, hid_t type, const void *value)
{
  const hid_t space = x->h->H5Screate(H5S_SCALAR);
  const hid_t a = x->h->H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  check(x, a >= 0 && x->h->H5Awrite(a, type, value) >= 0);
  if (a >= 0) x->h->H5Aclose(a);
  x->h->H5Sclose(space);
}

static void put_text(head *x, hid_t at, const char *name, const char *text)
{
  const hid_t type = lwi_text_type(x->h, strlen(text));
  put_attribute(x, at, name, type, text);
  x->h->H5Tclose(type);
}

static void put_number(head *x, const char *name, double value)
{
  put_attribute(x, x->file, name, *x->h->H5T_NATIVE_DOUBLE_g, &value);
}

/* ---- small sets ---- */

static void put_set(head *x, const char *name, hid_t type, int n, const void *value)
{
  const hsize_t size = (hsize_t)n;
  const hid_t space = x->h->H5Screate_simple(1, &size, NULL);
  const hid_t set =
      x->h->H5Dcreate2(x->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  check(x, set >= 0 &&
               (n == 0 || x->h->H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0));
  if (set >= 0) x->h->H5Dclose(set);
  x->h->H5Sclose(space);
}

/* Texts of equal length, that of the longest one. */
static void put_texts(head *x, const char *name, const char *const text[], int n)
{
  size_t longest = 1;
  for (int i = 0; i < n; i++)
    if (strlen(text[i]) > longest) longest = strlen(text[i]);
  char *all = calloc((size_t)n + 1, longest);
  const hid_t type = lwi_text_type(x->h, longest);
  check_memory(x, all);
  for (int i = 0; i < n && all; i++)
    memcpy(all + (size_t)i * longest, text[i], strlen(text[i]));
  if (all) put_set(x, name, type, n, all);
  x->h->H5Tclose(type);
  free(all);
}

/* Room for two, which say that there is none yet. */
static void put_checkpoints(head *x, size_t n)
{
  double *none = calloc(2 * n, sizeof *none);
  check_memory(x, none);
  if (none) put_set(x, "checkpoints", *x->h->H5T_NATIVE_DOUBLE_g, (int)(2 * n), none);
  free(none);
}

/* ---- the model ---- */

static void put_source(head *x, int number, const lw_source *source)
{
  char name[40];
  snprintf(name, sizeof name, "model/%d", number);
  const hid_t type = lwi_text_type(x->h, source->length), space = x->h->H5Screate(H5S_SCALAR);
  const hid_t set =
      x->h->H5Dcreate2(x->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const char *text = source->length ? source->text : "\0";
  check(x, set >= 0 && x->h->H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
  if (set >= 0) put_text(x, set, "path", source->path);
  if (set >= 0) x->h->H5Dclose(set);
  x->h->H5Sclose(space);
  x->h->H5Tclose(type);
}

static void put_record(head *x, const lw_run_record *r)
{
  const int n = r ? lw_sources_count(r->sources) : 0;
  const hid_t group = x->h->H5Gcreate2(x->file, "model", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  check(x, group >= 0);
  if (group >= 0) x->h->H5Gclose(group);
  for (int i = 0; i < n && x->ok; i++) {
    const lw_source source = lw_sources_get(r->sources, i);
    put_source(x, i, &source);
  }
  put_texts(x, "arguments", r ? r->arguments : NULL, r ? r->nargument : 0);
}

static void put_parameters(head *x, const lw_model *m)
{
  const int n = m ? lw_nparameter(m) : 0;
  const char **names = malloc(((size_t)n + 1) * sizeof *names);
  double *values = malloc(((size_t)n + 1) * sizeof *values);
  check_memory(x, names);
  check_memory(x, values);
  for (int i = 0; i < n && x->ok; i++) {
    names[i] = lw_parameter_name(m, i);
    values[i] = lw_parameter_value(m, i);
  }
  if (x->ok) put_texts(x, "parameters", names, n);
  if (x->ok) put_set(x, "parameter_values", *x->h->H5T_NATIVE_DOUBLE_g, n, values);
  free(names);
  free(values);
}

static void put_options(head *x, const lw_simulation_options *o)
{
  static const char *const integrators[] = {"auto", "rk", "adams", "bdf", "rk4", "euler"};
  static const char *const loops[] = {"auto", "cut", "embedded"};
  put_number(x, "end", o->end);
  put_number(x, "output_step", o->output_step);
  put_number(x, "rtol", o->rtol);
  put_number(x, "atol", o->atol);
  put_number(x, "step", o->step);
  put_text(x, x->file, "formulation", lw_formulation_name(o->formulation));
  put_text(x, x->file, "integrator", integrators[o->integrator]);
  put_text(x, x->file, "loops", loops[o->loops]);
}

/* UTC, as ISO 8601 has it. */
static void put_time(head *x)
{
  char text[40] = "";
  const time_t now = time(NULL);
  struct tm utc;
  if (gmtime_r(&now, &utc)) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  put_text(x, x->file, "created", text);
}

/* Facts and parameters as other results have them; numbers remain numbers. */
static void put_facts_of(head *x, const lw_results *r)
{
  for (int i = 0; i < lw_results_nfact(r); i++) {
    char *end;
    const char *name = lw_results_fact_name(r, i), *text = lw_results_fact(r, name);
    const double number = strtod(text, &end);
    if (*text && !*end)
      put_number(x, name, number);
    else
      put_text(x, x->file, name, text);
  }
  put_texts(x, "parameters", (const char *const *)r->parameters.item, r->parameters.n);
  if (x->ok) put_set(x, "parameter_values", *x->h->H5T_NATIVE_DOUBLE_g, r->parameters.n, r->values);
}

static void put_facts(head *x, const lwi_results_head *from)
{
  put_text(x, x->file, "format", "linkwork results");
  put_number(x, "format_version", 1);
  put_time(x);
  put_text(x, x->file, "name", from->model ? lw_model_name(from->model) : "");
  put_text(x, x->file, "program",
           from->record && from->record->program ? from->record->program : "linkwork");
  for (int i = 0; i < from->nfact; i++)
    put_text(x, x->file, from->fact[i].name, from->fact[i].text);
  if (x->ok) put_parameters(x, from->model);
  if (x->ok && from->model && !from->cases) put_options(x, &from->used);
}

lw_status lwi_results_write_head(const lwi_hdf5 *h, hid_t file, const lwi_results_head *from)
{
  head x = {.h = h, .file = file, .ok = true};
  put_texts(&x, "columns", from->names, from->n);
  if (from->units) put_texts(&x, "units", from->units, from->n);
  if (x.ok) put_record(&x, from->record);
  if (x.ok && from->checkpoint > 0) put_checkpoints(&x, LWI_CHECKPOINT_HEAD + from->checkpoint);
  if (x.ok && from->copied) put_facts_of(&x, from->copied);
  if (x.ok && !from->copied) put_facts(&x, from);
  return x.ok ? LW_OK : x.no_memory ? LW_E_MEMORY : LW_E_FILE;
}

/* ---- the file as a whole ---- */

hid_t lwi_results_new_file(const lwi_hdf5 *h, const char *path)
{
  const hid_t access = h->H5Pcreate(*h->H5P_CLS_FILE_ACCESS_ID_g);
  h->H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  h->H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  const hid_t file = h->H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  h->H5Pclose(access);
  return file;
}

/* The property by which h5clear of HDF5 does it. */
bool lwi_results_clear(const lwi_hdf5 *h, const char *path)
{
  const unsigned char clear = 1;
  const hid_t access = h->H5Pcreate(*h->H5P_CLS_FILE_ACCESS_ID_g);
  const bool set = h->H5Pset(access, "clear_status_flags", &clear) >= 0;
  const hid_t file = set ? h->H5Fopen(path, H5F_ACC_RDWR, access) : -1;
  h->H5Pclose(access);
  return file >= 0 && h->H5Fclose(file) >= 0;
}

size_t lwi_results_head_bytes(const lwi_results_head *x)
{
  size_t longest = 16, text = 0;
  for (int i = 0; i < x->n; i++)
    if (strlen(x->names[i]) > longest) longest = strlen(x->names[i]);
  const lw_run_record *r = x->record;
  for (int i = 0; r && i < lw_sources_count(r->sources); i++)
    text += lw_sources_get(r->sources, i).length;
  for (int i = 0; r && i < r->nargument; i++)
    text += (size_t)r->nargument * strlen(r->arguments[i]);
  const int np = x->model ? lw_nparameter(x->model) : 0;
  for (int i = 0; i < np; i++)
    text += (size_t)np * (8 + strlen(lw_parameter_name(x->model, i)));
  return 2 * (size_t)x->n * longest + text + ROOM + 16 * (x->checkpoint + LWI_CHECKPOINT_HEAD);
}
