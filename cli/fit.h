/* SPDX-License-Identifier: Apache-2.0 */
/* fit.h -- linkwork fit: parameters of a model from measurements. */
#ifndef CLI_FIT_H
#define CLI_FIT_H
#include "linkwork/fit.h"
#include "output.h"
#include "varied.h"
#include "verbs.h"

/* one file of measurements */
typedef struct {
  const char *path;
  lw_spec *spec;     /* its own, of --with; NULL: that of all */
  char **name;       /* [ncolumn] */
  const char **unit; /* [ncolumn] in SI */
  int ncolumn;
  double *numbers; /* t, value, weight */
  lw_fit_data data;
} fit_file;

typedef struct {
  lw_spec *spec;
  lw_model *m;    /* as written */
  fit_file *file; /* [nfile] */
  int nfile;
  varied varied;
  lw_fit_noise *noise; /* [nnoise] */
  int nnoise;
  lw_fit_options options;
  lw_fit *fit;
  progress progress;
} fit_task;

/* fit_read.c: from --data, --with, --vary, --noise, --weight, --columns. */
int fit_read(const cli_args *a, fit_task *t);
void fit_task_free(fit_task *t);

/* fit_print.c */
void fit_print(const cli_args *a, const fit_task *t);
bool fit_json(const cli_args *a, const fit_task *t, const lw_error *err);
/* fit_files.c: model and measurements over time, as --table and --report say. */
int fit_write_files(const cli_args *a, const fit_task *t);

#endif
