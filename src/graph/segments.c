/* SPDX-License-Identifier: Apache-2.0 */
/* segments.c -- the maximal serial chains of a tree.  [Jain2012] section 7.

   In preorder an only child comes right after its parent, so that segments are runs of places, and
   numbering them as they come puts parents first and keeps subtrees contiguous. */
#include <stdlib.h>
#include <string.h>

#include "graph/block.h"
#include "linkwork/graph.h"

/* The arrays of the result while they are written. */
typedef struct {
  int *segment_of, *node, *start, *parent, *depth, *end;
} builder;

static void segments_carve(lw_segments *s, builder *w, lwi_carver *c)
{
  (void)LWI_CARVE(c, 1, lw_segments); /* the object itself comes first */
  s->segment_of = w->segment_of = LWI_CARVE(c, s->nnode, int);
  s->node = w->node = LWI_CARVE(c, s->nnode, int);
  s->start = w->start = LWI_CARVE(c, (size_t)s->nsegment + 1, int);
  s->parent = w->parent = LWI_CARVE(c, s->nsegment, int);
  s->depth = w->depth = LWI_CARVE(c, s->nsegment, int);
  s->end = w->end = LWI_CARVE(c, s->nsegment, int);
}

/* True if the node is a root or has siblings. */
static bool begins_segment(const lw_tree *t, int v)
{
  int nsibling;
  lw_tree_children(t, t->parent[v], &nsibling);
  return t->parent[v] < 0 || nsibling > 1;
}

static void fill_nodes(const lw_tree *t, builder *w)
{
  int s = -1;
  for (int place = 0; place < t->nnode; place++) {
    const int v = t->order[place], p = t->parent[v];
    if (begins_segment(t, v)) {
      w->start[++s] = place;
      w->parent[s] = p < 0 ? LW_NO_NODE : w->segment_of[p];
      w->depth[s] = p < 0 ? 0 : w->depth[w->parent[s]] + 1;
    }
    w->segment_of[v] = s;
    w->node[place] = v;
  }
  w->start[s + 1] = t->nnode;
}

/* A segment's range ends where that of its last descendant ends. */
static void fill_ends(int nsegment, builder *w)
{
  for (int s = 0; s < nsegment; s++)
    w->end[s] = s + 1;
  for (int s = nsegment - 1; s >= 0; s--) {
    const int p = w->parent[s];
    if (p >= 0 && w->end[p] < w->end[s]) w->end[p] = w->end[s];
  }
}

lw_segments *lw_segments_new(const lw_tree *t, lw_error *err)
{
  if (!t) return lwi_refuse(err, LW_E_ARG);
  lw_segments s = {.nnode = t->nnode, .nsegment = 0};
  for (int v = 0; v < t->nnode; v++)
    s.nsegment += begins_segment(t, v);
  builder w = {0};
  lwi_carver c = {0};
  segments_carve(&s, &w, &c);
  if (!lwi_carver_alloc(&c)) return lwi_refuse(err, LW_E_MEMORY);
  segments_carve(&s, &w, &c);
  fill_nodes(t, &w);
  fill_ends(s.nsegment, &w);
  lwi_set_status(err, LW_OK);
  return memcpy(c.base, &s, sizeof s);
}

void lw_segments_free(lw_segments *s)
{
  free(s);
}
