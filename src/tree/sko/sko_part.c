/* SPDX-License-Identifier: Apache-2.0 */
/* sko_part.c -- some of the nodes of an SKO model as a model of their own.  [Jain2012] eqs (23),
   (25): if the set is path-induced, its A is the block of the whole A. */
#include "tree/sko/sko.h"

#include <stdlib.h>

/* sizes of the chosen nodes while the model is planned: one block */
typedef struct {
  int *number;                         /* [source nodes] in the new model, or LW_NO_NODE */
  int *item, *parent, *n, *r, *at, *h; /* [source nodes] used as far as there are nodes */
} sizes;

static sizes sizes_carve(int nsource, lwi_carver *c)
{
  return (sizes){.number = LWI_CARVE(c, nsource, int),
                 .item = LWI_CARVE(c, nsource, int),
                 .parent = LWI_CARVE(c, nsource, int),
                 .n = LWI_CARVE(c, nsource, int),
                 .r = LWI_CARVE(c, nsource, int),
                 .at = LWI_CARVE(c, nsource, int),
                 .h = LWI_CARVE(c, nsource, int)};
}

static int fill_sizes(const lw_sko *source, const unsigned char set[], const sizes *s)
{
  int count = 0;
  for (int v = 0; v < source->nnode; v++)
    s->number[v] = set[v] ? count++ : LW_NO_NODE;
  for (int v = 0; v < source->nnode; v++) {
    const lwi_sko_node *x = &source->node[v];
    const int i = s->number[v];
    if (i < 0) continue;
    s->item[i] = v;
    s->parent[i] = x->parent < 0 ? LW_NO_NODE : s->number[x->parent];
    s->n[i] = x->n;
    s->r[i] = x->r;
    s->at[i] = x->at;
    s->h[i] = x->h;
  }
  return count;
}

static lw_sko *build_part(lw_sko *source, int count, const sizes *s, lw_error *err)
{
  lw_tree *tree = lw_tree_new(count, s->parent, NULL, err);
  if (!tree) return NULL;
  const lwi_sko_plan plan = {.tree = tree, .n = s->n, .r = s->r, .at = s->at, .h = s->h};
  lw_sko *k = lwi_sko_build_from(source, LWI_SKO_PART, plan, err);
  if (!k) return NULL;
  for (int i = 0; i < count; i++)
    k->item[i] = s->item[i];
  for (int i = 0; i <= count; i++)
    k->start[i] = i;
  lwi_sko_inherit_maps(k);
  if (source->has_numbers) lw_sko_refresh(k);
  return k;
}

lw_sko *lw_sko_restrict(lw_sko *source, const unsigned char set[], lw_error *err)
{
  if (!source || !set || !lw_tree_is_path_induced(source->tree, set))
    return lwi_refuse(err, LW_E_ARG);
  lwi_carver c = {0};
  sizes_carve(source->nnode, &c);
  if (!lwi_carver_alloc(&c)) return lwi_refuse(err, LW_E_MEMORY);
  const sizes s = sizes_carve(source->nnode, &c);
  lw_sko *k = build_part(source, fill_sizes(source, set, &s), &s, err);
  free(c.base);
  return k;
}

void lwi_sko_refresh_part(lw_sko *k)
{
  const lw_sko *s = k->source;
  for (int i = 0; i < k->nnode; i++) {
    const lwi_sko_node *v = &k->node[i], *x = &s->node[k->item[i]];
    lwi_sko_copy(lwi_sko_H(k, v), lwi_sko_H(s, x), lwi_sko_area(v->r, v->n));
    lwi_sko_copy(k->M + v->square, s->M + x->square, lwi_sko_area(v->n, v->n));
    lwi_sko_copy(lwi_sko_A(k, v), lwi_sko_A(s, x), lwi_sko_area(v->h, v->n));
    lwi_sko_copy(k->a + v->row, s->a + x->row, (size_t)v->n);
    lwi_sko_copy(k->b + v->row, s->b + x->row, (size_t)v->n);
    lwi_sko_copy(k->load + v->freedom, s->load + x->freedom, (size_t)v->r);
    lwi_sko_copy(k->rotor + v->freedom, s->rotor + x->freedom, (size_t)v->r);
  }
}
