/* SPDX-License-Identifier: Apache-2.0 */
/* directed_tree.c -- inspect: a spanning tree of the digraph whose edges all lead from parent to
   child as written [Jain2012], where there is one: breadth first from the ground. */
#include "inspect.h"
#include "linkwork/query.h"

#include <stdlib.h>

/* The ends of an edge as written: bodies, 0 is the ground. */
static void ends_of(const inspection *s, int edge, int *from, int *to)
{
  const int njoint = s->t->njoint;
  if (edge < njoint) {
    const lw_joint_info j = lw_get_joint(s->m, (lw_joint){edge + 1});
    *from = j.parent.id;
    *to = j.child.id;
    return;
  }
  const lw_constraint_info c =
      lw_get_constraint(s->m, (lw_constraint){s->t->constraint[edge - njoint]});
  *from = c.parent.id;
  *to = c.child.id;
}

typedef struct {
  int *carrier;       /* [nbody + 1] the edge by which each body is reached, -1: none */
  int *queue, *first; /* [nbody + 1]; the first edge that leaves a body, -1: none */
  int *next;          /* [nedge] the next one of the same body */
  int reached;        /* bodies */
} directed;

static void walk_directed(const inspection *s, directed *d)
{
  int filled = 0, from, to;
  for (int b = 0; b <= lw_nbody(s->m); b++)
    d->carrier[b] = d->first[b] = -1;
  for (int e = s->t->nedge - 1; e >= 0; e--) {
    ends_of(s, e, &from, &to);
    d->next[e] = d->first[from];
    d->first[from] = e;
  }
  d->queue[filled++] = 0;
  for (int k = 0; k < filled; k++)
    for (int e = d->first[d->queue[k]]; e >= 0; e = d->next[e]) {
      ends_of(s, e, &from, &to);
      if (to == 0 || d->carrier[to] >= 0) continue;
      d->carrier[to] = e;
      d->queue[filled++] = to;
    }
  d->reached = filled - 1;
}

static int count_against(const inspection *s)
{
  int n = 0;
  for (int v = 0; v < s->t->nbody; v++) {
    const lw_joint_info j = lw_get_joint(s->m, lw_body_joint(s->m, (lw_body){v + 1}));
    n += j.child.id != v + 1;
  }
  return n;
}

static void print_reached(const inspection *s, const int carrier[], int reached)
{
  const int against = count_against(s), n = lw_nbody(s->m);
  int shown = 0;
  if (reached < n) {
    printf("directed tree   there is none: from the ground no joints lead, as written, to");
    for (int b = 1; b <= n; b++)
      if (carrier[b] < 0 && shown++ < 6)
        printf("%s %s", shown > 1 ? "," : "", show(node_name(s->m, b - 1)).text);
    printf("%s\n", shown > 6 ? ", ..." : "");
    return;
  }
  printf("directed tree   exists: joints lead, as written, from the ground to every body; ");
  if (!against) printf("the spanning tree is one\n");
  if (against)
    printf("the spanning tree is shallower and follows %d joint%s backward\n", against,
           plural(against));
}

static void json_reached(json *j, const inspection *s, const int carrier[], int reached)
{
  int from, to;
  json_object(j, "directed_tree");
  json_bool(j, "exists", reached == lw_nbody(s->m));
  json_integer(j, "joints_backward", count_against(s));
  json_object(j, "parents");
  for (int b = 1; b <= lw_nbody(s->m); b++) {
    if (carrier[b] < 0) continue;
    ends_of(s, carrier[b], &from, &to);
    json_text(j, node_name(s->m, b - 1), node_name(s->m, from - 1));
  }
  json_object_end(j);
  json_list(j, "cut_edges");
  for (int e = 0; e < s->t->nedge; e++) {
    ends_of(s, e, &from, &to);
    if (carrier[to] != e) json_name(j, get_edge(s, e).name, 0);
  }
  json_list_end(j);
  json_object_end(j);
}

bool show_directed_tree(const inspection *s, json *j)
{
  const size_t n = (size_t)lw_nbody(s->m) + 1;
  int *block = malloc((3 * n + (size_t)s->t->nedge) * sizeof *block);
  if (!block) return false;
  directed d = {
      .carrier = block, .queue = block + n, .first = block + 2 * n, .next = block + 3 * n};
  walk_directed(s, &d);
  if (j)
    json_reached(j, s, d.carrier, d.reached);
  else if (s->t->nloop || d.reached < lw_nbody(s->m))
    print_reached(s, d.carrier, d.reached);
  free(block);
  return true;
}
