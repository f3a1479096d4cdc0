/* SPDX-License-Identifier: Apache-2.0 */
/* output.h -- files that are replaced as a whole: texts, pictures. */
#ifndef LINKWORK_OUTPUT_H
#define LINKWORK_OUTPUT_H
#include "linkwork/dca.h"
#include "linkwork/order.h"
#ifdef __cplusplus
extern "C" {
#endif

/* All functions that write a file do it like this: the bytes go to PATH.part-PID, which is renamed
   to PATH when it is complete, so that an earlier file is unchanged if anything fails.  Permissions
   and, where allowed, the owner are kept; a symbolic link is kept, and its target is replaced.
   Devices, pipes and open descriptors of this process ("-" and /dev/stdout, /proc/self/fd/N) are
   written directly.  An existing file is never removed. */
LW_API lw_status lw_write_file(const char *path, const char *text, size_t length, lw_error *err);

/* A picture of the topology (linkwork/inspect.h): the standard digraph with its loops, the tree of
   serial segments, and the pattern of the mass matrix.  Pictures of large models are simplified. */
LW_API lw_status lw_write_graph_svg(const lw_model *m, const char *path, lw_error *err);
/* The same with springs, forces and contacts as edges, motors and drivers beside their joints, and
   events. */
LW_API lw_status lw_write_elements_svg(const lw_model *m, const char *path, lw_error *err);
/* Patterns of E, A and the mass matrix, and of the reduced matrix of the Cartesian form before and
   after numbering its joints; LW_ORDER_METHODS: by `search`. */
LW_API lw_status lw_write_patterns_svg(const lw_model *m, lw_order_method method, const char *path,
                                       lw_error *err);
/* A picture of the assembly tree of divide and conquer (linkwork/dca.h): what is eliminated where,
   and the handles of each assembly.  Of large models only the outer levels are drawn. */
LW_API lw_status lw_write_assembly_svg(const lw_model *m, const char *path, lw_error *err);
/* The same of the plan that the options ask for. */
LW_API lw_status lw_write_assembly_plan_svg(const lw_model *m, const lw_dca_options *options,
                                            const char *path, lw_error *err);

/* ---- texts ---- */

/* Writes the shortest decimal that reads back as the same number, 0.1 or 1e-10, in every locale;
   returns its length.  "inf", "nan". */
enum { LW_NUMBER_TEXT = 32 };
LW_API int lw_number_text(double x, char text[LW_NUMBER_TEXT]);

/* Texts of model files, including names of files and of models, may be any UTF-8.  Returns the
   number of bytes of the first character of a text and its code; for a byte that is not UTF-8 1 and
   LW_NO_CHARACTER, for no text (empty or NULL) 0.  code may be NULL. */
enum { LW_NO_CHARACTER = 0x110000 };
LW_API int lw_get_character(const char *text, unsigned *code);
/* Is it safe to print on a terminal?  Not control characters, line breaks and changes of writing
   direction. */
LW_API bool lw_is_printable(unsigned code);

#ifdef __cplusplus
}
#endif
#endif
