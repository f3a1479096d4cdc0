/* SPDX-License-Identifier: Apache-2.0 */
/* order_minimum_degree.c -- approximate minimum degree ([Amestoy1996]).

   The graph after some eliminations is kept as a quotient graph: an eliminated node becomes an
   element, the clique of its neighbours at that time, which absorbs the elements it touches.  A
   node has a list of elements and of neighbours not yet covered by them.  Its degree is bounded
   from above by the sizes of its elements outside the newest one.  Nodes that can no longer be told
   apart merge; nodes are counted with their weights. */
#include "graph/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

typedef struct {
  int n;
  int *at, *len,
      *nelement; /* [n] list of a node: nelement elements, then nodes; of an element: nodes */
  int *weight;   /* [n] of a node with those merged into it; 0: merged, element or gone */
  int *degree;   /* [n] of a node: bound; of an element: weight of its nodes */
  int *mark;     /* [n] of an element: stamp + weight outside the newest element; 0: dead */
  int *head, *next, *prev; /* nodes by degree */
  int *hash_head, *hash_next;
  int *hash;          /* [n] */
  int *merged, *last; /* [n] chain of nodes that go with this one; its end */
  int *item, *spare, nitem, capacity;
  int *scratch; /* [n] */
  int *seen, stamp, token;
  int lowest, left; /* weight not yet eliminated */
} quotient;

/* ---- lists by degree ---- */

static void list(quotient *q, int v)
{
  const int d = q->degree[v];
  q->next[v] = q->head[d];
  q->prev[v] = NONE;
  if (q->head[d] != NONE) q->prev[q->head[d]] = v;
  q->head[d] = v;
  if (d < q->lowest) q->lowest = d;
}

static void unlist(quotient *q, int v)
{
  if (q->prev[v] != NONE)
    q->next[q->prev[v]] = q->next[v];
  else
    q->head[q->degree[v]] = q->next[v];
  if (q->next[v] != NONE) q->prev[q->next[v]] = q->prev[v];
}

/* ---- memory: live lists are compacted when the memory is used up ---- */

static void collect(quotient *q)
{
  int top = 0;
  for (int v = 0; v < q->n; v++) {
    if (q->len[v] == 0) continue;
    memcpy(q->spare + top, q->item + q->at[v], (size_t)q->len[v] * sizeof(int));
    q->at[v] = top;
    top += q->len[v];
  }
  int *const t = q->item;
  q->item = q->spare;
  q->spare = t;
  q->nitem = top;
}

/* ---- one elimination ---- */

static void merge(quotient *q, int into, int v)
{
  q->merged[q->last[into]] = v;
  q->last[into] = q->last[v];
  q->weight[v] = 0;
  q->len[v] = 0;
}

static int take_into_element(quotient *q, int v, int *n)
{
  if (q->weight[v] <= 0 || q->seen[v] == q->stamp) return 0;
  q->seen[v] = q->stamp;
  unlist(q, v);
  q->scratch[(*n)++] = v;
  return q->weight[v];
}

/* The element of node p: its neighbours and the nodes of its elements, which it absorbs. */
static int form_element(quotient *q, int p)
{
  int n = 0, weight = 0;
  const int own = q->weight[p];
  q->weight[p] = 0;
  q->stamp++;
  for (int k = 0; k < q->len[p]; k++) {
    const int x = q->item[q->at[p] + k];
    if (k >= q->nelement[p]) {
      weight += take_into_element(q, x, &n);
      continue;
    }
    for (int i = 0; i < q->len[x]; i++)
      weight += take_into_element(q, q->item[q->at[x] + i], &n);
    q->len[x] = 0;
    q->mark[x] = 0;
  }
  q->left -= own;
  q->len[p] = 0; /* the old list may be overwritten */
  if (q->nitem + n > q->capacity) collect(q);
  q->at[p] = q->nitem;
  q->len[p] = n;
  q->nitem += n;
  memcpy(q->item + q->at[p], q->scratch, (size_t)n * sizeof(int));
  return weight;
}

/* mark[e] - token becomes the weight of e outside the new element */
static void measure_elements(quotient *q, int p, int token)
{
  for (int k = 0; k < q->len[p]; k++) {
    const int v = q->item[q->at[p] + k];
    for (int i = 0; i < q->nelement[v]; i++) {
      const int e = q->item[q->at[v] + i];
      if (q->mark[e] == 0) continue;
      if (q->mark[e] < token) q->mark[e] = q->degree[e] + token;
      q->mark[e] -= q->weight[v];
    }
  }
}

/* Rewrites the lists of a node of the new element p; returns its degree outside p. */
static int shorten_lists(quotient *q, int v, int p, int token)
{
  int *list_of = q->item + q->at[v], *kept = q->scratch;
  int n = 0, degree = 0;
  unsigned hash = 0;
  kept[n++] = p;
  for (int i = 0; i < q->nelement[v]; i++) {
    const int e = list_of[i];
    if (q->mark[e] == 0) continue;
    if (q->mark[e] == token) { /* nothing outside p: absorbed too */
      q->mark[e] = 0;
      q->len[e] = 0;
      continue;
    }
    degree += q->mark[e] - token;
    kept[n++] = e;
    hash += (unsigned)e;
  }
  const int nelement = n;
  for (int i = q->nelement[v]; i < q->len[v]; i++) {
    const int w = list_of[i];
    if (q->weight[w] <= 0 || q->seen[w] == q->stamp) continue;
    degree += q->weight[w];
    kept[n++] = w;
    hash += (unsigned)w;
  }
  /* p takes the place of a node or element that it covers, so that the list never grows */
  memcpy(list_of, kept, (size_t)n * sizeof(int));
  q->len[v] = n;
  q->nelement[v] = nelement;
  q->hash[v] = (int)(hash % (unsigned)q->n);
  return degree;
}

static bool same_lists(const quotient *q, int v, int w, int token)
{
  if (q->len[v] != q->len[w] || q->nelement[v] != q->nelement[w]) return false;
  for (int i = 1; i < q->len[w]; i++) /* the first is the new element in both */
    if (q->hash_next[q->n + q->item[q->at[w] + i]] != token) return false;
  return true;
}

/* Merges the nodes of p that have become the same. */
static void merge_same(quotient *q, int p)
{
  int *const met = q->hash_next + q->n;
  for (int k = 0; k < q->len[p]; k++) {
    int v = q->item[q->at[p] + k];
    if (q->weight[v] == 0) continue;
    const int h = q->hash[v];
    v = q->hash_head[h];
    q->hash_head[h] = NONE;
    for (; v != NONE && q->hash_next[v] != NONE; v = q->hash_next[v]) {
      q->token++;
      for (int i = 1; i < q->len[v]; i++)
        met[q->item[q->at[v] + i]] = q->token;
      for (int before = v, w = q->hash_next[v]; w != NONE; w = q->hash_next[w])
        if (same_lists(q, v, w, q->token)) {
          q->weight[v] += q->weight[w];
          merge(q, v, w);
          q->hash_next[before] = q->hash_next[w];
        } else {
          before = w;
        }
    }
  }
}

static void update_nodes(quotient *q, int p, int token)
{
  for (int k = 0; k < q->len[p]; k++) {
    const int v = q->item[q->at[p] + k];
    const int outside = shorten_lists(q, v, p, token);
    if (outside == 0) { /* no neighbours but those of p: goes with it */
      q->degree[p] -= q->weight[v];
      q->left -= q->weight[v];
      merge(q, p, v);
      continue;
    }
    if (outside < q->degree[v]) q->degree[v] = outside;
    q->hash_next[v] = q->hash_head[q->hash[v]];
    q->hash_head[q->hash[v]] = v;
  }
}

static void finish_element(quotient *q, int p)
{
  int n = 0;
  for (int k = 0; k < q->len[p]; k++) {
    const int v = q->item[q->at[p] + k];
    if (q->weight[v] == 0) continue;
    const int inside = q->degree[p] - q->weight[v], most = q->left - q->weight[v];
    q->degree[v] += inside;
    if (q->degree[v] > most) q->degree[v] = most;
    list(q, v);
    q->item[q->at[p] + n++] = v;
  }
  q->len[p] = n;
}

/* Marks start anew before they overflow. */
static int fresh_token(quotient *q, int token)
{
  if (token < 1 << 30) return token;
  for (int v = 0; v < q->n; v++)
    if (q->mark[v] != 0) q->mark[v] = 1;
  return 2;
}

static void eliminate(quotient *q, int order[])
{
  int token = 2, largest = 0;
  for (int n = 0; q->left > 0;) {
    while (q->head[q->lowest] == NONE)
      q->lowest++;
    const int p = q->head[q->lowest];
    unlist(q, p);
    q->degree[p] = form_element(q, p);
    if (q->degree[p] > largest) largest = q->degree[p];
    token = fresh_token(q, token + largest + 1);
    measure_elements(q, p, token);
    update_nodes(q, p, token);
    merge_same(q, p);
    finish_element(q, p);
    q->mark[p] = 1;
    for (int v = p; v != NONE; v = q->merged[v])
      order[n++] = v;
  }
}

/* ---- the start ---- */

/* Weights enter where they are small; they only guide. */
static int copy_weights(const lwi_adjacency *g, int *weight)
{
  int64_t total = 0;
  for (int v = 0; v < g->n; v++)
    total += g->weight[v];
  const bool use = total <= 16 * (int64_t)g->n && total < (1 << 28);
  for (int v = 0; v < g->n; v++)
    weight[v] = use ? g->weight[v] : 1;
  return use ? (int)total : g->n;
}

/* A node with very many neighbours makes every step slow and belongs to the end anyway. */
static bool is_dense(const lwi_adjacency *g, int v)
{
  return lwi_degree(g, v) > 16 && lwi_degree(g, v) > 10 * sqrt((double)g->n);
}

static void start(quotient *q, const lwi_adjacency *g, int order[])
{
  int ndense = 0;
  for (int v = 0; v < g->n; v++) {
    q->merged[v] = q->hash_head[v] = NONE;
    q->last[v] = v;
    q->at[v] = g->start[v];
    if (!is_dense(g, v)) continue;
    q->left -= q->weight[v];
    q->weight[v] = 0;
    order[g->n - ++ndense] = v;
  }
  q->nitem = g->start[g->n];
  memcpy(q->item, g->neighbour, (size_t)q->nitem * sizeof(int));
  for (int v = 0; v < g->n; v++) {
    if (q->weight[v] == 0) continue;
    q->len[v] = lwi_degree(g, v);
    for (int i = g->start[v]; i < g->start[v + 1]; i++)
      q->degree[v] += q->weight[g->neighbour[i]];
    list(q, v);
  }
}

bool lwi_order_minimum_degree(const lwi_adjacency *g, int order[])
{
  const size_t n = (size_t)g->n, nend = (size_t)g->start[n];
  quotient q = {.n = g->n, .capacity = (int)(nend + nend / 2 + n)};
  int *scratch = calloc(17 * n, sizeof *scratch);
  q.item = malloc((2 * (size_t)q.capacity + 1) * sizeof *q.item);
  int *const items = q.item;
  if (scratch && items) q.weight = scratch;
  const int total = q.weight ? copy_weights(g, q.weight) : 0;
  q.head = q.weight ? malloc(((size_t)total + 1) * sizeof *q.head) : NULL;
  const bool memory = q.head != NULL;
  if (memory) {
    int **const arrays[] = {&q.at,   &q.len,       &q.nelement, &q.degree, &q.mark,
                            &q.next, &q.prev,      &q.hash,     &q.merged, &q.last,
                            &q.seen, &q.hash_head, &q.scratch};
    int *at = scratch + n;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++, at += n)
      *arrays[i] = at;
    q.hash_next = at; /* [2 n]: the second half belongs to merge_same */
    q.spare = q.item + q.capacity;
    q.left = q.lowest = total;
    for (int d = 0; d <= total; d++)
      q.head[d] = NONE;
    start(&q, g, order);
    eliminate(&q, order);
  }
  free(scratch);
  free(items);
  free(q.head);
  return memory;
}
