/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c -- the spanning tree as text.  Bodies of one serial segment are below each other;
   branches are indented, so that long chains do not run out of the screen. */
#include "inspect.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"

#include <string.h>

enum {
  DRAWN = 200,
  DEEP = 24,
  LISTED = 30,
  NAMED = 6
}; /* bodies, levels; segments, bodies of one */

const char *node_name(const lw_model *m, int node)
{
  return lw_body_name(m, (lw_body){node + 1});
}

tree_shape find_shape(const lw_tree *t)
{
  tree_shape shape = {0};
  for (int v = 0; v < t->nnode; v++) {
    int count;
    lw_tree_children(t, v, &count);
    shape.leaves += count == 0;
    shape.branching += count > 1;
    if (count > shape.widest) shape.widest = count;
  }
  return shape;
}

/* ---- the drawing ---- */

/* Bars below the ancestors that have more children to come, then the branch itself. */
static void print_stem(const unsigned char more[], int depth, bool first)
{
  printf("  ");
  for (int d = 0; d < depth; d++)
    printf(more[d] ? "│  " : "   ");
  if (first)
    printf(more[depth] ? "├─ " : "└─ ");
  else
    printf(more[depth] ? "│  " : "   ");
}

static void print_body(const inspection *s, int node, int depth)
{
  const lw_joint_info joint = lw_get_joint(s->m, lw_body_joint(s->m, (lw_body){node + 1}));
  const int width = 30 - 3 * depth;
  printf("%-*s  %s%s%s%s\n", width > 12 ? width : 12, node_name(s->m, node),
         lw_joint_type_name(joint.type), joint.implicit ? "" : " ",
         joint.implicit ? "" : joint.name, joint.implicit ? ", added by linkwork" : "");
}

/* Has the parent of segment k children after k?  Roots are children of the ground. */
static bool has_next(const lw_segments *g, int k)
{
  const int parent = g->parent[k];
  return g->end[k] < (parent < 0 ? g->nsegment : g->end[parent]);
}

static int print_segment(const inspection *s, int k, const unsigned char more[], int limit)
{
  const lw_segments *g = s->t->segments;
  int drawn = 0;
  for (int i = g->start[k]; i < g->start[k + 1] && drawn < limit; i++, drawn++) {
    print_stem(more, g->depth[k], i == g->start[k]);
    print_body(s, g->node[i], g->depth[k]);
  }
  return drawn;
}

void print_tree(const inspection *s)
{
  const lw_segments *g = s->t->segments;
  const int n = s->t->nbody, limit = s->all ? n : DRAWN;
  unsigned char more[DEEP + 1] = {0};
  int drawn = 0, hidden = 0;
  printf("\nspanning tree: each body with the joint that carries it, on the body above it\n");
  printf("  ground\n");
  for (int k = 0; k < g->nsegment && drawn < limit; k++) {
    const int depth = g->depth[k];
    if (depth > DEEP) {
      hidden += g->start[k + 1] - g->start[k];
      continue;
    }
    more[depth] = has_next(g, k);
    drawn += print_segment(s, k, more, limit - drawn);
  }
  if (drawn + hidden < n) printf("  ... and %d more (--all)\n", n - drawn - hidden);
  if (hidden)
    printf("  ... %d bod%s beyond %d branchings not drawn\n", hidden, hidden == 1 ? "y" : "ies",
           DEEP);
}

/* ---- segments ---- */

static void print_members(const inspection *s, int k)
{
  const lw_segments *g = s->t->segments;
  const int n = g->start[k + 1] - g->start[k];
  for (int i = 0; i < n; i++) {
    if (n > NAMED && i == 2) {
      printf(", ... (%d in all)", n);
      i = n - 2;
      continue;
    }
    printf("%s%s", i ? ", " : "", node_name(s->m, g->node[g->start[k] + i]));
  }
}

void print_segments(const inspection *s)
{
  const lw_segments *g = s->t->segments;
  const int n = s->all || g->nsegment <= LISTED ? g->nsegment : LISTED;
  printf("\nsegments: the longest serial chains, and what carries each\n");
  for (int k = 0; k < n; k++) {
    printf("  S%-4d on ", k + 1);
    if (g->parent[k] < 0)
      printf("ground: ");
    else
      printf("S%d: ", g->parent[k] + 1);
    print_members(s, k);
    printf("\n");
  }
  if (n < g->nsegment) printf("  ... and %d more (--all)\n", g->nsegment - n);
}
