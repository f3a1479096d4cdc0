/* SPDX-License-Identifier: Apache-2.0 */
/* output_file.h -- a file that is replaced as a whole.

   Bytes go to a temporary file beside the target, PATH.part-PID, which takes the target's name when it
   is closed: until then, and if anything fails, whatever was at PATH stays as it was.  Permissions and,
   where that is allowed, the owner of an earlier file are kept; its other hard links keep the earlier
   contents.  A symbolic link stays, and what it points at is replaced.

   What cannot be replaced is written through: devices, pipes, sockets, descriptors of this process
   ("-", /dev/stdout, /dev/fd/N, /proc/self/fd/N), and a file in a folder where no other can be made. */
#ifndef LWI_IO_FILE_OUTPUT_FILE_H
#define LWI_IO_FILE_OUTPUT_FILE_H
#include "linkwork/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct lwi_output lwi_output;

/* `grows`: it comes piece by piece and can be read meanwhile.  Where nothing is lost by it, because there
   is no file yet or an empty one, it is then written under its own name from the start, so that even
   a process that is killed leaves the pieces so far.  NULL: err says why, and nothing was touched. */
lwi_output *lwi_output_open(const char *path, bool grows, lw_error *err);
/* How many of the n bytes reached the file; fewer: it has failed, and takes no more. */
size_t lwi_output_write(lwi_output *f, const char *bytes, size_t n);
/* Keeps the first `size` bytes only; devices, pipes and descriptors keep all. */
void lwi_output_cut(lwi_output *f, size_t size);
/* What made it fail: a message, and LW_E_FILE; LW_OK: it has not. */
lw_status lwi_output_status(const lwi_output *f, lw_error *err);

/* One of them frees f: put what was written in the place of the target, or leave the target alone. */
lw_status lwi_output_close(lwi_output *f, lw_error *err);
void lwi_output_discard(lwi_output *f);

#endif
