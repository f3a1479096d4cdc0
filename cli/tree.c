/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include <stdlib.h>

/* Children as linked lists; bodies are taken last first, so that lists are in file order. */
static void link_children(const lw_model *m, int child[], int next[])
{
  for (int b = lw_nbody(m); b >= 1; b--) {
    const int p = lw_body_parent(m, (lw_body){b}).id;
    next[b] = child[p];
    child[p] = b;
  }
}

static void count_group(body_tree *t, const lw_model *m, int root)
{
  t->groups++;
  t->floating += lw_get_joint(m, lw_body_joint(m, (lw_body){root})).type == LW_FREE;
}

/* Down to the first child, else to the next sibling of the nearest ancestor that has one. */
static void walk(body_tree *t, const lw_model *m, const int child[], const int next[])
{
  int b = child[0], depth = 1;
  for (int k = 0; b > 0; k++) {
    t->order[k] = b;
    t->depth[b] = depth;
    if (depth == 1) count_group(t, m, b);
    if (depth > t->height) t->height = depth;
    if (child[b]) {
      t->branches |= next[child[b]] > 0;
      b = child[b];
      depth++;
      continue;
    }
    t->leaves++;
    while (b > 0 && !next[b]) {
      b = lw_body_parent(m, (lw_body){b}).id;
      depth--;
    }
    b = b > 0 ? next[b] : 0;
  }
}

bool body_tree_make(body_tree *t, const lw_model *m)
{
  const size_t n = (size_t)lw_nbody(m) + 1;
  *t = (body_tree){.order = calloc(n, sizeof *t->order), .depth = calloc(n, sizeof *t->depth)};
  int *child = calloc(n, sizeof *child), *next = calloc(n, sizeof *next);
  const bool good = t->order && t->depth && child && next;
  if (good) {
    link_children(m, child, next);
    walk(t, m, child, next);
  }
  free(child);
  free(next);
  return good;
}

void body_tree_free(body_tree *t)
{
  free(t->order);
  free(t->depth);
}

const char *body_tree_class(const body_tree *t)
{
  if (t->groups == 0) return "empty";
  if (t->groups == 1 && t->floating) return t->branches ? "floating tree" : "floating serial chain";
  if (t->groups == 1) return t->branches ? "tree" : "serial chain";
  return t->branches ? "forest of trees" : "forest of serial chains";
}

void count_types(const lw_model *m, int count[LW_JOINT_TYPES], int *implicit)
{
  for (int i = 0; i < LW_JOINT_TYPES; i++)
    count[i] = 0;
  *implicit = 0;
  for (int j = 1; j <= lw_njoint(m); j++) {
    const lw_joint_info info = lw_get_joint(m, (lw_joint){j});
    count[info.type]++;
    *implicit += info.implicit;
  }
}

bool count_closed(const lw_model *m, int *dof, int *redundant)
{
  lw_work *w = lw_work_new(m);
  double *q = malloc(((size_t)lw_nq(m) + 1) * sizeof *q);
  double *u = malloc(((size_t)lw_nu(m) + 1) * sizeof *u);
  *dof = lw_dof(m);
  *redundant = 0;
  bool closed = w && q && u;
  if (closed) {
    lw_initial_state(m, q, u);
    closed = lw_assemble(m, w, 0, q, u, NULL) == LW_OK &&
             lw_count_freedoms(m, w, q, dof, redundant) == LW_OK;
  }
  lw_work_free(w);
  free(q);
  free(u);
  return closed;
}
