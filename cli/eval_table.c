/* SPDX-License-Identifier: Apache-2.0 */
/* eval_table.c -- an evaluation as tables to read. */
#include "eval.h"

enum { MANY = 40, WIDE = 12 }; /* rows of a table, columns of a matrix that still fit a screen */

static void print_bodies(const evaluation *e)
{
  const int n = lw_nbody(e->m);
  printf("\nbodies: position, orientation w x y z\n");
  for (int b = 1; b <= n && b <= MANY; b++) {
    lw_pose X;
    evaluation_pose(e, b, &X);
    printf("  %-16s (%.9g, %.9g, %.9g), (%.9g, %.9g, %.9g, %.9g)\n",
           lw_body_name(e->m, (lw_body){b}), X.p[0], X.p[1], X.p[2], X.quat[0], X.quat[1],
           X.quat[2], X.quat[3]);
  }
  if (n > MANY) printf("  ... and %d more\n", n - MANY);
}

static void print_loads(const evaluation *e)
{
  printf("\njoint loads: force, torque\n");
  for (int j = 1, shown = 0; j <= lw_njoint(e->m); j++) {
    const lw_joint_info info = lw_get_joint(e->m, (lw_joint){j});
    double f[6];
    if (info.implicit) continue;
    if (shown++ >= MANY) {
      printf("  ...\n");
      break;
    }
    evaluation_load(e, j, f);
    printf("  %-16s (%.9g, %.9g, %.9g), (%.9g, %.9g, %.9g)\n", info.name, f[0], f[1], f[2], f[3],
           f[4], f[5]);
  }
}

static void print_constraints(const evaluation *e)
{
  const int n = lw_nconstraint(e->m);
  if (n > 0) printf("\nconstraint loads: force, torque, or the multiplier\n");
  for (int i = 1; i <= n && i <= MANY; i++) {
    const lw_constraint_info info = lw_get_constraint(e->m, (lw_constraint){i});
    double f[6] = {0};
    if (is_relation(&info)) {
      printf("  %-16s %.9g\n", info.name, evaluation_relation_load(e, i));
      continue;
    }
    evaluation_constraint_load(e, i, f);
    printf("  %-16s (%.9g, %.9g, %.9g), (%.9g, %.9g, %.9g)\n", info.name, f[0], f[1], f[2], f[3],
           f[4], f[5]);
  }
}

void evaluation_print_loads(const evaluation *e)
{
  print_loads(e);
  print_constraints(e);
}

static void print_mass_matrix(const evaluation *e)
{
  const int nu = lw_nu(e->m);
  printf("\nmass matrix%s: log determinant %.9g\n", lw_ncut(e->m) ? " of the spanning tree" : "",
         e->logdet);
  for (int i = 0; i < nu && nu <= WIDE; i++) {
    for (int j = 0; j < nu; j++)
      printf(" %12.6g", e->mass[i * nu + j]);
    printf("\n");
  }
  if (nu > WIDE) printf("  (%d x %d%s)\n", nu, nu, e->mass ? ": see --json" : "");
}

void evaluation_print(const evaluation *e)
{
  const state_column columns[] = {{"q", COORDINATES, e->q},
                                  {"u", SPEEDS, e->u},
                                  {"udot", SPEEDS, e->udot},
                                  {"bias", TREE_SPEEDS, e->bias}};
  printf("t = %g, %d degree%s of freedom", e->t, e->dof, plural(e->dof));
  if (e->redundant)
    printf(", %d redundant constraint equation%s", e->redundant, plural(e->redundant));
  printf("\n\n");
  print_states(e->m, columns, 4, MANY);
  print_bodies(e);
  evaluation_print_loads(e);
  print_mass_matrix(e);
  operators_print(&e->operators);
  jacobian_print(&e->jacobian);
  printf("\nenergy: kinetic %.9g, potential %.9g, total %.9g\n", e->kinetic, e->potential,
         e->kinetic + e->potential);
}
