/* SPDX-License-Identifier: Apache-2.0 */
/* code_text.h -- a growing text of C, and functions of terms in it. */
#ifndef LWI_IO_CODE_CODE_TEXT_H
#define LWI_IO_CODE_CODE_TEXT_H
#include "io/code/terms.h"

#include <stddef.h>

typedef struct {
  char *text;
  size_t length, capacity;
  bool full;   /* out of memory */
  bool single; /* numbers and functions are float */
} lwi_code_text;

void lwi_code_text_free(lwi_code_text *c);
void lwi_code_add(lwi_code_text *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A number as C reads it back, of the type of the code. */
void lwi_code_number(lwi_code_text *c, double x);

/* An array that a function reads: its inputs are `name`[0 ... n-1], or `name` itself if n = 0. */
typedef struct {
  const char *name;
  int first, n; /* numbers of the inputs */
} lwi_code_input;
/* ... and one that it writes. */
typedef struct {
  const char *name;
  const lwi_term *term;
  int n;
} lwi_code_output;

/* The body of a function: one statement per term that is used several times.  Everything is read before
   anything is written. */
void lwi_code_body(lwi_code_text *c, const lwi_terms *T, const lwi_code_input in[], int nin,
                   const lwi_code_output out[], int nout);

#endif
