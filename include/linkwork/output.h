/* SPDX-License-Identifier: Apache-2.0 */
/* output.h -- files that are replaced as a whole: texts, pictures. */
#ifndef LINKWORK_OUTPUT_H
#define LINKWORK_OUTPUT_H
#include "linkwork/model.h"
#ifdef __cplusplus
extern "C" {
#endif

/* All functions that write a file do it like this: the bytes go to PATH.part-PID, which takes the
   name PATH when it is complete, so that an earlier file stays as it was if anything fails.  It keeps
   its permissions and, where allowed, its owner; a symbolic link stays, and what it points at is
   replaced.  Devices, pipes and what this process has open ("-" and /dev/stdout, /proc/self/fd/N) are
   written through.  Nothing that was there before is ever removed. */
LW_API lw_status lw_write_file(const char *path, const char *text, size_t length, lw_error *err);

/* A picture of the topology (linkwork/inspect.h): the standard digraph with its loops, the tree of
   serial segments, and where the mass matrix is not zero.  Large models get less of it. */
LW_API lw_status lw_write_graph_svg(const lw_model *m, const char *path, lw_error *err);
/* A picture of the assembly tree of divide and conquer (linkwork/dca.h): what is eliminated where, and which
   bodies each assembly shows.  Of large models its outer levels. */
LW_API lw_status lw_write_assembly_svg(const lw_model *m, const char *path, lw_error *err);

/* ---- texts ---- */

/* Texts of model files, among them names of files and of models, may hold anything that is UTF-8.  The
   character that a text starts with: how many bytes it has, and its code; a byte that is no UTF-8 gives
   1 and LW_NO_CHARACTER, no text (empty or NULL) 0.  code may be NULL. */
enum { LW_NO_CHARACTER = 0x110000 };
LW_API int lw_get_character(const char *text, unsigned *code);
/* May it go to a terminal?  Not control characters, line breaks and changes of writing direction. */
LW_API bool lw_is_printable(unsigned code);

#ifdef __cplusplus
}
#endif
#endif
