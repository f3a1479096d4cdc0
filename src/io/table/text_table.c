/* SPDX-License-Identifier: Apache-2.0 */
/* text_table.c -- results as lines of text: comma-separated values with a header line, or one JSON
   object per row (JSON lines).

   Numbers have the fewest digits that read back as the same number.  NaN, the column does not exist
   at that time, is an empty cell or null; JSON has no other numbers that are not finite, and null
   stands for them as well.

   Only whole rows stay in the file, at the latest when the next row comes FLUSH_SECONDS after
   the last one that did, so that what an interrupted run leaves can be read.  On a full disk a
   row that was cut is taken back. */
#include "io/file/file_text.h"
#include "io/file/output_file.h"
#include "io/file/utf8.h"
#include "base/number_text.h"
#include "io/table/table_format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BUFFER = 65536 /* bytes gathered at most, before whole rows are written */ };
static const double FLUSH_SECONDS = 0.2;

typedef struct {
  lw_table table; /* first: the table is known by this */
  lwi_output *file;
  lw_status status; /* the first failure stays */
  int ncolumn;
  bool json;
  char *text;   /* the memory of ... */
  char **key;   /* [ncolumn] what comes before each number of a row */
  size_t kept;  /* bytes of whole rows in the file */
  char *buffer; /* whole rows not yet in the file */
  size_t used, capacity;
  struct timespec flushed;
} text_table;

/* ---- rows ---- */

/* Bytes up to the end of the last whole row; line breaks in quoted names are not among rows. */
static size_t whole_rows(const char *text, size_t n)
{
  while (n > 0 && text[n - 1] != '\n')
    n--;
  return n;
}

static lw_status flush(text_table *f)
{
  if (f->status == LW_OK) {
    const size_t done = lwi_output_write(f->file, f->buffer, f->used);
    if (done == f->used) {
      f->kept += done;
    } else { /* a header stays or goes as one */
      f->kept += f->json || f->kept > 0 ? whole_rows(f->buffer, done) : 0;
      lwi_output_cut(f->file, f->kept);
      f->status = LW_E_FILE;
    }
  }
  f->used = 0;
  timespec_get(&f->flushed, TIME_UTC);
  return f->status;
}

/* A clock that was set back counts as late. */
static bool is_late(const text_table *f)
{
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  const double passed =
      difftime(now.tv_sec, f->flushed.tv_sec) + 1e-9 * (double)(now.tv_nsec - f->flushed.tv_nsec);
  return passed < 0 || passed > FLUSH_SECONDS;
}

static char *put_text(char *out, const char *text)
{
  const size_t n = strlen(text);
  memcpy(out, text, n);
  return out + n;
}

static lw_status write_row(lw_table *table, const double row[])
{
  text_table *f = (text_table *)table;
  if (f->status != LW_OK) return f->status;
  char *out = f->buffer + f->used;
  for (int i = 0; i < f->ncolumn; i++) {
    out = put_text(out, f->key[i]);
    if (f->json ? isfinite(row[i]) : !isnan(row[i]))
      out = lwi_put_number(out, row[i]);
    else if (f->json)
      out = put_text(out, "null");
  }
  out = put_text(out, f->json ? "}\n" : "\n");
  f->used = (size_t)(out - f->buffer);
  return f->used > BUFFER || is_late(f) ? flush(f) : LW_OK;
}

/* ---- the file ---- */

/* RFC 4180: quotes around what would end a cell or a line. */
static char *put_name(char *out, const char *name)
{
  const bool quoted = strpbrk(name, ",\"\r\n");
  if (quoted) *out++ = '"';
  for (; *name; name++) {
    if (*name == '"') *out++ = '"';
    *out++ = *name;
  }
  if (quoted) *out++ = '"';
  return out;
}

/* A string of JSON: RFC 8259, section 7; what is not UTF-8 becomes the character that stands for
   it. */
static char *put_json(char *out, const char *name)
{
  *out++ = '"';
  for (size_t left = strlen(name), n; left > 0; name += n, left -= n) {
    uint32_t code;
    n = lwi_utf8_decode((const unsigned char *)name, left, &code);
    if (n == 0) n = 1, code = 0xfffd;
    if (code == '"' || code == '\\')
      *out++ = '\\', *out++ = (char)code;
    else if (!lwi_utf8_is_printable(code) || code == 0xfffd)
      out += sprintf(out, "\\u%04x", (unsigned)code);
    else
      out = memcpy(out, name, n), out += n;
  }
  *out++ = '"';
  return out;
}

/* What comes before the numbers: `,` or `, "q.A": `. */
static bool make_keys(text_table *f, const char *const names[])
{
  size_t size = 1;
  for (int i = 0; i < f->ncolumn; i++)
    size += 6 * strlen(names[i]) + 8;
  f->text = malloc(size);
  f->key = malloc(((size_t)f->ncolumn + 1) * sizeof *f->key);
  if (!f->text || !f->key) return false;
  char *out = f->text;
  for (int i = 0; i < f->ncolumn; i++) {
    f->key[i] = out;
    out = put_text(out, !f->json ? i ? "," : "" : i ? ", " : "{");
    if (f->json) out = put_text(put_json(out, names[i]), ": ");
    *out++ = '\0';
  }
  return true;
}

/* the header, through the same buffer */
static void put_header(text_table *f, const char *const names[])
{
  char *out = f->buffer;
  for (int i = 0; i < f->ncolumn; i++) {
    if (i > 0) *out++ = ',';
    out = put_name(out, names[i]);
  }
  *out++ = '\n';
  f->used = (size_t)(out - f->buffer);
}

static void free_table(text_table *f)
{
  free(f->buffer);
  free(f->text);
  free(f->key);
  free(f);
}

static text_table *new_table(const char *const names[], int n, bool json)
{
  text_table *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->ncolumn = n;
  f->json = json;
  bool ok = make_keys(f, names);
  size_t header = 1, row = 3;
  for (int i = 0; i < n && ok; i++) {
    header += 2 * strlen(names[i]) + 3; /* quotes at most */
    row += strlen(f->key[i]) + LWI_NUMBER_TEXT;
  }
  f->capacity = BUFFER + (row > header ? row : header);
  if (ok && (f->buffer = malloc(f->capacity))) return f;
  free_table(f);
  return NULL;
}

static lw_table *create(const lwi_results_head *head, bool json, lw_error *err)
{
  text_table *f = new_table(head->names, head->n, json);
  if (!f) return lwi_table_no_memory(head->path, err), NULL;
  if (!(f->file = lwi_output_open(head->path, true, err))) return free_table(f), NULL;
  if (!json) put_header(f, head->names);
  if (flush(f) == LW_OK) return &f->table;
  lwi_output_status(f->file, err);
  lwi_output_discard(f->file);
  return free_table(f), NULL;
}

static lw_table *create_csv(const lwi_results_head *head, lw_error *err)
{
  return create(head, false, err);
}

static lw_table *create_lines(const lwi_results_head *head, lw_error *err)
{
  return create(head, true, err);
}

static lw_status close(lw_table *table, lw_error *err)
{
  text_table *f = (text_table *)table;
  lw_status status = flush(f);
  if (status != LW_OK && f->kept == 0) { /* an earlier file is worth more */
    lwi_output_status(f->file, err);
    lwi_output_discard(f->file);
  } else {
    status = lwi_output_close(f->file, err);
  }
  free_table(f);
  return status;
}

const lwi_table_format lwi_csv_format = {.create = create_csv, .write = write_row, .close = close};
const lwi_table_format lwi_lines_format = {
    .create = create_lines, .write = write_row, .close = close};
