/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_document.h -- a YAML (or JSON) file as a tree of nodes that know where they were written.

   Every scalar is text; what it means is up to whoever reads it.  An alias stands for the node of
   its anchor, which is shared, not copied: nodes form a graph without cycles, and the same node may
   be met twice.  Walk it along the keys you know; a walk over all of it may be deeper than the
   limit on nesting, and as long as the limit on aliases allows.

   A merge key (<<) is resolved: its mapping, or those of its list, add the entries whose keys are
   not written beside it; the earlier one of a list counts.

   Refused, with the place: duplicate keys, keys that are not scalars, tags, several documents, text
   that is not UTF-8, and whatever exceeds the limits below. */
#ifndef LWI_IO_READ_YAML_DOCUMENT_H
#define LWI_IO_READ_YAML_DOCUMENT_H
#include "linkwork/status.h"

#include <stdbool.h>
#include <stddef.h>

enum {
  LWI_YAML_MAX_DEPTH = 100,      /* lists and mappings in one another, as written */
  LWI_YAML_MAX_SCALAR = 65536,   /* bytes */
  LWI_YAML_MAX_NODES = 50000000, /* written; a mechanism of 1,000,000 bodies has about 30,000,000 */
  LWI_YAML_MAX_ALIASED = 1000000, /* more that aliases stand for */
  LWI_YAML_MAX_MADE = 5000000,    /* more that include, repeat and mirror make */
};

typedef enum { LWI_YAML_SCALAR, LWI_YAML_LIST, LWI_YAML_MAP } lwi_yaml_kind;
typedef enum {
  LWI_YAML_PLAIN,  /* scalar without quotes */
  LWI_YAML_QUOTED, /* scalar in ' or " */
  LWI_YAML_BLOCK,  /* scalar after | or >; list or mapping by indentation */
  LWI_YAML_FLOW    /* list in [], mapping in {} */
} lwi_yaml_style;

typedef struct lwi_yaml_node lwi_yaml_node;
typedef struct {
  const lwi_yaml_node *key; /* a scalar */
  const lwi_yaml_node *value;
} lwi_yaml_entry;
struct lwi_yaml_node {
  lwi_yaml_kind kind : 8;
  lwi_yaml_style style : 8;
  bool edited : 1;  /* the text is not as written: variables of `repeat` were replaced */
  int line, column; /* from 1 */
  int count;        /* bytes of text, items or entries */
  int scope;        /* what its names mean: scope.h; 0 as parsed */
  union {
    const char *text;                 /* scalar: terminated, holds no NUL */
    const lwi_yaml_node *const *item; /* list: [count] */
    const lwi_yaml_entry *entry;      /* mapping: [count], in the order of the file */
  };
};

typedef struct lwi_yaml_document lwi_yaml_document;

/* Returns NULL on failure; err says what is wrong and where; `file` names the text in messages. */
lwi_yaml_document *lwi_yaml_parse(const char *text, size_t length, const char *file, lw_error *err);
/* The same with a limit of max_nodes nodes. */
lwi_yaml_document *lwi_yaml_parse_limited(const char *text, size_t length, const char *file,
                                          int max_nodes, lw_error *err);
void lwi_yaml_free(lwi_yaml_document *doc);
const lwi_yaml_node *lwi_yaml_root(const lwi_yaml_document *doc);

/* Memory that lives as long as the document, and a copy of a text in it; NULL: out of memory. */
void *lwi_yaml_take(lwi_yaml_document *doc, size_t size);
const char *lwi_yaml_take_text(lwi_yaml_document *doc, const void *text, size_t length);

/* The value of a key, or NULL.  Linear time: for mappings whose keys are known. */
const lwi_yaml_node *lwi_yaml_find(const lwi_yaml_node *map, const char *key);

#endif
