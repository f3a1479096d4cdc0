/* SPDX-License-Identifier: Apache-2.0 */
/* partition.c -- inspect --partition: children, set and parents of the model, the blocks of E, A
   and the mass matrix that belong to them.  [Jain2012] eqs 22 to 27. */
#include "inspect.h"
#include "linkwork/sko.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const part_names[] = {"children", "set", "parents"};

/* What is found; bodies that loops couple are one node and stay together. */
typedef struct {
  lw_sko *k;
  lw_sko_partition *p;
  unsigned char *set, *outer; /* [nnode] closed along paths; with its children */
  bool closed;                /* nodes between those of the set were added to it */
  int n;                      /* freedoms */
  double E[3][3], A[3][3];    /* largest entries of blocks */
  double mass, outer_mass;    /* largest entry of the mass matrix; of its difference ... */
  double coupling;            /* ... to the blocks of eqs 26, 27 */
} division;

static double largest(const double x[], size_t n)
{
  double most = 0;
  for (size_t i = 0; i < n; i++)
    most = fmax(most, fabs(x[i]));
  return most;
}

/* ---- blocks ---- */

static lw_status measure_blocks(division *d, double *x, double *y)
{
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      const lw_part row = (lw_part)r, column = (lw_part)c;
      const int n = lw_sko_nrow(lw_sko_partition_part(d->p, column));
      const int m = lw_sko_nrow(lw_sko_partition_part(d->p, row));
      for (int i = 0; i < n; i++) {
        memset(x, 0, (size_t)n * sizeof *x);
        x[i] = 1;
        lw_status status = lw_sko_partition_apply(d->p, LW_SKO_E, row, column, x, y);
        if (status != LW_OK) return status;
        d->E[r][c] = fmax(d->E[r][c], largest(y, (size_t)m));
        status = lw_sko_partition_apply(d->p, LW_SKO_A, row, column, x, y);
        if (status != LW_OK) return status;
        d->A[r][c] = fmax(d->A[r][c], largest(y, (size_t)m));
      }
    }
  return LW_OK;
}

/* Places of the freedoms of a part among those of the whole. */
static int list_freedoms(const division *d, bool outer, int place[])
{
  int n = 0;
  for (int v = 0; v < lw_sko_nnode(d->k); v++) {
    const lw_sko_node x = lw_sko_get_node(d->k, v);
    for (int j = 0; j < x.nfreedom && (bool)d->outer[v] == outer; j++)
      place[n++] = x.freedom + j;
  }
  return n;
}

static double compare(const double *whole, int n, const double *part, const int row[], int nrow,
                      const int column[], int ncolumn)
{
  double worst = 0;
  for (int i = 0; i < nrow; i++)
    for (int j = 0; j < ncolumn; j++)
      worst = fmax(worst, fabs(whole[row[i] * n + column[j]] - part[i * ncolumn + j]));
  return worst;
}

/* The outer block of the mass matrix is that of the outer part alone; the others are eqs 26, 27. */
static lw_status compare_masses(division *d, double *mass, double *part, double *X, double *Y,
                                int *place)
{
  const int n = d->n;
  int *inner = place + n;
  const int nouter = list_freedoms(d, true, place), ninner = list_freedoms(d, false, inner);
  lw_error err = {0};
  lw_sko_partition *o = lw_sko_partition_new(d->k, d->outer, &err);
  if (!o) return err.status;
  lw_status status = lw_sko_partition_refresh(o);
  if (status == LW_OK) status = lw_sko_mass_matrix(d->k, mass);
  if (status == LW_OK && nouter)
    status = lw_sko_mass_matrix(lw_sko_partition_part(o, LW_PART_SET), part);
  d->mass = largest(mass, (size_t)n * (size_t)n);
  if (status == LW_OK) d->outer_mass = compare(mass, n, part, place, nouter, place, nouter);
  if (status == LW_OK && ninner) {
    status = lw_sko_partition_coupling(o, X, Y);
    if (status == LW_OK)
      status = lw_sko_mass_matrix(lw_sko_partition_part(o, LW_PART_PARENT), part);
    for (int i = 0; i < ninner * ninner && status == LW_OK; i++)
      part[i] += Y[i];
    if (status == LW_OK)
      d->coupling = fmax(compare(mass, n, X, place, nouter, inner, ninner),
                         compare(mass, n, part, inner, ninner, inner, ninner));
  }
  lw_sko_partition_free(o);
  return status;
}

static lw_status measure(division *d)
{
  const size_t n = (size_t)d->n, rows = (size_t)lw_sko_nrow(d->k) + 1;
  double *block = calloc(4 * n * n + 2 * rows + 1, sizeof *block);
  int *place = calloc(2 * n + 1, sizeof *place);
  lw_status status = block && place ? LW_OK : LW_E_MEMORY;
  if (status == LW_OK) status = measure_blocks(d, block, block + rows);
  if (status == LW_OK)
    status = compare_masses(d, block, block + n * n, block + 2 * n * n, block + 3 * n * n, place);
  free(block);
  free(place);
  return status;
}

/* ---- the question ---- */

static bool find_sets(division *d, const inspection *s)
{
  const int nnode = lw_sko_nnode(d->k);
  const lw_tree *t = lw_sko_tree(d->k);
  unsigned char *asked = calloc((size_t)nnode + 1, 1), *part = calloc((size_t)nnode + 1, 1);
  d->set = calloc((size_t)nnode + 1, 1);
  d->outer = calloc((size_t)nnode + 1, 1);
  const bool memory = asked && part && d->set && d->outer;
  for (int b = 1; b <= lw_nbody(s->m) && memory; b++) {
    const int v = lw_sko_find_body(d->k, (lw_body){b}, NULL);
    if (s->partition[b - 1] && v >= 0) asked[v] = 1;
  }
  if (memory) {
    lw_tree_path_closure(t, asked, d->set);
    d->closed = memcmp(asked, d->set, (size_t)nnode) != 0;
    lw_tree_partition(t, d->set, part);
    for (int v = 0; v < nnode; v++)
      d->outer[v] = part[v] != LW_PART_PARENT;
  }
  free(asked);
  free(part);
  return memory;
}

static lw_status divide(division *d, const inspection *s)
{
  lw_error err = {0};
  lw_work *w = lw_work_new(s->m);
  double *q = calloc((size_t)lw_nq(s->m) + (size_t)lw_nu(s->m) + 1, sizeof *q);
  double *u = q ? q + lw_nq(s->m) : NULL;
  lw_status status = w && q ? LW_OK : LW_E_MEMORY;
  if (status == LW_OK) {
    lw_initial_state(s->m, q, u);
    status = lw_close_loops(w, 0, q, u, NULL);
  }
  if (status == LW_OK) {
    d->k = lw_sko_from_closed(w, 0, q, &err);
    status = d->k ? lw_sko_update_with_forces(d->k, w, 0, q, u) : err.status;
  }
  if (status == LW_OK) {
    d->n = lw_sko_nfreedom(d->k);
    status = find_sets(d, s) ? LW_OK : LW_E_MEMORY;
  }
  if (status == LW_OK) {
    d->p = lw_sko_partition_new(d->k, d->set, &err);
    status = d->p ? lw_sko_partition_refresh(d->p) : err.status;
  }
  if (status == LW_OK) status = measure(d);
  lw_work_free(w);
  free(q);
  return status;
}

static lw_part part_of(const division *d, int node)
{
  return d->set[node] ? LW_PART_SET : d->outer[node] ? LW_PART_CHILD : LW_PART_PARENT;
}

static void print_division(const inspection *s, const division *d)
{
  for (int part = 0; part < 3; part++) {
    int shown = 0;
    printf("%-9s", part_names[part]);
    for (int b = 1; b <= lw_nbody(s->m); b++) {
      const int v = lw_sko_find_body(d->k, (lw_body){b}, NULL);
      if (v >= 0 && (int)part_of(d, v) == part)
        printf("%s %s", shown++ ? "," : "", show(lw_body_name(s->m, (lw_body){b})).text);
    }
    printf("%s\n", shown ? "" : " none");
  }
  if (d->closed) printf("         (bodies on paths between those of the set were added to it)\n");
  for (int op = 0; op < 2; op++) {
    printf("\nlargest entries of the blocks of %s\n%10s", op ? "A = (I - E)^-1" : "E", "");
    for (int c = 0; c < 3; c++)
      printf(" %10s", part_names[c]);
    for (int r = 0; r < 3; r++) {
      printf("\n%10s", part_names[r]);
      for (int c = 0; c < 3; c++)
        printf(" %10.4g", op ? d->A[r][c] : d->E[r][c]);
    }
    printf("\n");
  }
  printf("\nmass matrix: largest entry %.6g\n"
         "  its block of set and children differs from the mass matrix of these alone by %.3g\n"
         "  the other blocks differ from X and Mass_parents + Y by %.3g\n",
         d->mass, d->outer_mass, d->coupling);
}

static void json_division(json *j, const inspection *s, const division *d)
{
  json_object(j, "partition");
  for (int part = 0; part < 3; part++) {
    json_list(j, part_names[part]);
    for (int b = 1; b <= lw_nbody(s->m); b++) {
      const int v = lw_sko_find_body(d->k, (lw_body){b}, NULL);
      if (v >= 0 && (int)part_of(d, v) == part) json_name(j, lw_body_name(s->m, (lw_body){b}), 0);
    }
    json_list_end(j);
  }
  for (int op = 0; op < 2; op++) {
    json_list(j, op ? "A" : "E");
    for (int r = 0; r < 3; r++)
      json_numbers(j, NULL, op ? d->A[r] : d->E[r], 3);
    json_list_end(j);
  }
  json_number(j, "mass", d->mass);
  json_number(j, "outer_mass_difference", d->outer_mass);
  json_number(j, "coupling_difference", d->coupling);
  json_object_end(j);
}

lw_status show_partition(const inspection *s, json *j)
{
  division d = {0};
  const lw_status status = divide(&d, s);
  if (status == LW_OK && j)
    json_division(j, s, &d);
  else if (status == LW_OK)
    print_division(s, &d);
  lw_sko_partition_free(d.p);
  lw_sko_free(d.k);
  free(d.set);
  free(d.outer);
  return status;
}
