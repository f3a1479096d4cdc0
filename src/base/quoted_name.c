/* SPDX-License-Identifier: Apache-2.0 */
/* quoted_name.c -- names in quotes. */
#include "base/quoted_name.h"
#include "linkwork/reader.h"

#include <string.h>

bool lwi_is_name(const char *text)
{
  if (!text || !*text) return false;
  for (; *text; text++)
    if ((unsigned char)*text < 0x20 || *text == 0x7f) return false;
  return true;
}

size_t lwi_quoted_length(const char *text, size_t length)
{
  if (length < 2 || (text[0] != '"' && text[0] != '\'')) return 0;
  for (size_t i = 1; i < length; i++) {
    if (text[i] != text[0]) continue;
    if (i + 1 == length || text[i + 1] != text[0]) return i + 1;
    i++;
  }
  return 0;
}

/* Copies what is in quotes; returns where it ends in the name. */
static char *copy_quoted(const char *text, size_t length, char *to)
{
  for (size_t i = 1; i + 1 < length; i++) {
    *to++ = text[i];
    if (text[i] == text[0]) i++;
  }
  return to;
}

size_t lwi_quoted_part(const char *text, size_t length, size_t at)
{
  const bool begins = at == 0 || text[at - 1] == '.';
  return begins ? lwi_quoted_length(text + at, length - at) : 0;
}

size_t lwi_unquote(const char *text, size_t length, char *name)
{
  char *to = name;
  for (size_t i = 0; i < length;) {
    const size_t quoted = lwi_quoted_part(text, length, i);
    if (quoted)
      to = copy_quoted(text + i, quoted, to);
    else
      *to++ = text[i];
    i += quoted ? quoted : 1;
  }
  *to = '\0';
  return (size_t)(to - name);
}

const char *lwi_put_in_quotes(const char *name, char *out, size_t size)
{
  size_t n = 0;
  out[n++] = '"';
  for (; *name && n + 4 < size; name++) {
    if (*name == '"') out[n++] = '"';
    out[n++] = *name;
  }
  out[n++] = '"';
  out[n] = '\0';
  return out;
}

size_t lwi_name_length(const char *text, const char *until)
{
  const size_t length = strlen(text);
  size_t end = 0;
  while (text[end] && !strchr(until, text[end])) {
    const size_t quoted = lwi_quoted_part(text, length, end);
    end += quoted ? quoted : 1;
  }
  return end;
}

size_t lw_read_name(const char *text, const char *until, char *name)
{
  if (!text || !until || !name) return 0;
  const size_t length = lwi_name_length(text, until);
  lwi_unquote(text, length, name);
  return length;
}
