/* SPDX-License-Identifier: Apache-2.0 */
/* results_writer.c -- writes a file of results (results_writer.h). */
#include "io/results/results_writer.h"
#include "base/arena.h"
#include "io/file/file_text.h"
#include "io/file/output_file.h"
#include "io/file/output_path.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  CHUNK_COLUMNS = 32,   /* one column is read without most of the others */
  CHUNK_NUMBERS = 8192, /* 64 KiB */
  LEAST_ROWS = 64,
  MOST_ROWS = 1024,
  RECORDS = 16, /* in a chunk */
  RESERVE =
      1 << 20,     /* bytes on the disk ahead of what is written, for indices of chunks too, ... */
  SLACK = 1 << 18, /* ... of which these remain */
  AS_THEY_ARE = 1 | 1 << 1 /* filter mask: neither shuffled nor deflated */
};
static const double FLUSH_SECONDS = 1;

typedef struct {
  hid_t set, type;
  char *item; /* [n] records not yet in the file */
  int n, capacity;
  hsize_t written;
} record_list;

struct lwi_results_writer {
  const lwi_hdf5 *h;
  lwi_output *output;
  char *path; /* as given */
  hid_t file, data;
  hsize_t ncolumn, chunk_columns, block; /* block: rows in a chunk */
  double *rows;                          /* [block][ncolumn] of the present block */
  double *chunk;                         /* [block][chunk_columns] */
  hsize_t before, n;                     /* rows in blocks before; rows in the present one, ... */
  hsize_t shown;                         /* ... of which the file has these */
  bool in_place;                         /* chunks of the present block are there, as they are */
  record_list record[LWI_RECORD_KINDS];
  lwi_status_record now;
  int64_t instants;
  hid_t checkpoints;  /* -1: none are kept */
  double *checkpoint; /* [checkpoint_size] the last one */
  size_t checkpoint_size;
  bool checkpoint_waits;
  bool copies;     /* the status is that of other results */
  size_t reserved; /* bytes that the file has on the disk */
  struct timespec start, flushed;
  lw_status status; /* the first failure stays */
  int reason;       /* errno of it */
};

static double seconds_since(const struct timespec *then)
{
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return difftime(now.tv_sec, then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

/* Keeps the first failure. */
static lw_status note(lwi_results_writer *w, bool ok)
{
  if (ok || w->status != LW_OK) return w->status;
  w->reason = lwi_hdf5_reason(w->h);
  return w->status = w->reason == ENOMEM ? LW_E_MEMORY : LW_E_FILE;
}

/* The library does not survive a full disk.  So the room for `more` bytes, and for what the library
   itself adds, is taken before they are written; so is memory.  false: there is none. */
static bool reserve(lwi_results_writer *w, size_t more)
{
  haddr_t end = 0;
  if (w->status == LW_OK && !lwi_hdf5_reserve()) w->status = LW_E_MEMORY;
  if (w->status != LW_OK || note(w, w->h->H5Fget_eoa(w->file, &end) >= 0) != LW_OK) return false;
  const size_t least = (size_t)end + more + SLACK;
  if (least <= w->reserved) return true;
  size_t size = least + RESERVE;
  int reason = lwi_output_reserve(w->output, size);
  if (reason) reason = lwi_output_reserve(w->output, size = least);
  if (reason == 0) w->reserved = size;
  if (reason) w->status = LW_E_FILE, w->reason = reason;
  return reason == 0;
}

/* ---- rows ---- */

/* One chunk as it is: it keeps its place when it is written again. */
static bool write_chunk(lwi_results_writer *w, hsize_t column)
{
  const hsize_t left = w->ncolumn - column, width = w->chunk_columns,
                count = left < width ? left : width, offset[2] = {w->before, column};
  memset(w->chunk, 0, (size_t)(w->block * width) * sizeof *w->chunk);
  for (hsize_t i = 0; i < w->n; i++)
    memcpy(w->chunk + i * width, w->rows + i * w->ncolumn + column,
           (size_t)count * sizeof *w->chunk);
  return w->h->H5Dwrite_chunk(w->data, H5P_DEFAULT, AS_THEY_ARE, offset,
                              (size_t)(w->block * width) * sizeof *w->chunk, w->chunk) >= 0;
}

/* The whole block through the filters. */
static bool write_compressed(lwi_results_writer *w)
{
  const lwi_hdf5 *h = w->h;
  const hsize_t from[2] = {w->before, 0}, size[2] = {w->n, w->ncolumn};
  const hid_t file = h->H5Dget_space(w->data), memory = h->H5Screate_simple(2, size, NULL);
  const bool ok =
      h->H5Sselect_hyperslab(file, H5S_SELECT_SET, from, NULL, size, NULL) >= 0 &&
      h->H5Dwrite(w->data, *h->H5T_NATIVE_DOUBLE_g, memory, file, H5P_DEFAULT, w->rows) >= 0;
  h->H5Sclose(file);
  h->H5Sclose(memory);
  return ok;
}

/* The present block as far as it goes; last: no more rows come into it. */
static void write_block(lwi_results_writer *w, bool last)
{
  const hsize_t size[2] = {w->before + w->n, w->ncolumn};
  const size_t bytes = (size_t)(w->block * (w->ncolumn + w->chunk_columns)) * sizeof *w->rows;
  if (w->n == w->shown || !reserve(w, bytes)) return;
  bool ok = w->h->H5Dset_extent(w->data, size) >= 0;
  if (last && !w->in_place) {
    ok = ok && write_compressed(w);
  } else {
    for (hsize_t c = 0; c < w->ncolumn && ok; c += w->chunk_columns)
      ok = write_chunk(w, c);
    w->in_place = true;
  }
  if (note(w, ok) == LW_OK) w->shown = w->n;
}

/* ---- records ---- */

static void *add_record(lwi_results_writer *w, lwi_record_kind kind)
{
  record_list *l = &w->record[kind];
  const size_t size = lwi_record_size(kind);
  if (!lwi_grow(&l->item, l->n, &l->capacity, size)) return w->status = LW_E_MEMORY, NULL;
  return memset(l->item + (size_t)l->n++ * size, 0, size);
}

lw_status lwi_results_add(lwi_results_writer *w, lwi_record_kind kind, const void *record)
{
  void *to = w->status != LW_OK ? NULL : kind == LWI_RECORD_STATUS ? &w->now : add_record(w, kind);
  if (to) memcpy(to, record, lwi_record_size(kind));
  if (kind == LWI_RECORD_STATUS) w->copies = true;
  if (kind == LWI_RECORD_EVENT) w->instants = ((const lwi_event_record *)record)->instant + 1;
  return w->status;
}

static void write_records(lwi_results_writer *w, record_list *l)
{
  const lwi_hdf5 *h = w->h;
  const hsize_t count = (hsize_t)l->n, size = l->written + count;
  if (l->n == 0 || !reserve(w, (size_t)(l->n + RECORDS) * h->H5Tget_size(l->type))) return;
  bool ok = h->H5Dset_extent(l->set, &size) >= 0;
  const hid_t file = h->H5Dget_space(l->set), memory = h->H5Screate_simple(1, &count, NULL);
  ok = ok && h->H5Sselect_hyperslab(file, H5S_SELECT_SET, &l->written, NULL, &count, NULL) >= 0 &&
       h->H5Dwrite(l->set, l->type, memory, file, H5P_DEFAULT, l->item) >= 0;
  h->H5Sclose(file);
  h->H5Sclose(memory);
  if (note(w, ok && h->H5Dflush(l->set) >= 0) != LW_OK) return;
  l->written += count;
  l->n = 0;
}

/* In the place of the older one, after all rows and records that it counts. */
static void write_checkpoint(lwi_results_writer *w)
{
  const lwi_hdf5 *h = w->h;
  const hsize_t size = w->checkpoint_size,
                from = (uint64_t)w->checkpoint[LWI_CHECKPOINT_NUMBER] % 2 * size;
  if (w->status != LW_OK) return;
  w->checkpoint[LWI_CHECKPOINT_SUM] = lwi_checkpoint_sum(w->checkpoint, w->checkpoint_size);
  const hid_t file = h->H5Dget_space(w->checkpoints), memory = h->H5Screate_simple(1, &size, NULL);
  const bool ok = h->H5Sselect_hyperslab(file, H5S_SELECT_SET, &from, NULL, &size, NULL) >= 0 &&
                  h->H5Dwrite(w->checkpoints, *h->H5T_NATIVE_DOUBLE_g, memory, file, H5P_DEFAULT,
                              w->checkpoint) >= 0 &&
                  h->H5Dflush(w->checkpoints) >= 0;
  h->H5Sclose(file);
  h->H5Sclose(memory);
  note(w, ok);
  w->checkpoint_waits = false;
}

lw_status lwi_results_checkpoint(lwi_results_writer *w, const double x[])
{
  double *to = w->checkpoint;
  if (!to) return w->status;
  memcpy(to + LWI_CHECKPOINT_HEAD, x, (w->checkpoint_size - LWI_CHECKPOINT_HEAD) * sizeof *x);
  to[LWI_CHECKPOINT_NUMBER]++;
  to[LWI_CHECKPOINT_ROWS] = (double)(w->before + w->n);
  for (int i = 0; i < LWI_RECORD_STATUS; i++)
    to[LWI_CHECKPOINT_RECORDS + i] = (double)w->record[i].written + w->record[i].n;
  w->checkpoint_waits = true;
  return w->status;
}

static void write_status(lwi_results_writer *w)
{
  record_list *l = &w->record[LWI_RECORD_STATUS];
  w->now.rows = (int64_t)(w->before + w->shown);
  if (!w->copies) w->now.wall_time = seconds_since(&w->start);
  if (w->status == LW_OK || w->status == LW_E_FILE) /* in place: a full disk does not matter */
    note(w, w->h->H5Dwrite(l->set, l->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &w->now) >= 0 &&
                w->h->H5Dflush(l->set) >= 0);
}

/* Rows and records are in the file before the status counts them. */
static lw_status flush(lwi_results_writer *w, bool last)
{
  write_block(w, last);
  if (w->status == LW_OK) note(w, w->h->H5Dflush(w->data) >= 0);
  for (int i = 0; i < LWI_RECORD_STATUS; i++)
    write_records(w, &w->record[i]);
  write_records(w, &w->record[LWI_RECORD_CASE]);
  if (w->checkpoint_waits) write_checkpoint(w);
  write_status(w);
  timespec_get(&w->flushed, TIME_UTC);
  return w->status;
}

lw_status lwi_results_tick(lwi_results_writer *w)
{
  const double passed = seconds_since(&w->flushed);
  return w->status == LW_OK && (passed < 0 || passed > FLUSH_SECONDS) ? flush(w, false) : w->status;
}

lw_status lwi_results_row(lwi_results_writer *w, const double row[])
{
  if (w->status != LW_OK) return w->status;
  memcpy(w->rows + w->n * w->ncolumn, row, (size_t)w->ncolumn * sizeof *row);
  if (++w->n < w->block) return lwi_results_tick(w);
  write_block(w, true);
  if (w->status != LW_OK) return w->status;
  w->before += w->n; /* the next block */
  w->n = w->shown = 0;
  w->in_place = false;
  return lwi_results_tick(w);
}

/* ---- the run ---- */

int64_t lwi_results_here(const lwi_results_writer *w, int64_t *instant)
{
  *instant = w->instants;
  return (int64_t)(w->before + w->n) - 1;
}

void lwi_results_progress(lwi_results_writer *w, double t, const lw_simulation_statistics *s,
                          lw_run_state state, const char *message)
{
  w->now.time = t;
  w->now.state = (int32_t)state;
  w->now.steps = s->steps;
  w->now.evaluations = s->evaluations;
  w->now.rejected = s->rejected;
  w->now.last_step = s->last_step;
  w->now.smallest_step = s->smallest_step;
  w->now.largest_step = s->largest_step;
  snprintf(w->now.method, sizeof w->now.method, "%s", s->method ? s->method : "");
  snprintf(w->now.message, sizeof w->now.message, "%s", message ? message : "");
}

/* ---- the file ---- */

static hid_t create_data(lwi_results_writer *w)
{
  const lwi_hdf5 *h = w->h;
  const hsize_t none[2] = {0, w->ncolumn}, most[2] = {H5S_UNLIMITED, w->ncolumn},
                chunk[2] = {w->block, w->chunk_columns};
  const hid_t space = h->H5Screate_simple(2, none, most),
              how = h->H5Pcreate(*h->H5P_CLS_DATASET_CREATE_ID_g),
              access = h->H5Pcreate(*h->H5P_CLS_DATASET_ACCESS_ID_g);
  h->H5Pset_chunk(how, 2, chunk);
  h->H5Pset_shuffle(how);
  h->H5Pset_deflate(how, 4);
  h->H5Pset_chunk_cache(access, 1, 0, 1); /* whole chunks are written at once */
  const hid_t set =
      h->H5Dcreate2(w->file, "data", *h->H5T_NATIVE_DOUBLE_g, space, H5P_DEFAULT, how, access);
  h->H5Pclose(access);
  h->H5Pclose(how);
  h->H5Sclose(space);
  return set;
}

/* Records grow, but for the one of the status. */
static bool create_records(lwi_results_writer *w, lwi_record_kind kind)
{
  const lwi_hdf5 *h = w->h;
  record_list *l = &w->record[kind];
  const bool grows = kind != LWI_RECORD_STATUS;
  const hsize_t size = grows ? 0 : 1, most = grows ? H5S_UNLIMITED : 1, chunk = RECORDS;
  const hid_t space = h->H5Screate_simple(1, &size, &most),
              how = h->H5Pcreate(*h->H5P_CLS_DATASET_CREATE_ID_g);
  if (grows) h->H5Pset_chunk(how, 1, &chunk);
  l->type = lwi_record_type(h, kind);
  l->set = l->type < 0 ? -1
                       : h->H5Dcreate2(w->file, lwi_record_set(kind), l->type, space, H5P_DEFAULT,
                                       how, H5P_DEFAULT);
  h->H5Pclose(how);
  h->H5Sclose(space);
  return l->set >= 0;
}

static bool open_file(lwi_results_writer *w, const lwi_results_head *head)
{
  const lwi_hdf5 *h = w->h;
  w->reason = lwi_output_reserve(w->output, SLACK); /* of which the library would not say why */
  if (w->reason) return w->status = LW_E_FILE, false;
  w->file = lwi_results_new_file(h, lwi_output_place(w->output));
  bool ok = w->file >= 0 && reserve(w, lwi_results_head_bytes(head));
  const lw_status written = ok ? lwi_results_write_head(h, w->file, head) : LW_OK;
  if (written == LW_E_MEMORY) w->status = LW_E_MEMORY;
  ok = ok && written == LW_OK;
  w->data = ok ? create_data(w) : -1;
  ok = ok && w->data >= 0;
  for (int i = 0; i < LWI_RECORD_KINDS && ok; i++)
    ok = (i == LWI_RECORD_CASE && !head->cases) || create_records(w, (lwi_record_kind)i);
  if (ok && w->checkpoint) {
    w->checkpoints = h->H5Dopen2(w->file, "checkpoints", H5P_DEFAULT);
    ok = w->checkpoints >= 0;
  }
  return ok && h->H5Fflush(w->file, H5F_SCOPE_GLOBAL) >= 0 && h->H5Fstart_swmr_write(w->file) >= 0;
}

/* Everything of the library; false: the file could not be completed. */
static bool close_file(lwi_results_writer *w)
{
  const lwi_hdf5 *h = w->h;
  for (int i = 0; i < LWI_RECORD_KINDS; i++) {
    if (w->record[i].set >= 0) h->H5Dclose(w->record[i].set);
    if (w->record[i].type >= 0) h->H5Tclose(w->record[i].type);
  }
  if (w->data >= 0) h->H5Dclose(w->data);
  if (w->checkpoints >= 0) h->H5Dclose(w->checkpoints);
  return w->file < 0 || h->H5Fclose(w->file) >= 0;
}

static void release(lwi_results_writer *w)
{
  for (int i = 0; i < LWI_RECORD_KINDS; i++)
    free(w->record[i].item);
  free(w->rows);
  free(w->chunk);
  free(w->checkpoint);
  free(w->path);
  free(w);
}

static bool choose_sizes(lwi_results_writer *w, int n)
{
  w->ncolumn = (hsize_t)n;
  w->chunk_columns = n < CHUNK_COLUMNS ? (hsize_t)n : CHUNK_COLUMNS;
  w->block = CHUNK_NUMBERS / w->chunk_columns;
  if (n > 100 * CHUNK_COLUMNS) w->block = LEAST_ROWS; /* all columns of a block are in memory */
  if (w->block > MOST_ROWS) w->block = MOST_ROWS;
  w->rows = malloc((size_t)(w->block * w->ncolumn) * sizeof *w->rows);
  w->chunk = malloc((size_t)(w->block * w->chunk_columns) * sizeof *w->chunk);
  return w->rows && w->chunk;
}

static lwi_results_writer *new_writer(const lwi_results_head *head)
{
  lwi_results_writer *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  w->file = w->data = w->checkpoints = -1;
  for (int i = 0; i < LWI_RECORD_KINDS; i++)
    w->record[i].set = w->record[i].type = -1;
  timespec_get(&w->start, TIME_UTC);
  w->flushed = w->start;
  w->path = malloc(strlen(head->path) + 1);
  if (w->path) strcpy(w->path, head->path);
  if (head->checkpoint > 0) {
    w->checkpoint_size = LWI_CHECKPOINT_HEAD + head->checkpoint;
    w->checkpoint = calloc(w->checkpoint_size, sizeof *w->checkpoint);
  }
  const bool ok = w->path && (w->checkpoint || head->checkpoint == 0);
  if (ok && choose_sizes(w, head->n)) return w;
  release(w);
  return NULL;
}

static lw_status fail(const lwi_results_writer *w, lw_error *err, const char *what)
{
  const lwi_position at = {.file = w->path};
  if (w->status == LW_E_MEMORY)
    return lwi_file_fail(err, LW_E_MEMORY, at, "%s: out of memory", what);
  return lwi_file_fail(err, LW_E_FILE, at, "%s: %s", what,
                       w->reason ? strerror(w->reason) : "HDF5 has failed");
}

static bool is_special(const char *path)
{
  const lwi_output_path found = lwi_output_path_find(path);
  free(found.path);
  return found.kind == LWI_OUTPUT_SPECIAL || found.kind == LWI_OUTPUT_DESCRIPTOR;
}

lwi_results_writer *lwi_results_create(const lwi_results_head *head, lw_error *err)
{
  const lwi_position at = {.file = head->path};
  const lwi_hdf5 *h = lwi_hdf5_load();
  if (!h) return lwi_file_fail(err, LW_E_FILE, at, "%s", lwi_hdf5_problem()), NULL;
  if (head->n < 1) return lwi_file_fail(err, LW_E_ARG, at, "no columns"), NULL;
  if (is_special(head->path))
    return lwi_file_fail(err, LW_E_FILE, at,
                         "HDF5 can only be written to a file, not to a pipe or device; CSV can"),
           NULL;
  lwi_results_writer *w = new_writer(head);
  if (!w) return lwi_file_fail(err, LW_E_MEMORY, at, "out of memory for the results"), NULL;
  w->h = h;
  if (!lwi_hdf5_reserve())
    return release(w), lwi_file_fail(err, LW_E_MEMORY, at, "out of memory for the results"), NULL;
  if (!(w->output = lwi_output_open(head->path, true, err))) return release(w), NULL;
  if (open_file(w, head)) return w;
  note(w, false);
  fail(w, err, "cannot be created");
  close_file(w);
  lwi_output_discard(w->output);
  return release(w), NULL;
}

lw_status lwi_results_close(lwi_results_writer *w, lw_error *err)
{
  flush(w, true);
  const bool closed = close_file(w);
  note(w, closed);
  if (!closed) lwi_results_clear(w->h, lwi_output_place(w->output));
  lw_status status = w->status == LW_OK ? LW_OK : fail(w, err, "cannot be written");
  lw_error other = {.status = LW_OK};
  const lw_status renamed = lwi_output_close(w->output, &other);
  if (status == LW_OK && renamed != LW_OK) {
    status = renamed;
    if (err) *err = other;
  }
  release(w);
  return status;
}
