/* SPDX-License-Identifier: Apache-2.0 */
/* xml_values.c -- numbers in attributes and texts of elements, between spaces; some files write
   commas. */
#include "io/xml/xml_values.h"

#include "model/expression/expr_lex.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool lwi_xml_fail(const lwi_xml_element *e, lw_error *err, const char *format, ...)
{
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  lwi_file_fail(err, LW_E_MODEL, (lwi_position){e->file, e->line, e->column}, "<%.40s>: %s",
                e->name, text);
  return false;
}

bool lwi_xml_no_memory(const lwi_xml_element *e, lw_error *err)
{
  lwi_file_fail(err, LW_E_MEMORY, (lwi_position){.file = e->file}, "out of memory");
  return false;
}

size_t lwi_scan_number(const char *text, double *out)
{
  const size_t sign = text[0] == '-' || text[0] == '+', length = strcspn(text, " ,\t\r\n");
  const lwi_token token = lwi_expr_token(text, length, sign);
  if (token.kind != LWI_TOKEN_NUMBER || token.column != sign || sign + token.length != length)
    return 0;
  *out = text[0] == '-' ? -token.number : token.number;
  return length;
}

int lwi_xml_numbers(const lwi_xml_element *e, const char *what, const char *text, int most,
                    double out[], lw_error *err)
{
  int n = 0;
  for (;;) {
    text += strspn(text, " \t\r\n");
    if (n > 0 && *text == ',') text += 1 + strspn(text + 1, " \t\r\n");
    if (!*text) return n;
    double x;
    const size_t length = lwi_scan_number(text, &x);
    if (length == 0 || !isfinite(x)) {
      lwi_xml_fail(e, err, "%s=\"%.60s\" %s", what, text,
                   length == 0 ? "is not a number" : "is too large");
      return -1;
    }
    if (n == most) {
      lwi_xml_fail(e, err, "%s has more than %d number%s", what, most, most == 1 ? "" : "s");
      return -1;
    }
    out[n++] = x;
    text += length;
  }
}

bool lwi_xml_read(const lwi_xml_element *e, const char *name, int n, double out[], lw_error *err)
{
  const char *text = lwi_xml_get(e, name);
  double x[16];
  if (!text) return true;
  const int found = lwi_xml_numbers(e, name, text, n, x, err);
  if (found < 0) return false;
  if (found != n)
    return lwi_xml_fail(e, err, "%s needs %d number%s, found %d", name, n, n == 1 ? "" : "s",
                        found);
  memcpy(out, x, (size_t)n * sizeof *out);
  return true;
}

bool lwi_xml_number(const lwi_xml_element *e, const char *name, double *out, lw_error *err)
{
  return lwi_xml_read(e, name, 1, out, err);
}
