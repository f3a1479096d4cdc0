/* SPDX-License-Identifier: Apache-2.0 */
/* json.c -- JSON, composed in memory. */
#define _XOPEN_SOURCE 700
#include "json.h"

#include "linkwork/file.h"
#include "linkwork/output.h"

#include <math.h>
#include <stdlib.h>

static bool out_of_memory_for_results(void)
{
  fprintf(stderr, "out of memory for the results\n");
  return false;
}

bool json_start(json *j)
{
  *j = (json){.empty = true};
  j->file = open_memstream(&j->text, &j->size);
  return j->file || out_of_memory_for_results();
}

/* Valid UTF-8, and nothing that a terminal would interpret: RFC 8259, section 7. */
static void put_characters(json *j, const char *text)
{
  while (*text) {
    unsigned code;
    const int n = lw_get_character(text, &code);
    if (code == '"' || code == '\\')
      fprintf(j->file, "\\%c", (int)code);
    else if (code == LW_NO_CHARACTER)
      fputs("\\ufffd", j->file);
    else if (!lw_is_printable(code))
      fprintf(j->file, "\\u%04x", code);
    else
      fwrite(text, 1, (size_t)n, j->file);
    text += n;
  }
}

static void put_string(json *j, const char *text)
{
  fputc('"', j->file);
  put_characters(j, text);
  fputc('"', j->file);
}

/* Comma, line break and key before a value.  The outermost object has one member per line. */
static void begin_value(json *j, const char *key)
{
  if (!j->empty) fputs(j->depth == 1 ? "," : ", ", j->file);
  if (j->depth == 1) fputs("\n  ", j->file);
  if (key) {
    put_string(j, key);
    fputs(": ", j->file);
  }
  j->empty = false;
}

static void open_part(json *j, const char *key, char bracket)
{
  begin_value(j, key);
  fputc(bracket, j->file);
  j->depth++;
  j->empty = true;
}

static void close_part(json *j, char bracket)
{
  j->depth--;
  if (j->depth == 0) fputc('\n', j->file);
  fputc(bracket, j->file);
  j->empty = false;
}

void json_object(json *j, const char *key)
{
  open_part(j, key, '{');
}

void json_object_end(json *j)
{
  close_part(j, '}');
}

void json_list(json *j, const char *key)
{
  open_part(j, key, '[');
}

void json_list_end(json *j)
{
  close_part(j, ']');
}

void json_number(json *j, const char *key, double x)
{
  begin_value(j, key);
  j->infinite |= !isfinite(x);
  char text[LW_NUMBER_TEXT];
  lw_number_text(x == 0 ? 0 : x, text); /* no -0 */
  fputs(text, j->file);
}

void json_number_or_null(json *j, const char *key, double x)
{
  if (isfinite(x))
    json_number(j, key, x);
  else
    json_text(j, key, NULL);
}

void json_numbers(json *j, const char *key, const double x[], int n)
{
  json_list(j, key);
  for (int i = 0; i < n; i++)
    json_number(j, NULL, x[i]);
  json_list_end(j);
}

void json_integer(json *j, const char *key, long x)
{
  begin_value(j, key);
  fprintf(j->file, "%ld", x);
}

void json_bool(json *j, const char *key, bool x)
{
  begin_value(j, key);
  fputs(x ? "true" : "false", j->file);
}

void json_text(json *j, const char *key, const char *text)
{
  begin_value(j, key);
  if (text)
    put_string(j, text);
  else
    fputs("null", j->file);
}

void json_name(json *j, const char *name, int index)
{
  begin_value(j, NULL);
  fputc('"', j->file);
  put_characters(j, name);
  if (index > 0) fprintf(j->file, ".%d", index);
  fputc('"', j->file);
}

void json_numbers_short(json *j, const char *key, const double x[], int n)
{
  json_list(j, key);
  for (int i = 0; i < n; i++) {
    begin_value(j, NULL);
    j->infinite |= !isfinite(x[i]);
    fprintf(j->file, "%.9g", x[i] == 0 ? 0 : x[i]);
  }
  json_list_end(j);
}

void json_raw(json *j, const char *key, const char *text)
{
  begin_value(j, key);
  fputs(text, j->file);
}

char *json_take(json *j)
{
  const bool complete = !ferror(j->file);
  const bool written = fclose(j->file) == 0 && complete && j->text;
  if (!written) out_of_memory_for_results();
  if (written && !j->infinite) return j->text;
  free(j->text);
  return NULL;
}
