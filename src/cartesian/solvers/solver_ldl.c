/* SPDX-License-Identifier: Apache-2.0 */
/* solver_ldl.c -- L D L^T of an augmented matrix without pivoting, by SuiteSparse's LDL, and the
   order that allows it.

   With positive definite masses a body's pivots are positive.  If the rows of a set come after the
   bodies that it touches, every leading part of the matrix is an augmented matrix of some bodies
   and of rows on them alone: regular, if the equations are independent.  So no pivot is zero, at
   any state. */
#include "cartesian/reduced/joint_graph.h"
#include "cartesian/solvers/solver.h"

#include <ldl.h>

/* ---- order ---- */

/* bodies, then sets; `joined` fills up while nodes are eliminated */
typedef struct {
  const lwi_descriptor_shape *s;
  int nnode;
  int *weight, *waits_for; /* unknowns; bodies that have to come before */
  bool *joined, *done;
} elimination;

static bool start(elimination *g, const lwi_descriptor_shape *s, int per_body, lwi_arena *scratch)
{
  const size_t n = (size_t)(s->nbody + s->nset);
  g->s = s;
  g->nnode = (int)n;
  g->weight = LWI_TAKE(scratch, n, int);
  g->waits_for = LWI_TAKE(scratch, n, int);
  g->joined = LWI_TAKE(scratch, n * n, bool);
  g->done = LWI_TAKE(scratch, n, bool);
  if (!g->weight || !g->waits_for || !g->joined || !g->done) return false;
  for (int b = 0; b < s->nbody; b++)
    g->weight[b] = per_body;
  for (int k = 0; k < s->nset; k++) {
    const int node = s->nbody + k;
    g->weight[node] = s->row[k + 1] - s->row[k];
    g->waits_for[node] = s->touch[k + 1] - s->touch[k];
    for (int i = s->touch[k]; i < s->touch[k + 1]; i++)
      g->joined[(size_t)node * n + (size_t)s->body[i]] =
          g->joined[(size_t)s->body[i] * n + (size_t)node] = true;
  }
  return true;
}

static int degree(const elimination *g, int node)
{
  const bool *joined = g->joined + (size_t)node * (size_t)g->nnode;
  int sum = 0;
  for (int i = 0; i < g->nnode; i++)
    if (joined[i] && !g->done[i] && i != node) sum += g->weight[i];
  return sum;
}

/* of the nodes that may come next, the one with the fewest unknowns around it */
static int find_next(const elimination *g)
{
  int best = -1, least = 0;
  for (int i = 0; i < g->nnode; i++) {
    if (g->done[i] || g->waits_for[i] > 0) continue;
    const int d = degree(g, i);
    if (best < 0 || d < least) {
      best = i;
      least = d;
    }
  }
  return best;
}

static void eliminate(elimination *g, int node)
{
  const size_t n = (size_t)g->nnode;
  const bool *around = g->joined + (size_t)node * n;
  g->done[node] = true;
  for (size_t i = 0; i < n; i++) {
    if (!around[i] || g->done[i]) continue;
    if (node < g->s->nbody && (int)i >= g->s->nbody && g->waits_for[i] > 0) g->waits_for[i]--;
    for (size_t j = 0; j < n; j++)
      if (around[j] && !g->done[j]) g->joined[i * n + j] = true;
  }
}

/* Large systems: sets by minimum degree of the joint graph, each after its bodies. */
static bool order_by_sets(const lwi_descriptor_shape *s, int nodes[], lwi_arena *scratch)
{
  lwi_body_sets sets;
  lwi_joint_graph g;
  int n = 0, *order = NULL;
  bool *done = LWI_TAKE(scratch, s->nbody, bool);
  if (!done || !lwi_body_sets_new(s, scratch, &sets) ||
      lwi_joint_graph_new(s, &sets, NULL, 1e8, scratch, &g) != LW_OK)
    return false;
  order = LWI_TAKE(scratch, g.graph.nnode, int);
  if (!order || lw_order_nodes(&g.graph, LW_ORDER_MINIMUM_DEGREE, order) != LW_OK) return false;
  for (int k = 0; k < g.graph.nnode; k++) {
    const int set = g.node[order[k]];
    for (int e = s->touch[set]; e < s->touch[set + 1]; e++) {
      if (!done[s->body[e]]) nodes[n++] = s->body[e];
      done[s->body[e]] = true;
    }
    nodes[n++] = s->nbody + set;
  }
  for (int b = 0; b < s->nbody; b++)
    if (!done[b]) nodes[n++] = b;
  for (int k = 0; k < s->nset; k++)
    if (g.set_node[k] < 0) nodes[n++] = s->nbody + k;
  return true;
}

bool lwi_ldl_order(const lwi_descriptor_shape *s, int per_body, int nodes[])
{
  enum { MANY = 500 }; /* nodes: above, comparing all of them each time takes too long */
  lwi_arena scratch = {0};
  elimination g = {0};
  if (s->nbody + s->nset > MANY) {
    const bool done = order_by_sets(s, nodes, &scratch);
    lwi_arena_free(&scratch);
    return done;
  }
  const bool fine = start(&g, s, per_body, &scratch);
  for (int k = 0; fine && k < g.nnode; k++) {
    nodes[k] = find_next(&g);
    eliminate(&g, nodes[k]);
  }
  lwi_arena_free(&scratch);
  return fine;
}

/* ---- factors ---- */

bool lwi_ldl_plan(lwi_ldl *f, int n, int column_start[], int row[], lwi_arena *arena)
{
  f->n = n;
  f->column_start = column_start;
  f->row = row;
  f->L_start = LWI_TAKE(arena, n + 1, int);
  f->parent = LWI_TAKE(arena, n, int);
  f->L_count = LWI_TAKE(arena, n, int);
  f->flag = LWI_TAKE(arena, n, int);
  f->pattern = LWI_TAKE(arena, n, int);
  f->D = LWI_TAKE(arena, n, double);
  f->y = LWI_TAKE(arena, n, double);
  if (!f->L_start || !f->parent || !f->L_count || !f->flag || !f->pattern || !f->D || !f->y)
    return false;
  ldl_symbolic(n, column_start, row, f->L_start, f->parent, f->L_count, f->flag, NULL, NULL);
  f->L_row = LWI_TAKE(arena, f->L_start[n] + 1, int);
  f->L = LWI_TAKE(arena, f->L_start[n] + 1, double);
  return f->L_row && f->L;
}

bool lwi_ldl_solve(lwi_ldl *f, double value[], double x[])
{
  if (ldl_numeric(f->n, f->column_start, f->row, value, f->L_start, f->parent, f->L_count, f->L_row,
                  f->L, f->D, f->y, f->pattern, f->flag, NULL, NULL) != f->n)
    return false;
  ldl_lsolve(f->n, x, f->L_start, f->L_row, f->L);
  ldl_dsolve(f->n, x, f->D);
  ldl_ltsolve(f->n, x, f->L_start, f->L_row, f->L);
  return true;
}
