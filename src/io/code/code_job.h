/* SPDX-License-Identifier: Apache-2.0 */
/* code_job.h -- what write_code.c and code_functions.c share: the code of one model while it is written. */
#ifndef LWI_IO_CODE_CODE_JOB_H
#define LWI_IO_CODE_CODE_JOB_H
#include "io/code/code_text.h"
#include "io/code/tree_terms.h"
#include "linkwork/code.h"

enum {
  LWI_CODE_PREFIX = 64,
  LWI_MOST_OPERATIONS = 40000 /* of one function: compilers take minutes for more */
};

typedef struct {
  const lw_model *m;
  lw_code_options options;
  lw_code_report report;
  char prefix[LWI_CODE_PREFIX], upper[LWI_CODE_PREFIX];
  lwi_tree_terms x;
  lwi_code_text c, h;
  double *q, *u;    /* the closed start */
  bool derivatives; /* are among the functions */
  int nrow, *row;   /* constraint equations that are independent there */
} lwi_code_job;

/* A name in C from one of the model. */
void lwi_code_name(const char *from, size_t length, char out[LWI_CODE_PREFIX]);
/* Notes what is not written. */
void lwi_leave_out(lwi_code_job *j, const char *what);

/* Mass matrix and rates of coordinates, for all models. */
void lwi_put_mass_matrix(lwi_code_job *j);
void lwi_put_rates(lwi_code_job *j);
/* Forward and inverse dynamics of a tree with derivatives. */
void lwi_put_tree(lwi_code_job *j);
/* Bias and constraints where loops or relations bind the tree. */
lw_status lwi_put_constrained(lwi_code_job *j, lw_error *err);
lw_status lwi_put_jacobians(lwi_code_job *j, lw_error *err);

#endif
