/* SPDX-License-Identifier: Apache-2.0 */
/* shared_store.c -- memory that several models share, with an atomic count of its holders
   (shared_store.h). */
#include "model/shared_store.h"

#include <stdatomic.h>
#include <stdlib.h>

struct lwi_store {
  atomic_int holders;
  lwi_arena arena;
  lwi_name_index index, force_index;
};

lwi_store *lwi_store_new(void)
{
  lwi_store *s = calloc(1, sizeof *s);
  if (s) atomic_init(&s->holders, 1);
  return s;
}

lwi_store *lwi_store_hold(lwi_store *s)
{
  atomic_fetch_add_explicit(&s->holders, 1, memory_order_relaxed);
  return s;
}

void lwi_store_drop(lwi_store *s)
{
  if (!s || atomic_fetch_sub_explicit(&s->holders, 1, memory_order_acq_rel) > 1) return;
  lwi_arena_free(&s->arena);
  lwi_name_index_free(&s->index);
  lwi_name_index_free(&s->force_index);
  free(s);
}

lwi_arena *lwi_store_arena(lwi_store *s)
{
  return &s->arena;
}

lwi_name_index *lwi_store_index(lwi_store *s)
{
  return &s->index;
}

lwi_name_index *lwi_store_force_index(lwi_store *s)
{
  return &s->force_index;
}
