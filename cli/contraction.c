/* SPDX-License-Identifier: Apache-2.0 */
/* contraction.c -- inspect --aggregate: the whole digraph with the bodies as one node, whatever it becomes, and the edges of
   the subgraphs that they induce.  [Jain2012] section 3, figure 2; section 5.1, figure 4. */
#include "inspect.h"

#include <stdlib.h>

typedef struct {
  const inspection *s;
  int n;                     /* nodes of the digraph: the ground, then bodies */
  int *class_of, *edge;      /* [n], [nedge] scratch */
  int *first;                /* [n] a node of each class */
  unsigned char *set, *path; /* [n] the bodies, and those on directed paths between them, too */
  lw_graph *graph;           /* contracted, without repeated edges */
} contraction;

static void contraction_free(contraction *c)
{
  free(c->class_of);
  free(c->edge);
  free(c->first);
  free(c->set);
  free(c->path);
  lw_graph_free(c->graph);
}

/* One class of the bodies, the others by themselves. */
static int number_classes(contraction *c)
{
  int n = 0, own = -1;
  for (int v = 0; v < c->n; v++) {
    if (c->set[v] && own >= 0) {
      c->class_of[v] = own;
      continue;
    }
    if (c->set[v]) own = n;
    c->first[n] = v;
    c->class_of[v] = n++;
  }
  return n;
}

static bool contract(contraction *c, const inspection *s)
{
  const lw_graph *g = s->t->graph;
  *c = (contraction){.s = s, .n = lw_graph_nnode(g)};
  const size_t n = (size_t)c->n + 1;
  c->class_of = calloc(n, sizeof(int));
  c->first = calloc(n, sizeof(int));
  c->edge = calloc((size_t)lw_graph_nedge(g) + n, sizeof(int));
  c->set = calloc(n, 1);
  c->path = calloc(n, 1);
  if (!c->class_of || !c->first || !c->edge || !c->set || !c->path) return false;
  for (int v = 0; v < s->t->nbody; v++)
    c->set[v + 1] = s->set[v];
  lw_graph_path_closure(g, c->set, c->path, c->edge);
  lw_graph *full = lw_graph_contract(g, number_classes(c), c->class_of, c->edge, NULL);
  if (full) c->graph = lw_graph_simplify(full, c->edge, NULL);
  lw_graph_free(full);
  return c->graph != NULL;
}

/* Joints and constraints between nodes of a set: of the induced subgraph. */
static int count_edges(const contraction *c, const unsigned char set[])
{
  const lw_graph *g = c->s->t->graph;
  int n = 0;
  for (int e = 0; e < lw_graph_nedge(g); e++)
    n += set[lw_graph_from(g, e)] && set[lw_graph_to(g, e)];
  return n;
}

static int parents_of(const contraction *c, int node)
{
  int n;
  lw_graph_edges(c->graph, LW_TO_PARENTS, node, &n);
  return n;
}

static const char *name_of(const contraction *c, int node)
{
  const int v = c->first[node];
  return c->set[v] ? "the aggregate" : v ? lw_body_name(c->s->m, (lw_body){v}) : "ground";
}

static void write_text(const contraction *c)
{
  const lw_graph_class k = lw_graph_classify(c->graph);
  const char *kind = k.tree       ? "a tree"
                     : !k.acyclic ? "a digraph with directed cycles"
                     : k.polytree ? "a polytree, whose nodes may have several parents"
                                  : "a multiply connected digraph";
  int shown = 0;
  printf("  as one node they make of the whole digraph %s, with %d nodes and %d edges", kind,
         k.nnode, k.nedge);
  for (int v = 0; v < k.nnode && shown < 10; v++)
    if (parents_of(c, v) > 1)
      printf("%s%s (%d parents)", shown++ ? ", " : "; ", name_of(c, v), parents_of(c, v));
  printf("\n");
}

static void write_json(const contraction *c, json *j)
{
  const lw_graph_class k = lw_graph_classify(c->graph);
  json_integer(j, "induced_edges", count_edges(c, c->set));
  json_integer(j, "path_induced_edges", count_edges(c, c->path));
  json_object(j, "contracted");
  json_integer(j, "nodes", k.nnode);
  json_integer(j, "edges", k.nedge);
  json_bool(j, "acyclic", k.acyclic);
  json_bool(j, "polytree", k.polytree);
  json_bool(j, "tree", k.tree);
  json_list(j, "multiply_connected");
  for (int v = 0; v < k.nnode; v++)
    if (parents_of(c, v) > 1) json_name(j, name_of(c, v), 0);
  json_list_end(j);
  json_object_end(j);
}

bool show_contraction(const inspection *s, json *j)
{
  contraction c;
  const bool made = contract(&c, s);
  if (made && j)
    write_json(&c, j);
  else if (made)
    write_text(&c);
  contraction_free(&c);
  return made;
}
