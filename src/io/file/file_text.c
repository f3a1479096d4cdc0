/* SPDX-License-Identifier: Apache-2.0 */
/* file_text.c -- a whole file in memory, and errors that say where in a file something is wrong.

   Files are read to their end, not to the size that the system reports, so that pipes work. */
#define _POSIX_C_SOURCE 200809L
#include "io/file/file_text.h"
#include "base/number_text.h"

#include "io/file/utf8.h"
#include "linkwork/file.h"
#include "linkwork/output.h"

#include <errno.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors ---- */

enum { PATH_SHOWN = 200 }; /* bytes: what is wrong must still fit behind a long path */

/* Makes one printable line: characters that could break it, or that are cut in half, become `?`. */
static void make_printable(char *text)
{
  unsigned char *s = (unsigned char *)text;
  for (size_t left = strlen(text); left > 0;) {
    uint32_t code;
    size_t n = lwi_utf8_decode(s, left, &code);
    if (n == 0 || !lwi_utf8_is_printable(code)) {
      n = n ? n : 1;
      memset(s, '?', n);
    }
    s += n;
    left -= n;
  }
}

lw_status lwi_file_fail(lw_error *err, lw_status status, lwi_position at, const char *format, ...)
{
  if (!err) return status;
  *err = (lw_error){.status = status, .line = at.line, .column = at.column};

  const size_t length = strlen(at.file);
  const char *shown = length > PATH_SHOWN ? at.file + length - PATH_SHOWN : at.file;
  int used = snprintf(err->text, sizeof err->text, "%s%s:", shown == at.file ? "" : "...", shown);
  if (at.line > 0)
    used +=
        snprintf(err->text + used, sizeof err->text - (size_t)used, "%d:%d:", at.line, at.column);
  err->text[used++] = ' ';

  va_list arguments;
  va_start(arguments, format);
  vsnprintf(err->text + used, sizeof err->text - (size_t)used, format, arguments);
  va_end(arguments);
  make_printable(err->text);
  return status;
}

int lw_get_character(const char *text, unsigned *code)
{
  uint32_t c = LW_NO_CHARACTER;
  const size_t left = text ? strnlen(text, 4) : 0;
  const size_t n = left ? lwi_utf8_decode((const unsigned char *)text, left, &c) : 0;
  if (code) *code = n ? c : LW_NO_CHARACTER;
  return n ? (int)n : left > 0;
}

int lw_number_text(double x, char text[LW_NUMBER_TEXT])
{
  if (!text) return 0;
  char *end = isnan(x) ? strcpy(text, "nan") + 3 : lwi_put_number(text, x);
  *end = '\0';
  return (int)(end - text);
}

bool lw_is_printable(unsigned code)
{
  return code != LW_NO_CHARACTER && lwi_utf8_is_printable(code);
}

/* ---- reading ---- */

/* Makes room for at least one more byte; doubles the capacity, so that reading takes linear
   time. */
static int grow(char **text, size_t *capacity)
{
  const size_t more = *capacity ? 2 * *capacity : 1 << 16;
  char *bigger = realloc(*text, more);
  if (!bigger) return 0;
  *text = bigger;
  *capacity = more;
  return 1;
}

static lw_status read_all(FILE *f, lwi_position file, char **text, size_t *length, lw_error *err)
{
  size_t capacity = 0;
  for (;;) {
    if (*length + 1 >= capacity && !grow(text, &capacity))
      return lwi_file_fail(err, LW_E_MEMORY, file, "out of memory for the file");
    const size_t n = fread(*text + *length, 1, capacity - 1 - *length, f);
    *length += n;
    (*text)[*length] = '\0';
    if (ferror(f) && errno == EISDIR)
      return lwi_file_fail(err, LW_E_FILE, file, "this is a directory, not a file");
    if (ferror(f))
      return lwi_file_fail(err, LW_E_FILE, file, "cannot be read: %s", strerror(errno));
    if (*length > LWI_FILE_MAX)
      return lwi_file_fail(err, LW_E_FILE, file,
                           "larger than %d MiB, which is the most that is read",
                           LWI_FILE_MAX >> 20);
    if (n == 0) return LW_OK;
  }
}

lw_status lwi_file_read(const char *path, char **text, size_t *length, lw_error *err)
{
  const lwi_position file = {.file = path};
  *text = NULL;
  *length = 0;
  FILE *f = fopen(path, "rb");
  if (!f)
    return lwi_file_fail(err, errno == ENOMEM ? LW_E_MEMORY : LW_E_FILE, file,
                         "cannot be opened: %s", strerror(errno));
  const lw_status status = read_all(f, file, text, length, err);
  fclose(f);
  if (status == LW_OK) return LW_OK;
  free(*text);
  *text = NULL;
  *length = 0;
  return status;
}
