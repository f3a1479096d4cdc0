/* SPDX-License-Identifier: Apache-2.0 */
/* inspect.c -- linkwork inspect: explains the graph of the model in plain words. */
#include "files.h"
#include "inspect.h"
#include "linkwork/output.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"

#include <stdlib.h>

static const cli_option options[] = {
    {"aggregate", 0, "B1,B2,...", "can these bodies become one node? if not, what is missing?"},
    {"partition", 0, "B1,B2,...", "children, set and parents, and their blocks of the operators"},
    {"numbering", 0, "NAME|all", "the joints in the order of a numbering: rcm, gps, amd, nd, ..."},
    {"svg", 0, "FILE.svg", "draw the digraph, the segments and the pattern of the mass matrix"},
    {"elements", 0, NULL, "--svg: with springs, forces, contacts, motors, drivers and events"},
    {"patterns", 0, "FILE.svg", "draw E, A, the mass matrix, and B before and after --numbering"},
    {"assembly-svg", 0, "FILE.svg", "draw the assembly tree of divide and conquer"},
    {"assembly", 0, "PLAN", "bisection, pairs, inward, a file or a list of joints as eliminated"},
    {"levels", 0, NULL, "the assembly tree level by level: multiplications and time"},
    {"relax", 0, "FILE.yaml",
     "write the model with the joint types that make every load determined"},
    {"all", 0, NULL, "show the whole tree and every loop, however large"},
    LOAD_OPTIONS,
    JSON_OPTION,
    {0}};

/* ---- the summary ---- */

static void print_class(const inspection *s)
{
  const lw_topology *t = s->t;
  const int nrelation = lw_nconstraint(s->m) - (t->nedge - t->njoint);
  printf("system          %s: ", lw_system_class_name(t->kind));
  switch (t->kind) {
  case LW_SYSTEM_EMPTY: printf("there are no bodies"); break;
  case LW_SYSTEM_SERIAL_CHAIN: printf("each body carries one other at most"); break;
  case LW_SYSTEM_TREE: printf("one path leads from the ground to each body"); break;
  case LW_SYSTEM_CLOSED_CHAIN:
    printf("%d loop%s beyond its spanning tree", t->nloop, t->nloop == 1 ? "" : "s");
  }
  printf("\ndigraph         %d nodes (ground and bodies), %d edges (joints%s)\n", t->nbody + 1,
         t->nedge, t->nedge > t->njoint ? " and geometric constraints" : "");
  if (nrelation)
    printf("                and %d relation%s of coordinates (gear, coupler, driver): no edges\n",
           nrelation, nrelation == 1 ? "" : "s");
  if (t->nfloating)
    printf("floating        %d of %d group%s: only a free joint connects %s to the ground\n",
           t->nfloating, t->ngroup, t->ngroup == 1 ? "" : "s", t->nfloating == 1 ? "it" : "them");
}

int find_not_canonical(const inspection *s)
{
  for (int e = 0; e < lw_graph_nedge(s->t->graph); e++)
    if (lw_graph_from(s->t->graph, e) > lw_graph_to(s->t->graph, e)) return e;
  return -1;
}

/* Nodes with several parents, and the order in which bodies are written. */
static void print_queries(const inspection *s)
{
  int shown = 0, more = 0, n;
  for (int b = 1; b <= lw_nbody(s->m); b++) {
    const int *edge = lw_graph_edges(s->t->graph, LW_TO_PARENTS, b, &n);
    if (n < 2) continue;
    if (shown == 8) {
      more++;
      continue;
    }
    printf("%s%s (by", shown++ ? ", " : "several parents ", lw_body_name(s->m, (lw_body){b}));
    for (int i = 0; i < n && i < 6; i++)
      printf("%s%s", i ? ", " : " ", get_edge(s, edge[i]).name);
    printf("%s)", n > 6 ? ", ..." : "");
  }
  if (more) printf(" and %d more", more);
  if (shown) printf("\n");
  const int e = find_not_canonical(s);
  if (e >= 0)
    printf("numbering       not canonical: %s leads from %s to %s, which is written before it\n",
           get_edge(s, e).name, node_name(s->m, lw_graph_from(s->t->graph, e) - 1),
           node_name(s->m, lw_graph_to(s->t->graph, e) - 1));
  else if (lw_nbody(s->m) > 0)
    printf("numbering       canonical: every body is written after those that carry it\n");
}

static void print_parts(const inspection *s)
{
  int shown = 0, implicit = 0, count[LW_JOINT_TYPES] = {0};
  for (int j = 1; j <= lw_njoint(s->m); j++) {
    const lw_joint_info info = lw_get_joint(s->m, (lw_joint){j});
    count[info.type]++;
    implicit += info.implicit;
  }
  printf("bodies          %d\njoints          %d", lw_nbody(s->m), lw_njoint(s->m));
  for (int i = 0; i < LW_JOINT_TYPES; i++)
    if (count[i])
      printf("%s%d %s", shown++ ? ", " : ": ", count[i], lw_joint_type_name((lw_joint_type)i));
  if (implicit) printf(" (%d added for floating groups)", implicit);
  if (lw_nconstraint(s->m)) printf("\nconstraints     %d: ", lw_nconstraint(s->m));
  for (int i = 1; i <= lw_nconstraint(s->m) && i <= 20; i++) {
    const lw_constraint_info c = lw_get_constraint(s->m, (lw_constraint){i});
    printf("%s%s %s", i > 1 ? ", " : "", lw_constraint_type_name(c.type), c.name);
  }
  if (lw_nconstraint(s->m) > 20) printf(", ...");
  printf("\n");
}

/* what the count leaves out: equations that others imply */
static void print_rank(const inspection *s)
{
  const lw_mobility f = s->mobility;
  if (!s->closed)
    printf("\n                by count only: the loops cannot be closed");
  else if (f.redundant)
    printf(
        "\n                %d by rank: %d of the equations are redundant, so that not every load "
        "is determined",
        f.dof, f.redundant);
  else
    printf("\n                by rank too: no equation is redundant");
  if (f.singular)
    printf(
        "\n                singular at the start: %d nearby, so that the motion from here is not "
        "determined by the equations alone",
        f.dof_near);
}

static void print_freedoms(const inspection *s)
{
  const lw_topology *t = s->t;
  printf("freedoms        %d = %d x %d bod%s - %d equation%s of joints", t->freedoms, t->per_body,
         t->nbody, t->nbody == 1 ? "y" : "ies", t->joint_equations, plural(t->joint_equations));
  if (lw_nconstraint(s->m)) printf(" - %d of constraints", t->constraint_equations);
  if (t->particle_rotations)
    printf(" - %d rotation%s of particles", t->particle_rotations, plural(t->particle_rotations));
  if (t->nloop || lw_nconstraint(s->m)) print_rank(s);
  printf("\ncoordinates     %d, speeds %d%s\n", lw_nq(s->m), lw_nu(s->m),
         t->nloop ? ", of the spanning tree" : "");
  if (s->closed && redundancy_matters(&s->redundancy))
    redundancy_print(&s->redundancy, "redundancy      ", "                ");
}

static void print_shape(const inspection *s)
{
  const lw_topology *t = s->t;
  const tree_shape shape = find_shape(t->tree);
  const double n = lw_nu(s->m), entries = (double)t->mass_entries;
  printf("depth           %d; %d lea%s; %d branching bod%s", t->tree->nlevel, shape.leaves,
         shape.leaves == 1 ? "f" : "ves", shape.branching, shape.branching == 1 ? "y" : "ies");
  if (shape.branching) printf(", with at most %d children", shape.widest);
  printf("\nsegments        %d\n", t->segments->nsegment);
  if (n > 0)
    printf("mass matrix     %.0f x %.0f%s, %.3g %% not zero; factors without fill: %.0f entries in "
           "one "
           "triangle\n",
           n, n, t->nloop ? " (spanning tree)" : "", 100 * entries / (n * n), (entries + n) / 2);
  if (lw_nevent(s->m)) printf("events          %d\n", lw_nevent(s->m));
  if (lw_nlimit(s->m)) printf("limits          %d\n", lw_nlimit(s->m));
  if (lw_ncontact(s->m)) printf("contacts        %d\n", lw_ncontact(s->m));
}

/* False: no memory. */
static bool explain(const inspection *s)
{
  const char *name = lw_model_name(s->m);
  printf("%s%s\n\n", show(name && *name ? name : s->a->model).text,
         lw_model_is_planar(s->m) ? " (planar)" : "");
  print_class(s);
  print_queries(s);
  if (!show_directed_tree(s, NULL)) return false;
  print_parts(s);
  print_freedoms(s);
  print_shape(s);
  print_assembly(s);
  print_tree(s);
  if (s->t->segments->nsegment > 1) print_segments(s);
  print_loops(s);
  print_loop_classes(s);
  print_closing(s);
  print_joint_orders(s);
  return true;
}

/* ---- the verb ---- */

/* --relax FILE: the changed model, and what was changed. */
static int relax(const inspection *s)
{
  lw_error err = {0};
  const char *to = args_text(s->a, "relax");
  const lw_redundancy *r = s->redundancy.r;
  if (!s->closed) return complain_status(s->a, "the loops cannot be closed", LW_E_NOT_CONVERGED);
  if (!r) return report_model_error(s->a, &s->redundancy.why);
  if (s->mobility.singular)
    return complain_status(s->a, "the configuration is singular: nothing is relaxed",
                           LW_E_UNSUPPORTED);
  if (lw_relax_file(s->m, r, s->a->model, to, &err) != LW_OK) return report_model_error(s->a, &err);
  if (is_stdout(to)) return CLI_DONE;
  if (r->ngroup == 0)
    printf("no equation is redundant: %s is %s as it was\n", show(to).text, show(s->a->model).text);
  else
    redundancy_print(&s->redundancy, "redundancy      ", "                ");
  return CLI_DONE;
}

static void add_to_partition(void *set, lw_body b)
{
  ((unsigned char *)set)[b.id - 1] = 1;
}

static int inspect_model(inspection *s)
{
  int asked = read_numbering(s);
  if (asked == CLI_DONE) asked = read_assembly(s);
  if (asked == CLI_DONE && s->partition)
    asked = read_bodies(s->a, s->m, "partition", add_to_partition, s->partition);
  if (asked != CLI_DONE) return asked;
  if (s->set) {
    const int status = read_set(s->a, s->m, s->set);
    if (status != CLI_DONE) return status;
  }
  const char *svg = args_text(s->a, "svg"), *assembly = args_text(s->a, "assembly-svg");
  const char *patterns = args_text(s->a, "patterns");
  lw_error err = {0};
  if (patterns && lw_write_patterns_svg(s->m, s->numbering, patterns, &err) != LW_OK)
    return report_model_error(s->a, &err);
  const bool elements = args_has(s->a, "elements");
  if (svg && (elements ? lw_write_elements_svg : lw_write_graph_svg)(s->m, svg, &err) != LW_OK)
    return report_model_error(s->a, &err);
  if (assembly && lw_write_assembly_plan_svg(s->m, &s->plan, assembly, &err) != LW_OK)
    return report_model_error(s->a, &err);
  if ((svg && is_stdout(svg)) || (assembly && is_stdout(assembly)) ||
      (patterns && is_stdout(patterns)))
    return CLI_DONE;
  if (!inspection_find(s)) return out_of_memory(s->a);
  if (args_has(s->a, "relax")) return relax(s);
  if (args_has(s->a, "json")) return explain_json(s) ? CLI_DONE : out_of_memory(s->a);
  lw_status status = LW_OK;
  if (args_has(s->a, "numbering"))
    status = show_numbering(s, NULL);
  else if (s->partition)
    status = show_partition(s, NULL);
  else if (s->set)
    status = print_aggregate(s) ? LW_OK : LW_E_MEMORY;
  else
    status = explain(s) ? LW_OK : LW_E_MEMORY;
  if (status == LW_E_MEMORY) return out_of_memory(s->a);
  return status == LW_OK ? CLI_DONE : complain_status(s->a, "cannot be shown", status);
}

static int inspect(const cli_args *a)
{
  int status = check_file(a, "svg", "SVG");
  if (args_has(a, "elements") && !args_has(a, "svg"))
    return usage_error(a->verb, "--elements needs --svg FILE.svg");
  if (status == CLI_DONE) status = check_file(a, "assembly-svg", "SVG");
  if (status == CLI_DONE) status = check_file(a, "patterns", "SVG");
  if (status == CLI_DONE) status = check_file(a, "relax", "YAML");
  if (status == CLI_DONE) status = check_two_files(a, "svg", "assembly-svg");
  if (status == CLI_DONE) status = check_two_files(a, "svg", "patterns");
  if (status == CLI_DONE) status = check_two_files(a, "assembly-svg", "patterns");
  if (status == CLI_DONE && !args_has(a, "json"))
    status = check_exclusive(a, "all|numbering|partition|aggregate|relax");
  if (status == CLI_DONE) status = check_exclusive(a, "json|relax");
  if (status == CLI_DONE) status = check_exclusive(a, "json|all");
  lw_model *m = status == CLI_DONE ? load_model(a, &status) : NULL;
  if (!m) return status;
  const size_t n = (size_t)lw_nbody(m) + 1;
  const bool aggregate = args_has(a, "aggregate");
  lw_topology *t = lw_topology_new(m, NULL);
  inspection s = {.a = a, .m = m, .t = t, .all = args_has(a, "all")};
  s.set = aggregate ? calloc(4 * n, 1) : NULL;
  s.scratch = malloc(2 * n * sizeof *s.scratch);
  s.partition = args_has(a, "partition") ? calloc(n, 1) : NULL;
  const bool memory =
      t && s.scratch && (s.set || !aggregate) && (s.partition || !args_has(a, "partition"));
  status = memory ? inspect_model(&s) : out_of_memory(a);
  inspection_free(&s);
  free(s.set);
  free(s.partition);
  free(s.scratch);
  lw_topology_free(t);
  lw_model_free(m);
  return status;
}

const cli_verb verb_inspect = {"inspect", "Explains the graph of the model in plain words.",
                               "linkwork inspect models/humanoid.yaml --svg humanoid.svg", options,
                               inspect};
