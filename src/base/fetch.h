/* SPDX-License-Identifier: Apache-2.0 */
/* fetch.h -- asks for memory some time before it is read or written: with more records than the
   cache holds, waiting for them would take as long as computing.  No effect but on time. */
#ifndef LWI_BASE_FETCH_H
#define LWI_BASE_FETCH_H
#include <stddef.h>

enum { LWI_LINE = 64 }; /* bytes that come together */

#ifdef __GNUC__
/* gcc leaves out calls of functions that do nothing else, unless it sees this */
#define LWI_FETCH_EFFECT __asm__ volatile("")
#define LWI_FETCH_LINE(at, write) __builtin_prefetch((at), (write))
#else
#define LWI_FETCH_EFFECT (void)0
#define LWI_FETCH_LINE(at, write) (void)(at)
#endif

static inline void lwi_fetch(const void *at, size_t bytes)
{
  LWI_FETCH_EFFECT;
  for (size_t i = 0; i < bytes; i += LWI_LINE)
    LWI_FETCH_LINE((const char *)at + i, 0);
}

static inline void lwi_fetch_to_write(const void *at, size_t bytes)
{
  LWI_FETCH_EFFECT;
  for (size_t i = 0; i < bytes; i += LWI_LINE)
    LWI_FETCH_LINE((const char *)at + i, 1);
}

#endif
