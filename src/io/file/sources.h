/* SPDX-License-Identifier: Apache-2.0 */
/* sources.h -- the files that a model is read from, kept as texts: results carry them, so that
   their model can be read again when the files have changed or are gone. */
#ifndef LWI_IO_FILE_SOURCES_H
#define LWI_IO_FILE_SOURCES_H
#include "linkwork/reader.h"

#include <stddef.h>

/* As lwi_file_read, but of what is kept, if the path is among it; else the file is read and kept.
   sources NULL: nothing is kept. */
lw_status lwi_sources_read(lw_sources *sources, const char *path, char **text, size_t *length,
                           lw_error *err);
/* The number of a path that is kept; -1: it is not. */
int lwi_sources_find(const lw_sources *sources, const char *path);
/* Keeps a copy; false: no memory. */
bool lwi_sources_add(lw_sources *sources, const char *path, const char *text, size_t length);

#endif
