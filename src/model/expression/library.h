/* SPDX-License-Identifier: Apache-2.0 */
/* library.h -- functions and tables of a model, which its expressions call.

   A library is a list whose entries never change: each refers to those that were added before it.
   So specs, their copies and branches share it, also between threads; counts of references say when
   an entry is freed.  A function calls what was added before it, hence there is no recursion. */
#ifndef LWI_MODEL_EXPRESSION_LIBRARY_H
#define LWI_MODEL_EXPRESSION_LIBRARY_H
#include <stddef.h>

typedef struct lwi_library lwi_library; /* its last entry; NULL: empty */
typedef struct lwi_table lwi_table;
struct lwi_expr;

/* What a name followed by a parenthesis calls. */
typedef struct {
  const char *name;
  int nargument;
  const struct lwi_expr *body; /* of a function; its arguments are on the stack before it */
  const lwi_table *table;      /* or the table */
  const char *file;            /* where the text of a function is; NULL: in the model file itself */
  int line, column;            /* of its first byte; line 0: not known */
} lwi_definition;

/* NULL if there is none.  text need not be terminated. */
const lwi_definition *lwi_library_find(const lwi_library *x, const char *text, size_t length);

/* Adds an entry, with copies of the texts of d; x takes over the body and the table, also on
   failure.  Returns 0: no memory. */
int lwi_library_add(lwi_library **x, const lwi_definition *d, struct lwi_expr *body,
                    lwi_table *table);

/* The entry before, to list them all, last first; NULL: no more. */
const lwi_library *lwi_library_before(const lwi_library *x);
const lwi_definition *lwi_library_last(const lwi_library *x);

lwi_library *lwi_library_keep(lwi_library *x); /* one more owner; returns x */
void lwi_library_release(lwi_library *x);      /* accepts NULL */

#endif
