/* SPDX-License-Identifier: Apache-2.0 */
/* output.h -- JSON on stdout, and progress on stderr. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H
#include "json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- JSON ---- */

/* Prints and frees.  Returns false, without printing, if a number is not finite or if out of
   memory. */
bool json_finish(json *j);
/* The same with what json_take gave. */
bool json_print(char *text);

/* ---- progress ---- */

/* A progress bar on stderr if that is a terminal, else nothing. */
typedef struct {
  bool on;
  double start, shown; /* wall clock, s */
} progress;
progress progress_start(bool wanted);
void progress_show(progress *p, double fraction); /* with the time that is left, if it is long */
void progress_line(progress *p, const char *format, ...) /* one line, instead of the last one */
    __attribute__((format(printf, 2, 3)));
int progress_step(void *p, double fraction); /* the same as a callback; returns 0 */
void progress_end(progress *p);              /* removes it */
/* Work of unknown length: the seconds so far, from the third on, until progress_end. */
progress progress_busy(const char *what, bool wanted);
/* The same, with the time left: it is expected to take so many seconds. */
progress progress_expect(const char *what, double seconds);

double wall_clock(void); /* seconds */

#endif
