/* SPDX-License-Identifier: Apache-2.0 */
/* report.h -- messages on stderr, and with --json errors also as an object on stdout: {"ok": false,
   "status": "LW_E_MODEL", "text": "...", "file": "...", "line": 3, "column": 5}.

   Texts from files and from the command line may contain anything; characters that a terminal would
   interpret are escaped: \x1b, \u202e. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H
#include "linkwork/status.h"
#include "output.h"

#include <stdbool.h>

/* A text as one printable line; long ones are cut. */
typedef struct {
  char text[2048];
} safe_text;
safe_text show(const char *text);

/* "1 degree", "2 degree" "s" */
static inline const char *plural(long n)
{
  return n == 1 ? "" : "s";
}

/* Prints a line on stderr. */
void print_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on failures are also printed as JSON. */
void report_as_json(void);
/* Prints the error object, unless stdout has one already; status NULL: wrong usage. */
void report_failure(const char *file, const lw_error *err, bool usage);
void report_json_is_there(void);
/* "error": {"status", "text", "line", "column"} in another object; NULL: null */
void report_error_member(json *j, const char *file, const lw_error *err);
/* Its text without "FILE:LINE:COLUMN: ". */
const char *without_place(const char *file, const lw_error *err);
/* "LW_E_MODEL" */
const char *status_name(lw_status status);

/* Before anything is opened: a closed stream must not become a file of results. */
void streams_open(void);
/* At the end: exit status 1, and a message, if some output could not be written to stdout. */
int streams_close(int status);

#endif
