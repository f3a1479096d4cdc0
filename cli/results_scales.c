/* SPDX-License-Identifier: Apache-2.0 */
/* results_scales.c -- the magnitudes against which differences of columns are judged.  Components
   of one vector (fx.A, fy.A, fz.A; e0.B ... e3.B) have that of the vector; energies, and the error
   of their balance, that of the largest energy; the drift of loops that of the largest position:
   what is zero but for rounding errors has no magnitude of its own. */
#include "results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *name;
  size_t length; /* of what comes before the first dot */
  double *scale;
} item;

static bool is_energy(const item *x)
{
  return strncmp(x->name, "energy.", 7) == 0;
}

/* Is the last letter before the dot one of the components of a vector? */
static bool is_component(const item *x)
{
  const char *name = x->name;
  if (name[x->length] != '.' || x->length < 1 || x->length > 3) return false;
  if (x->length == 2 && name[0] == 'e' && name[1] >= '0' && name[1] <= '3') return true;
  return name[x->length - 1] >= 'x' && name[x->length - 1] <= 'z';
}

static bool is_position(const item *x)
{
  return x->length == 1 && is_component(x);
}

/* Columns of one group follow each other in this order. */
static int compare_items(const void *a, const void *b)
{
  const item *x = a, *y = b;
  if (is_component(x) != is_component(y)) return is_component(x) ? -1 : 1;
  if (!is_component(x)) return strcmp(x->name, y->name);
  if (x->length != y->length) return x->length < y->length ? -1 : 1;
  const int kind = strncmp(x->name, y->name, x->length - 1);
  return kind ? kind : strcmp(x->name + x->length, y->name + y->length);
}

static bool is_one_group(const item *x, const item *y)
{
  return is_component(x) && is_component(y) && compare_items(x, y) == 0;
}

static void share(item *first, const item *end)
{
  double most = 0;
  for (const item *x = first; x < end; x++)
    most = fmax(most, *x->scale);
  for (item *x = first; x < end; x++)
    *x->scale = most;
}

/* The largest of those that `belongs` chooses, for a column that is an error of them. */
static double largest(const item list[], int n, bool (*belongs)(const item *))
{
  double most = 0;
  for (int i = 0; i < n; i++)
    if (belongs(&list[i])) most = fmax(most, *list[i].scale);
  return most;
}

bool share_scales(const char *const name[], double scale[], int n)
{
  item *list = malloc(((size_t)n + 1) * sizeof *list);
  if (!list) return false;
  for (int i = 0; i < n; i++)
    list[i] = (item){name[i], strcspn(name[i], "."), &scale[i]};
  const double energy = largest(list, n, is_energy);
  for (int i = 0; i < n; i++) {
    if (is_energy(&list[i])) scale[i] = energy;
    if (strcmp(name[i], "drift") == 0) scale[i] = fmax(scale[i], largest(list, n, is_position));
  }
  qsort(list, (size_t)n, sizeof *list, compare_items);
  for (int i = 0, next; i < n; i = next) {
    for (next = i + 1; next < n && is_one_group(&list[i], &list[next]);)
      next++;
    share(list + i, list + next);
  }
  free(list);
  return true;
}
