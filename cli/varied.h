/* SPDX-License-Identifier: Apache-2.0 */
/* varied.h -- parameters that a verb finds (--vary), and the model file with what it has found (-o). */
#ifndef CLI_VARIED_H
#define CLI_VARIED_H
#include "verbs.h"

typedef struct {
  char **name; /* [n] */
  int n;
  double *min, *max; /* [n] infinite: none, besides those of the model */
} varied;

/* From --vary; default: those by which the model asks for derivatives, or those of its section `study`. */
int varied_read(const cli_args *a, const lw_model *m, varied *t);
void varied_free(varied *t);
/* The number of a parameter; names the nearest one of a misspelt one. */
int varied_find(const cli_args *a, const char *option, const lw_model *m, const char *name,
                int *index);

/* Can -o be written? */
int varied_check(const cli_args *a);
/* Writes it, if it is given: with value[n], and what --set has set. */
int varied_write(const cli_args *a, const lw_spec *s, const lw_model *m, const varied *t,
                 const double value[]);

/* An option that is a whole number from 1 on; *n keeps its value if it is absent. */
int varied_whole(const cli_args *a, const char *option, double most, int *n);

#endif
