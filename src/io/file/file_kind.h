/* SPDX-License-Identifier: Apache-2.0 */
/* file_kind.h -- recognises files that are neither models nor results, so that the message can say
   what they are. */
#ifndef LWI_IO_FILE_FILE_KIND_H
#define LWI_IO_FILE_FILE_KIND_H
#include "io/file/file_text.h"

#include <stdbool.h>
#include <stddef.h>

/* Is it XML whose outermost element has this name? */
bool lwi_file_is_xml(const char *text, size_t length, const char *root);
/* Is it other XML, a binary file or UTF-16, by its first bytes? */
bool lwi_file_is_foreign(const char *text, size_t length);
/* The failure that says what it is, and not what was wanted ("a model"). */
lw_status lwi_file_kind_fail(lw_error *err, lw_status status, lwi_position at, const char *text,
                             size_t length, const char *wanted);
/* A sentence about YAML that is no mapping, or has no `linkwork`; NULL: nothing more can be
   said. */
const char *lwi_file_kind_of_text(const char *text, size_t length);

#endif
