/* SPDX-License-Identifier: Apache-2.0 */
/* classify.c -- what kind of graph it is.  [Jain2012] section 2.1, definitions 1 to 7, with loops
   counted with directions ignored (see lw_graph_class). */
#include "graph/digraph.h"

/* Appends to the queue the far ends of a node's edges that no component has yet. */
static int visit(lw_graph *g, const lwi_csr *c, const int far[], int v, int *queue, int last)
{
  for (int i = c->start[v]; i < c->start[v + 1]; i++)
    if (g->component[far[i]] < 0) {
      g->component[far[i]] = g->component[v];
      queue[last++] = far[i];
    }
  return last;
}

/* Weak components by breadth-first search with directions ignored. */
static int find_components(lw_graph *g, int *queue)
{
  int ncomponent = 0, last = 0;
  for (int v = 0; v < g->nnode; v++)
    g->component[v] = -1;
  for (int s = 0; s < g->nnode; s++) {
    if (g->component[s] >= 0) continue;
    g->component[s] = ncomponent++;
    int first = last;
    for (queue[last++] = s; first < last; first++) {
      last = visit(g, &g->out, g->child, queue[first], queue, last);
      last = visit(g, &g->in, g->parent, queue[first], queue, last);
    }
  }
  return ncomponent;
}

static void find_roots_and_leaves(lw_graph *g)
{
  for (int v = 0; v < g->nnode; v++) {
    if (g->in.start[v] == g->in.start[v + 1]) g->root[g->kind.nroot++] = v;
    if (g->out.start[v] == g->out.start[v + 1]) g->leaf[g->kind.nleaf++] = v;
  }
}

/* Removes roots until none is left; a directed cycle is what remains (Kahn). */
static bool is_acyclic(const lw_graph *g, int *queue, int *parents_left)
{
  int last = 0;
  for (int v = 0; v < g->nnode; v++) {
    parents_left[v] = g->in.start[v + 1] - g->in.start[v];
    if (parents_left[v] == 0) queue[last++] = v;
  }
  for (int first = 0; first < last; first++) {
    const int v = queue[first];
    for (int i = g->out.start[v]; i < g->out.start[v + 1]; i++)
      if (--parents_left[g->child[i]] == 0) queue[last++] = g->child[i];
  }
  return last == g->nnode;
}

/* True if every node can be reached from the root along the edges. */
static bool reaches_all(const lw_graph *g, int root, int *queue, int *reached)
{
  int last = 0;
  for (int v = 0; v < g->nnode; v++)
    reached[v] = v == root;
  queue[last++] = root;
  for (int first = 0; first < last; first++) {
    const int v = queue[first];
    for (int i = g->out.start[v]; i < g->out.start[v + 1]; i++)
      if (!reached[g->child[i]]) {
        reached[g->child[i]] = 1;
        queue[last++] = g->child[i];
      }
  }
  return last == g->nnode;
}

/* Counts edges from a node to itself, and edges that repeat an earlier one. */
static void count_odd_edges(lw_graph *g, int *seen_from)
{
  for (int v = 0; v < g->nnode; v++)
    seen_from[v] = -1;
  for (int v = 0; v < g->nnode; v++)
    for (int i = g->out.start[v]; i < g->out.start[v + 1]; i++) {
      const int c = g->child[i];
      if (c == v)
        g->kind.nself++;
      else if (seen_from[c] == v)
        g->kind.nparallel++;
      seen_from[c] = v;
    }
}

/* The largest number of list entries that a node has. */
static int widest(const lwi_csr *c)
{
  int most = 0;
  for (int k = 0; k < c->nkey; k++)
    if (c->start[k + 1] - c->start[k] > most) most = c->start[k + 1] - c->start[k];
  return most;
}

void lwi_graph_classify(lw_graph *g, int *queue, int *count)
{
  lw_graph_class *k = &g->kind;
  k->nnode = g->nnode;
  k->nedge = g->nedge;
  k->ncomponent = find_components(g, queue);
  k->nloop = k->nedge - k->nnode + k->ncomponent;
  find_roots_and_leaves(g);
  count_odd_edges(g, count);

  k->connected = k->ncomponent == 1;
  k->acyclic = is_acyclic(g, queue, count);
  k->dag = k->connected && k->acyclic;
  k->rooted = k->connected && k->nroot == 1 && reaches_all(g, g->root[0], queue, count);
  k->polytree = k->connected && k->nloop == 0;
  k->forest = k->nloop == 0 && widest(&g->in) <= 1;
  k->tree = k->connected && k->forest;
  k->serial_chain = k->tree && widest(&g->out) <= 1;
}
