/* SPDX-License-Identifier: Apache-2.0 */
/* shared_store.h -- memory that several models hold: a model never changes, so that what an event
   leaves alone belongs to the model before it and to the one after it.  Gone when the last holder
   lets go of it; models may do so from several threads. */
#ifndef LWI_MODEL_SHARED_STORE_H
#define LWI_MODEL_SHARED_STORE_H
#include "base/arena.h"
#include "base/name_index.h"

typedef struct lwi_store lwi_store;

lwi_store *lwi_store_new(void); /* NULL: no memory */
lwi_store *lwi_store_hold(lwi_store *s);
void lwi_store_drop(lwi_store *s); /* accepts NULL */

/* Whoever made it, and nobody else, fills it: */
lwi_arena *lwi_store_arena(lwi_store *s);
lwi_name_index *lwi_store_index(lwi_store *s); /* an empty one at first */
lwi_name_index *lwi_store_force_index(lwi_store *s);

#endif
