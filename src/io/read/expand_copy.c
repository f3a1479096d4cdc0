/* SPDX-License-Identifier: Apache-2.0 */
/* expand_copy.c -- copies of nodes in another scope, with the variables of `repeat` replaced. */
#include "io/read/expand_data.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

lwi_yaml_node lwi_expand_at(const lwi_yaml_node *node, int scope)
{
  lwi_yaml_node at = *node;
  at.scope = scope;
  return at;
}

bool lwi_expand_count(lwi_expansion *e, const lwi_yaml_node *at, int n)
{
  if (n <= LWI_YAML_MAX_MADE - e->made) return e->made += n, true;
  return lwi_read_fail(e->r, at, "`include`, `repeat` and `mirror` make more than %d values",
                       LWI_YAML_MAX_MADE);
}

int lwi_expand_scope(lwi_expansion *e, lwi_scope scope)
{
  lwi_scopes *s = e->r->scopes;
  for (int i = 0; i < 2; i++) {
    if (!lwi_grow(&s->item, s->n, &s->capacity, sizeof *s->item))
      return lwi_read_no_memory(e->r), -1;
    s->item[s->n] = scope;
    s->item[s->n++].absolute = i == 1;
  }
  return s->n - 2;
}

static bool copy_text(lwi_expansion *e, lwi_yaml_node *node, lwi_place_of_block at)
{
  if (!at.variables) return true;
  lwi_repeat_error why;
  char *text;
  if (!lwi_repeat_text(at.variables, node->text, &text, &why))
    return why.text[0] ? lwi_read_fail(e->r, node, "`%.60s`: %s", node->text, why.text)
                       : lwi_read_no_memory(e->r);
  if (!text) return true;
  node->count = (int)strlen(text);
  node->text = lwi_yaml_take_text(e->doc, text, (size_t)node->count);
  node->edited = true;
  free(text);
  return node->text || lwi_read_no_memory(e->r);
}

static const lwi_yaml_node *copy(lwi_expansion *e, const lwi_yaml_node *node, lwi_place_of_block at,
                                 int depth);

static bool copy_children(lwi_expansion *e, lwi_yaml_node *node, lwi_place_of_block at, int depth)
{
  const int n = node->kind == LWI_YAML_MAP ? 2 * node->count : node->count;
  const lwi_yaml_node **child = lwi_yaml_take(e->doc, (size_t)n * sizeof *child);
  if (!child) return lwi_read_no_memory(e->r);
  if (depth == LWI_YAML_MAX_DEPTH)
    return lwi_read_fail(e->r, node, "more than %d lists and mappings in one another",
                         LWI_YAML_MAX_DEPTH);
  const lwi_yaml_node *const *from = node->kind == LWI_YAML_MAP
                                         ? (const lwi_yaml_node *const *)(const void *)node->entry
                                         : node->item;
  for (int i = 0; i < n; i++)
    if (!(child[i] = copy(e, from[i], at, depth + 1))) return false;
  if (node->kind == LWI_YAML_MAP)
    node->entry = (const lwi_yaml_entry *)(const void *)child;
  else
    node->item = child;
  return true;
}

/* an entry is two pointers, key and value, as yaml_document.c asserts */
static const lwi_yaml_node *copy(lwi_expansion *e, const lwi_yaml_node *node, lwi_place_of_block at,
                                 int depth)
{
  lwi_yaml_node *made = lwi_yaml_take(e->doc, sizeof *made);
  if (!made) return lwi_read_no_memory(e->r), NULL;
  *made = lwi_expand_at(node, at.scope);
  if (!lwi_expand_count(e, made, 1)) return NULL;
  const bool ok =
      node->kind == LWI_YAML_SCALAR ? copy_text(e, made, at) : copy_children(e, made, at, depth);
  return ok ? made : NULL;
}

const lwi_yaml_node *lwi_expand_copy(lwi_expansion *e, const lwi_yaml_node *node,
                                     lwi_place_of_block at)
{
  if (at.scope == 0 && !at.variables) return node;
  return copy(e, node, at, 0);
}
