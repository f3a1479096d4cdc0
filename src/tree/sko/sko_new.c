/* SPDX-License-Identifier: Apache-2.0 */
/* sko_new.c -- the structure of an SKO model: one block of memory, measured and cut by the same
   function, and questions about it. */
#include "tree/sko/sko.h"
#include "math/finite.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* ---- memory ---- */

static void carve_numbers(lw_sko *k, lwi_carver *c)
{
  const size_t most = (size_t)k->most_rows;
  k->H = LWI_CARVE(c, k->nhinge, double);
  k->Gt = LWI_CARVE(c, k->nhinge, double);
  k->A = LWI_CARVE(c, k->nweight, double);
  k->M = LWI_CARVE(c, k->nsquare, double);
  k->P = LWI_CARVE(c, k->nsquare, double);
  k->R = LWI_CARVE(c, k->nsquare, double);
  k->Y = LWI_CARVE(c, k->nsquare, double);
  k->L = LWI_CARVE(c, k->npivot, double);
  k->a = LWI_CARVE(c, k->nrow, double);
  k->b = LWI_CARVE(c, k->nrow, double);
  k->load = LWI_CARVE(c, k->nfreedom, double);
  k->rotor = LWI_CARVE(c, k->nfreedom, double);
  k->row_p = LWI_CARVE(c, k->nrow, double);
  k->row2 = LWI_CARVE(c, k->nrow, double);
  k->free1 = LWI_CARVE(c, k->nfreedom, double);
  k->free2 = LWI_CARVE(c, k->nfreedom, double);
  k->part = LWI_CARVE(c, most, double);
  for (int i = 0; i < 3; i++)
    k->square[i] = LWI_CARVE(c, most * most, double);
}

static void sko_carve(lw_sko *k, lwi_carver *c)
{
  (void)LWI_CARVE(c, 1, lw_sko); /* the object itself comes first */
  k->node = LWI_CARVE(c, k->nnode, lwi_sko_node);
  k->place = LWI_CARVE(c, k->nfirst, int);
  k->place_row = LWI_CARVE(c, k->nfirst, int);
  k->speed = LWI_CARVE(c, k->nfreedom, int);
  k->start = LWI_CARVE(c, (size_t)k->nnode + 1, int);
  k->item = LWI_CARVE(c, k->nsource, int);
  k->inside = LWI_CARVE(c, k->nsource, int);
  k->inside_row = LWI_CARVE(c, k->nsource, int);
  k->speeds = LWI_CARVE(c, k->nspeed, double);
  carve_numbers(k, c);
}

/* ---- structure ---- */

static inline int larger(int a, int b)
{
  return a > b ? a : b;
}

/* The sizes of node v, after those before it. */
static lwi_sko_node plan_node(const lwi_sko_plan *plan, const lw_sko *k, int v)
{
  lwi_sko_node x = {.parent = plan->tree->parent[v],
                    .n = plan->n[v],
                    .r = plan->r[v],
                    .row = k->nrow,
                    .freedom = k->nfreedom,
                    .square = k->nsquare,
                    .joint_values = k->nhinge,
                    .pivot = k->npivot,
                    .weight = k->nweight};
  if (x.parent >= 0) {
    x.at = plan->at ? plan->at[v] : 0;
    x.h = plan->h ? plan->h[v] : plan->n[x.parent];
  }
  return x;
}

/* False: more numbers than memory can hold, or more rows than an int can count. */
static bool add_node(lw_sko *k, const lwi_sko_node *x)
{
  const uint64_t n = (uint64_t)x->n, r = (uint64_t)x->r, h = (uint64_t)x->h;
  if (x->n > INT_MAX - k->nrow || x->r > INT_MAX - k->nfreedom) return false;
  k->nrow += x->n;
  k->nfreedom += x->r;
  k->nsquare += n * n;
  k->nhinge += r * n;
  k->npivot += r * r;
  k->nweight += h * n;
  k->most_rows = larger(k->most_rows, x->n);
  k->most_freedoms = larger(k->most_freedoms, x->r);
  const size_t limit = SIZE_MAX / 1024;
  return k->nsquare < limit && k->nhinge < limit && k->npivot < limit && k->nweight < limit;
}

/* Scratch squares hold n x n and r x n blocks alike. */
static bool plan_sizes(const lwi_sko_plan *plan, lw_sko *k)
{
  for (int v = 0; v < k->nnode; v++) {
    const lwi_sko_node x = plan_node(plan, k, v);
    if (!add_node(k, &x)) return false;
  }
  k->most_rows = larger(k->most_rows, k->most_freedoms);
  return true;
}

static void fill_nodes(const lwi_sko_plan *plan, lw_sko *k)
{
  lw_sko count = {0};
  for (int v = 0; v < k->nnode; v++) {
    k->node[v] = plan_node(plan, &count, v);
    add_node(&count, &k->node[v]);
  }
}

static lw_sko *build(const lwi_sko_plan *plan)
{
  lw_sko k = {.tree = plan->tree,
              .nnode = plan->tree->nnode,
              .nfirst = plan->nfirst,
              .nspeed = plan->nspeed,
              .nsource = plan->nsource};
  lwi_carver c = {0};
  if (!plan_sizes(plan, &k)) return NULL;
  sko_carve(&k, &c);
  if (!lwi_carver_alloc(&c)) return NULL;
  sko_carve(&k, &c);
  fill_nodes(plan, &k);
  return memcpy(c.base, &k, sizeof k);
}

lw_sko *lwi_sko_build(const lwi_sko_plan *plan, lw_error *err)
{
  lw_sko *k = build(plan);
  if (!k) lw_tree_free(plan->tree);
  lwi_set_status(err, k ? LW_OK : LW_E_MEMORY);
  return k;
}

lw_sko *lwi_sko_build_from(lw_sko *source, lwi_sko_origin origin, lwi_sko_plan plan, lw_error *err)
{
  plan.nfirst = source->nfirst;
  plan.nspeed = source->nspeed;
  plan.nsource = source->nnode;
  lw_sko *k = lwi_sko_build(&plan, err);
  if (!k) return NULL;
  k->origin = origin;
  k->source = source;
  return k;
}

void lw_sko_free(lw_sko *k)
{
  if (!k) return;
  if (k->origin == LWI_SKO_EMBEDDED) {
    lw_sko *first = k->source->source; /* of the mechanism's tree; the source is an aggregate */
    lw_sko_free(k->source);
    lw_sko_free(first);
    free(k->embedding);
  }
  lw_tree_free(k->tree);
  free(k);
}

/* Where the source's nodes are, and which speeds the freedoms are. */
static void place_items(lw_sko *k)
{
  const lw_sko *source = k->source;
  int j = 0;
  for (int i = 0; i < k->nsource; i++)
    k->inside[i] = LW_NO_NODE;
  for (int v = 0; v < k->nnode; v++) {
    int row = k->node[v].row;
    for (int i = k->start[v]; i < k->start[v + 1]; i++) {
      const lwi_sko_node *x = &source->node[k->item[i]];
      k->inside[k->item[i]] = v;
      k->inside_row[k->item[i]] = row;
      row += x->n;
      for (int l = 0; l < x->r; l++)
        k->speed[j++] = source->speed[x->freedom + l];
    }
  }
}

void lwi_sko_inherit_maps(lw_sko *k)
{
  const lw_sko *source = k->source;
  place_items(k);
  for (int i = 0; i < k->nfirst; i++) {
    const int v = source->place[i];
    k->place[i] = v < 0 ? LW_NO_NODE : k->inside[v];
    if (k->place[i] < 0) continue;
    k->place_row[i] = k->inside_row[v] + source->place_row[i] - source->node[v].row;
  }
}

/* ---- a model of your own ---- */

static bool shape_is_valid(const lw_sko_shape *s)
{
  if (!s || s->nnode < 0) return false;
  if (s->nnode > 0 && (!s->parent || !s->nrow || !s->nfreedom)) return false;
  for (int v = 0; v < s->nnode; v++)
    if (s->nrow[v] < 0 || s->nfreedom[v] < 0) return false;
  return true;
}

lw_sko *lw_sko_new(const lw_sko_shape *s, lw_error *err)
{
  if (!shape_is_valid(s)) return lwi_refuse(err, LW_E_ARG);
  int64_t nspeed = 0;
  for (int v = 0; v < s->nnode; v++)
    nspeed += s->nfreedom[v];
  lw_tree *tree =
      nspeed > INT_MAX ? lwi_refuse(err, LW_E_MEMORY) : lw_tree_new(s->nnode, s->parent, NULL, err);
  if (!tree) return NULL;
  lw_sko *k = lwi_sko_build(
      &(lwi_sko_plan){
          .tree = tree, .n = s->nrow, .r = s->nfreedom, .nfirst = s->nnode, .nspeed = (int)nspeed},
      err);
  if (k) lwi_sko_first_maps(k);
  return k;
}

void lwi_sko_first_maps(lw_sko *k)
{
  k->has_numbers = k->origin == LWI_SKO_OWN;
  for (int v = 0; v < k->nnode; v++) {
    k->place[v] = v;
    k->place_row[v] = k->node[v].row;
  }
  for (int j = 0; j < k->nfreedom; j++)
    k->speed[j] = j;
}

/* ---- questions ---- */

int lw_sko_nnode(const lw_sko *k)
{
  if (!k) return 0;
  return k->nnode;
}
int lw_sko_nrow(const lw_sko *k)
{
  if (!k) return 0;
  return k->nrow;
}
int lw_sko_nfreedom(const lw_sko *k)
{
  if (!k) return 0;
  return k->nfreedom;
}
size_t lw_sko_nsquare(const lw_sko *k)
{
  if (!k) return 0;
  return k->nsquare;
}
const lw_tree *lw_sko_tree(const lw_sko *k)
{
  if (!k) return NULL;
  return k->tree;
}

lw_sko_node lw_sko_get_node(const lw_sko *k, int node)
{
  if (!k) return (lw_sko_node){0};
  if (node < 0 || node >= k->nnode) return (lw_sko_node){-1, -1, -1, -1, -1, SIZE_MAX};
  const lwi_sko_node *v = &k->node[node];
  return (lw_sko_node){v->parent, v->row, v->n, v->freedom, v->r, v->square};
}

int lw_sko_find_node(const lw_sko *k, int first_node, int *row)
{
  if (!k) return 0;
  const bool here = first_node >= 0 && first_node < k->nfirst && k->place[first_node] >= 0;
  if (row) *row = here ? k->place_row[first_node] : -1;
  return here ? k->place[first_node] : LW_NO_NODE;
}

const int *lw_sko_speeds(const lw_sko *k)
{
  if (!k) return NULL;
  return k->speed;
}
void lw_sko_from_speeds(const lw_sko *k, const double u[], double x[])
{
  if (!k || !u || !x) return;
  for (int j = 0; j < k->nfreedom; j++)
    x[j] = u[k->speed[j]];
}
void lw_sko_to_speeds(const lw_sko *k, const double x[], double u[])
{
  if (!k || !x || !u) return;
  for (int j = 0; j < k->nfreedom; j++)
    u[k->speed[j]] = x[j];
}

int lwi_sko_inner_freedom(const lw_sko *k, int node, int j)
{
  if (j > 0) return k->node[node].freedom + j - 1;
  int p = k->node[node].parent;
  while (p >= 0 && k->node[p].r == 0)
    p = k->node[p].parent;
  return p < 0 ? LW_NO_NODE : k->node[p].freedom + k->node[p].r - 1;
}

void lw_sko_freedom_parents(const lw_sko *k, int parent[])
{
  if (!k || !parent) return;
  for (int v = 0; v < k->nnode; v++)
    for (int j = 0; j < k->node[v].r; j++)
      parent[k->node[v].freedom + j] = lwi_sko_inner_freedom(k, v, j);
}
