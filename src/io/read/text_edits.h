/* SPDX-License-Identifier: Apache-2.0 */
/* text_edits.h -- edits of the text of a YAML document at its nodes: everything else stays as it is written. */
#ifndef LWI_IO_READ_TEXT_EDITS_H
#define LWI_IO_READ_TEXT_EDITS_H
#include "io/read/yaml_document.h"

typedef struct {
  size_t at, length;
  char *text; /* what comes instead */
} lwi_text_edit;
typedef struct {
  const char *text;
  size_t length;
  size_t *line; /* where each line begins, and the end */
  int nline;
  lwi_text_edit *list; /* [n] */
  int n, capacity;
  bool failed; /* for lack of memory, or by the caller: the text cannot be changed so */
} lwi_edits;

bool lwi_edits_start(lwi_edits *e, const char *text, size_t length); /* false: no memory */
void lwi_edits_free(lwi_edits *e);

/* Where a node begins in the text, and where it ends. */
size_t lwi_edit_start(const lwi_edits *e, const lwi_yaml_node *node);
size_t lwi_edit_end(const lwi_edits *e, const lwi_yaml_node *node);
/* The entry of a mapping, or NULL. */
const lwi_yaml_entry *lwi_edit_entry(const lwi_yaml_node *map, const char *key);

/* Puts another text in the place of the bytes from at to end. */
void lwi_edit(lwi_edits *e, size_t at, size_t end, const char *text);
/* The changed text, to be freed; of edits that overlap the first and longest counts.  NULL: no memory. */
char *lwi_edits_apply(lwi_edits *e, size_t *length);

#endif
