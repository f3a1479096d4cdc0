/* SPDX-License-Identifier: Apache-2.0 */
/* units.h -- units of measurement in texts: 500 mm, 12 kN/mm, 90 km/h, 7.8 g/cm^3.  Why this table
   and no library: docs/decisions/018. */
#ifndef LWI_MODEL_EXPRESSION_UNITS_H
#define LWI_MODEL_EXPRESSION_UNITS_H
#include "model/expression/dimension.h"

#include <stdbool.h>
#include <stddef.h>

/* A number of that unit is number * up / down * 10^(tens/2) in SI. */
typedef struct {
  double up, down;
  int tens;
  lwi_dimension dimension;
} lwi_unit;

/* Reads the unit that the text begins with: names with powers (^2, ^-1, ^1.5), joined by * . and / without
   spaces.  What follows it and is no unit is left: `mm*x` is mm.  `deg` ends before * and ^, which
   are operators there.  Returns its length; 0: there is none. */
size_t lwi_unit_read(const char *text, size_t length, lwi_unit *out);

double lwi_unit_convert(const lwi_unit *u, double number);

/* The unit whose name is most like it, or NULL. */
const char *lwi_unit_nearest(const char *name);

bool lwi_dimension_agree(lwi_dimension a, lwi_dimension b); /* also if one is not known */
/* In SI units: "kg*m/s^2"; "a number" if it has none. */
typedef struct {
  char text[48];
} lwi_dimension_text;
lwi_dimension_text lwi_dimension_name(lwi_dimension d);
/* a^(halves/2) b, of known ones; not known if a power is too large, or no multiple of 1/2 */
lwi_dimension lwi_dimension_product(lwi_dimension a, int halves, lwi_dimension b);

#endif
