/* SPDX-License-Identifier: Apache-2.0 */
/* listing.c -- names in a sentence. */
#include "io/robot/listing.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 8, TAIL = 40 }; /* names, and room for what follows them */

void lwi_listing_add(lwi_listing *x, const char *name)
{
  const size_t used = strlen(x->text), left = sizeof x->text - used;
  x->n++;
  if (x->shown < x->n - 1 || x->shown == SHOWN || left < strlen(name) + 5 + TAIL) return;
  snprintf(x->text + used, left, "%s\"%s\"", x->shown ? ", " : "", name);
  x->shown++;
}

const char *lwi_listing_text(lwi_listing *x)
{
  const size_t used = strlen(x->text);
  if (x->shown == 0 && x->n > 0)
    snprintf(x->text, sizeof x->text, "%d of them", x->n);
  else if (x->shown < x->n)
    snprintf(x->text + used, sizeof x->text - used, " and %d more", x->n - x->shown);
  x->shown = x->n;
  return x->text;
}

void lwi_listing_count(char *text, size_t size, int n, const char *what)
{
  const size_t used = strlen(text);
  if (n > 0) snprintf(text + used, size - used, "%s%d %s", used ? ", " : "", n, what);
}
