/* SPDX-License-Identifier: Apache-2.0 */
/* results_reader.c -- reads a file of results in HDF5, also while it is written. */
#include "io/results/results_data.h"
#include "io/file/file_text.h"
#include "io/file/sources.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lw_status fail(const lw_results *r, lw_error *err, lw_status status, const char *what)
{
  return lwi_file_fail(err, status, (lwi_position){.file = r->path}, "%s", what);
}

static lw_status no_memory(const lw_results *r, lw_error *err)
{
  return fail(r, err, LW_E_MEMORY, "out of memory");
}

/* ---- sets ---- */

/* One item, so that a buffer for one is enough. */
static bool is_single(const lwi_hdf5 *h, hid_t space)
{
  hsize_t size[32] = {0};
  const int dimensions = space < 0 ? -1 : h->H5Sget_simple_extent_ndims(space);
  bool single = dimensions >= 0 && dimensions <= 32 &&
                h->H5Sget_simple_extent_dims(space, size, NULL) == dimensions;
  for (int i = 0; i < dimensions && single; i++)
    single = size[i] == 1;
  if (space >= 0) h->H5Sclose(space);
  return single;
}

/* The size of a set of one dimension; -1: it is something else. */
static long set_size(const lwi_hdf5 *h, hid_t set)
{
  hsize_t size[2] = {1, 1};
  const hid_t space = h->H5Dget_space(set);
  const int dimensions = space < 0 ? -1 : h->H5Sget_simple_extent_ndims(space);
  if (dimensions == 1) h->H5Sget_simple_extent_dims(space, size, NULL);
  if (space >= 0) h->H5Sclose(space);
  return dimensions == 1 && size[0] < INT_MAX ? (long)size[0] : -1;
}

static size_t text_size(const lwi_hdf5 *h, hid_t set)
{
  const hid_t type = h->H5Dget_type(set);
  const size_t size = type >= 0 && h->H5Tget_class(type) == H5T_STRING ? h->H5Tget_size(type) : 0;
  if (type >= 0) h->H5Tclose(type);
  return size;
}

/* A list of texts; one that is not there is empty. */
static lw_status read_texts(lw_results *r, const char *name, lwi_text_list *to, lw_error *err)
{
  const lwi_hdf5 *h = r->h;
  if (h->H5Lexists(r->file, name, H5P_DEFAULT) <= 0) return LW_OK;
  const hid_t set = h->H5Dopen2(r->file, name, H5P_DEFAULT);
  const long n = set < 0 ? -1 : set_size(h, set);
  const size_t size = set < 0 ? 0 : text_size(h, set);
  lw_status status =
      n < 0 || size == 0 ? fail(r, err, LW_E_FILE, "this is no file of results") : LW_OK;
  char *bytes = status == LW_OK ? calloc((size_t)n + 1, size) : NULL;
  const hid_t type = lwi_text_type(h, size);
  if (status == LW_OK && !bytes) status = no_memory(r, err);
  if (status == LW_OK && n > 0 && h->H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) < 0)
    status = fail(r, err, LW_E_FILE, "the file is damaged");
  if (status == LW_OK && !lwi_text_list_cut(to, bytes, (int)n, size)) status = no_memory(r, err);
  free(bytes);
  h->H5Tclose(type);
  if (set >= 0) h->H5Dclose(set);
  return status;
}

static lw_status read_values(lw_results *r, lw_error *err)
{
  const lwi_hdf5 *h = r->h;
  r->values = calloc((size_t)r->parameters.n + 1, sizeof *r->values);
  if (!r->values) return no_memory(r, err);
  if (r->parameters.n == 0) return LW_OK;
  const hid_t set = h->H5Dopen2(r->file, "parameter_values", H5P_DEFAULT);
  const bool ok =
      set >= 0 && set_size(h, set) == r->parameters.n &&
      h->H5Dread(set, *h->H5T_NATIVE_DOUBLE_g, H5S_ALL, H5S_ALL, H5P_DEFAULT, r->values) >= 0;
  if (set >= 0) h->H5Dclose(set);
  return ok ? LW_OK : fail(r, err, LW_E_FILE, "the values of the parameters are missing");
}

/* ---- facts: attributes of the file ---- */

/* Texts as they are, numbers with all digits. */
static bool read_attribute(const lwi_hdf5 *h, hid_t at, char *text, size_t size)
{
  const hid_t type = h->H5Aget_type(at);
  const bool is_text = h->H5Tget_class(type) == H5T_STRING;
  const size_t length = h->H5Tget_size(type);
  bool ok = true;
  double x;
  if (!is_single(h, h->H5Aget_space(at))) {
    ok = false;
  } else if (is_text && length < size) {
    const hid_t same = lwi_text_type(h, length);
    memset(text, 0, size);
    ok = h->H5Aread(at, same, text) >= 0;
    h->H5Tclose(same);
  } else if (!is_text && length == sizeof x) {
    ok = h->H5Aread(at, *h->H5T_NATIVE_DOUBLE_g, &x) >= 0;
    snprintf(text, size, "%.17g", ok ? x : 0);
  } else {
    text[0] = '\0';
  }
  h->H5Tclose(type);
  return ok;
}

static lw_status read_facts(lw_results *r, lw_error *err)
{
  enum { NAME = 64, TEXT = 1024, MOST = 64 };
  const lwi_hdf5 *h = r->h;
  const hid_t root = h->H5Gopen2(r->file, "/", H5P_DEFAULT);
  int n = root < 0 ? 0 : h->H5Aget_num_attrs(root);
  n = n < 0 ? 0 : n > MOST ? MOST : n;
  char *names = calloc((size_t)n + 1, NAME), *texts = calloc((size_t)n + 1, TEXT);
  bool ok = names && texts, read = true;
  for (int i = 0; i < n && ok && read; i++) {
    const hid_t a = h->H5Aopen_by_idx(root, ".", H5_INDEX_NAME, H5_ITER_INC, (hsize_t)i,
                                      H5P_DEFAULT, H5P_DEFAULT);
    read = a >= 0 && h->H5Aget_name(a, NAME, names + i * NAME) >= 0 &&
           read_attribute(h, a, texts + i * TEXT, TEXT);
    if (a >= 0) h->H5Aclose(a);
  }
  if (root >= 0) h->H5Gclose(root);
  if (ok) ok = lwi_text_list_cut(&r->fact_names, names, n, NAME);
  if (ok) ok = lwi_text_list_cut(&r->facts, texts, n, TEXT);
  free(names);
  free(texts);
  return !ok ? no_memory(r, err) : read ? LW_OK : fail(r, err, LW_E_FILE, "the file is damaged");
}

/* ---- the model ---- */

static bool read_path(const lwi_hdf5 *h, hid_t set, char *path, size_t size)
{
  const hid_t a = h->H5Aopen(set, "path", H5P_DEFAULT);
  const bool ok = a >= 0 && read_attribute(h, a, path, size);
  if (a >= 0) h->H5Aclose(a);
  return ok;
}

static lw_status read_source(lw_results *r, const char *name, lw_error *err)
{
  char path[4096];
  const lwi_hdf5 *h = r->h;
  const hid_t set = h->H5Dopen2(r->file, name, H5P_DEFAULT);
  const size_t size = set < 0 ? 0 : text_size(h, set);
  char *text = calloc(size + 1, 1);
  const hid_t type = lwi_text_type(h, size);
  const bool read = text && size > 0 && is_single(h, h->H5Dget_space(set)) &&
                    read_path(h, set, path, sizeof path) &&
                    h->H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
  const size_t length = size == 1 && read && text[0] == '\0' ? 0 : size;
  const bool kept = read && lwi_sources_add(r->sources, path, text, length);
  free(text);
  h->H5Tclose(type);
  if (set >= 0) h->H5Dclose(set);
  return kept            ? LW_OK
         : read || !text ? no_memory(r, err)
                         : fail(r, err, LW_E_FILE, "a text of the model cannot be read");
}

static lw_status read_sources(lw_results *r, lw_error *err)
{
  char name[40];
  lw_status status = LW_OK;
  for (int i = 0; status == LW_OK; i++) {
    snprintf(name, sizeof name, "model/%d", i);
    if (r->h->H5Lexists(r->file, "model", H5P_DEFAULT) <= 0 ||
        r->h->H5Lexists(r->file, name, H5P_DEFAULT) <= 0)
      return LW_OK;
    status = read_source(r, name, err);
  }
  return status;
}

/* ---- what grows ---- */

static lw_status read_records(lw_results *r, lwi_record_kind kind, bool fresh, lw_error *err)
{
  const lwi_hdf5 *h = r->h;
  const char *name = lwi_record_set(kind);
  if (h->H5Lexists(r->file, name, H5P_DEFAULT) <= 0) return LW_OK;
  const hid_t set = h->H5Dopen2(r->file, name, H5P_DEFAULT);
  if (set >= 0 && fresh) h->H5Drefresh(set);
  const long n = set < 0 ? -1 : set_size(h, set);
  const hid_t type = lwi_record_type(h, kind);
  void *item = n < 0 ? NULL : calloc((size_t)n + 1, lwi_record_size(kind));
  const bool ok = item && type >= 0 &&
                  (n == 0 || h->H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, item) >= 0);
  const bool no_room = n >= 0 && !item;
  if (ok) {
    lwi_records_end_texts(kind, item, n);
    free(r->record[kind].item);
    r->record[kind] = (lwi_record_list){(int)n, item};
  } else {
    free(item);
  }
  if (type >= 0) h->H5Tclose(type);
  if (set >= 0) h->H5Dclose(set);
  if (no_room) return no_memory(r, err);
  return ok ? LW_OK : fail(r, err, LW_E_FILE, "the events cannot be read");
}

static const hsize_t MOST_NUMBERS = (hsize_t)1 << 48; /* so that sizes do not overflow */

/* Refreshing is left to those who ask for it: a set that is open twice in a process is then read
   wrongly. */
lw_status lwi_results_look(lw_results *r, bool fresh, lw_error *err)
{
  const lwi_hdf5 *h = r->h;
  hsize_t size[2] = {0, 0};
  if (!lwi_hdf5_reserve()) return no_memory(r, err);
  if (fresh) h->H5Drefresh(r->data);
  const hid_t space = h->H5Dget_space(r->data);
  const bool ok = space >= 0 && h->H5Sget_simple_extent_ndims(space) == 2 &&
                  h->H5Sget_simple_extent_dims(space, size, NULL) == 2 &&
                  size[1] == (hsize_t)r->names.n;
  if (space >= 0) h->H5Sclose(space);
  if (!ok) return fail(r, err, LW_E_FILE, "the rows do not have the columns that are named");
  if (size[0] > MOST_NUMBERS / ((hsize_t)r->names.n + 1))
    return fail(r, err, LW_E_FILE, "the file is damaged: it claims more rows than there can be");
  r->rows = (long)size[0];
  lw_status status = LW_OK;
  for (int i = 0; i < LWI_RECORD_KINDS && status == LW_OK; i++)
    status = read_records(r, (lwi_record_kind)i, fresh, err);
  return status;
}

/* Of a file that may be being written, the library reads a part whose sum is wrong again and again,
   waiting twice as long each time: by default for years if the file is damaged.  Here 2^ATTEMPTS
   ns. */
enum { ATTEMPTS = 24 };

static lw_status open_file(lw_results *r, lw_error *err)
{
  const lwi_hdf5 *h = r->h;
  const hid_t access = h->H5Pcreate(*h->H5P_CLS_FILE_ACCESS_ID_g);
  h->H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  h->H5Pset_metadata_read_attempts(access, ATTEMPTS);
  r->file = h->H5Fopen(r->path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
  if (r->file < 0) r->file = h->H5Fopen(r->path, H5F_ACC_RDONLY, access);
  h->H5Pclose(access);
  if (r->file < 0) return fail(r, err, LW_E_FILE, "this is no HDF5 file, or it is damaged");
  r->data = h->H5Lexists(r->file, "data", H5P_DEFAULT) > 0
                ? h->H5Dopen2(r->file, "data", H5P_DEFAULT)
                : -1;
  return r->data < 0 ? fail(r, err, LW_E_FILE, "this is an HDF5 file, but not one of results")
                     : LW_OK;
}

lw_status lwi_results_read_hdf5(lw_results *r, lw_error *err)
{
  r->h = lwi_hdf5_load();
  if (!r->h) return fail(r, err, LW_E_FILE, lwi_hdf5_problem());
  lw_status status = lwi_hdf5_reserve() ? open_file(r, err) : no_memory(r, err);
  if (status == LW_OK) status = read_texts(r, "columns", &r->names, err);
  if (status == LW_OK) status = read_texts(r, "units", &r->units, err);
  if (status == LW_OK) status = read_texts(r, "arguments", &r->arguments, err);
  if (status == LW_OK) status = read_texts(r, "parameters", &r->parameters, err);
  if (status == LW_OK) status = read_values(r, err);
  if (status == LW_OK) status = read_facts(r, err);
  if (status == LW_OK) status = read_sources(r, err);
  return status == LW_OK ? lwi_results_look(r, false, err) : status;
}

/* ---- checkpoints ---- */

static bool is_whole(const lw_results *r, const double x[], size_t n)
{
  if (!(x[LWI_CHECKPOINT_NUMBER] >= 1) || x[LWI_CHECKPOINT_SUM] != lwi_checkpoint_sum(x, n))
    return false;
  bool ok = x[LWI_CHECKPOINT_ROWS] >= 0 && x[LWI_CHECKPOINT_ROWS] <= (double)r->rows;
  for (int i = 0; i < LWI_RECORD_STATUS; i++)
    ok =
        ok && x[LWI_CHECKPOINT_RECORDS + i] >= 0 && x[LWI_CHECKPOINT_RECORDS + i] <= r->record[i].n;
  return ok;
}

double *lwi_results_last_checkpoint(lw_results *r, size_t *n)
{
  const lwi_hdf5 *h = r->h;
  if (!h || h->H5Lexists(r->file, "checkpoints", H5P_DEFAULT) <= 0) return NULL;
  const hid_t set = h->H5Dopen2(r->file, "checkpoints", H5P_DEFAULT);
  const long both = set < 0 ? -1 : set_size(h, set);
  *n = both < 2 * LWI_CHECKPOINT_HEAD ? 0 : (size_t)both / 2;
  double *x = *n ? malloc((size_t)both * sizeof *x) : NULL;
  const bool read =
      x && h->H5Dread(set, *h->H5T_NATIVE_DOUBLE_g, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0;
  if (set >= 0) h->H5Dclose(set);
  const bool first = read && is_whole(r, x, *n), second = read && is_whole(r, x + *n, *n);
  if (second && (!first || x[*n] > x[0])) memmove(x, x + *n, *n * sizeof *x);
  if (first || second) return x;
  free(x);
  return NULL;
}
