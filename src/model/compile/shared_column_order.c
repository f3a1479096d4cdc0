/* SPDX-License-Identifier: Apache-2.0 */
/* shared_column_order.c -- reverse Cuthill-McKee numbering of items that share columns
   (shared_column_order.h): breadth-first searches over the bipartite graph of items and columns. */
#include "model/compile/shared_column_order.h"

typedef struct {
  const lwi_incidence *x;
  int *first, *item;     /* [ncolumn + 1], [start[n]]: the items of each column */
  int *met, *column_met; /* [n], [ncolumn] the last search that reached it */
  int *done;             /* [n] */
  int search;
} search_data;

static void transpose(search_data *f)
{
  const lwi_incidence *x = f->x;
  for (int i = 0; i < x->start[x->n]; i++)
    f->first[x->column[i]]++;
  for (int k = 0; k < x->ncolumn; k++)
    f->first[k + 1] += f->first[k]; /* the ends; filling backwards makes them beginnings */
  for (int i = x->n - 1; i >= 0; i--)
    for (int e = x->start[i]; e < x->start[i + 1]; e++)
      f->item[--f->first[x->column[e]]] = i;
}

/* breadth-first search; returns the number of items reached */
static int spread(search_data *f, int from, int *queue)
{
  const lwi_incidence *x = f->x;
  int n = 1;
  f->search++;
  queue[0] = from;
  f->met[from] = f->search;
  for (int k = 0; k < n; k++)
    for (int e = x->start[queue[k]]; e < x->start[queue[k] + 1]; e++) {
      const int column = x->column[e];
      if (f->column_met[column] == f->search) continue;
      f->column_met[column] = f->search;
      for (int t = f->first[column]; t < f->first[column + 1]; t++)
        if (f->met[f->item[t]] != f->search) {
          f->met[f->item[t]] = f->search;
          queue[n++] = f->item[t];
        }
    }
  return n;
}

void lwi_order_near(const lwi_incidence *x, int order[], int *scratch)
{
  search_data f = {.x = x, .first = scratch};
  f.item = f.first + x->ncolumn + 1;
  f.met = f.item + x->start[x->n];
  f.column_met = f.met + x->n;
  f.done = f.column_met + x->ncolumn;
  int at = 0;
  transpose(&f);
  for (int i = 0; i < x->n; i++) {
    if (f.done[i]) continue;
    int n = spread(&f, i, order + at);
    n = spread(&f, order[at + n - 1], order + at); /* again from the far end */
    for (int k = at; k < at + n; k++)
      f.done[order[k]] = 1;
    at += n;
  }
  for (int i = 0, j = x->n - 1; i < j; i++, j--) {
    const int t = order[i];
    order[i] = order[j];
    order[j] = t;
  }
}
