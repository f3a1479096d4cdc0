/* SPDX-License-Identifier: Apache-2.0 */
/* from.h -- --from RESULT[@T]: a state of an earlier run. */
#ifndef CLI_FROM_H
#define CLI_FROM_H
#include "verbs.h"

#define FROM_OPTION                                                                                \
  {                                                                                                \
    "from", 0, "RESULT[@T]",                                                                       \
        "time and state of a row of earlier results (.h5, CSV): the last, or that at T"            \
  }
/* of verbs that simulate */
#define START_OPTIONS                                                                              \
  {"q", 0, "J=X[,X...]", "start with these coordinates of joint J; repeatable"},                   \
      {"u", 0, "J=X[,X...]", "start with these speeds of joint J; repeatable"}, FROM_OPTION

/* Time, coordinates and speeds of the tree from the results of --from, if it is given. */
int read_from(const cli_args *a, const lw_model *m, double *t, double q[], double u[]);

#endif
