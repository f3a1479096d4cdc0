/* SPDX-License-Identifier: Apache-2.0 */
/* code_sample.h -- numbers of the model itself, to choose and to check what is written. */
#ifndef LWI_IO_CODE_CODE_SAMPLE_H
#define LWI_IO_CODE_CODE_SAMPLE_H
#include "io/code/code_text.h"
#include "io/code/tree_terms.h"

/* Which of the rows J[n][nu] are independent at the state: row[], rising.  Returns how many; -1: out of memory. */
int lwi_independent_rows(const lwi_tree_terms *x, const double q[], const double u[], int n,
                         const lwi_term J[], int row[]);

/* Which functions there are. */
typedef struct {
  bool matrix, derivatives;
} lwi_sample_parts;

/* A main program that compares the functions with numbers of linkwork, if PREFIX_TEST is defined. */
lw_status lwi_put_sample(lwi_code_text *c, const lw_model *m, const double q[], const double u[],
                         lwi_sample_parts parts, const char *prefix, const char *upper,
                         lw_error *err);

#endif
