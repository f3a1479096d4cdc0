/* SPDX-License-Identifier: Apache-2.0 */
/* block.h -- where the memory of graphs and trees comes from, and how constructors fail.  An object
   and its arrays are one block, measured and cut up by a carve function run twice:

     lwi_carver c = {0};
     tree_carve(&t, &w, &c);
     if (lwi_carver_alloc(&c)) tree_carve(&t, &w, &c); */
#ifndef LWI_GRAPH_BLOCK_H
#define LWI_GRAPH_BLOCK_H

#include <stdbool.h>

#include "base/carve.h"
#include "base/fail.h"
#include "linkwork/status.h"

/* Zeroed memory for free(), or NULL.  The one place where this layer allocates, alone in its
   file so that a test can put its own in front of it. */
void *lwi_graph_alloc(size_t size);

/* After the measuring walk: gets the memory and goes back to its beginning. */
static inline bool lwi_carver_alloc(lwi_carver *c)
{
  c->base = (char *)lwi_graph_alloc(c->used > 0 ? c->used : 1);
  c->used = 0;
  return c->base != NULL;
}

/* False if an object of that many nodes and edges, at most 64 bytes for each, is more than size_t
   can count: asked once by the constructors that are given the numbers. */
static inline bool lwi_size_is_possible(int nnode, int nedge)
{
  return ((uint64_t)nnode + (uint64_t)nedge) * 64 + 4096 < SIZE_MAX;
}

/* Tells the caller of a constructor how it went. */
static inline void lwi_set_status(lw_error *err, lw_status value)
{
  if (value != LW_OK)
    lwi_fail(err, value, "%s", lw_status_text(value));
  else if (err)
    *err = (lw_error){.status = LW_OK};
}

/* The same for a failure, as the return value. */
static inline void *lwi_refuse(lw_error *err, lw_status why)
{
  lwi_set_status(err, why);
  return NULL;
}

#endif
