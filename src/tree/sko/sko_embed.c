/* SPDX-License-Identifier: Apache-2.0 */
/* sko_embed.c -- constraint embedding: an SKO model whose nodes move by fewer freedoms than those
   of its source, H = X* H_s, a = a_s + H_s* x0.  [Jain2012b] */
#include "tree/sko/sko.h"

#include <stdlib.h>

static int count_rotors(const lw_sko *source, const lwi_sko_embedding *e, int v)
{
  int n = 0;
  for (int j = 0; j < source->node[v].r; j++)
    n += e->rotor[source->node[v].freedom + j] >= 0;
  return n;
}

/* Nodes are those of the source. */
static void copy_maps(lw_sko *k)
{
  const lw_sko *s = k->source;
  int n = 0;
  for (int v = 0; v < k->nnode; v++) {
    k->start[v] = k->item[v] = k->inside[v] = v;
    k->inside_row[v] = k->node[v].row;
    for (int j = 0; j < s->node[v].r; j++)
      if (k->embedding->is_free[s->node[v].freedom + j])
        k->speed[n++] = s->speed[s->node[v].freedom + j];
  }
  k->start[k->nnode] = k->nnode;
  for (int i = 0; i < k->nfirst; i++) {
    const int v = s->place[i];
    k->place[i] = v;
    if (v >= 0) k->place_row[i] = k->node[v].row + s->place_row[i] - s->node[v].row;
  }
}

lw_sko *lwi_sko_embed(lw_sko *source, lwi_sko_embedding *make, const int nfreedom[], lw_error *err)
{
  const int nnode = source->nnode;
  int *parent = (int *)lwi_graph_alloc(4 * ((size_t)nnode + 1) * sizeof *parent);
  lw_sko *k = NULL;
  if (parent) {
    int *n = parent + nnode, *at = n + nnode, *h = at + nnode;
    for (int v = 0; v < nnode; v++) {
      const lwi_sko_node *x = &source->node[v];
      parent[v] = x->parent < 0 ? LW_NO_NODE : x->parent;
      n[v] = x->n + count_rotors(source, make, v);
      at[v] = x->at;
      h[v] = x->h;
    }
    lw_tree *tree = lw_tree_new(nnode, parent, NULL, err);
    const lwi_sko_plan plan = {.tree = tree, .n = n, .r = nfreedom, .at = at, .h = h};
    k = tree ? lwi_sko_build_from(source, LWI_SKO_EMBEDDED, plan, err) : NULL;
  } else
    lwi_set_status(err, LW_E_MEMORY);
  free(parent);
  if (k) {
    k->embedding = make;
    copy_maps(k);
    return k;
  }
  lw_sko *first = source->source;
  lw_sko_free(source);
  lw_sko_free(first);
  free(make);
  return NULL;
}

/* H, and the rows of rotors */
static void embed_joint(lw_sko *k, int node)
{
  const lw_sko *s = k->source;
  const lwi_sko_node *v = &k->node[node], *x = &s->node[node];
  const double *X = k->embedding->X + k->embedding->at[node], *H = lwi_sko_H(s, x);
  double *to = lwi_sko_H(k, v);
  lwi_sko_zero(to, lwi_sko_area(v->r, v->n));
  for (int l = 0; l < x->r; l++) {
    const int rotor = k->embedding->rotor[x->freedom + l];
    for (int j = 0; j < v->r; j++) {
      const double part = X[l * v->r + j];
      for (int i = 0; i < x->n && part != 0; i++)
        to[lwi_sko_area(j, v->n) + (size_t)i] += part * H[lwi_sko_area(l, x->n) + (size_t)i];
      if (rotor >= 0) to[lwi_sko_area(j, v->n) + (size_t)(x->n + rotor)] = part;
    }
  }
}

static void embed_terms(lw_sko *k, int node)
{
  const lw_sko *s = k->source;
  const lwi_sko_embedding *e = k->embedding;
  const lwi_sko_node *v = &k->node[node], *x = &s->node[node];
  const double *X = e->X + e->at[node], *H = lwi_sko_H(s, x);
  lwi_sko_copy(k->a + v->row, s->a + x->row, (size_t)x->n);
  lwi_sko_zero(k->b + v->row, (size_t)v->n);
  lwi_sko_copy(k->b + v->row, s->b + x->row, (size_t)x->n);
  lwi_sko_zero(k->load + v->freedom, (size_t)v->r);
  lwi_sko_zero(k->rotor + v->freedom, (size_t)v->r);
  for (int l = 0; l < x->r; l++) {
    const double x0 = e->x0[x->freedom + l];
    const int rotor = e->rotor[x->freedom + l];
    for (int i = 0; i < x->n; i++)
      k->a[v->row + i] += x0 * H[lwi_sko_area(l, x->n) + (size_t)i];
    for (int j = 0; j < v->r; j++)
      k->load[v->freedom + j] += X[l * v->r + j] * s->load[x->freedom + l];
    if (rotor >= 0) {
      const size_t at = (size_t)(x->n + rotor);
      k->a[v->row + (int)at] = x0;
      k->M[v->square + at * (size_t)v->n + at] = s->rotor[x->freedom + l];
    } else if (!e->constrained[node])
      k->rotor[v->freedom + l] = s->rotor[x->freedom + l];
  }
}

void lwi_sko_refresh_embedded(lw_sko *k)
{
  const lw_sko *s = k->source;
  lwi_sko_zero(k->M, k->nsquare);
  lwi_sko_zero(k->A, k->nweight);
  for (int node = 0; node < k->nnode; node++) {
    const lwi_sko_node *v = &k->node[node], *x = &s->node[node];
    for (int i = 0; i < x->n; i++)
      lwi_sko_copy(k->M + v->square + lwi_sko_area(i, v->n),
                   s->M + x->square + lwi_sko_area(i, x->n), (size_t)x->n);
    for (int i = 0; i < v->h; i++)
      lwi_sko_copy(lwi_sko_A(k, v) + lwi_sko_area(i, v->n), lwi_sko_A(s, x) + lwi_sko_area(i, x->n),
                   (size_t)x->n);
    embed_joint(k, node);
    embed_terms(k, node);
  }
}

/* ---- speeds and loads of the mechanism ---- */

/* The embedded model that k is or was made from; NULL: none. */
static const lw_sko *embedded_of(const lw_sko *k)
{
  while (k && k->origin != LWI_SKO_EMBEDDED)
    k = k->source;
  return k;
}

lw_status lw_sko_project_loads(const lw_sko *k, const double tau[], double x[])
{
  if (!k || !tau || !x) return LW_E_ARG;
  const lw_sko *e = embedded_of(k);
  if (!e) {
    lw_sko_from_speeds(k, tau, x);
    return LW_OK;
  }
  if (!e->has_numbers) return LW_E_STAGE;
  double *y = e->free1; /* loads on its freedoms; then those of k, by their speeds */
  const lw_sko *s = e->source;
  lwi_sko_zero(y, (size_t)e->nfreedom);
  for (int node = 0; node < e->nnode; node++) {
    const lwi_sko_node *v = &e->node[node], *from = &s->node[node];
    const double *X = e->embedding->X + e->embedding->at[node];
    for (int l = 0; l < from->r; l++)
      for (int j = 0; j < v->r; j++)
        y[v->freedom + j] += X[l * v->r + j] * tau[s->speed[from->freedom + l]];
  }
  lwi_sko_zero(e->speeds, (size_t)e->nspeed);
  lw_sko_to_speeds(e, y, e->speeds);
  lw_sko_from_speeds(k, e->speeds, x);
  return LW_OK;
}

lw_status lw_sko_expand_speeds(const lw_sko *k, const double x[], double u[])
{
  if (!k || !x || !u) return LW_E_ARG;
  const lw_sko *e = embedded_of(k);
  if (!e) {
    lwi_sko_zero(u, (size_t)k->nspeed);
    lw_sko_to_speeds(k, x, u);
    return LW_OK;
  }
  if (!e->has_numbers) return LW_E_STAGE;
  const lw_sko *s = e->source;
  lwi_sko_zero(e->speeds, (size_t)e->nspeed);
  lw_sko_to_speeds(k, x, e->speeds);
  lw_sko_from_speeds(e, e->speeds, e->free1);
  lwi_sko_zero(u, (size_t)e->nspeed);
  for (int node = 0; node < e->nnode; node++) {
    const lwi_sko_node *v = &e->node[node], *from = &s->node[node];
    const double *X = e->embedding->X + e->embedding->at[node];
    for (int l = 0; l < from->r; l++)
      for (int j = 0; j < v->r; j++)
        u[s->speed[from->freedom + l]] += X[l * v->r + j] * e->free1[v->freedom + j];
  }
  return LW_OK;
}
