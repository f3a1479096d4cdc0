/* SPDX-License-Identifier: Apache-2.0 */
/* output_file.h -- a file that is replaced as a whole.

   Bytes go to a temporary file beside the target, PATH.part-PID, which takes the target's name when
   it is closed: until then, and if anything fails, whatever was at PATH stays as it was.
   Permissions and, where that is allowed, the owner of an earlier file are kept; its other hard
   links keep the earlier contents.  A symbolic link stays, and what it points at is replaced.

   What cannot be replaced is written through: devices, pipes, sockets, descriptors of this
   process ("-", /dev/stdout, /dev/fd/N, /proc/self/fd/N), and a file in a folder where no other
   can be made. */
#ifndef LWI_IO_FILE_OUTPUT_FILE_H
#define LWI_IO_FILE_OUTPUT_FILE_H
#include "linkwork/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct lwi_output lwi_output;

/* `grows`: the file is written piece by piece and can be read during the run.  If there is no
   file yet, or an empty one, it is then written under its own name from the start, so that even
   a killed process leaves the pieces so far.  Returns NULL on failure; err says why, and
   nothing is changed. */
lwi_output *lwi_output_open(const char *path, bool grows, lw_error *err);
/* Returns how many of the n bytes were written; fewer: it has failed, and further writes are
   ignored. */
size_t lwi_output_write(lwi_output *f, const char *bytes, size_t n);
/* Keeps the first `size` bytes only; devices, pipes and descriptors keep all. */
void lwi_output_cut(lwi_output *f, size_t size);
/* Where the bytes of a regular file go until it is closed, for libraries that write it
   themselves. */
const char *lwi_output_place(const lwi_output *f);
/* Takes room on the disk for the first `size` bytes, without changing any; returns 0 or errno. */
int lwi_output_reserve(const lwi_output *f, size_t size);
/* LW_E_FILE and a message if writing has failed, else LW_OK. */
lw_status lwi_output_status(const lwi_output *f, lw_error *err);

/* Both free f: close replaces the target by what was written, discard leaves it unchanged. */
lw_status lwi_output_close(lwi_output *f, lw_error *err);
void lwi_output_discard(lwi_output *f);

#endif
