/* SPDX-License-Identifier: Apache-2.0 */
/* file_kind.h -- recognises files that are not models, so that the message can say what they
   are. */
#ifndef LWI_IO_READ_FILE_KIND_H
#define LWI_IO_READ_FILE_KIND_H
#include <stdbool.h>
#include <stddef.h>

/* Is it XML whose outermost element has this name? */
bool lwi_file_is_xml(const char *text, size_t length, const char *root);
/* A sentence about other XML, binary and UTF-16 files, by their first bytes; NULL: it may be a model. */
const char *lwi_file_kind(const char *text, size_t length);
/* The same of YAML that is no mapping, or has no `linkwork`; NULL: nothing more can be said. */
const char *lwi_file_kind_of_text(const char *text, size_t length);

#endif
