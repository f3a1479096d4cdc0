/* SPDX-License-Identifier: Apache-2.0 */
/* dimension.h -- physical dimensions: powers of metre, kilogram, second and ampere, half ones too
   (the stiffness of Hertz's contact is in N/m^1.5).  Angles are numbers (radians).  A dimension that
   is not known is compatible with all. */
#ifndef LWI_MODEL_EXPRESSION_DIMENSION_H
#define LWI_MODEL_EXPRESSION_DIMENSION_H
#include <stdint.h>

typedef struct {
  int8_t halves[4]; /* twice the powers of m, kg, s, A */
  uint8_t known;    /* 0: of a plain number */
  uint8_t written;  /* a unit takes part in it; names of the state have dimensions without that */
  uint8_t unused[2];
} lwi_dimension;

#endif
