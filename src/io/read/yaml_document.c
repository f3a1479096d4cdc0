/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_document.c -- the events of libyaml become a tree.

   Children are gathered on one stack (pending) while their list or mapping is open and move into an
   array of their own when it closes, so that building takes linear time and no recursion.

   Aliases: each event adds to the number of nodes that the file stands for.  An anchor remembers
   how much its node added; an alias adds the same again without making nodes, so that the tenth
   line of a "billion laughs" file exceeds the limit at once. */
#include "io/read/yaml_document.h"

#include "base/arena.h"
#include "base/name_index.h"
#include "io/file/file_text.h"
#include "io/read/yaml_check.h"
#include "io/read/yaml_merge.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum {
  SLAB = 32768, /* bytes taken from the arena at once */
  SMALL_MAP = 8 /* entries up to which duplicate keys are found by comparing all pairs */
};

struct lwi_yaml_document {
  lwi_arena arena;
  char *slab; /* what is left of it */
  size_t slab_left;
  const lwi_yaml_node *root;
};

/* an open list or mapping */
typedef struct {
  lwi_yaml_node *node;
  int first;  /* of its children in pending */
  int anchor; /* or -1 */
  int total;  /* nodes before it */
} frame;

/* what an alias stands for */
typedef struct {
  const lwi_yaml_node *node; /* NULL while it is open */
  int size;                  /* nodes, those of aliases counted each time */
} anchor;

typedef struct {
  lwi_yaml_document *doc;
  const char *file;
  lw_error *err;
  const lwi_yaml_node **pending;
  int npending, pending_capacity;
  frame open[LWI_YAML_MAX_DEPTH];
  int depth;
  lwi_name_index anchor_names;
  anchor *anchors; /* [anchor_names.n] */
  int anchor_capacity;
  int total;   /* nodes, those of aliases counted each time */
  int aliased; /* the part of it that aliases stand for */
  int ndocument;
  int max_nodes;
} builder;

/* ---- mistakes ---- */

static lwi_position position(const builder *b, yaml_mark_t mark)
{
  return (lwi_position){b->file, (int)mark.line + 1, (int)mark.column + 1};
}

static lwi_position node_position(const builder *b, const lwi_yaml_node *node)
{
  return (lwi_position){b->file, node->line, node->column};
}

/* both are false */
#define FAIL(b, mark, ...)                                                                         \
  (lwi_file_fail((b)->err, LW_E_MODEL, position(b, mark), __VA_ARGS__) == LW_OK)
#define FAIL_AT(b, node, ...)                                                                      \
  (lwi_file_fail((b)->err, LW_E_MODEL, node_position(b, node), __VA_ARGS__) == LW_OK)

static bool no_memory(const builder *b)
{
  lwi_file_fail(b->err, LW_E_MEMORY, (lwi_position){.file = b->file}, "out of memory for the file");
  return false;
}

/* ---- memory ---- */

/* Small pieces from one slab: the arena alone would round each up to 64 bytes. */
void *lwi_yaml_take(lwi_yaml_document *doc, size_t size)
{
  size = (size + 7) & ~(size_t)7;
  if (size > SLAB / 4) return lwi_arena_take(&doc->arena, size, 1);
  if (size > doc->slab_left) {
    if (!(doc->slab = lwi_arena_take(&doc->arena, SLAB, 1))) return doc->slab_left = 0, NULL;
    doc->slab_left = SLAB;
  }
  void *piece = doc->slab;
  doc->slab += size;
  doc->slab_left -= size;
  return piece;
}

const char *lwi_yaml_take_text(lwi_yaml_document *doc, const void *text, size_t length)
{
  char *copy = lwi_yaml_take(doc, length + 1);
  if (!copy) return NULL;
  memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

/* ---- anchors ---- */

/* The number of an anchor that is being defined, possibly again; -1: it has no name; -2: out of
   memory. */
static int define_anchor(builder *b, const yaml_char_t *name)
{
  if (!name) return -1;
  const size_t length = strlen((const char *)name);
  const char *kept = lwi_yaml_take_text(b->doc, name, length);
  if (!kept || !lwi_grow(&b->anchors, b->anchor_names.n, &b->anchor_capacity, sizeof *b->anchors))
    return -2;
  const int at = lwi_name_add(&b->anchor_names, kept, length);
  if (at < 0) return -2;
  b->anchors[at] = (anchor){.node = NULL};
  return at;
}

static void finish_anchor(builder *b, int at, const lwi_yaml_node *node, int before)
{
  if (at >= 0) b->anchors[at] = (anchor){node, b->total - before};
}

/* ---- nodes ---- */

/* Adds a finished node to the open list or mapping. */
static bool place(builder *b, const lwi_yaml_node *node)
{
  if (!lwi_grow(&b->pending, b->npending, &b->pending_capacity, sizeof *b->pending))
    return no_memory(b);
  b->pending[b->npending++] = node;
  return true;
}

static bool allow_node(const builder *b, yaml_mark_t mark, const yaml_char_t *tag)
{
  if (tag) return FAIL(b, mark, "tags are not supported: remove `%.60s`", (const char *)tag);
  if (b->total - b->aliased < b->max_nodes) return true;
  return FAIL(b, mark, "more than %d values in one file", b->max_nodes);
}

static lwi_yaml_node *new_node(builder *b, const yaml_event_t *event, lwi_yaml_kind kind,
                               lwi_yaml_style style, const yaml_char_t *tag)
{
  const yaml_mark_t mark = event->start_mark;
  if (!allow_node(b, mark, tag)) return NULL;
  b->total++;
  lwi_yaml_node *node = lwi_yaml_take(b->doc, sizeof *node);
  if (!node) return no_memory(b), NULL;
  *node = (lwi_yaml_node){
      .kind = kind, .style = style, .line = (int)mark.line + 1, .column = (int)mark.column + 1};
  return node;
}

static bool add_scalar(builder *b, const yaml_event_t *event)
{
  static const lwi_yaml_style styles[] = {
      [YAML_PLAIN_SCALAR_STYLE] = LWI_YAML_PLAIN,
      [YAML_SINGLE_QUOTED_SCALAR_STYLE] = LWI_YAML_QUOTED,
      [YAML_DOUBLE_QUOTED_SCALAR_STYLE] = LWI_YAML_QUOTED,
      [YAML_LITERAL_SCALAR_STYLE] = LWI_YAML_BLOCK,
      [YAML_FOLDED_SCALAR_STYLE] = LWI_YAML_BLOCK,
  };
  const size_t length = event->data.scalar.length;
  const yaml_char_t *text = event->data.scalar.value;
  if (length > LWI_YAML_MAX_SCALAR)
    return FAIL(b, event->start_mark, "a text of %zu bytes: %d at most", length,
                LWI_YAML_MAX_SCALAR);
  if (memchr(text, '\0', length)) return FAIL(b, event->start_mark, "a NUL character in a text");
  const int before = b->total, at = define_anchor(b, event->data.scalar.anchor);
  if (at == -2) return no_memory(b);
  lwi_yaml_node *node =
      new_node(b, event, LWI_YAML_SCALAR, styles[event->data.scalar.style], event->data.scalar.tag);
  if (!node) return false;
  node->count = (int)length;
  if (!(node->text = lwi_yaml_take_text(b->doc, text, length))) return no_memory(b);
  finish_anchor(b, at, node, before);
  return place(b, node);
}

static bool add_alias(builder *b, const yaml_event_t *event)
{
  const char *name = (const char *)event->data.alias.anchor;
  const int at = lwi_name_find(&b->anchor_names, name, strlen(name));
  if (at < 0)
    return FAIL(b, event->start_mark, "alias `*%.60s`: there is no `&%.60s` before it", name, name);
  const anchor *a = &b->anchors[at];
  if (!a->node)
    return FAIL(b, event->start_mark, "alias `*%.60s` is used inside its own value", name);
  if (a->size > LWI_YAML_MAX_ALIASED - b->aliased)
    return FAIL(b, event->start_mark, "the aliases of this file stand for more than %d values",
                LWI_YAML_MAX_ALIASED);
  b->total += a->size;
  b->aliased += a->size;
  return place(b, a->node);
}

static bool open_node(builder *b, const yaml_event_t *event)
{
  const bool list = event->type == YAML_SEQUENCE_START_EVENT;
  const bool flow = list ? event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE
                         : event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
  if (b->depth == LWI_YAML_MAX_DEPTH)
    return FAIL(b, event->start_mark, "more than %d lists and mappings in one another",
                LWI_YAML_MAX_DEPTH);
  frame f = {.first = b->npending, .total = b->total};
  f.anchor =
      define_anchor(b, list ? event->data.sequence_start.anchor : event->data.mapping_start.anchor);
  if (f.anchor == -2) return no_memory(b);
  f.node =
      new_node(b, event, list ? LWI_YAML_LIST : LWI_YAML_MAP, flow ? LWI_YAML_FLOW : LWI_YAML_BLOCK,
               list ? event->data.sequence_start.tag : event->data.mapping_start.tag);
  if (!f.node) return false;
  b->open[b->depth++] = f;
  return true;
}

/* ---- closing ---- */

static bool same_key(const lwi_yaml_node *a, const lwi_yaml_node *b)
{
  return a->count == b->count && memcmp(a->text, b->text, (size_t)a->count) == 0;
}

static bool fail_duplicate(const builder *b, const lwi_yaml_node *key, const lwi_yaml_node *before)
{
  return FAIL_AT(b, key, "`%.60s` is already defined in line %d", key->text, before->line);
}

static bool check_many_keys(const builder *b, const lwi_yaml_entry *entry, int n)
{
  lwi_name_index names = {0};
  bool ok = true;
  for (int i = 0; i < n && ok; i++) {
    const lwi_yaml_node *key = entry[i].key;
    const int at = lwi_name_add(&names, key->text, (size_t)key->count);
    if (at != i) ok = at < 0 ? no_memory(b) : fail_duplicate(b, key, entry[at].key);
  }
  lwi_name_index_free(&names);
  return ok;
}

static bool check_keys(const builder *b, const lwi_yaml_entry *entry, int n)
{
  for (int i = 0; i < n; i++) {
    const lwi_yaml_node *key = entry[i].key;
    if (key->kind != LWI_YAML_SCALAR)
      return FAIL_AT(b, key, "a key must be a single word, not a list or a mapping");
  }
  if (n > SMALL_MAP) return check_many_keys(b, entry, n);
  for (int i = 1; i < n; i++)
    for (int j = 0; j < i; j++)
      if (same_key(entry[i].key, entry[j].key))
        return fail_duplicate(b, entry[i].key, entry[j].key);
  return true;
}

static bool resolve_merge(builder *b, lwi_yaml_node *map)
{
  const lwi_yaml_node *at = map;
  int added = 0;
  switch (lwi_yaml_merge(b->doc, map, LWI_YAML_MAX_ALIASED - b->aliased, &added, &at)) {
  case LWI_YAML_MERGED: break;
  case LWI_YAML_MERGE_MEMORY: return no_memory(b);
  case LWI_YAML_MERGE_KIND:
    return FAIL_AT(b, at, "`<<` takes a mapping or a list of mappings, like `<<: *base`");
  case LWI_YAML_MERGE_LIMIT:
    return FAIL_AT(b, at, "the aliases of this file stand for more than %d values",
                   LWI_YAML_MAX_ALIASED);
  }
  b->total += added;
  b->aliased += added;
  return true;
}

/* The newest list or mapping is complete. */
static bool close_node(builder *b)
{
  const frame f = b->open[--b->depth];
  const int n = b->npending - f.first;
  const size_t size = (size_t)n * sizeof *b->pending;
  lwi_yaml_node *node = f.node;
  /* an entry is two pointers, key and value: the layout of the stack */
  static_assert(sizeof(lwi_yaml_entry) == 2 * sizeof(lwi_yaml_node *), "no padding");
  void *children = lwi_yaml_take(b->doc, size);
  if (!children) return no_memory(b);
  if (n) memcpy(children, b->pending + f.first, size);
  b->npending = f.first;
  if (node->kind == LWI_YAML_LIST) {
    node->item = children;
    node->count = n;
  } else {
    node->entry = children;
    node->count = n / 2;
    if (!check_keys(b, node->entry, node->count) || !resolve_merge(b, node)) return false;
  }
  finish_anchor(b, f.anchor, node, f.total);
  return place(b, node);
}

/* ---- the whole ---- */

static bool start_document(builder *b, const yaml_event_t *event)
{
  if (b->ndocument++ == 0) return true;
  return FAIL(b, event->start_mark, "a second document starts here: a model file holds one");
}

static bool take_event(builder *b, const yaml_event_t *event)
{
  switch (event->type) {
  case YAML_DOCUMENT_START_EVENT: return start_document(b, event);
  case YAML_SCALAR_EVENT: return add_scalar(b, event);
  case YAML_ALIAS_EVENT: return add_alias(b, event);
  case YAML_SEQUENCE_START_EVENT:
  case YAML_MAPPING_START_EVENT: return open_node(b, event);
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT: return close_node(b);
  default: return true;
  }
}

static bool take_events(builder *b, yaml_parser_t *parser, const char *text, size_t length)
{
  for (;;) {
    yaml_event_t event;
    if (!yaml_parser_parse(parser, &event))
      return parser->error == YAML_MEMORY_ERROR
                 ? no_memory(b)
                 : lwi_yaml_syntax_error(parser, text, length, b->file, b->err);
    const bool ok = take_event(b, &event), last = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
    if (!ok || last) return ok;
  }
}

static bool build(builder *b, const char *text, size_t length)
{
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) return no_memory(b);
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
  const bool ok = take_events(b, &parser, text, length);
  yaml_parser_delete(&parser);
  if (!ok) return false;
  if (b->npending == 0)
    return lwi_file_fail(b->err, LW_E_MODEL, (lwi_position){b->file, 1, 1}, "the file is empty"),
           false;
  b->doc->root = b->pending[0];
  return true;
}

lwi_yaml_document *lwi_yaml_parse_limited(const char *text, size_t length, const char *file,
                                          int max_nodes, lw_error *err)
{
  builder b = {.file = file, .err = err, .max_nodes = max_nodes};
  if (!lwi_yaml_check_text(&text, &length, file, err)) return NULL;
  if (!(b.doc = calloc(1, sizeof *b.doc))) return no_memory(&b), NULL;
  const bool ok = build(&b, text, length);
  free(b.pending);
  free(b.anchors);
  lwi_name_index_free(&b.anchor_names);
  if (ok) return b.doc;
  lwi_yaml_free(b.doc);
  return NULL;
}

lwi_yaml_document *lwi_yaml_parse(const char *text, size_t length, const char *file, lw_error *err)
{
  return lwi_yaml_parse_limited(text, length, file, LWI_YAML_MAX_NODES, err);
}

void lwi_yaml_free(lwi_yaml_document *doc)
{
  if (!doc) return;
  lwi_arena_free(&doc->arena);
  free(doc);
}

const lwi_yaml_node *lwi_yaml_root(const lwi_yaml_document *doc)
{
  return doc->root;
}

const lwi_yaml_node *lwi_yaml_find(const lwi_yaml_node *map, const char *key)
{
  for (int i = 0; i < map->count; i++)
    if (strcmp(map->entry[i].key->text, key) == 0) return map->entry[i].value;
  return NULL;
}
