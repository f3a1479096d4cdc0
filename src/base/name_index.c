/* SPDX-License-Identifier: Apache-2.0 */
/* name_index.c -- a hash table with open addressing and linear probing, at most half full. */
#include "base/name_index.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BUCKETS = 16 };

/* FNV-1a */
static uint32_t hash_of(const char *text, size_t length)
{
  uint32_t h = 2166136261u;
  for (size_t i = 0; i < length; i++)
    h = (h ^ (unsigned char)text[i]) * 16777619u;
  return h;
}

/* The bucket that holds the name, or the empty one where it belongs. */
static int *find_bucket(const lwi_name_index *x, const lwi_name *name)
{
  const size_t mask = x->nbucket - 1;
  size_t at = name->hash & mask;
  for (; x->bucket[at]; at = (at + 1) & mask) {
    const lwi_name *other = &x->name[x->bucket[at] - 1];
    if (other->hash == name->hash && other->length == name->length &&
        memcmp(other->text, name->text, name->length) == 0)
      break;
  }
  return &x->bucket[at];
}

/* Doubles the table.  If memory runs out the index stays as it was. */
static bool grow(lwi_name_index *x)
{
  const size_t nbucket = x->nbucket ? 2 * x->nbucket : FIRST_BUCKETS;
  if (nbucket / 2 > INT_MAX) return false;
  lwi_name *name = realloc(x->name, nbucket / 2 * sizeof *name);
  if (name) x->name = name;
  int *bucket = name ? calloc(nbucket, sizeof *bucket) : NULL;
  if (!bucket) return false;

  free(x->bucket);
  x->bucket = bucket;
  x->nbucket = nbucket;
  for (int i = 0; i < x->n; i++)
    *find_bucket(x, &x->name[i]) = i + 1;
  return true;
}

int lwi_name_find(const lwi_name_index *x, const char *text, size_t length)
{
  if (x->nbucket == 0) return -1;
  const lwi_name name = {text, length, hash_of(text, length)};
  return *find_bucket(x, &name) - 1;
}

int lwi_name_find_indexed(const lwi_name_index *x, const char *text, int *index)
{
  const int whole = lwi_name_find(x, text, strlen(text));
  const char *dot = strrchr(text, '.');
  *index = 0;
  if (whole >= 0 || !dot) return whole;
  const char *digits = dot + 1;
  const size_t n = strspn(digits, "0123456789");
  if (n == 0 || n > 6 || digits[n]) return -1;
  *index = atoi(digits);
  return *index > 0 ? lwi_name_find(x, text, (size_t)(dot - text)) : -1;
}

static int add(lwi_name_index *x, lwi_name name)
{
  if ((size_t)x->n >= x->nbucket / 2 && !grow(x)) return -1;
  int *bucket = find_bucket(x, &name);
  if (*bucket == 0) {
    x->name[x->n] = name;
    *bucket = ++x->n;
  }
  return *bucket - 1;
}

int lwi_name_add(lwi_name_index *x, const char *text, size_t length)
{
  return add(x, (lwi_name){text, length, hash_of(text, length)});
}

int lwi_name_add_known(lwi_name_index *x, const char *text, const lwi_name *known)
{
  return add(x, (lwi_name){text, known->length, known->hash});
}

int lwi_name_index_copy(lwi_name_index *to, const lwi_name_index *from)
{
  *to = (lwi_name_index){0};
  if (from->nbucket == 0) return 1;
  lwi_name_index x = {.n = from->n, .nbucket = from->nbucket};
  x.name = malloc(x.nbucket / 2 * sizeof *x.name);
  x.bucket = malloc(x.nbucket * sizeof *x.bucket);
  if (!x.name || !x.bucket) return lwi_name_index_free(&x), 0;
  memcpy(x.name, from->name, (size_t)x.n * sizeof *x.name);
  memcpy(x.bucket, from->bucket, x.nbucket * sizeof *x.bucket);
  *to = x;
  return 1;
}

void lwi_name_index_free(lwi_name_index *x)
{
  free(x->name);
  free(x->bucket);
  *x = (lwi_name_index){0};
}
