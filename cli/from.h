/* SPDX-License-Identifier: Apache-2.0 */
/* from.h -- --from RESULT.csv[@T]: a state of an earlier run. */
#ifndef CLI_FROM_H
#define CLI_FROM_H
#include "verbs.h"

#include <stdio.h>

#define FROM_OPTION                                                                                \
  {                                                                                                \
    "from", 0, "RESULT.csv[@T]",                                                                   \
        "time and state of a row of an earlier table: the last, or that at T"                      \
  }
/* of verbs that simulate */
#define START_OPTIONS                                                                              \
  {"q", 0, "J=X[,X...]", "start with these coordinates of joint J; repeatable"},                   \
      {"u", 0, "J=X[,X...]", "start with these speeds of joint J; repeatable"}, FROM_OPTION

/* Cuts the next cell off a line (RFC 4180), in place; NULL: there is none. */
char *next_cell(char **at);
/* One line without its end; false: there is none, or no memory. */
bool read_line(FILE *f, char **line, size_t *size);

/* Time, coordinates and speeds of the tree from the table of --from, if it is given. */
int read_from(const cli_args *a, const lw_model *m, double *t, double q[], double u[]);

#endif
