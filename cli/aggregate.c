/* SPDX-License-Identifier: Apache-2.0 */
/* aggregate.c -- inspect --aggregate: can these bodies become one node of the tree, and if not,
   what is missing?  [Jain2012] sections 3, 5.2, lemma 6 as corrected in graph.h. */
#include "inspect.h"

/* ---- which bodies ---- */

static void add_to_set(void *set, lw_body b)
{
  ((unsigned char *)set)[b.id - 1] = 1;
}

int read_set(const cli_args *a, const lw_model *m, unsigned char set[])
{
  return read_bodies(a, m, "aggregate", add_to_set, set);
}

/* ---- the question ---- */

/* The aggregation; the three sets are flags by node of the tree, in the scratch after s->set. */
typedef struct {
  bool possible;
  int parent;                /* of the node that it would become, or of the larger set */
  unsigned char *path, *add; /* on paths between its bodies; what the aggregation subgraph adds */
  unsigned char *parents;    /* outside the set; [nbody] stands for the ground */
  int npath, nparent;
  int nleft; /* loops that remain: their edges are not inside the set */
} aggregation;

static int subtract(unsigned char from[], const unsigned char set[], int n)
{
  int left = 0;
  for (int v = 0; v < n; v++)
    left += from[v] = from[v] && !set[v];
  return left;
}

/* Does the edge of loop k connect the set with something else, or bodies outside it? */
static bool is_left(const inspection *s, int k)
{
  const int a = s->t->loop_from[k], b = s->t->loop_to[k];
  return a < 0 || b < 0 || !s->set[a] || !s->set[b];
}

static aggregation ask(const inspection *s)
{
  const lw_tree *t = s->t->tree;
  const int n = t->nnode;
  aggregation r = {.path = s->set + n, .add = s->set + 2 * n, .parents = s->set + 3 * n};
  r.possible = lw_tree_can_aggregate(t, s->set, NULL);
  lw_tree_path_closure(t, s->set, r.path);
  r.npath = subtract(r.path, s->set, n);
  lw_tree_aggregation_set(t, s->set, r.add, &r.parent);
  subtract(r.add, s->set, n);
  for (int v = 0; v < n; v++) {
    const int p = t->parent[v];
    if (s->set[v] && (p < 0 || !s->set[p])) r.parents[p < 0 ? n : p] = 1;
  }
  for (int v = 0; v <= n; v++)
    r.nparent += r.parents[v];
  for (int k = 0; k < s->t->nloop; k++)
    r.nleft += is_left(s, k);
  return r;
}

/* ---- in words ---- */

static void print_set(const inspection *s, const unsigned char set[], int n)
{
  int shown = 0;
  for (int v = 0; v < n; v++)
    if (set[v])
      printf("%s%s", shown++ ? ", " : "", v < s->t->nbody ? node_name(s->m, v) : "ground");
}

/* The whole digraph, not only its spanning tree: loops that are not inside the node. */
static void print_left(const inspection *s, const aggregation *r)
{
  if (s->t->nloop == 0) return;
  if (r->nleft == 0) {
    printf("  and every loop is inside it: the system becomes a tree\n");
    return;
  }
  printf("  but the system does not become a tree: ");
  int shown = 0;
  for (int k = 0; k < s->t->nloop && shown < 10; k++)
    if (is_left(s, k)) printf("%s%s", shown++ ? ", " : "", get_edge(s, s->t->loop_edge[k]).name);
  printf("%s still close%s %s\n", r->nleft > shown ? ", ..." : "", r->nleft == 1 ? "s" : "",
         r->nleft == 1 ? "a loop" : "loops");
}

bool print_aggregate(const inspection *s)
{
  const int n = s->t->nbody;
  const aggregation r = ask(s);
  printf("can {");
  print_set(s, s->set, n);
  printf("} become one node?\n");
  if (r.possible) {
    printf("  yes: exactly one node outside carries its bodies, %s, so the spanning tree stays a "
           "tree\n",
           node_name(s->m, r.parent));
    print_left(s, &r);
  } else {
    printf(
        "  no: the aggregation condition asks that exactly one node outside carries its bodies;\n"
        "      here %d do: ",
        r.nparent);
    print_set(s, r.parents, n + 1);
    printf("\n");
    if (r.npath) {
      printf("      it is not path-induced: these lie on paths between its bodies: ");
      print_set(s, r.path, n);
      printf(";\n      without them the aggregated graph would have a cycle\n");
    }
    printf("  add ");
    print_set(s, r.add, n);
    printf(": the aggregation subgraph has %s as its only parent\n", node_name(s->m, r.parent));
  }
  return show_contraction(s, NULL);
}

/* ---- as JSON ---- */

static void json_set(json *j, const char *key, const inspection *s, const unsigned char set[],
                     int n)
{
  json_list(j, key);
  for (int v = 0; v < n; v++)
    if (set[v]) json_name(j, v < s->t->nbody ? node_name(s->m, v) : "ground", 0);
  json_list_end(j);
}

bool json_aggregate(json *j, const inspection *s)
{
  const int n = s->t->nbody;
  const aggregation r = ask(s);
  json_object(j, "aggregate");
  json_set(j, "bodies", s, s->set, n);
  json_bool(j, "possible", r.possible);
  json_bool(j, "path_induced", r.npath == 0);
  json_set(j, "parents", s, r.parents, n + 1);
  json_set(j, "on_paths", s, r.path, n);
  json_set(j, "add", s, r.add, n);
  json_text(j, "parent", node_name(s->m, r.parent));
  json_bool(j, "becomes_tree", r.possible && r.nleft == 0);
  json_list(j, "loops_left");
  for (int k = 0; k < s->t->nloop; k++)
    if (is_left(s, k)) json_name(j, get_edge(s, s->t->loop_edge[k]).name, 0);
  json_list_end(j);
  const bool made = show_contraction(s, j);
  json_object_end(j);
  return made;
}
