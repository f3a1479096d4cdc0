/* SPDX-License-Identifier: Apache-2.0 */
/* column_words.h -- names of result columns begin with a word and a dot: q.A, vx.hub.  Names of
   included parts have dots, too (fl.mass); this tells them apart. */
#ifndef LWI_MODEL_EXPRESSION_COLUMN_WORDS_H
#define LWI_MODEL_EXPRESSION_COLUMN_WORDS_H
#include <stdbool.h>

/* Does the name begin like that of a result column? */
bool lwi_is_column(const char *name);

#endif
