/* SPDX-License-Identifier: Apache-2.0 */
/* number_text.h -- numbers as text. */
#ifndef LWI_BASE_NUMBER_TEXT_H
#define LWI_BASE_NUMBER_TEXT_H

enum { LWI_NUMBER_TEXT = 25 }; /* bytes at most: -1.2345678901234567e-308 */

/* Writes x, which is not NaN, with the fewest digits that read back as the same number, and of
   those the nearest: 0.1, 1e-10, 12345.678, whatever the locale of the process; with an exponent
   where "%.17g" has one.  Returns the end, where no null byte is written. */
char *lwi_put_number(char *out, double x);

#endif
