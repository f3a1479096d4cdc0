/* SPDX-License-Identifier: Apache-2.0 */
/* expr_lex.h -- cuts the text of an expression into tokens. */
#ifndef LWI_MODEL_EXPRESSION_EXPR_LEX_H
#define LWI_MODEL_EXPRESSION_EXPR_LEX_H
#include <stdbool.h>
#include <stddef.h>

typedef enum {
  LWI_TOKEN_END,
  LWI_TOKEN_NUMBER,
  LWI_TOKEN_NAME,  /* dots included; parts may be in quotes: base/quoted_name.h */
  LWI_TOKEN_SYMBOL /* any other single character, also one that no expression may have; <= ... */
} lwi_token_kind;

typedef struct {
  lwi_token_kind kind;
  size_t column, length;
  double number; /* of a number; infinite if it is too large for a double */
  bool quoted;   /* a name of which a part is in quotes */
} lwi_token;

/* The token that starts at or after column. */
lwi_token lwi_expr_token(const char *text, size_t length, size_t column);

/* Is text[length] an identifier: [A-Za-z_][A-Za-z0-9_]*, no dots? */
bool lwi_expr_is_identifier(const char *text, size_t length);
/* Is the name a token as it is, without quotes: fl.hub, q.S.2? */
bool lwi_expr_is_plain(const char *name);
/* The name as expressions write it: in quotes if it needs them.  out has LWI_QUOTED_SIZE bytes. */
const char *lwi_expr_write_name(const char *name, char *out);

#endif
