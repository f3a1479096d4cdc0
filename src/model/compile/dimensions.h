/* SPDX-License-Identifier: Apache-2.0 */
/* dimensions.h -- do the dimensions of all expressions of a spec fit together, and their places?
   (docs/format.md 1.12) */
#ifndef LWI_MODEL_COMPILE_DIMENSIONS_H
#define LWI_MODEL_COMPILE_DIMENSIONS_H
#include "model/compile/compile.h"
#include "model/expression/expr_dimension.h"

/* parameter: the dimension of each. */
bool lwi_check_dimensions(lwi_compiler *c, const lwi_dimension parameter[]);

/* what names are looked up in */
typedef struct {
  const lw_spec *s;
  const lwi_dimension *parameter; /* [parameters] */
  bool replaces;                  /* an event makes another joint of one */
} lwi_known_dimensions;

/* Of a number of the spec, if it is an expression; mistakes in it are not told.  An expression of
   more than 64 names is not known. */
lwi_dimension lwi_number_dimension(const lwi_known_dimensions *x, double number);

/* name_dimensions.c: of a parameter, `t`, a state or a result column. */
lwi_dimension lwi_name_dimension(const lwi_known_dimensions *x, const char *name);
/* Of coordinate (rate 0), speed (1) or acceleration (2) number `index`, from 0, of a joint. */
lwi_dimension lwi_freedom_dimension(const lwi_known_dimensions *x, int joint, int index, int rate);

#endif
