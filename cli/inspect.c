/* SPDX-License-Identifier: Apache-2.0 */
/* inspect.c -- linkwork inspect: explains the graph of the model in plain words. */
#include "tree.h"

static const cli_option options[] = {{"all", 0, NULL, "draw the whole tree, however large"},
                                     SET_OPTION,
                                     JSON_OPTION,
                                     {"svg", 0, "FILE.svg", NULL},
                                     {0}};
enum { DRAWN = 200 }; /* bodies */

static void print_types(const lw_model *m)
{
  int count[LW_JOINT_TYPES], implicit, shown = 0;
  count_types(m, count, &implicit);
  printf("joints              %d", lw_njoint(m));
  for (int i = 0; i < LW_JOINT_TYPES; i++)
    if (count[i])
      printf("%s%d %s", shown++ ? ", " : ": ", count[i], lw_joint_type_name((lw_joint_type)i));
  if (implicit) printf(" (%d given to floating groups)", implicit);
  printf("\n");
}

/* The body at place k of the drawing order, below its parent. */
static void print_body(const lw_model *m, const body_tree *t, int k)
{
  const lw_body body = {t->order[k]};
  const lw_joint_info joint = lw_get_joint(m, lw_body_joint(m, body));
  printf("  %*s%s  (%s %s)\n", 2 * t->depth[body.id], "", lw_body_name(m, body),
         lw_joint_type_name(joint.type), joint.name);
}

static void print_tree(const lw_model *m, const body_tree *t, bool all)
{
  const int n = lw_nbody(m), drawn = all || n < DRAWN ? n : DRAWN;
  printf("\nspanning tree: each body with the joint that carries it\n  ground\n");
  for (int k = 0; k < drawn; k++)
    print_body(m, t, k);
  if (drawn < n) printf("  ... and %d more (--all)\n", n - drawn);
}

/* Joints beyond the spanning tree, and constraints: each ties two parts that are joined already. */
static void print_loops(const lw_model *m)
{
  printf("closed loops        %d\n", lw_ncut(m));
  for (int j = 1; j <= lw_njoint(m); j++) {
    const lw_joint_info info = lw_get_joint(m, (lw_joint){j});
    if (info.cut)
      printf("                    closed by the %s joint %s, between %s and %s\n",
             lw_joint_type_name(info.type), info.name, lw_body_name(m, info.parent),
             lw_body_name(m, info.child));
  }
  if (lw_nconstraint(m)) printf("constraints         %d:", lw_nconstraint(m));
  for (int i = 1; i <= lw_nconstraint(m); i++)
    printf(" %s", lw_get_constraint(m, (lw_constraint){i}).name);
  if (lw_nconstraint(m)) printf("\n");
}

static void print_freedoms(const lw_model *m)
{
  int dof, redundant;
  const bool closed = count_closed(m, &dof, &redundant);
  printf("degrees of freedom  %d%s\n", dof,
         closed ? "" : " in the spanning tree; the loops cannot be closed");
  if (redundant) printf("redundant           %d of the constraint equations\n", redundant);
  if (lw_dof(m) < lw_nu(m))
    printf("                    (%d speeds are rotations of particles, which do not count)\n",
           lw_nu(m) - lw_dof(m));
}

static void explain(const cli_args *a, const lw_model *m, const body_tree *t)
{
  const char *name = lw_model_name(m);
  printf("%s%s\n\n", name && *name ? name : a->model, lw_model_is_planar(m) ? " (planar)" : "");
  if (lw_ncut(m) == 0)
    printf("graph               %s\n", body_tree_class(t));
  else
    printf("graph               with closed loops; its spanning tree is a %s\n",
           body_tree_class(t));
  if (t->floating)
    printf("floating            %d of %d group%s: not held by the ground\n", t->floating, t->groups,
           t->groups == 1 ? "" : "s");
  printf("bodies              %d\n", lw_nbody(m));
  print_types(m);
  print_loops(m);
  printf("depth               %d\n", t->height);
  printf("leaves              %d\n", t->leaves);
  printf("coordinates         %d, speeds %d\n", lw_nq(m), lw_nu(m));
  print_freedoms(m);
  if (lw_nevent(m)) printf("events              %d\n", lw_nevent(m));
  print_tree(m, t, args_has(a, "all"));
}

static int inspect(const cli_args *a)
{
  int status;
  lw_model *m = load_model(a, &status);
  if (!m) return status;

  body_tree t;
  if (!body_tree_make(&t, m) || (args_has(a, "json") && !explain_json(m, &t)))
    status = out_of_memory(a);
  else if (!args_has(a, "json"))
    explain(a, m, &t);
  body_tree_free(&t);
  lw_model_free(m);
  return status;
}

const cli_verb verb_inspect = {"inspect", "Explains the graph of the model in plain words.",
                               "linkwork inspect models/arm.yaml", options, inspect};
