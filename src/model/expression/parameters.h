/* SPDX-License-Identifier: Apache-2.0 */
/* parameters.h -- the named numbers of a model.  Each is a number or an expression in any others
   and follows them (docs/format.md 1.4, 1.6, 1.7).

   Use: add all, override some, order once, then evaluate as often as needed; evaluation allocates
   nothing and leaves the table unchanged.  {0} is an empty table.  Parameter i has slot i in every
   expression that uses parameters. */
#ifndef LWI_MODEL_EXPRESSION_PARAMETERS_H
#define LWI_MODEL_EXPRESSION_PARAMETERS_H
#include "base/name_index.h"
#include "model/expression/expr.h"
#include "model/expression/units.h"

/* A number, or an expression in the parameters. */
typedef struct {
  const char *text; /* NULL: it is the number */
  double number;
} lwi_formula_desc;

typedef struct {
  const char *name;
  lwi_formula_desc value;
  const lwi_formula_desc *min, *max; /* NULL: no limit */
  const lwi_unit *unit;              /* that of its number where it is written; NULL: none */
} lwi_parameter_desc;

typedef struct {
  char *text; /* NULL: it is the number */
  lwi_expr expr;
  double number;
} lwi_formula;

typedef struct {
  char *name;
  lwi_formula value, min, max; /* without limits: -inf, inf */
  lwi_unit unit; /* as it is written; numbers here are in SI.  dimension.known 0: none */
  bool overridden;
  double override; /* replaces value if overridden */
} lwi_parameter;

typedef struct {
  int n, capacity;
  lwi_parameter *item; /* [n] */
  const char **name;   /* [n], for lwi_nearest */
  lwi_name_index index;
  const lwi_library *library; /* what expressions may call; not owned, may be NULL */
  int *order;                 /* [n], each after those it uses; NULL until lwi_parameters_order */
} lwi_parameters;

typedef enum {
  LWI_PARAMETERS_OK,
  LWI_PARAMETERS_MEMORY,
  LWI_PARAMETERS_NAME,       /* not a name, reserved, or there already */
  LWI_PARAMETERS_EXPRESSION, /* cannot be parsed */
  LWI_PARAMETERS_UNKNOWN,    /* an expression uses a name that is no parameter */
  LWI_PARAMETERS_CYCLE,
  LWI_PARAMETERS_VALUE, /* not finite */
  LWI_PARAMETERS_RANGE  /* outside its limits */
} lwi_parameters_status;

typedef enum { LWI_FIELD_NAME, LWI_FIELD_VALUE, LWI_FIELD_MIN, LWI_FIELD_MAX } lwi_parameter_field;

/* What is wrong and where: in which parameter (its index; n if it could not be added), in which
   part of it, and at which byte of that part's text. */
typedef struct {
  lwi_parameters_status status;
  int index;
  lwi_parameter_field field;
  size_t column;
  char text[500];
} lwi_parameters_error;

/* ---- build: err may be NULL everywhere ---- */

/* Copies the name and the texts.  On failure the table stays as it was. */
lwi_parameters_status lwi_parameters_add(lwi_parameters *p, const lwi_parameter_desc *d,
                                         lwi_parameters_error *err);

int lwi_parameters_find(const lwi_parameters *p, const char *name); /* index, or -1 */

/* Puts a number in place of an expression; restore brings the expression back, and wants a new
   order because what the parameter uses counts again. */
void lwi_parameters_override(lwi_parameters *p, int index, double number);
void lwi_parameters_restore(lwi_parameters *p, int index);
/* Puts another expression in its place, for good. */
lwi_parameters_status lwi_parameters_replace(lwi_parameters *p, int index, const char *text);

/* Looks up the names in all expressions and finds an order of evaluation.  It writes into the
   expressions, so two threads must not do it to one table, nor to shallow copies of it. */
lwi_parameters_status lwi_parameters_order(lwi_parameters *p, lwi_parameters_error *err);

void lwi_parameters_free(lwi_parameters *p); /* leaves {0} */

/* ---- compute ---- */

/* The dimension of each parameter: that of its unit, or that which its expression has. */
void lwi_parameters_dimensions(const lwi_parameters *p, lwi_dimension *dimension /* [n] */);

/* All values.  Limits are not looked at: differences may step outside them.  On failure the values
   are good for nothing. */
lwi_parameters_status lwi_parameters_evaluate(const lwi_parameters *p, double *value /* [n] */,
                                              lwi_parameters_error *err);

/* Has it a min and a max? */
bool lwi_parameter_is_limited(const lwi_parameter *p);

/* Is each value within its limits?  The limits may be expressions too. */
void lwi_parameters_range(const lwi_parameters *p, const double *value, int index, double *min,
                          double *max); /* -inf, inf: no limit */
lwi_parameters_status lwi_parameters_check_range(const lwi_parameters *p, const double *value,
                                                 lwi_parameters_error *err);

/* Total derivatives d(value i)/d(value seed[k]) of all parameters, at derivative[i*nseed + k].  A
   seed shifts its own value only, also if it is an expression; what uses it follows.
   Returns the first parameter, in the order of evaluation, with a derivative that is not finite
   (one of sqrt at 0, say), or -1. */
int lwi_parameters_derivatives(const lwi_parameters *p, const double *value, int nseed,
                               const int *seed, double *derivative /* [n][nseed] */);

#endif
