/* SPDX-License-Identifier: Apache-2.0 */
/* results.c -- lw_results: what a file of results holds, by name and number. */
#include "io/results/results_data.h"
#include "base/fail.h"
#include "io/file/file_text.h"

#include <errno.h>
#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists of texts ---- */

bool lwi_text_list_cut(lwi_text_list *l, const char *bytes, int n, size_t size)
{
  *l = (lwi_text_list){.text = calloc((size_t)n + 1, size + 1),
                       .item = calloc((size_t)n + 1, sizeof *l->item)};
  if (!l->text || !l->item) return lwi_text_list_free(l), false;
  for (int i = 0; i < n; i++) {
    l->item[i] = l->text + (size_t)i * (size + 1);
    memcpy(l->item[i], bytes + (size_t)i * size, size);
  }
  l->n = n;
  return true;
}

void lwi_text_list_free(lwi_text_list *l)
{
  free(l->text);
  free(l->item);
  *l = (lwi_text_list){0};
}

static const char *text_at(const lwi_text_list *l, int i)
{
  return i >= 0 && i < l->n ? l->item[i] : NULL;
}

/* ---- opening ---- */

static lw_status index_names(lw_results *r, lw_error *err)
{
  for (int i = 0; i < r->names.n; i++) {
    const int number = lwi_name_add(&r->index, r->names.item[i], strlen(r->names.item[i]));
    if (number < 0) return lwi_out_of_memory(err, NULL);
    if (number != i)
      return lwi_file_fail(err, LW_E_FILE, (lwi_position){.file = r->path},
                           "two columns have the same name");
  }
  return LW_OK;
}

/* By the first bytes: HDF5 has a signature (format specification, II.A). */
static lw_status read_any(lw_results *r, lw_error *err)
{
  static const char signature[] = "\x89HDF\r\n\x1a\n";
  char head[8] = "";
  FILE *f = fopen(r->path, "rb");
  if (!f)
    return lwi_file_fail(err, LW_E_FILE, (lwi_position){.file = r->path}, "cannot be opened: %s",
                         strerror(errno));
  const size_t n = fread(head, 1, sizeof head, f);
  fclose(f);
  const bool hdf5 = n == sizeof head && memcmp(head, signature, sizeof head) == 0;
  return hdf5 ? lwi_results_read_hdf5(r, err) : lwi_results_read_csv(r, err);
}

lw_results *lw_results_open(const char *path, lw_error *err)
{
  if (!path) return lwi_fail(err, LW_E_ARG, "lw_results_open: no path"), NULL;
  if (err) *err = (lw_error){.status = LW_OK};
  lw_results *r = calloc(1, sizeof *r);
  if (!r) return lwi_out_of_memory(err, NULL), NULL;
  r->file = r->data = -1;
  r->path = malloc(strlen(path) + 1);
  if (r->path) strcpy(r->path, path);
  r->sources = lw_sources_new();
  lw_status status = r->path && r->sources ? read_any(r, err) : lwi_out_of_memory(err, NULL);
  if (status == LW_OK) status = index_names(r, err);
  if (status == LW_OK) return r;
  lw_results_free(r);
  return NULL;
}

void lw_results_free(lw_results *r)
{
  if (!r) return;
  if (r->data >= 0) r->h->H5Dclose(r->data);
  if (r->file >= 0) r->h->H5Fclose(r->file);
  lwi_text_list *const lists[] = {&r->names,      &r->units,      &r->arguments,
                                  &r->parameters, &r->fact_names, &r->facts};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    lwi_text_list_free(lists[i]);
  for (int i = 0; i < LWI_RECORD_KINDS; i++)
    free(r->record[i].item);
  lwi_name_index_free(&r->index);
  lw_sources_free(r->sources);
  free(r->values);
  free(r->number);
  free(r->path);
  free(r);
}

lw_status lw_results_refresh(lw_results *r, lw_error *err)
{
  if (!r) return lwi_fail(err, LW_E_ARG, "lw_results_refresh: no results");
  if (err) *err = (lw_error){.status = LW_OK};
  return r->h ? lwi_results_look(r, true, err) : LW_OK;
}

/* ---- columns ---- */

long lw_results_rows(const lw_results *r)
{
  return r ? r->rows : 0;
}

int lw_results_columns(const lw_results *r)
{
  return r ? r->names.n : 0;
}

const char *lw_results_name(const lw_results *r, int column)
{
  return r ? text_at(&r->names, column) : NULL;
}

const char *lw_results_unit(const lw_results *r, int column)
{
  const char *unit = r ? text_at(&r->units, column) : NULL;
  return unit || !lw_results_name(r, column) ? unit : "";
}

int lw_results_find(const lw_results *r, const char *name)
{
  return r && name ? lwi_name_find(&r->index, name, strlen(name)) : -1;
}

/* Rows `first` ... of `width` columns from `column` on. */
static lw_status read_block(lw_results *r, const long first[2], const long size[2], double x[],
                            lw_error *err)
{
  const lwi_hdf5 *h = r->h;
  if (!lwi_hdf5_reserve()) return lwi_out_of_memory(err, NULL);
  const hsize_t from[2] = {(hsize_t)first[0], (hsize_t)first[1]},
                count[2] = {(hsize_t)size[0], (hsize_t)size[1]};
  errno = 0;
  const hid_t file = h->H5Dget_space(r->data), memory = h->H5Screate_simple(2, count, NULL);
  const bool ok = file >= 0 && memory >= 0 &&
                  h->H5Sselect_hyperslab(file, H5S_SELECT_SET, from, NULL, count, NULL) >= 0 &&
                  h->H5Dread(r->data, *h->H5T_NATIVE_DOUBLE_g, memory, file, H5P_DEFAULT, x) >= 0;
  if (file >= 0) h->H5Sclose(file);
  if (memory >= 0) h->H5Sclose(memory);
  if (ok) return LW_OK;
  if (errno == ENOMEM) return lwi_out_of_memory(err, NULL); /* to inflate them */
  return lwi_file_fail(err, LW_E_FILE, (lwi_position){.file = r->path}, "rows cannot be read");
}

static lw_status read_columns(lw_results *r, int column, int width, long first, long n, double x[],
                              lw_error *err)
{
  if (!r || (!x && n > 0) || column < 0 || column + width > r->names.n || first < 0 || n < 0 ||
      first > r->rows - n)
    return lwi_fail(err, LW_E_ARG, "lw_results_read: there are no such rows or columns");
  if (err) *err = (lw_error){.status = LW_OK};
  if (n == 0 || width == 0) return LW_OK;
  if (r->h) return read_block(r, (long[]){first, column}, (long[]){n, width}, x, err);
  for (long i = 0; i < n; i++)
    memcpy(x + i * width, r->number + (first + i) * r->names.n + column, (size_t)width * sizeof *x);
  return LW_OK;
}

lw_status lw_results_read(lw_results *r, int column, long first, long n, double x[], lw_error *err)
{
  return read_columns(r, column, 1, first, n, x, err);
}

lw_status lw_results_read_rows(lw_results *r, long first, long n, double rows[], lw_error *err)
{
  return read_columns(r, 0, lw_results_columns(r), first, n, rows, err);
}

/* ---- facts ---- */

lw_run_status lw_results_status(const lw_results *r)
{
  if (r && r->cut)
    return (lw_run_status){.state = LW_RUN_UNFINISHED,
                           .message = "the last line has no end: it may have been cut, and its row "
                                      "is left out",
                           .statistics.method = ""};
  if (!r || r->record[LWI_RECORD_STATUS].n < 1)
    return (lw_run_status){.state = LW_RUN_COMPLETE, .message = "", .statistics.method = ""};
  const lwi_status_record *s = r->record[LWI_RECORD_STATUS].item;
  return (lw_run_status){.state = (lw_run_state)s->state,
                         .message = s->message,
                         .time = s->time,
                         .wall_time = s->wall_time,
                         .statistics = {.steps = s->steps,
                                        .evaluations = s->evaluations,
                                        .rejected = s->rejected,
                                        .last_step = s->last_step,
                                        .smallest_step = s->smallest_step,
                                        .largest_step = s->largest_step,
                                        .method = s->method}};
}

int lw_results_nfact(const lw_results *r)
{
  return r ? r->fact_names.n : 0;
}

const char *lw_results_fact_name(const lw_results *r, int i)
{
  return r ? text_at(&r->fact_names, i) : NULL;
}

const char *lw_results_fact(const lw_results *r, const char *name)
{
  for (int i = 0; r && name && i < r->fact_names.n; i++)
    if (strcmp(r->fact_names.item[i], name) == 0) return r->facts.item[i];
  return NULL;
}

int lw_results_nparameter(const lw_results *r)
{
  return r ? r->parameters.n : 0;
}

const char *lw_results_parameter(const lw_results *r, int i, double *value)
{
  const char *name = r ? text_at(&r->parameters, i) : NULL;
  if (name && value) *value = r->values[i];
  return name;
}

int lw_results_nargument(const lw_results *r)
{
  return r ? r->arguments.n : 0;
}

const char *lw_results_argument(const lw_results *r, int i)
{
  return r ? text_at(&r->arguments, i) : NULL;
}

lw_sources *lw_results_sources(lw_results *r)
{
  return r ? r->sources : NULL;
}

/* ---- events ---- */

static const void *record_at(const lw_results *r, lwi_record_kind kind, int i)
{
  if (!r || i < 0 || i >= r->record[kind].n) return NULL;
  return (const char *)r->record[kind].item + (size_t)i * lwi_record_size(kind);
}

int lw_results_nevent(const lw_results *r)
{
  return r ? r->record[LWI_RECORD_EVENT].n : 0;
}

lw_result_event lw_results_event(const lw_results *r, int i)
{
  const lwi_event_record *e = record_at(r, LWI_RECORD_EVENT, i);
  if (!e) return (lw_result_event){.name = ""};
  return (lw_result_event){.instant = e->instant,
                           .row = e->row,
                           .time = e->time,
                           .name = e->name,
                           .stops = e->stops,
                           .transition = e->transition,
                           .kinetic_before = e->kinetic_before,
                           .kinetic_after = e->kinetic_after,
                           .jump_energy = e->jump_energy};
}

int lw_results_nhit(const lw_results *r)
{
  return r ? r->record[LWI_RECORD_HIT].n : 0;
}

lw_result_hit lw_results_hit(const lw_results *r, int i)
{
  const lwi_hit_record *e = record_at(r, LWI_RECORD_HIT, i);
  return e ? (lw_result_hit){e->instant, e->name, e->impulse} : (lw_result_hit){.name = ""};
}

int lw_results_nimpulse(const lw_results *r)
{
  return r ? r->record[LWI_RECORD_IMPULSE].n : 0;
}

lw_result_impulse lw_results_impulse(const lw_results *r, int i)
{
  const lwi_impulse_record *e = record_at(r, LWI_RECORD_IMPULSE, i);
  lw_result_impulse out = {.name = ""};
  if (!e) return out;
  out.instant = e->instant;
  out.kind = (lw_impulse_kind)e->kind;
  out.name = e->name;
  memcpy(out.impulse, e->impulse, sizeof out.impulse);
  return out;
}
