/* SPDX-License-Identifier: Apache-2.0 */
/* repeat_text.h -- ${i} in the texts of a repeated block: integer arithmetic on its variables.

   Inside ${...}: whole numbers, variables, + - * / % and parentheses; / must leave no remainder, a
   % b has the sign of b.  A variable whose value is a word stands alone: ${side}. */
#ifndef LWI_IO_READ_REPEAT_TEXT_H
#define LWI_IO_READ_REPEAT_TEXT_H
#include <stdbool.h>
#include <stddef.h>

typedef struct lwi_variable lwi_variable;
struct lwi_variable {
  const lwi_variable *outer; /* of the block around; NULL: none */
  const char *name;
  const char *word; /* NULL: its value is the number */
  long long number;
};

typedef struct {
  char text[160]; /* what is wrong */
} lwi_repeat_error;

/* The value of an expression text[length]; on failure says why. */
bool lwi_repeat_integer(const lwi_variable *v, const char *text, size_t length, long long *to,
                        lwi_repeat_error *why);

/* A whole number without anything else, as a value of a list may be. */
bool lwi_repeat_is_integer(const char *text, long long *to);

/* The text with every ${...} replaced, in malloc'ed memory; *out is NULL if it has none.  On
   failure *out is NULL and why is written, or empty: out of memory. */
bool lwi_repeat_text(const lwi_variable *v, const char *text, char **out, lwi_repeat_error *why);

#endif
