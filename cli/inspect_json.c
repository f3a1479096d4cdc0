/* SPDX-License-Identifier: Apache-2.0 */
/* inspect_json.c -- the graph of the model as JSON. */
#include "inspect.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"

static void json_parts(json *j, const inspection *s)
{
  int count[LW_JOINT_TYPES] = {0}, implicit = 0;
  for (int i = 1; i <= lw_njoint(s->m); i++) {
    const lw_joint_info info = lw_get_joint(s->m, (lw_joint){i});
    count[info.type]++;
    implicit += info.implicit;
  }
  json_integer(j, "bodies", lw_nbody(s->m));
  json_integer(j, "joints", lw_njoint(s->m));
  json_object(j, "joint_types");
  for (int i = 0; i < LW_JOINT_TYPES; i++)
    if (count[i]) json_integer(j, lw_joint_type_name((lw_joint_type)i), count[i]);
  json_object_end(j);
  json_integer(j, "implicit_joints", implicit);
  json_integer(j, "constraints", lw_nconstraint(s->m));
  json_list(j, "cut_joints");
  for (int i = 1; i <= lw_njoint(s->m); i++) {
    const lw_joint_info info = lw_get_joint(s->m, (lw_joint){i});
    if (info.cut) json_name(j, info.name, 0);
  }
  json_list_end(j);
}

/* Nodes with several edges from parents, and whether bodies are numbered as [Jain2012] asks. */
static void json_queries(json *j, const inspection *s)
{
  int n;
  json_list(j, "multiply_connected");
  for (int b = 1; b <= lw_nbody(s->m); b++) {
    lw_graph_edges(s->t->graph, LW_TO_PARENTS, b, &n);
    if (n > 1) json_name(j, lw_body_name(s->m, (lw_body){b}), 0);
  }
  json_list_end(j);
  json_bool(j, "canonical", find_not_canonical(s) < 0);
}

/* False: no memory. */
static bool json_digraph(json *j, const inspection *s)
{
  const lw_topology *t = s->t;
  const lw_graph_class c = lw_graph_classify(t->graph);
  json_object(j, "digraph");
  json_integer(j, "nodes", c.nnode);
  json_integer(j, "edges", c.nedge);
  json_integer(j, "loops", c.nloop);
  json_integer(j, "parallel_edges", c.nparallel);
  json_bool(j, "rooted", c.rooted);
  json_bool(j, "acyclic", c.acyclic);
  json_bool(j, "polytree", c.polytree);
  json_bool(j, "tree", c.tree);
  json_bool(j, "serial_chain", c.serial_chain);
  json_queries(j, s);
  const bool shown = show_directed_tree(s, j);
  json_list(
      j,
      "canonical_order"); /* bodies of the spanning tree, children before those that carry them */
  for (int k = t->tree->nnode - 1; k >= 0; k--)
    json_name(j, node_name(s->m, t->tree->order[k]), 0);
  json_list_end(j);
  json_object_end(j);
  return shown;
}

static void json_closing(json *j, lw_loops_info x)
{
  if (x.method == LW_LOOPS_AUTO) return;
  json_object(j, "closing");
  json_text(j, "method", x.method == LW_LOOPS_EMBEDDED ? "embedded" : "cut");
  json_integer(j, "clusters", x.nnode);
  json_integer(j, "largest", x.largest);
  json_integer(j, "independent", x.nindependent);
  if (x.cut_cost > 0) json_number(j, "cut_operations", x.cut_cost);
  if (x.embedded_cost > 0) json_number(j, "embedded_operations", x.embedded_cost);
  json_object_end(j);
}

static void json_freedoms(json *j, const inspection *s)
{
  const lw_topology *t = s->t;
  json_integer(j, "coordinates", lw_nq(s->m));
  json_integer(j, "speeds", lw_nu(s->m));
  if (s->closed) {
    const lw_mobility f = s->mobility;
    json_integer(j, "dof", f.dof);
    json_integer(j, "redundant", f.redundant);
    json_bool(j, "singular", f.singular);
    json_integer(j, "dof_near", f.dof_near);
    redundancy_json(j, &s->redundancy);
  }
  json_closing(j, s->closing);
  json_object(j, "freedoms");
  json_integer(j, "count", t->freedoms);
  json_integer(j, "per_body", t->per_body);
  json_integer(j, "joint_equations", t->joint_equations);
  json_integer(j, "constraint_equations", t->constraint_equations);
  json_integer(j, "particle_rotations", t->particle_rotations);
  json_bool(j, "exact", t->nloop == 0 && lw_nconstraint(s->m) == 0);
  json_object_end(j);
}

static void json_shape(json *j, const inspection *s)
{
  const lw_topology *t = s->t;
  const tree_shape shape = find_shape(t->tree);
  const double n = lw_nu(s->m), entries = (double)t->mass_entries;
  json_integer(j, "groups", t->ngroup);
  json_integer(j, "floating", t->nfloating);
  json_integer(j, "depth", t->tree->nlevel);
  json_integer(j, "leaves", shape.leaves);
  json_integer(j, "branching_bodies", shape.branching);
  json_integer(j, "most_children", shape.widest);
  json_object(j, "mass_matrix");
  json_integer(j, "size", lw_nu(s->m));
  json_number(j, "entries", entries);
  json_number(j, "fill", n > 0 ? entries / (n * n) : 0);
  json_number(j, "factor_entries", (entries + n) / 2);
  json_object_end(j);
}

static void json_tree(json *j, const inspection *s)
{
  const lw_tree *t = s->t->tree;
  json_list(j, "tree");
  for (int k = 0; k < t->nnode; k++) {
    const int v = t->order[k];
    const lw_joint_info joint = lw_get_joint(s->m, lw_body_joint(s->m, (lw_body){v + 1}));
    json_object(j, NULL);
    json_text(j, "body", node_name(s->m, v));
    json_text(j, "parent", node_name(s->m, t->parent[v]));
    json_text(j, "joint", joint.name);
    json_text(j, "type", lw_joint_type_name(joint.type));
    json_integer(j, "depth", t->depth[v] + 1);
    json_integer(j, "segment", s->t->segments->segment_of[v] + 1);
    json_object_end(j);
  }
  json_list_end(j);

  const lw_segments *g = s->t->segments;
  json_list(j, "segments");
  for (int k = 0; k < g->nsegment; k++) {
    json_object(j, NULL);
    json_integer(j, "segment", k + 1);
    json_integer(j, "parent", g->parent[k] + 1); /* 0: the ground */
    json_list(j, "bodies");
    for (int i = g->start[k]; i < g->start[k + 1]; i++)
      json_name(j, node_name(s->m, g->node[i]), 0);
    json_list_end(j);
    json_object_end(j);
  }
  json_list_end(j);
}

static void json_loop(json *j, const inspection *s, int k)
{
  const lw_topology *t = s->t;
  int *node = s->scratch, *edge = s->scratch + t->nbody + 1;
  const int length = lw_topology_loop(t, k, node, edge);
  const edge_info closing = get_edge(s, t->loop_edge[k]);
  json_object(j, NULL);
  json_text(j, "closed_by", closing.name);
  json_text(j, "kind", closing.joint ? "cut_joint" : "constraint");
  json_text(j, "type", closing.type);
  json_integer(j, "length", length);
  json_list(j, "bodies"); /* from the child of the closing edge through the tree to its parent */
  for (int i = 0; i < length; i++)
    json_name(j, lw_body_name(s->m, (lw_body){node[i]}), 0);
  json_list_end(j);
  json_list(j, "edges");
  for (int i = 0; i < length; i++)
    json_name(j, get_edge(s, edge[i]).name, 0);
  json_list_end(j);
  json_object_end(j);
}

static void json_loops(json *j, const inspection *s)
{
  const lw_topology *t = s->t;
  json_list(j, "loops");
  for (int k = 0; k < t->nloop; k++)
    json_loop(j, s, k);
  json_list_end(j);
  json_object(j, "aggregation"); /* which node each body is in if every loop is inside a node */
  json_integer(j, "nodes", t->nclass);
  json_object(j, "node_of");
  for (int v = 0; v < t->nbody; v++)
    json_integer(j, node_name(s->m, v), t->class_of[v] + 1);
  json_object_end(j);
  json_object_end(j);
}

bool explain_json(const inspection *s)
{
  json j;
  if (!json_start(&j)) return false;
  json_object(&j, NULL);
  json_text(&j, "name", lw_model_name(s->m));
  json_bool(&j, "planar", lw_model_is_planar(s->m));
  json_text(&j, "class", lw_system_class_name(s->t->kind));
  json_parts(&j, s);
  lw_status status = json_digraph(&j, s) ? LW_OK : LW_E_MEMORY;
  json_freedoms(&j, s);
  json_shape(&j, s);
  json_assembly(&j, s);
  json_tree(&j, s);
  json_loops(&j, s);
  json_joint_orders(&j, s);
  if (s->set && !json_aggregate(&j, s)) status = LW_E_MEMORY;
  if (args_has(s->a, "numbering") && status == LW_OK) status = show_numbering(s, &j);
  if (s->partition && status == LW_OK) status = show_partition(s, &j);
  json_object_end(&j);
  if (json_finish(&j)) return status == LW_OK;
  return false;
}
