/* SPDX-License-Identifier: Apache-2.0 */
/* xml_document.c -- the events of expat become a tree. */
#include "io/xml/xml_document.h"
#include "io/xml/xml_tolerance.h"

#include <expat.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  lwi_arena *arena;
  XML_Parser parser;
  const char *file;
  lw_error *err;
  lwi_xml_element *root, *open;
  int depth, parts, skipped; /* skipped: lines before the text that is parsed */
  char *text;                /* of the open element so far */
  size_t length, capacity;
  bool failed;
} builder;

/* ---- mistakes ---- */

static lwi_position position(const builder *b)
{
  const XML_Size line = XML_GetCurrentLineNumber(b->parser) + (XML_Size)b->skipped;
  const XML_Size column = XML_GetCurrentColumnNumber(b->parser);
  return (lwi_position){b->file, line < INT_MAX ? (int)line : INT_MAX,
                        column < INT_MAX ? (int)column + 1 : INT_MAX};
}

static void fail(builder *b, lw_status status, const char *what)
{
  if (b->failed) return;
  b->failed = true;
  lwi_file_fail(b->err, status,
                status == LW_E_MEMORY ? (lwi_position){.file = b->file} : position(b), "%s", what);
  XML_StopParser(b->parser, XML_FALSE);
}

static void no_memory(builder *b)
{
  fail(b, LW_E_MEMORY, "out of memory for the file");
}

/* ---- text ---- */

static bool fits(builder *b, size_t more)
{
  if (b->length + more + 1 <= b->capacity) return true;
  size_t capacity = b->capacity ? b->capacity : 256;
  while (capacity < b->length + more + 1)
    capacity *= 2;
  char *text = realloc(b->text, capacity);
  if (!text) return no_memory(b), false;
  b->text = text;
  b->capacity = capacity;
  return true;
}

static void XMLCALL on_text(void *context, const XML_Char *text, int length)
{
  builder *b = context;
  if (b->failed || !b->open || b->open->first) return;
  if (b->length + (size_t)length > LWI_XML_MAX_TEXT) {
    fail(b, LW_E_MODEL, "a text of more than 1 MiB");
    return;
  }
  if (!fits(b, (size_t)length)) return;
  memcpy(b->text + b->length, text, (size_t)length);
  b->length += (size_t)length;
}

/* The open element has all of its text. */
static void keep_text(builder *b)
{
  if (!b->open || b->open->first || b->length == 0) return;
  b->text[b->length] = '\0';
  const char *kept = lwi_arena_text(b->arena, b->text);
  if (!kept) no_memory(b);
  if (kept) b->open->text = kept;
  b->length = 0;
}

/* ---- elements ---- */

static bool add_attributes(builder *b, lwi_xml_element *e, const XML_Char **given)
{
  const lwi_xml_attribute **last = &e->attribute;
  for (int i = 0; given[i]; i += 2) {
    if (strlen(given[i + 1]) > LWI_XML_MAX_TEXT)
      return fail(b, LW_E_MODEL, "an attribute of more than 1 MiB"), false;
    lwi_xml_attribute *a = LWI_TAKE(b->arena, 1, lwi_xml_attribute);
    if (!a || !(a->name = lwi_arena_text(b->arena, given[i])) ||
        !(a->value = lwi_arena_text(b->arena, given[i + 1])))
      return no_memory(b), false;
    *last = a;
    last = &a->next;
    b->parts++;
  }
  return true;
}

static void XMLCALL on_start(void *context, const XML_Char *name, const XML_Char **attributes)
{
  builder *b = context;
  if (b->failed) return;
  keep_text(b);
  b->length = 0;
  if (++b->depth > LWI_XML_MAX_DEPTH) {
    fail(b, LW_E_MODEL, "elements are nested more than 200 deep");
    return;
  }
  if (++b->parts > LWI_XML_MAX_PARTS) {
    fail(b, LW_E_MODEL, "more than 2,000,000 elements and attributes");
    return;
  }
  lwi_xml_element *e = LWI_TAKE(b->arena, 1, lwi_xml_element);
  const lwi_position at = position(b);
  if (!e || !(e->name = lwi_arena_text(b->arena, name))) {
    no_memory(b);
    return;
  }
  e->file = b->file;
  e->line = at.line;
  e->column = at.column;
  e->text = "";
  e->parent = b->open;
  if (!b->open)
    b->root = e;
  else if (b->open->last)
    b->open->last->next = e;
  else
    b->open->first = e;
  if (b->open) b->open->last = e;
  b->open = e;
  add_attributes(b, e, attributes);
}

static void XMLCALL on_end(void *context, const XML_Char *name)
{
  builder *b = context;
  (void)name;
  if (b->failed) return;
  keep_text(b);
  b->length = 0;
  b->open = b->open->parent;
  b->depth--;
}

/* Declarations of entities are the way to files that grow without bound, or that read others. */
static void XMLCALL on_doctype(void *context, const XML_Char *name, const XML_Char *system_id,
                               const XML_Char *public_id, int has_internal_subset)
{
  (void)name, (void)system_id, (void)public_id;
  if (has_internal_subset)
    fail(context, LW_E_MODEL, "declarations in the document type (entities) are not read");
}

/* ---- the whole ---- */

static bool parse(builder *b, const char *text, size_t length)
{
  enum { PIECE = 1 << 24 }; /* expat takes an int */
  XML_SetUserData(b->parser, b);
  XML_SetElementHandler(b->parser, on_start, on_end);
  XML_SetCharacterDataHandler(b->parser, on_text);
  XML_SetStartDoctypeDeclHandler(b->parser, on_doctype);
  for (size_t at = 0; !b->failed;) {
    const size_t n = length - at < PIECE ? length - at : PIECE;
    const bool last = at + n == length;
    if (XML_Parse(b->parser, text + at, (int)n, last) != XML_STATUS_OK) {
      const enum XML_Error code = XML_GetErrorCode(b->parser);
      if (code == XML_ERROR_NO_MEMORY)
        no_memory(b);
      else if (!b->failed)
        fail(b, LW_E_MODEL, XML_ErrorString(code));
      return false;
    }
    if (last) break;
    at += n;
  }
  return !b->failed;
}

/* Files begin with blank lines, although <?xml ...?> must come first: parsed as if it did, with the
   lines counted. */
static size_t count_blanks(const char *text, size_t length, int *lines)
{
  size_t n = 0;
  while (n < length && (text[n] == ' ' || text[n] == '\t' || text[n] == '\r' || text[n] == '\n'))
    *lines += text[n++] == '\n';
  return n;
}

lwi_xml_element *lwi_xml_parse(lwi_arena *arena, const char *text, size_t length, const char *file,
                               lw_error *err)
{
  builder b = {.arena = arena, .err = err, .parser = XML_ParserCreate(NULL)};
  b.file = lwi_arena_text(arena, file);
  bool ok = b.parser && b.file;
  if (!ok) lwi_file_fail(err, LW_E_MEMORY, (lwi_position){.file = file}, "out of memory");
  while (length > 0 && text[length - 1] == '\0') /* texts that were written with their end */
    length--;
  const size_t blanks = count_blanks(text, length, &b.skipped);
  char *tolerated = ok ? lwi_xml_tolerate(text + blanks, length - blanks) : NULL;
  if (ok && !tolerated)
    lwi_file_fail(err, LW_E_MEMORY, (lwi_position){.file = file}, "out of memory");
  ok = tolerated && parse(&b, tolerated, length - blanks);
  if (b.parser) XML_ParserFree(b.parser);
  free(tolerated);
  free(b.text);
  return ok ? b.root : NULL;
}

/* ---- looking things up ---- */

const lwi_xml_element *lwi_xml_find(const lwi_xml_element *at, const char *name)
{
  while (at && strcmp(at->name, name) != 0)
    at = at->next;
  return at;
}

int lwi_xml_count(const lwi_xml_element *at, const char *name)
{
  int n = 0;
  for (at = lwi_xml_find(at, name); at; at = lwi_xml_find(at->next, name))
    n++;
  return n;
}

const lwi_xml_element *lwi_xml_child(const lwi_xml_element *e, const char *name)
{
  return e ? lwi_xml_find(e->first, name) : NULL;
}

const char *lwi_xml_get(const lwi_xml_element *e, const char *name)
{
  for (const lwi_xml_attribute *a = e ? e->attribute : NULL; a; a = a->next)
    if (strcmp(a->name, name) == 0) return a->value;
  return NULL;
}
