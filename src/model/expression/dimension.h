/* SPDX-License-Identifier: Apache-2.0 */
/* dimension.h -- physical dimensions: whole powers of metre, kilogram, second and ampere.  Angles
   are numbers (radians).  A dimension that is not known is compatible with all. */
#ifndef LWI_MODEL_EXPRESSION_DIMENSION_H
#define LWI_MODEL_EXPRESSION_DIMENSION_H
#include <stdint.h>

typedef struct {
  int8_t power[4]; /* of m, kg, s, A */
  uint8_t known;   /* 0: of a plain number */
  uint8_t unused[3];
} lwi_dimension;

#endif
