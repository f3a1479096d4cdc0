/* SPDX-License-Identifier: Apache-2.0 */
/* modes.h -- a linearised model: computed by modes.c, printed by modes_print.c. */
#ifndef CLI_MODES_H
#define CLI_MODES_H
#include "verbs.h"
#include "linkwork/analysis.h"

typedef struct {
  const lw_model *m;
  const double *q, *u;          /* of all joints: the state */
  const char *at;               /* "start" or "equilibrium" */
  lw_equilibrium_report report; /* of the latter */
  lw_rest *rest;                /* with limits, contacts and friction; m is its model */
  const lw_linearization *l;
  const lw_modes *modes;
} mode_table;

/* What moves in a mode, word by word: mode_words.c */
typedef void mode_say(void *context, const char *body, const char *motion);
void mode_words(const lw_model *m, const lw_mode *mode, mode_say *say, void *context);

void modes_print(const mode_table *t);
bool modes_json(const mode_table *t,
                bool matrices); /* returns false if not finite, or out of memory */
/* Writes a page that shows them moving. */
int modes_page(const cli_args *a, const mode_table *t, lw_work *w, double time, const char *path);
/* One row per mode. */
lw_status modes_csv(const mode_table *t, const char *path, lw_error *err);

#endif
