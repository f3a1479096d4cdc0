/* SPDX-License-Identifier: Apache-2.0 */
/* stress_table.c -- loads of self-stresses, of the parts that have some. */
#include "analysis/redundancy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double present = 1e-7; /* loads relative to the largest of a self-stress */

static double largest(const double load[6], double length)
{
  double most = 0;
  for (int i = 0; i < 6; i++)
    most = fmax(most, fabs(load[i]) / (i < 3 ? length : 1));
  return most;
}

static bool append(lwi_stress_table *s, int part, const double load[6], double length, double most)
{
  if (!lwi_grow(&s->part, s->nentry, &s->capacity[1], sizeof *s->part) ||
      !lwi_grow(&s->load, s->nentry, &s->capacity[2], sizeof *s->load))
    return false;
  s->part[s->nentry] = part;
  for (int i = 0; i < 6; i++) {
    const double x = load[i] / (i < 3 ? length : 1);
    s->load[s->nentry][i] = fabs(x) > present * most ? x / most : 0;
  }
  s->nentry++;
  return true;
}

bool lwi_stress_table_add(lwi_stress_table *s, int npart, const int part[], const double (*load)[6],
                          double length)
{
  double most = 0;
  if (!lwi_grow(&s->start, s->n + 1, &s->capacity[0], sizeof *s->start)) return false;
  if (s->n == 0) s->start[0] = 0;
  for (int p = 0; p < npart; p++)
    most = fmax(most, largest(load[p], length));
  for (int p = 0; p < npart; p++)
    if (largest(load[p], length) > present * most &&
        !append(s, part ? part[p] : p, load[p], length, most))
      return false;
  s->start[++s->n] = (size_t)s->nentry;
  return true;
}

void lwi_stress_table_free(lwi_stress_table *s)
{
  free(s->start);
  free(s->part);
  free(s->load);
  *s = (lwi_stress_table){0};
}

/* The first self-stress known to belong to the group of i. */
static int first_of(int first[], int i)
{
  while (first[i] != i)
    i = first[i] = first[first[i]];
  return i;
}

int lwi_stress_table_group(const lwi_stress_table *s, int npart, int group[])
{
  int *seen = malloc(((size_t)npart + (size_t)s->n + 1) * sizeof *seen), ngroup = 0;
  int *number = seen ? seen + npart : NULL;
  if (!seen) return -1;
  for (int p = 0; p < npart; p++)
    seen[p] = -1;
  for (int i = 0; i < s->n; i++) {
    group[i] = i;
    for (size_t e = s->start[i]; e < s->start[i + 1]; e++) {
      int *other = &seen[s->part[e]];
      if (*other < 0) *other = i;
      const int a = first_of(group, *other), b = first_of(group, i);
      group[a > b ? a : b] = a > b ? b : a;
    }
  }
  for (int i = 0; i < s->n; i++) {
    const int first = first_of(group, i);
    if (first == i) number[i] = ngroup++;
  }
  for (int i = s->n - 1; i >= 0; i--)
    group[i] = number[first_of(group, i)];
  free(seen);
  return ngroup;
}
