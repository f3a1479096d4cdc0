/* SPDX-License-Identifier: Apache-2.0 */
/* expr_lex.h -- cuts the text of an expression into tokens. */
#ifndef LWI_MODEL_EXPRESSION_EXPR_LEX_H
#define LWI_MODEL_EXPRESSION_EXPR_LEX_H
#include <stdbool.h>
#include <stddef.h>

typedef enum {
  LWI_TOKEN_END,
  LWI_TOKEN_NUMBER,
  LWI_TOKEN_NAME,  /* dots included */
  LWI_TOKEN_SYMBOL /* any other single character, also one that no expression may have; <= ... */
} lwi_token_kind;

typedef struct {
  lwi_token_kind kind;
  size_t column, length;
  double number; /* of a number; infinite if it is too large for a double */
} lwi_token;

/* The token that starts at or after column. */
lwi_token lwi_expr_token(const char *text, size_t length, size_t column);

/* Is text[length] a name: [A-Za-z_][A-Za-z0-9_]*, no dots? */
bool lwi_expr_is_identifier(const char *text, size_t length);
/* Is it identifiers with dots between them: fl.hub? */
bool lwi_expr_is_name(const char *text);

#endif
