/* SPDX-License-Identifier: Apache-2.0 */
/* file_kind.c -- recognises files that are neither models nor results, for helpful messages: XML,
   binary files, UTF-16, other YAML. */
#include "io/file/file_kind.h"

#include <stdbool.h>
#include <string.h>

typedef struct {
  const char *at, *end;
} reader;

typedef struct {
  const char *what, *advice; /* NULL: none */
} file_kind;
static const char unpack[] = "unpack it first", utf8[] = "save it as UTF-8";

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
  const char *element;
  file_kind kind;
} roots[] = {
    {"<svg", {"a picture (SVG)", NULL}},
    {"<html", {"an HTML page", NULL}},
    {"<mujocoinclude",
     {"a part of an MJCF file", "it is made to be included by another one: load that"}},
    {"<COLLADA", {"a COLLADA file (XML)", "linkwork cannot read it"}},
};

/* <!DOCTYPE ...>, with declarations in brackets, which the reader of the file will refuse */
static reader skip_doctype(reader r)
{
  while (r.at < r.end && *r.at != '>' && *r.at != '[')
    r.at++;
  return skip_to(starts(r, "[") ? skip_to(r, "]") : r, ">");
}

static reader skip_prolog(reader r)
{
  while (starts(r, "<?") || starts(r, "<!"))
    r = skip_space(starts(r, "<!--") ? skip_to(r, "-->")
                   : starts(r, "<!") ? skip_doctype(r)
                                     : skip_to(r, ">"));
  return r;
}

static bool starts_element(reader r, const char *tag)
{
  const size_t n = strlen(tag);
  return starts(r, tag) && r.at + n < r.end && r.at[n] && strchr(" \t\r\n/>", r.at[n]);
}

static file_kind xml_kind(reader r)
{
  r = skip_prolog(r);
  for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
    if (starts_element(r, roots[i].element)) return roots[i].kind;
  return (file_kind){"an XML file", "a model of linkwork is YAML or JSON (docs/format.md), or a "
                                    "robot file (docs/robot-files.md)"};
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
  const char *bytes;
  file_kind kind;
} magic[] = {
    {"\x89PNG", {"a picture (PNG)", NULL}},
    {"\xff\xd8\xff", {"a picture (JPEG)", NULL}},
    {"%PDF", {"a PDF file", NULL}},
    {"PK\x03\x04", {"a ZIP archive", unpack}},
    {"\x1f\x8b", {"a compressed file (gzip)", unpack}},
    {"BZh", {"a compressed file (bzip2)", unpack}},
    {"\xfd"
     "7zXZ",
     {"a compressed file (xz)", unpack}},
    {"\x89HDF", {"an HDF5 file", "`linkwork results` reads those of runs"}},
    {"\x7f"
     "ELF",
     {"a program", NULL}},
    {"\xff\xfe", {"text in UTF-16", utf8}},
    {"\xfe\xff", {"text in UTF-16", utf8}},
};

static file_kind find_kind(const char *text, size_t length)
{
  reader r = {text, text + length};
  for (size_t i = 0; i < sizeof magic / sizeof *magic; i++)
    if (starts(r, magic[i].bytes)) return magic[i].kind;
  r = skip_start(text, length);
  if (starts(r, "<")) return xml_kind(r);
  return (file_kind){0};
}

bool lwi_file_is_foreign(const char *text, size_t length)
{
  return find_kind(text, length).what;
}

lw_status lwi_file_kind_fail(lw_error *err, lw_status status, lwi_position at, const char *text,
                             size_t length, const char *wanted)
{
  const file_kind k = find_kind(text, length);
  return lwi_file_fail(err, status, at, "this is %s, not %s%s%s", k.what ? k.what : "another file",
                       wanted, k.advice ? ": " : "", k.advice ? k.advice : "");
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
