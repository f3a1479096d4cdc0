/* SPDX-License-Identifier: Apache-2.0 */
/* file_text.h -- a whole file in memory, and errors that say where in a file something is wrong. */
#ifndef LWI_IO_FILE_FILE_TEXT_H
#define LWI_IO_FILE_FILE_TEXT_H
#include "linkwork/status.h"

#include <stdarg.h>
#include <stddef.h>

enum { LWI_FILE_MAX = 256 << 20 }; /* bytes */

typedef struct {
  const char *file;
  int line, column; /* from 1; 0, 0: the file as a whole */
} lwi_position;

/* Writes "FILE:LINE:COLUMN: sentence" and returns the status; err may be NULL.  The text is one
   line of valid UTF-8 whatever the arguments hold. */
lw_status lwi_file_fail(lw_error *err, lw_status status, lwi_position at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The contents of a file, terminated by a NUL that does not count; the caller frees it. */
lw_status lwi_file_read(const char *path, char **text, size_t *length, lw_error *err);

#endif
