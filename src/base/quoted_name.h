/* SPDX-License-Identifier: Apache-2.0 */
/* quoted_name.h -- names are any text.  Where they are beside other text (expressions, lists of
   columns, options) a name, or a part of it after a dot, may be put in quotes, " or ', which are
   not part of it: q."left knee", "left knee".  Within quotes the same quote twice stands for
   one. */
#ifndef LWI_BASE_QUOTED_NAME_H
#define LWI_BASE_QUOTED_NAME_H
#include <stdbool.h>
#include <stddef.h>

enum {
  LWI_QUOTED_SIZE = 512
}; /* of a name of at most 200 bytes in quotes, and what comes before it */

/* Is it a name: not empty, and without control characters? */
bool lwi_is_name(const char *text);
/* What to say of a text that is none. */
#define LWI_NOT_A_NAME "a name is a text without control characters, and not empty"

/* Bytes of the text in quotes with which text[length] begins, both quotes included; 0: there is
   none, or it is not closed. */
size_t lwi_quoted_length(const char *text, size_t length);

/* The same at a byte of a text, where a name or a part of it begins: at its start and after
   dots. */
size_t lwi_quoted_part(const char *text, size_t length, size_t at);

/* Bytes before the first of the characters `until` that is not in quotes. */
size_t lwi_name_length(const char *text, const char *until);

/* The name that is written as text[length]: without its quotes, terminated.  name has length + 1
   bytes.  Returns its length. */
size_t lwi_unquote(const char *text, size_t length, char *name);

/* The name in quotes; size: LWI_QUOTED_SIZE is enough.  Returns out. */
const char *lwi_put_in_quotes(const char *name, char *out, size_t size);

#endif
