/* SPDX-License-Identifier: Apache-2.0 */
/* file_path.h -- names of files in other files: as seen from the file that names them. */
#ifndef LWI_IO_FILE_FILE_PATH_H
#define LWI_IO_FILE_FILE_PATH_H
#include <stddef.h>

/* The path of a file that `from` names; a name from / on and a URL are that path.  Writes it to
   `to` unless that is NULL, and returns the bytes it takes, the terminating one included. */
size_t lwi_path_beside(const char *from, const char *name, char *to);

/* The other way round: how `from`, which is about to be written, names a file; the caller frees it.
   A file that is not there, and one that has nothing but / in common with it, keep their paths.
   NULL: no memory. */
char *lwi_path_name(const char *from, const char *path);

#endif
