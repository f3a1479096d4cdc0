/* SPDX-License-Identifier: Apache-2.0 */
/* expand.h -- `include`, `repeat` and `mirror`: a model file becomes one without them, in which
   every node knows its scope (scope.h).  The parts of a file come first, then those that `repeat`,
   `mirror` and `include` add, in the order of these keys in the file. */
#ifndef LWI_IO_READ_EXPAND_H
#define LWI_IO_READ_EXPAND_H
#include "io/read/read_common.h"

#include <sys/stat.h>

/* The files that were read; {0} is none. */
typedef struct {
  int n, capacity;
  struct lwi_included_file *item; /* [n] */
} lwi_included_files;

/* The expanded root; NULL: a mistake was reported.  Nodes live as long as doc and files. */
const lwi_yaml_node *lwi_expand(lwi_reader *r, lwi_yaml_document *doc, lwi_included_files *files);
/* By what files are told apart.  One that is gone but kept as a source has its number instead.
   false: errno says why. */
bool lwi_expand_stat(const lw_sources *sources, const char *path, struct stat *found);
void lwi_included_files_free(lwi_included_files *files);

#endif
