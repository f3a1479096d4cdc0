/* SPDX-License-Identifier: Apache-2.0 */
/* number_text.h -- numbers as text. */
#ifndef LWI_IO_TABLE_NUMBER_TEXT_H
#define LWI_IO_TABLE_NUMBER_TEXT_H

enum { LWI_NUMBER_TEXT = 25 }; /* bytes at most: -1.2345678901234567e-308 */

/* Writes x, which is not NaN, as printf("%.17g") would in the C locale, whatever the locale of the process; returns
   the end. */
char *lwi_put_number(char *out, double x);

#endif
