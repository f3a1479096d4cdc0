/* SPDX-License-Identifier: Apache-2.0 */
/* status.h -- results of calls, as a code and as a sentence. */
#ifndef LINKWORK_STATUS_H
#define LINKWORK_STATUS_H
#include "linkwork/export.h"
#ifdef __cplusplus
extern "C" {
#endif

/* code, text: one list, so that every code has its text */
#define LW_STATUS_LIST(X)                                                                          \
  X(LW_OK, "done")                                                                                 \
  X(LW_E_MEMORY, "out of memory")                                                                  \
  X(LW_E_ARG, "an argument is wrong")                                                              \
  X(LW_E_MODEL, "the model is wrong")                                                              \
  X(LW_E_FILE, "the file cannot be read or written")                                               \
  X(LW_E_STAGE, "a result was asked for before the call that computes it")                         \
  X(LW_E_SINGULAR, "the mass matrix is singular")                                                  \
  X(LW_E_NUMBER, "a number is not finite")                                                         \
  X(LW_E_NOT_CONVERGED, "an iteration or integration did not reach its tolerance")                 \
  X(LW_E_UNSUPPORTED, "linkwork cannot solve this yet")                                            \
  X(LW_E_STOPPED, "stopped on request")

#define LW_STATUS_ENUM(code, text) code,
typedef enum { LW_STATUS_LIST(LW_STATUS_ENUM) LW_STATUS_COUNT } lw_status;
#undef LW_STATUS_ENUM

/* What is wrong, and where.  line and column count from 1; 0 means that there is no file. */
typedef struct {
  lw_status status;
  int line, column;
  char text[500];
  char file[256]; /* an included file, if line and column are in one; "": the model file itself */
} lw_error;

LW_API const char *lw_status_text(lw_status status);

#ifdef __cplusplus
}
#endif
#endif
