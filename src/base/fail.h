/* SPDX-License-Identifier: Apache-2.0 */
/* fail.h -- fill in an lw_error. */
#ifndef LWI_BASE_FAIL_H
#define LWI_BASE_FAIL_H
#include "linkwork/status.h"

/* Writes the sentence and returns the status; err may be NULL.  Line and column become 0. */
lw_status lwi_fail(lw_error *err, lw_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "out of memory for <what>", or "out of memory" if what is NULL; returns LW_E_MEMORY */
lw_status lwi_out_of_memory(lw_error *err, const char *what);

#endif
