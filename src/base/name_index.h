/* SPDX-License-Identifier: Apache-2.0 */
/* name_index.h -- numbers names 0, 1, 2, ... in the order they are added, and finds a name's number
   in constant time.  The text stays the caller's and must outlive the index.  {0} is an empty
   one. */
#ifndef LWI_BASE_NAME_INDEX_H
#define LWI_BASE_NAME_INDEX_H
#include <stddef.h>
#include <stdint.h>

typedef struct {
  const char *text; /* not terminated */
  size_t length;
  uint32_t hash;
} lwi_name;

typedef struct {
  int n;
  lwi_name *name; /* [n] */
  int *bucket;    /* [nbucket]: number of a name + 1, or 0; nbucket is 0 or a power of 2, >= 2 n */
  size_t nbucket;
} lwi_name_index;

/* The number of a name, or -1. */
int lwi_name_find(const lwi_name_index *x, const char *text, size_t length);

/* `NAME` or `NAME.2`: the number of the name, or -1; *index: what follows it, 0 if nothing does. */
int lwi_name_find_indexed(const lwi_name_index *x, const char *text, int *index);

/* The number of a name, which is added if it is new: then it is the old x->n.  -1: no memory. */
int lwi_name_add(lwi_name_index *x, const char *text, size_t length);

/* The same with a name whose hash is known, from another index. */
int lwi_name_add_known(lwi_name_index *x, const char *text, const lwi_name *known);

/* The same names, whose texts stay where they are.  0: no memory; `to` is then {0}. */
int lwi_name_index_copy(lwi_name_index *to, const lwi_name_index *from);

void lwi_name_index_free(lwi_name_index *x); /* leaves {0} */

#endif
