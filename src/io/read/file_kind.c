/* SPDX-License-Identifier: Apache-2.0 */
/* file_kind.c -- recognises files that are not models, for helpful messages: URDF, MJCF and other
   XML, binary files, UTF-16, other YAML. */
#include "io/read/file_kind.h"

#include <stdbool.h>
#include <string.h>

typedef struct {
  const char *at, *end;
} reader;

static bool starts(reader r, const char *with)
{
  const size_t n = strlen(with);
  return (size_t)(r.end - r.at) >= n && memcmp(r.at, with, n) == 0;
}

static reader skip_space(reader r)
{
  while (r.at < r.end && strchr(" \t\r\n", *r.at) && *r.at)
    r.at++;
  return r;
}

static reader skip_to(reader r, const char *end)
{
  while (r.at < r.end && !starts(r, end))
    r.at++;
  if (r.at < r.end) r.at += strlen(end);
  return r;
}

/* ---- XML: by its outermost element ---- */

static const struct {
  const char *element, *sentence;
} roots[] = {
    {"<svg", "this is a picture (SVG), not a model"},
    {"<html", "this is an HTML page, not a model"},
    {"<COLLADA", "this is a COLLADA file (XML): linkwork cannot read it"},
};

static reader skip_prolog(reader r)
{
  while (starts(r, "<?") || starts(r, "<!"))
    r = skip_space(starts(r, "<!--") ? skip_to(r, "-->") : skip_to(r, ">"));
  return r;
}

static bool starts_element(reader r, const char *tag)
{
  const size_t n = strlen(tag);
  return starts(r, tag) && r.at + n < r.end && r.at[n] && strchr(" \t\r\n/>", r.at[n]);
}

static const char *xml_kind(reader r)
{
  r = skip_prolog(r);
  for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
    if (starts_element(r, roots[i].element)) return roots[i].sentence;
  return "this is an XML file: a model of linkwork is YAML or JSON (docs/format.md), or a robot "
         "file "
         "(docs/robot-files.md)";
}

static reader skip_start(const char *text, size_t length)
{
  reader r = {text, text + length};
  if (starts(r, "\xef\xbb\xbf")) r.at += 3;
  return skip_space(r);
}

bool lwi_file_is_xml(const char *text, size_t length, const char *root)
{
  const reader r = skip_prolog(skip_start(text, length));
  return starts(r, "<") && starts_element((reader){r.at + 1, r.end}, root);
}

/* ---- by the first bytes ---- */

static const struct {
  const char *bytes, *sentence;
} magic[] = {
    {"\x89PNG", "this is a picture (PNG), not a model"},
    {"\xff\xd8\xff", "this is a picture (JPEG), not a model"},
    {"%PDF", "this is a PDF file, not a model"},
    {"PK\x03\x04", "this is a ZIP archive, not a model: unpack it first"},
    {"\x1f\x8b", "this file is compressed (gzip): unpack it first"},
    {"BZh", "this file is compressed (bzip2): unpack it first"},
    {"\xfd"
     "7zXZ",
     "this file is compressed (xz): unpack it first"},
    {"\x89HDF", "this is an HDF5 file, not a model"},
    {"\x7f"
     "ELF",
     "this is a program, not a model"},
    {"\xff\xfe", "this file is UTF-16, not UTF-8: save it as UTF-8"},
    {"\xfe\xff", "this file is UTF-16, not UTF-8: save it as UTF-8"},
};

const char *lwi_file_kind(const char *text, size_t length)
{
  reader r = {text, text + length};
  for (size_t i = 0; i < sizeof magic / sizeof *magic; i++)
    if (starts(r, magic[i].bytes)) return magic[i].sentence;
  r = skip_start(text, length);
  return starts(r, "<") ? xml_kind(r) : NULL;
}

const char *lwi_file_kind_of_text(const char *text, size_t length)
{
  const reader r = skip_space((reader){text, text + length});
  const char *line = r.at < r.end ? memchr(r.at, '\n', (size_t)(r.end - r.at)) : NULL;
  const size_t n = (size_t)((line ? line : r.end) - r.at);
  if (starts(r, "{") || starts(r, "["))
    return "this is JSON, but no model: a model is an object with \"linkwork\": 1";
  if (n > 0 && memchr(r.at, ',', n) && !memchr(r.at, ':', n))
    return "this looks like a table (CSV), such as `run` writes: a model is a mapping that has "
           "`linkwork: 1`, not a text";
  return NULL;
}
