/* SPDX-License-Identifier: Apache-2.0 */
/* tree_layout.c -- where the nodes of a tree are placed in a picture. */
#include "io/picture/tree_layout.h"

static bool is_port(const lwi_tree_sizes *sizes, int v)
{
  return sizes->port && sizes->port[v];
}

/* The first and last child that is no port; false: there is none. */
static bool real_children(const lw_tree *t, const lwi_tree_sizes *sizes, int v, int *first,
                          int *last)
{
  int count;
  const int *child = lw_tree_children(t, v, &count);
  *first = *last = LW_NO_NODE;
  for (int i = 0; i < count; i++) {
    if (is_port(sizes, child[i])) continue;
    if (*first < 0) *first = child[i];
    *last = child[i];
  }
  return *first >= 0;
}

/* Rows for leaves and ports from the top down, then the others from their children. */
static void find_rows(const lw_tree *t, const lwi_tree_sizes *sizes, lwi_tree_layout *l)
{
  int first, last;
  for (int place = 0; place < t->nnode; place++) {
    const int v = t->order[place];
    if (real_children(t, sizes, v, &first, &last)) continue;
    l->y[v] = l->height + sizes->height[v] / 2;
    l->height += sizes->height[v];
  }
  for (int place = t->nnode - 1; place >= 0; place--) {
    const int v = t->order[place];
    if (real_children(t, sizes, v, &first, &last)) l->y[v] = (l->y[first] + l->y[last]) / 2;
  }
}

static void find_columns(const lw_tree *t, const lwi_tree_sizes *sizes, lwi_tree_layout *l)
{
  for (int d = 0; d < t->nlevel; d++) {
    double gap = 0, width = 0;
    for (int i = t->level_start[d]; i < t->level_start[d + 1]; i++) {
      const int v = t->by_level[i];
      if (sizes->gap[v] > gap) gap = sizes->gap[v];
      if (sizes->width[v] > width) width = sizes->width[v];
    }
    for (int i = t->level_start[d]; i < t->level_start[d + 1]; i++) {
      l->left[t->by_level[i]] = l->width;
      l->x[t->by_level[i]] = l->width + gap;
    }
    l->width += gap + width;
  }
}

bool lwi_tree_lay_out(const lw_tree *t, const lwi_tree_sizes *sizes, lwi_arena *arena,
                      lwi_tree_layout *layout)
{
  *layout = (lwi_tree_layout){.x = LWI_TAKE(arena, t->nnode, double),
                              .y = LWI_TAKE(arena, t->nnode, double),
                              .left = LWI_TAKE(arena, t->nnode, double)};
  if (!layout->x || !layout->y || !layout->left) return false;
  find_rows(t, sizes, layout);
  find_columns(t, sizes, layout);
  return true;
}
