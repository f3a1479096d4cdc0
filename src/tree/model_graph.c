/* SPDX-License-Identifier: Apache-2.0 */
/* model_graph.c -- the topology of a model as data.  [Jain2012] sections 2.2, 5.2, 7. */
#include "linkwork/inspect.h"

#include "base/arena.h"
#include "graph/block.h"
#include "model/model.h"

#include <stdlib.h>

bool lw_constraint_is_geometric(lw_constraint_type type)
{
  return type != LW_GEAR && type != LW_COUPLER && type != LW_DRIVER;
}

const char *lw_constraint_type_name(lw_constraint_type type)
{
#define NAME(type, name) name,
  static const char *const names[] = {LW_CONSTRAINT_LIST(NAME)};
#undef NAME
  return (int)type >= 0 && type < LW_CONSTRAINT_TYPES ? names[type] : NULL;
}

const char *lw_system_class_name(lw_system_class kind)
{
  switch (kind) {
  case LW_SYSTEM_EMPTY: return "empty system";
  case LW_SYSTEM_SERIAL_CHAIN: return "serial-chain system";
  case LW_SYSTEM_TREE: return "tree-topology system";
  case LW_SYSTEM_CLOSED_CHAIN: return "closed-chain (constrained) system";
  }
  return NULL;
}

/* ---- the digraph and the tree ---- */

static int count_edges(const lw_model *m)
{
  int n = m->njoint;
  for (int c = 1; c <= m->nconstraint; c++)
    n += lw_constraint_is_geometric(m->constraint[c].info.type);
  return n;
}

/* Away from the ground where the tree or the ground gives a direction. */
static void direct_edge(int parent, int child, bool reversed, int *from, int *to)
{
  const bool turn = reversed || child == 0;
  *from = turn ? child : parent;
  *to = turn ? parent : child;
}

static void list_edges(const lw_model *m, int from[], int to[])
{
  int e = 0;
  for (int j = 1; j <= m->njoint; j++, e++) {
    const lwi_joint *joint = &m->joint[j];
    direct_edge(joint->info.parent.id, joint->info.child.id, !joint->info.cut && joint->reversed,
                &from[e], &to[e]);
  }
  for (int c = 1; c <= m->nconstraint; c++) {
    const lw_constraint_info *info = &m->constraint[c].info;
    if (!lw_constraint_is_geometric(info->type)) continue;
    direct_edge(info->parent.id, info->child.id, false, &from[e], &to[e]);
    e++;
  }
}

lw_graph *lw_model_graph(const lw_model *m, lw_error *err)
{
  if (!m) return lwi_refuse(err, LW_E_ARG);
  const int n = count_edges(m);
  int *from = lwi_graph_alloc((2 * (size_t)n + 1) * sizeof *from);
  if (!from) return lwi_refuse(err, LW_E_MEMORY);
  list_edges(m, from, from + n);
  lw_graph *g = lw_graph_new(m->nbody + 1, n, from, from + n, err);
  free(from);
  return g;
}

lw_tree *lw_model_tree(const lw_model *m, lw_error *err)
{
  if (!m) return lwi_refuse(err, LW_E_ARG);
  int *parent = lwi_graph_alloc(((size_t)m->nbody + 1) * sizeof *parent);
  if (!parent) return lwi_refuse(err, LW_E_MEMORY);
  for (int b = 1; b <= m->nbody; b++)
    parent[b - 1] = lw_body_parent(m, (lw_body){b}).id - 1;
  lw_tree *t = lw_tree_new(m->nbody, parent, NULL, err);
  free(parent);
  return t;
}

/* ---- the analysis ---- */

typedef struct {
  lw_topology t; /* first: what the user sees */
  lwi_arena arena;
  lw_graph *graph;
  lw_tree *tree;
  lw_segments *segments;
  int *constraint, *group, *loop_edge, *loop_from, *loop_to, *class_of, *weight, *carrier;
  unsigned char *floating;
} topology;

static bool take_arrays(topology *a, const lw_model *m)
{
  lw_topology *t = &a->t;
  const int most_loops = t->nedge - (t->njoint - m->ncut);
  t->constraint = a->constraint = LWI_TAKE(&a->arena, t->nedge - t->njoint, int);
  t->group = a->group = LWI_TAKE(&a->arena, t->nbody, int);
  t->floating = a->floating = LWI_TAKE(&a->arena, t->nbody, unsigned char);
  t->loop_edge = a->loop_edge = LWI_TAKE(&a->arena, most_loops, int);
  t->loop_from = a->loop_from = LWI_TAKE(&a->arena, most_loops, int);
  t->loop_to = a->loop_to = LWI_TAKE(&a->arena, most_loops, int);
  t->class_of = a->class_of = LWI_TAKE(&a->arena, t->nbody, int);
  t->weight = a->weight = LWI_TAKE(&a->arena, t->nbody, int);
  t->carrier = a->carrier = LWI_TAKE(&a->arena, t->nbody, int);
  return a->constraint && a->group && a->floating && a->loop_edge && a->loop_from && a->loop_to &&
         a->class_of && a->weight && a->carrier;
}

static void find_loops(topology *a, const lw_model *m)
{
  lw_topology *t = &a->t;
  for (int e = 0; e < t->nedge; e++) {
    if (e < t->njoint && !m->joint[e + 1].info.cut) continue;
    a->loop_edge[t->nloop] = e;
    a->loop_from[t->nloop] = lw_graph_from(a->graph, e) - 1;
    a->loop_to[t->nloop++] = lw_graph_to(a->graph, e) - 1;
  }
  t->nclass = lw_tree_loop_classes(a->tree, t->nloop, a->loop_from, a->loop_to, a->class_of);
}

/* Components of the digraph without its ground. */
static bool find_groups(topology *a, const lw_model *m)
{
  lw_topology *t = &a->t;
  unsigned char *keep = LWI_TAKE(&a->arena, t->nbody + 1, unsigned char);
  int *node_map = LWI_TAKE(&a->arena, t->nbody + 1, int);
  int *edge_map = LWI_TAKE(&a->arena, t->nedge, int);
  if (!keep || !node_map || !edge_map) return false;
  for (int v = 1; v <= t->nbody; v++)
    keep[v] = 1;
  lw_graph *bodies = lw_graph_subgraph(a->graph, keep, NULL, node_map, edge_map, NULL);
  if (!bodies) return false;

  const int *component = lw_graph_components(bodies);
  for (int v = 0; v < t->nbody; v++) {
    a->group[v] = component[v];
    if (component[v] >= t->ngroup) t->ngroup = component[v] + 1;
  }
  lw_graph_free(bodies);

  /* a group floats unless something other than a free joint constraints it to the ground */
  for (int g = 0; g < t->ngroup; g++)
    a->floating[g] = 1;
  for (int e = 0; e < t->nedge; e++) {
    const bool free_joint = e < t->njoint && lwi_joint_is_free(m->joint[e + 1].info.type);
    if (lw_graph_from(a->graph, e) == 0 && !free_joint)
      a->floating[a->group[lw_graph_to(a->graph, e) - 1]] = 0;
  }
  for (int g = 0; g < t->ngroup; g++)
    t->nfloating += a->floating[g];
  return true;
}

static void count_freedoms(topology *a, const lw_model *m)
{
  lw_topology *t = &a->t;
  t->per_body = m->planar ? 3 : 6;
  for (int j = 1; j <= m->njoint; j++)
    t->joint_equations += t->per_body - m->joint[j].info.nu;
  for (int c = 1; c <= m->nconstraint; c++)
    t->constraint_equations +=
        lw_constraint_is_geometric(m->constraint[c].info.type) ? m->constraint[c].equations.n : 1;
  t->particle_rotations = m->nu - m->ndof;
  t->freedoms =
      t->per_body * t->nbody - t->joint_equations - t->constraint_equations - t->particle_rotations;
}

static bool analyse(topology *a, const lw_model *m)
{
  lw_topology *t = &a->t;
  t->nbody = m->nbody;
  t->njoint = m->njoint;
  t->graph = a->graph = lw_model_graph(m, NULL);
  t->tree = a->tree = lw_model_tree(m, NULL);
  if (!a->graph || !a->tree) return false;
  t->segments = a->segments = lw_segments_new(a->tree, NULL);
  t->nedge = lw_graph_nedge(a->graph);
  if (!a->segments || !take_arrays(a, m)) return false;

  for (int b = 1; b <= t->nbody; b++) {
    const int joint = lw_body_joint(m, (lw_body){b}).id;
    a->weight[b - 1] = m->joint[joint].info.nu;
    a->carrier[b - 1] = joint - 1;
  }
  for (int c = 1, n = 0; c <= m->nconstraint; c++)
    if (lw_constraint_is_geometric(m->constraint[c].info.type)) a->constraint[n++] = c;
  find_loops(a, m);
  const lw_graph_class c = lw_graph_classify(t->graph);
  t->kind = t->nbody == 0    ? LW_SYSTEM_EMPTY
            : c.serial_chain ? LW_SYSTEM_SERIAL_CHAIN
            : c.tree         ? LW_SYSTEM_TREE
                             : LW_SYSTEM_CLOSED_CHAIN;
  count_freedoms(a, m);
  lw_tree_count_entries(a->tree, LW_PATTERN_MASS, a->weight, &t->mass_entries);
  return find_groups(a, m);
}

lw_topology *lw_topology_new(const lw_model *m, lw_error *err)
{
  if (!m) return lwi_refuse(err, LW_E_ARG);
  topology *a = lwi_graph_alloc(sizeof *a);
  if (!a) return lwi_refuse(err, LW_E_MEMORY);
  if (!analyse(a, m)) {
    lw_topology_free(&a->t);
    return lwi_refuse(err, LW_E_MEMORY);
  }
  lwi_set_status(err, LW_OK);
  return &a->t;
}

void lw_topology_free(lw_topology *t)
{
  if (!t) return;
  topology *a = (topology *)t;
  lw_graph_free(a->graph);
  lw_tree_free(a->tree);
  lw_segments_free(a->segments);
  lwi_arena_free(&a->arena);
  free(a);
}

/* ---- loops ---- */

int lw_topology_loop(const lw_topology *t, int k, int node[], int edge[])
{
  if (!t) return 0;
  if (k < 0 || k >= t->nloop) return 0;
  const lw_tree *tree = t->tree;
  const int a = t->loop_to[k], b = t->loop_from[k], top = lw_tree_common_ancestor(tree, a, b);
  int n = 0, below = 0;

  /* up from a to the top: each node leaves by the joint that carries it */
  for (int v = a; v != top; v = tree->parent[v], n++) {
    if (node) node[n] = v + 1;
    if (edge) edge[n] = t->carrier[v];
  }
  if (node) node[n] = top + 1;

  /* and down to b: filled in from its end */
  for (int v = b; v != top; v = tree->parent[v])
    below++;
  for (int v = b, i = n + below; v != top; v = tree->parent[v], i--) {
    if (node) node[i] = v + 1;
    if (edge) edge[i - 1] = t->carrier[v];
  }
  n += below;
  if (edge) edge[n] = t->loop_edge[k];
  return n + 1;
}
