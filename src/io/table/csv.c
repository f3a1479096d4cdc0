/* SPDX-License-Identifier: Apache-2.0 */
/* csv.c -- results as comma-separated values: a header line, then one line per row.

   Numbers have 17 significant digits, as printf("%.17g") would give in the C locale, whatever the
   locale of the process.  NaN is an empty cell: the column does not exist at that time.

   Only whole rows stay in the file, at the latest when the next row comes FLUSH_SECONDS after
   the last one that did, so that what an interrupted run leaves can be read.  On a full disk a
   row that was cut is taken back. */
#include "io/file/file_text.h"
#include "io/file/output_file.h"
#include "io/table/table_format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  CELL = 26,     /* bytes of a number and its comma at most: -1.2345678901234567e-308, */
  BUFFER = 65536 /* bytes gathered at most, before whole rows are written */
};
static const double FLUSH_SECONDS = 0.2;

typedef struct {
  lw_table table; /* first: the table is known by this */
  lwi_output *file;
  lw_status status; /* the first failure stays */
  int ncolumn;
  size_t kept;  /* bytes of whole rows in the file */
  char *buffer; /* whole rows not yet in the file */
  size_t used, capacity;
  struct timespec flushed;
} csv;

/* ---- numbers ---- */

/* Digits of a whole number. */
static char *put_integer(char *out, long long n)
{
  char digits[24];
  int count = 0;
  do
    digits[count++] = (char)('0' + n % 10);
  while (n /= 10);
  while (count > 0)
    *out++ = digits[--count];
  return out;
}

/* 17 digits and the exponent of a positive number; the locale's decimal point stands after the
   first digit and may have several bytes. */
static int get_digits(double x, char digits[17])
{
  char text[64];
  snprintf(text, sizeof text, "%.16e", x);
  const char *e = strchr(text, 'e');
  digits[0] = text[0];
  memcpy(digits + 1, e - 16, 16);
  return atoi(e + 1);
}

static char *put_exponent(char *out, int exponent)
{
  const int n = abs(exponent);
  *out++ = 'e';
  *out++ = exponent < 0 ? '-' : '+';
  if (n < 10) *out++ = '0';
  return put_integer(out, n);
}

/* As "%.17g": plain digits for exponents from -4 to 16, no zeros at the end. */
static char *put_digits(char *out, const char digits[17], int exponent)
{
  int n = 17;
  while (n > 1 && digits[n - 1] == '0')
    n--;
  const bool plain = exponent >= -4 && exponent < 17;
  const int before = plain ? exponent + 1 : 1; /* digits before the point */
  if (before <= 0) {
    *out++ = '0';
    *out++ = '.';
    for (int i = before; i < 0; i++)
      *out++ = '0';
  }
  for (int i = 0; i < n || i < before; i++) {
    if (i == before && before > 0) *out++ = '.';
    *out++ = digits[i];
  }
  return plain ? out : put_exponent(out, exponent);
}

static char *put_number(char *out, double x)
{
  char digits[17];
  if (isnan(x)) return out;
  if (signbit(x)) *out++ = '-';
  x = fabs(x);
  if (isinf(x)) return memcpy(out, "inf", 3), out + 3;
  if (x < 1e15 && x == floor(x)) return put_integer(out, (long long)x);
  const int exponent = get_digits(x, digits);
  return put_digits(out, digits, exponent);
}

/* ---- rows ---- */

/* Bytes up to the end of the last whole row; line breaks in quoted names are not among rows. */
static size_t whole_rows(const char *text, size_t n)
{
  while (n > 0 && text[n - 1] != '\n')
    n--;
  return n;
}

static lw_status flush(csv *f)
{
  if (f->status == LW_OK) {
    const size_t done = lwi_output_write(f->file, f->buffer, f->used);
    if (done == f->used) {
      f->kept += done;
    } else { /* the header stays or goes as one */
      f->kept += f->kept > 0 ? whole_rows(f->buffer, done) : 0;
      lwi_output_cut(f->file, f->kept);
      f->status = LW_E_FILE;
    }
  }
  f->used = 0;
  timespec_get(&f->flushed, TIME_UTC);
  return f->status;
}

/* A clock that was set back counts as late. */
static bool is_late(const csv *f)
{
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  const double passed =
      difftime(now.tv_sec, f->flushed.tv_sec) + 1e-9 * (double)(now.tv_nsec - f->flushed.tv_nsec);
  return passed < 0 || passed > FLUSH_SECONDS;
}

static lw_status write_row(lw_table *table, const double row[])
{
  csv *f = (csv *)table;
  if (f->status != LW_OK) return f->status;
  char *out = f->buffer + f->used;
  for (int i = 0; i < f->ncolumn; i++) {
    if (i > 0) *out++ = ',';
    out = put_number(out, row[i]);
  }
  *out++ = '\n';
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

/* the header, through the same buffer */
static void put_header(csv *f, const char *const names[])
{
  char *out = f->buffer;
  for (int i = 0; i < f->ncolumn; i++) {
    if (i > 0) *out++ = ',';
    out = put_name(out, names[i]);
  }
  *out++ = '\n';
  f->used = (size_t)(out - f->buffer);
}

static csv *new_csv(const char *const names[], int n)
{
  csv *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->ncolumn = n;
  size_t header = 1;
  for (int i = 0; i < f->ncolumn; i++)
    header += 2 * strlen(names[i]) + 3; /* quotes at most */
  const size_t row = (size_t)f->ncolumn * CELL + 1;
  f->capacity = BUFFER + (row > header ? row : header);
  if (!(f->buffer = malloc(f->capacity))) return free(f), NULL;
  return f;
}

static void free_csv(csv *f)
{
  free(f->buffer);
  free(f);
}

static lw_table *create(const char *path, const char *const names[], int n, lw_error *err)
{
  csv *f = new_csv(names, n);
  if (!f)
    return lwi_file_fail(err, LW_E_MEMORY, (lwi_position){.file = path},
                         "out of memory for the results"),
           NULL;
  if (!(f->file = lwi_output_open(path, true, err))) return free_csv(f), NULL;
  put_header(f, names);
  if (flush(f) == LW_OK) return &f->table;
  lwi_output_status(f->file, err);
  lwi_output_discard(f->file);
  return free_csv(f), NULL;
}

static lw_status close(lw_table *table, lw_error *err)
{
  csv *f = (csv *)table;
  flush(f);
  const lw_status status = lwi_output_close(f->file, err);
  free_csv(f);
  return status;
}

const lwi_table_format lwi_csv_format = {create, write_row, close};
