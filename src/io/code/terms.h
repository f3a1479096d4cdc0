/* SPDX-License-Identifier: Apache-2.0 */
/* terms.h -- the terms of straight-line code: numbers, inputs, and operations on earlier terms.

   Computing with terms instead of numbers records what a computation does for one model.  Equal terms are one term,
   numbers are computed at once, and sums and products with zero and one disappear; so what is left is what depends on the
   inputs.  Operations are those of expressions (expr_ops.h).  The first term is 0, the second 1. */
#ifndef LWI_IO_CODE_TERMS_H
#define LWI_IO_CODE_TERMS_H
#include "model/expression/expr_ops.h"

#include <stdbool.h>
#include <stddef.h>

typedef int lwi_term;
enum { LWI_TERM_ZERO = 0, LWI_TERM_ONE = 1 };

typedef struct {
  int op;         /* lwi_expr_code; CONSTANT: x, NAME: input number `of[0]` */
  lwi_term of[3]; /* operands */
  double x;
} lwi_term_record;

typedef struct {
  lwi_term_record *term; /* [n], operands before what is made of them */
  int n, capacity;
  int *bucket; /* [nbucket] terms by what they are; -1: none */
  int nbucket;
  bool failed; /* out of memory: all further terms are zero */
} lwi_terms;

bool lwi_terms_open(lwi_terms *T);
void lwi_terms_close(lwi_terms *T);

lwi_term lwi_term_number(lwi_terms *T, double x);
lwi_term lwi_term_input(lwi_terms *T, int which);
/* Any operation with one, two or three operands; those that are not read are zero. */
lwi_term lwi_term_operation(lwi_terms *T, int op, lwi_term a, lwi_term b, lwi_term c);

lwi_term lwi_term_add(lwi_terms *T, lwi_term a, lwi_term b);
lwi_term lwi_term_sub(lwi_terms *T, lwi_term a, lwi_term b);
lwi_term lwi_term_mul(lwi_terms *T, lwi_term a, lwi_term b);
lwi_term lwi_term_div(lwi_terms *T, lwi_term a, lwi_term b);
lwi_term lwi_term_neg(lwi_terms *T, lwi_term a);
lwi_term lwi_term_sqrt(lwi_terms *T, lwi_term a);
lwi_term lwi_term_scale(lwi_terms *T, double x, lwi_term a);

/* Is the term a number?  Which one? */
bool lwi_term_is_number(const lwi_terms *T, lwi_term a);
double lwi_term_number_of(const lwi_terms *T, lwi_term a);

/* Operations and what they cost, of the terms that these need. */
typedef struct {
  int additions, multiplications, divisions, functions;
} lwi_term_count;
bool lwi_count_terms(const lwi_terms *T, const lwi_term out[], int n, lwi_term_count *count);

/* Derivatives of out[n] in the direction in which input i changes at the rate[i] (a term; ZERO: it stays).
   derivative[n] may be out.  False: out of memory. */
bool lwi_differentiate(lwi_terms *T, const lwi_term rate[], const lwi_term out[], int n,
                       lwi_term derivative[]);

/* The values of out[n] with these inputs; NULL memory: out of memory. */
bool lwi_evaluate_terms(const lwi_terms *T, const double input[], const lwi_term out[], int n,
                        double value[]);

#endif
