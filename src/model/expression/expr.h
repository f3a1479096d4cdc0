/* SPDX-License-Identifier: Apache-2.0 */
/* expr.h -- expressions of the model file: text in, a flat postfix program out, values and exact
   first derivatives from it.

   Grammar, weak to strong (docs/format.md 1.1, 1.2): or   and   not   < <= > >= == !=   + -   * /
   signs   ^ (right associative)   units.
     -2^2 = -4    2^-1 = 0.5    2^3^2 = 512    2*30 deg = pi/3    1 < 2 and not 3 == 4 is 1
   Numbers are decimal C notation, whatever the locale.  A name is an identifier, optionally with
   dotted parts (q.J.2); what a name means is up to whoever resolves it.  There is no implicit
   multiplication.

   An expression owns one block of memory and nothing else.  It is read-only once resolved, so any
   number of threads may evaluate it.  Evaluation does not allocate.

   Where a derivative does not exist, one is chosen:
     abs, sign      0 at 0 (sign: 0 everywhere)
     min, max       that of the first argument among equals
     floor, mod ... 0, and that of the smooth piece, also where they jump; comparisons 0
     if             that of the chosen value; hypot 0 at (0, 0)
     0^0            0 for the base; the exponent's is -inf
     anything       0 in a direction in which no operand moves, even where the slope is infinite:
                    sqrt(x^2) at x = 0 gives 0, sqrt(x) gives inf, or 0 if x does not move
   atan2(0, 0) is 0, its derivatives are NaN. */
#ifndef LWI_MODEL_EXPRESSION_EXPR_H
#define LWI_MODEL_EXPRESSION_EXPR_H
#include "model/expression/dimension.h"
#include "model/expression/expr_ops.h"
#include "model/expression/library.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  LWI_EXPR_MAX_LENGTH = 65536, /* bytes of text */
  LWI_EXPR_MAX_DEPTH = 256,    /* open parentheses, signs and operators that wait for an operand */
  LWI_EXPR_MAX_STACK = 64,     /* values on the evaluation stack */
  LWI_EXPR_MAX_STEPS = 1 << 18 /* of a program with the functions that it calls */
};

/* One step of the program: push a constant or a name's value, or replace the topmost values by the
   result of an operation (expr_ops.h). */
typedef struct {
  uint16_t code;   /* lwi_expr_code */
  uint16_t column; /* its place in the text */
  int32_t arg;     /* CONSTANT, NAME, TABLE: which one; COPY: place on the stack; DROP: how many */
} lwi_expr_op;

/* A place in the model file. */
typedef struct {
  int line, column; /* line 0: not known */
  int file;         /* of lw_spec.files, from 1; 0: the model file itself */
} lwi_mark;

/* The place of a step or name that came with a function: the text to which the column refers. */
typedef struct {
  const lwi_definition *function; /* NULL: it is in the expression itself */
  int column;
} lwi_expr_place;

typedef struct {
  const char *text; /* terminated */
  int length;
  int column; /* its first place in the text */
  int slot;   /* -1 until resolved */
  lwi_expr_place inside;
} lwi_expr_name;

typedef struct lwi_expr {
  int nop, nconstant, nname, ntable;
  int nstack;              /* values on the stack at most, <= LWI_EXPR_MAX_STACK */
  lwi_expr_op *op;         /* [nop], start of the block that holds all arrays */
  lwi_expr_place *inside;  /* [nop]; NULL: no function is called */
  double *constant;        /* [nconstant] */
  lwi_dimension *unit;     /* [nconstant] their dimensions, where units were written */
  const lwi_table **table; /* [ntable], not owned: the library of the spec keeps them */
  lwi_expr_name *name;     /* [nname], distinct, in order of appearance */
  lwi_mark at;             /* where its text begins */
  int switching; /* of loads and rates: which of those of the model that may switch, from 1; 0: none */
} lwi_expr;

/* The position in the file of a byte of an expression; without one of its own: `otherwise`. */
static inline lwi_mark lwi_expr_mark(const lwi_expr *e, size_t column, lwi_mark otherwise)
{
  lwi_mark at = e->at;
  at.column += (int)column;
  return at.line ? at : otherwise;
}

typedef enum {
  LWI_EXPR_OK,
  LWI_EXPR_SYNTAX, /* not an expression */
  LWI_EXPR_LIMIT,  /* too long or too deep */
  LWI_EXPR_MEMORY
} lwi_expr_status;

typedef struct {
  lwi_expr_status status;
  size_t
      column; /* byte offset in the text, from 0; its length if something is missing at the end */
  char text[192];
} lwi_expr_error;

/* ---- make ---- */

/* On failure *out is {0} and *err, if not NULL, says why.  The text is not needed afterwards. */
lwi_expr_status lwi_expr_parse(const char *text, size_t length, lwi_expr *out, lwi_expr_error *err);
/* The same with the functions and tables of a model; library may be NULL. */
lwi_expr_status lwi_expr_parse_with(const char *text, size_t length, const lwi_library *library,
                                    lwi_expr *out, lwi_expr_error *err);
/* The value of a function: argument k is at place k of the stack when its program begins. */
lwi_expr_status lwi_expr_parse_function(const char *text, size_t length, int nargument,
                                        const char *const argument[], const lwi_library *library,
                                        lwi_expr *out, lwi_expr_error *err);
void lwi_expr_free(lwi_expr *e); /* leaves {0}; accepts {0} */

/* A copy in which name k is replaced by the program instead[k], unless that is NULL.
   expr_inline.c */
lwi_expr_status lwi_expr_inline(const lwi_expr *outer, const lwi_expr *const instead[],
                                lwi_expr *out);

/* For models that live in one block: a copy in memory of lwi_expr_size bytes that is the caller's,
   aligned for double.  Do not free the copy. */
size_t lwi_expr_size(const lwi_expr *e);
lwi_expr lwi_expr_copy_to(const lwi_expr *e, void *memory);

/* Gives each name its slot: its index in the arrays of values handed to the evaluators.
   Returns NULL, or the first name for which find returned -1.  May be repeated. */
typedef int lwi_expr_find(const char *name, void *context);
const lwi_expr_name *lwi_expr_resolve(lwi_expr *e, lwi_expr_find *find, void *context);

/* May a parameter not be called this?  t, pi, deg, and, or, not and the functions of
   docs/format.md 1.6. */
bool lwi_expr_is_reserved(const char *name);
/* Is it a function that every model knows? */
bool lwi_expr_is_function(const char *name);

/* How many values more a step leaves on the stack. */
static inline int lwi_expr_growth(const lwi_expr_op *op)
{
  if (op->code < LWI_OP_FIRST_UNARY) return 1;
  if (op->code < LWI_OP_FIRST_BINARY) return 0;
  if (op->code == LWI_OP_DROP) return op->arg < 0 ? -1 : -op->arg;
  return op->code == LWI_OP_SELECT ? -2 : -1;
}

/* ---- compute: every name must be resolved ---- */

double lwi_expr_value(const lwi_expr *e, const double *slots);
/* The same where that is no number: operands that leave a domain by rounding errors are at its edge
   (expr_edge.h).  The value of slot k is slots[k * stride]. */
double lwi_expr_value_at_edges(const lwi_expr *e, const double *slots, int stride);

/* Value and derivatives in ndir directions; slot_derivatives is [nslot][ndir], of which the rows of
   the slots in use are read.  derivatives may be a row that the expression does not use. */
void lwi_expr_dual(const lwi_expr *e, const double *slots, int ndir, const double *slot_derivatives,
                   double *value, double *derivatives /* [ndir] */);

/* Value and exact first and second derivative by time: out = e, de/dt, d2e/dt2.  Slot `time` has
   the value t, every other slot is constant; slots[time] is not read, so that slots may be a table
   of parameters that ends before it.  expr_taylor.c */
void lwi_expr_taylor2(const lwi_expr *e, const double *slots, int time, double t, double out[3]);

/* Derivatives of these three along a direction of the parameters: d/dp of e, de/dt, d2e/dt2, exact.
   expr_taylor_derivative.c */
void lwi_expr_taylor2_derivative(const lwi_expr *e, const double *slots, const double *slot_rates,
                                 int time, double t, double out[3]);

/* Why the value is not finite: the first operation with such a result, its place and what
   happened ("division by zero").  False, with the outputs untouched, if all results are finite. */
typedef struct {
  char text[700];
} lwi_fault_text; /* memory for it */
bool lwi_expr_find_fault(const lwi_expr *e, const double *slots, size_t *column, const char **what,
                         lwi_fault_text *text);
/* The same of the derivative in one direction: of an expression whose value is finite. */
bool lwi_expr_find_slope_fault(const lwi_expr *e, const double *slots,
                               const double *slot_derivatives, size_t *column, const char **what,
                               lwi_fault_text *text);

/* Appends ", in function "f" (line 5, column 9)" to a message, if it was in a function. */
void lwi_expr_say_place(lwi_expr_place inside, char text[], size_t size);

#endif
