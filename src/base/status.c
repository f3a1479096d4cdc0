/* SPDX-License-Identifier: Apache-2.0 */
/* status.c -- status texts and error sentences. */
#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>

const char *lw_status_text(lw_status status)
{
#define TEXT(code, text) [code] = text,
  static const char *const texts[LW_STATUS_COUNT] = {LW_STATUS_LIST(TEXT)};
#undef TEXT
  const unsigned i = (unsigned)status;
  return i < LW_STATUS_COUNT ? texts[i] : "an unknown status";
}

lw_status lwi_fail(lw_error *err, lw_status status, const char *format, ...)
{
  if (!err) return status;
  *err = (lw_error){.status = status};
  va_list args;
  va_start(args, format);
  vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
  return status;
}

lw_status lwi_out_of_memory(lw_error *err, const char *what)
{
  return lwi_fail(err, LW_E_MEMORY, "out of memory%s%s", what ? " for " : "", what ? what : "");
}
