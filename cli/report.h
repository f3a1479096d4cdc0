/* SPDX-License-Identifier: Apache-2.0 */
/* report.h -- what goes wrong, said on stderr, and with --json as an object on stdout too:
   {"ok": false, "status": "LW_E_MODEL", "text": "...", "file": "...", "line": 3, "column": 5}.

   Texts that come from files and from the command line may hold anything; what a terminal would take for
   a command is shown escaped: \x1b, \u202e. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H
#include "linkwork/status.h"
#include "output.h"

#include <stdbool.h>

/* A text as one line that a terminal can show; too long ones are cut. */
typedef struct {
  char text[2048];
} safe_text;
safe_text show(const char *text);

/* "1 degree", "2 degree" "s" */
static inline const char *plural(long n)
{
  return n == 1 ? "" : "s";
}

/* A line on stderr. */
void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Failures are told as JSON too. */
void report_as_json(void);
/* The object, unless there is one on stdout already; status NULL: wrong usage. */
void report_failure(const char *file, const lw_error *err, bool usage);
void report_json_is_there(void);
/* "error": {"status", "text", "line", "column"} in another object; NULL: null */
void report_error_member(json *j, const char *file, const lw_error *err);
/* Its text without "FILE:LINE:COLUMN: ". */
const char *without_place(const char *file, const lw_error *err);
/* "LW_E_MODEL" */
const char *status_name(lw_status status);

/* Before anything is opened: a stream that is closed must not become a file of results. */
void streams_open(void);
/* After the last word: exit status 1, and a line, if something did not arrive on stdout. */
int streams_close(int status);

#endif
