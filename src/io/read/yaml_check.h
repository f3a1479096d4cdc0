/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_check.h -- checks of a file before it is parsed: its bytes and its syntax. */
#ifndef LWI_IO_READ_YAML_CHECK_H
#define LWI_IO_READ_YAML_CHECK_H
#include "linkwork/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

/* Is this UTF-8 text that YAML allows, and not too long?  Skips a byte order mark. */
bool lwi_yaml_check_text(const char **text, size_t *length, const char *file, lw_error *err);

/* Reports what the parser found, in terms of a model file; returns false. */
bool lwi_yaml_syntax_error(const yaml_parser_t *parser, const char *text, size_t length,
                           const char *file, lw_error *err);

#endif
