/* SPDX-License-Identifier: Apache-2.0 */
/* text_edits.c -- edits of the text of a YAML document (text_edits.h). */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "io/read/text_edits.h"
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

bool lwi_edits_start(lwi_edits *e, const char *text, size_t length)
{
  size_t lines = 2;
  for (size_t i = 0; i < length; i++)
    lines += text[i] == '\n';
  *e = (lwi_edits){.text = text, .length = length, .line = calloc(lines, sizeof *e->line)};
  if (!e->line) return false;
  e->nline = 1;
  for (size_t i = 0; i < length; i++)
    if (text[i] == '\n') e->line[e->nline++] = i + 1;
  e->line[e->nline] = length;
  return true;
}

void lwi_edits_free(lwi_edits *e)
{
  for (int i = 0; i < e->n; i++)
    free(e->list[i].text);
  free(e->list);
  free(e->line);
}

/* ---- where things are ---- */

/* The byte of a line and column, both from 1; columns count characters. */
static size_t offset_of(const lwi_edits *e, int line, int column)
{
  size_t at = line <= e->nline ? e->line[line - 1] : e->length;
  for (int i = 1; i < column && at < e->length; i++)
    for (at++; at < e->length && ((unsigned char)e->text[at] & 0xC0) == 0x80; at++) {
    }
  return at;
}

size_t lwi_edit_start(const lwi_edits *e, const lwi_yaml_node *node)
{
  return offset_of(e, node->line, node->column);
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the document */
size_t lwi_edit_end(const lwi_edits *e, const lwi_yaml_node *node)
{
  size_t at = lwi_edit_start(e, node);
  if (node->kind == LWI_YAML_SCALAR) {
    if (node->style != LWI_YAML_QUOTED) return at + (size_t)node->count;
    const char quote = e->text[at++];
    while (at < e->length && e->text[at] != quote)
      at += e->text[at] == '\\' && quote == '"' ? 2 : 1;
    return at + 1;
  }
  const bool list = node->kind == LWI_YAML_LIST;
  if (node->count > 0)
    at = lwi_edit_end(e, list ? node->item[node->count - 1] : node->entry[node->count - 1].value);
  if (node->style != LWI_YAML_FLOW) return at;
  while (at < e->length && e->text[at] != (list ? ']' : '}'))
    at++;
  return at + 1;
}

const lwi_yaml_entry *lwi_edit_entry(const lwi_yaml_node *map, const char *key)
{
  for (int i = 0; i < map->count; i++)
    if (strcmp(map->entry[i].key->text, key) == 0) return &map->entry[i];
  return NULL;
}

/* ---- edits ---- */

void lwi_edit(lwi_edits *e, size_t at, size_t end, const char *text)
{
  char *copy = strdup(text);
  if (!copy || end < at || !lwi_grow(&e->list, e->n, &e->capacity, sizeof *e->list)) {
    free(copy);
    e->failed = true;
    return;
  }
  e->list[e->n++] = (lwi_text_edit){at, end - at, copy};
}

static int by_place(const void *a, const void *b)
{
  const lwi_text_edit *x = a, *y = b;
  return x->at < y->at ? -1 : x->at > y->at ? 1 : (x->length > y->length) - (x->length < y->length);
}

char *lwi_edits_apply(lwi_edits *e, size_t *length)
{
  size_t size = e->length + 1, at = 0, out = 0;
  for (int i = 0; i < e->n; i++)
    size += strlen(e->list[i].text);
  char *text = malloc(size);
  qsort(e->list, (size_t)e->n, sizeof *e->list, by_place);
  for (int i = 0; i < e->n && text; i++) {
    const lwi_text_edit *x = &e->list[i];
    if (x->at < at) continue; /* within what another one replaces */
    memcpy(text + out, e->text + at, x->at - at);
    out += x->at - at;
    memcpy(text + out, x->text, strlen(x->text));
    out += strlen(x->text);
    at = x->at + x->length;
  }
  if (!text) return NULL;
  memcpy(text + out, e->text + at, e->length - at);
  *length = out + e->length - at;
  text[*length] = 0;
  return text;
}
