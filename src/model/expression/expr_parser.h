/* SPDX-License-Identifier: Apache-2.0 */
/* expr_parser.h -- what the files that make a program from a text share: the state of a parse
   (expr_parse.c), the functions that there are (expr_functions.c), and how the program is written
   (expr_write.c). */
#ifndef LWI_MODEL_EXPRESSION_EXPR_PARSER_H
#define LWI_MODEL_EXPRESSION_EXPR_PARSER_H
#include "base/name_index.h"
#include "model/expression/expr.h"
#include "model/expression/expr_lex.h"

/* ---- functions ---- */

enum { LWI_CALL_STEP = LWI_OP_DROP + 1, LWI_CALL_CLAMP, LWI_CALL_OWN }; /* several operations */

typedef struct {
  const char *name;
  int code, nargument;       /* of the operation; how many arguments, at least if variadic */
  bool reserved;             /* no parameter may have this name */
  const lwi_definition *own; /* a function or table of the model */
} lwi_callee;

bool lwi_callee_is_variadic(const lwi_callee *f);
/* Returns false if there is none.  library may be NULL. */
bool lwi_callee_find(const lwi_library *library, const char *name, size_t length, lwi_callee *out);
/* The name that is most like it, or NULL. */
const char *lwi_callee_nearest(const lwi_library *library, const char *name);

/* ---- the state of a parse ---- */

/* An operator that waits for its right operand, or an open parenthesis. */
typedef struct {
  int strength;      /* 0: a parenthesis */
  int code;          /* of the operator */
  size_t column;     /* of the operator, the parenthesis or the function's name */
  lwi_callee callee; /* of a parenthesis: the function called; name NULL: none */
  int nargument;     /* ... and its arguments so far */
} lwi_waiting;

typedef struct {
  const char *text;
  size_t length;
  const lwi_library *library;
  int nown; /* the arguments of the function whose value this is */
  const char *const *own;
  lwi_token next; /* not consumed yet */
  lwi_waiting stack[LWI_EXPR_MAX_DEPTH];
  int nwaiting;
  int nvalue;             /* on the evaluation stack after the program so far */
  lwi_expr draft;         /* arrays in scratch memory; the text of its names is not terminated */
  lwi_expr_place *inside; /* [nop] of the draft, whether it has functions or not */
  void *scratch;
  size_t nop, noperand; /* what the scratch memory has space for */
  lwi_name_index names;
  char *unquoted; /* names without their quotes, one after the other; NULL: there are none */
  size_t nunquoted;
  lwi_expr_error error;
} lwi_parser;

/* A name without its quotes, until the parse ends. */
typedef struct {
  const char *text; /* not terminated; NULL: no memory, reported */
  size_t length;
} lwi_plain_name;
lwi_plain_name lwi_parser_name(lwi_parser *p, lwi_token name);

/* Records the first mistake.  Returns false, so that callers can pass it on. */
__attribute__((format(printf, 4, 5))) bool lwi_parser_fail(lwi_parser *p, lwi_expr_status status,
                                                           size_t column, const char *format, ...);

/* There is no such function: expr_functions.c */
bool lwi_callee_unknown(lwi_parser *p, size_t column, lwi_plain_name name);

/* ---- writing the program: false after a mistake ---- */

/* Space for that many further steps and operands (constants, names, tables). */
bool lwi_write_reserve(lwi_parser *p, size_t nop, size_t noperand);
bool lwi_write_constant(lwi_parser *p, double value, lwi_dimension unit, size_t column);
bool lwi_write_name(lwi_parser *p, const char *text, size_t length, size_t column);
bool lwi_write_argument(lwi_parser *p, int place, size_t column);
bool lwi_write_operation(lwi_parser *p, int code, size_t column);
bool lwi_write_call(lwi_parser *p, const lwi_callee *f, size_t column);
/* a or b is if(a, 1, b), begun when its left operand is complete; a and b is if(a, b, 0) */
bool lwi_write_or(lwi_parser *p, size_t column);
bool lwi_write_and(lwi_parser *p, size_t column);

#endif
