/* SPDX-License-Identifier: Apache-2.0 */
/* expand_data.h -- what the files of the expansion share: expand.c gathers sections,
   expand_blocks.c reads `repeat` and `mirror`, expand_include.c other files, expand_copy.c copies
   nodes. */
#ifndef LWI_IO_READ_EXPAND_DATA_H
#define LWI_IO_READ_EXPAND_DATA_H
#include "base/name_index.h"
#include "io/read/expand.h"
#include "io/read/repeat_text.h"

enum { LWI_MAX_INCLUDES = 30 /* in one another */, LWI_MAX_BLOCKS = 30 };

struct lwi_included_file {
  dev_t device;
  ino_t inode;
  lwi_yaml_document *doc;
};

/* a section of the expanded file: a mapping of parts, or a list */
typedef struct {
  const lwi_yaml_node *key;
  lwi_yaml_kind kind;
  int n, capacity;
  lwi_yaml_entry *entry; /* [n] malloc'ed; of a list: values only */
  lwi_name_index names;  /* of a mapping */
} lwi_section;

/* the value that an includer gives to a parameter of the file it includes */
typedef struct {
  const lwi_yaml_node *key, *value;
  const char *file; /* that is included */
  bool used;
} lwi_override;

typedef struct {
  lwi_reader *r;
  lwi_yaml_document *doc;
  lwi_included_files *files;
  int made;  /* values so far */
  int depth; /* of includes */
  int nsection, section_capacity;
  lwi_section *section;
  int noverride, override_capacity;
  lwi_override *override;
  lwi_name_index override_names;
} lwi_expansion;

/* the place of a block: its scope, and the variables around it */
typedef struct {
  int scope;
  const lwi_variable *variables;
  int depth; /* of blocks */
} lwi_place_of_block;

/* Is the key one of `include`, `repeat`, `mirror`? */
bool lwi_is_structure(const char *key);
/* Is it a section of parts: neither that nor a setting of the file as a whole? */
bool lwi_is_section(const char *key);

/* Adds all parts of a mapping of sections, and what its structure keys add.  whole: it is a file,
   whose settings are left alone. */
bool lwi_expand_map(lwi_expansion *e, const lwi_yaml_node *map, lwi_place_of_block at, bool whole);

bool lwi_expand_repeat(lwi_expansion *e, const lwi_yaml_node *value, lwi_place_of_block at);
bool lwi_expand_mirror(lwi_expansion *e, const lwi_yaml_node *value, lwi_place_of_block at);
bool lwi_expand_include(lwi_expansion *e, const lwi_yaml_node *value, lwi_place_of_block at);

/* `mirror: y` or `across: y`: changes a sign. */
bool lwi_expand_across(lwi_expansion *e, const lwi_yaml_node *value, int sign[3]);

/* The part of a section so far, by its name in the whole model; NULL: none. */
const lwi_yaml_node *lwi_expand_find(const lwi_expansion *e, const char *section, const char *name);
/* A copy with the variables replaced; NULL: reported. */
const lwi_yaml_node *lwi_expand_copy(lwi_expansion *e, const lwi_yaml_node *node,
                                     lwi_place_of_block at);
/* Counts values that are made; false: too many. */
bool lwi_expand_count(lwi_expansion *e, const lwi_yaml_node *at, int n);
/* The node as it is, in a scope: to report what is wrong with it. */
lwi_yaml_node lwi_expand_at(const lwi_yaml_node *node, int scope);
/* A new scope and one of absolute names beside it; -1: reported. */
int lwi_expand_scope(lwi_expansion *e, lwi_scope scope);
/* The expression, also one of a list, as a value of the parameter `name` of the whole model. */
const lwi_yaml_node *lwi_expand_override(lwi_expansion *e, const char *name);

#endif
