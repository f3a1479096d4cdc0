/* SPDX-License-Identifier: Apache-2.0 */
/* column_patterns.h -- a list of names and patterns (* and ?), separated by commas.  Names are
   found by hashing, so that a long list costs no more per column than a short one.  What is in
   quotes (base/quoted_name.h) is taken as it is: commas, spaces, * and ? too. */
#ifndef LWI_SIM_OUTPUT_COLUMN_PATTERNS_H
#define LWI_SIM_OUTPUT_COLUMN_PATTERNS_H
#include "base/name_index.h"
#include "linkwork/status.h"

#include <stdbool.h>

typedef struct {
  lwi_name_index index; /* the distinct patterns */
  char *text;           /* of them all */
  bool *used;           /* [index.n] it matched something */
  int *wild;            /* [nwild] the patterns with * or ? */
  int nwild;
} lwi_patterns;

/* Returns LW_E_ARG if a name is empty. */
lw_status lwi_patterns_parse(lwi_patterns *p, const char *text);
void lwi_patterns_free(lwi_patterns *p);

bool lwi_patterns_match(lwi_patterns *p, const char *name);
/* Is there a pattern with * or ? that begins with this word and a dot? */
bool lwi_patterns_begin(const lwi_patterns *p, const char *word);
/* The first pattern that never matched, or -1. */
int lwi_patterns_find_unused(const lwi_patterns *p);

/* The other way round: a list of names, in quotes where they need them.  {0} is an empty one; its
   text is to be freed. */
typedef struct {
  char *text; /* NULL: empty */
  size_t length, capacity;
} lwi_name_list;
bool lwi_name_list_add(lwi_name_list *l, const char *name); /* false: no memory */

#endif
