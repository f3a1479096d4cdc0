/* SPDX-License-Identifier: Apache-2.0 */
/* assembly_tree.c -- from regions (assembly_split.h) to assemblies in post-order, their handles,
   and what they cost. */
#include "graph/assembly_tree.h"

#include <string.h>

#include "graph/assembly_split.h"
#include "graph/union_find.h"
#include "linkwork/graph.h"

typedef struct {
  lwi_assembly_tree *t;
  lwi_arena scratch;
  lwi_splitter split;
  int *ground, *next_ground;     /* edges to the ground (or to the node itself), listed by node */
  int *up, *weight, *top;        /* sets of united nodes, and the assembly that each has become */
  int *others;                   /* edges of each node to be eliminated yet, late ones aside */
  int *late;                     /* its late edge, -1: none */
  int *group_left;               /* [nedge] by group: edges to come */
  int *group_first, *group_next; /* [nedge] edges by group */
  lwi_assembly *made;            /* in the order of making */
  int nmade;
} builder;

static bool ends_are_valid(int nnode, int nedge, const int from[], const int to[],
                           const int group[])
{
  for (int e = 0; e < nedge; e++) {
    if (group && (group[e] < LWI_LATE || group[e] >= nedge)) return false;
    if (group && group[e] == LWI_LATE && from[e] != to[e]) return false;
    if (from[e] < LW_NO_NODE || from[e] >= nnode || to[e] < LW_NO_NODE || to[e] >= nnode)
      return false;
    if (from[e] == LW_NO_NODE && to[e] == LW_NO_NODE) return false;
  }
  return true;
}

/* ---- memory ---- */

static bool allocate(builder *b, int n, int nedge)
{
  lwi_arena *a = &b->scratch;
  lwi_splitter *s = &b->split;
  int **by_node[] = {&s->order,  &s->place, &s->list,   &s->parent, &s->next,
                     &s->size,   &s->seen,  &s->side,   &s->out,    &b->up,
                     &b->weight, &b->top,   &b->ground, &b->others, &b->late};
  for (size_t k = 0; k < sizeof by_node / sizeof *by_node; k++)
    if (!(*by_node[k] = LWI_TAKE(a, n, int))) return false;
  s->start = LWI_TAKE(a, n + 2, int);
  s->adjacent = LWI_TAKE(a, 2 * (size_t)nedge, int);
  s->region = LWI_TAKE(a, 2 * (size_t)n, lwi_region);
  s->crossing = LWI_TAKE(a, nedge, int);
  s->pair = lwi_arena_take(a, (size_t)n + (size_t)nedge, sizeof *s->pair);
  b->next_ground = LWI_TAKE(a, nedge, int);
  b->group_left = LWI_TAKE(a, nedge, int);
  b->group_first = LWI_TAKE(a, nedge, int);
  b->group_next = LWI_TAKE(a, nedge, int);
  if (!b->group_left || !b->group_first || !b->group_next) return false;
  b->made = LWI_TAKE(a, (size_t)n + (size_t)nedge, lwi_assembly);
  return s->start && s->adjacent && s->region && s->crossing && s->pair && b->next_ground &&
         b->made;
}

/* ---- the graph ---- */

static bool stays_at_node(const lwi_assembly_tree *t, int e)
{
  return t->from[e] == LW_NO_NODE || t->to[e] == LW_NO_NODE || t->from[e] == t->to[e];
}

static void list_neighbours(builder *b)
{
  const lwi_assembly_tree *t = b->t;
  lwi_splitter *s = &b->split;
  for (int x = 0; x < t->nnode; x++)
    b->ground[x] = b->late[x] = -1;
  for (int e = t->nedge - 1; e >= 0; e--) {
    const int x = t->from[e] == LW_NO_NODE ? t->to[e] : t->from[e];
    if (t->group[e] == LWI_LATE)
      b->late[x] = e;
    else if (stays_at_node(t, e))
      b->next_ground[e] = b->ground[x], b->ground[x] = e;
    else
      s->start[t->from[e] + 2]++, s->start[t->to[e] + 2]++;
  }
  for (int x = 0; x < t->nnode; x++)
    s->start[x + 2] += s->start[x + 1]; /* start[x + 1] moves to its place while filling */
  for (int e = 0; e < t->nedge; e++) {
    if (stays_at_node(t, e)) continue;
    s->adjacent[s->start[t->from[e] + 1]++] = e;
    s->adjacent[s->start[t->to[e] + 1]++] = e;
  }
}

/* edges of each group, and how many edges each node has */
static void list_groups(builder *b)
{
  const lwi_assembly_tree *t = b->t;
  for (int e = 0; e < t->nedge; e++)
    b->group_first[e] = -1;
  for (int e = t->nedge - 1; e >= 0; e--) {
    const int g = t->group[e];
    if (g == LWI_LATE) continue;
    if (t->from[e] >= 0) b->others[t->from[e]]++;
    if (t->to[e] >= 0) b->others[t->to[e]]++;
    if (g < 0) continue;
    b->group_next[e] = b->group_first[g];
    b->group_first[g] = e;
    b->group_left[g]++;
  }
}

/* the connected components are the first regions */
static void find_components(builder *b)
{
  lwi_splitter *s = &b->split;
  int filled = 0;
  for (int x = 0; x < s->nnode; x++)
    s->place[x] = -1;
  for (int x = 0; x < s->nnode; x++) {
    if (s->place[x] >= 0) continue;
    const int r = s->nregion++, low = filled;
    s->order[filled++] = x;
    s->place[x] = r;
    for (int k = low; k < filled; k++)
      for (int i = s->start[s->order[k]]; i < s->start[s->order[k] + 1]; i++) {
        const int e = s->adjacent[i];
        const int y = s->from[e] == s->order[k] ? s->to[e] : s->from[e];
        if (s->place[y] < 0) s->place[y] = r, s->order[filled++] = y;
      }
    s->region[r] = (lwi_region){.low = low, .high = filled};
  }
}

/* ---- assemblies, in the order of making ---- */

static int make(builder *b, lwi_assembly a)
{
  const lwi_assembly *left = a.left < 0 ? NULL : &b->made[a.left];
  const lwi_assembly *right = a.right < 0 ? NULL : &b->made[a.right];
  const bool both = left && right;
  if (left) a.level = 1 + (both && right->level > left->level ? right->level : left->level);
  if (a.kind == LWI_ASSEMBLY_JOIN) {
    a.loop = left->grounded && right->grounded;
    a.grounded = left->grounded || right->grounded;
  }
  a.parent = -1;
  if (left) b->made[a.left].parent = b->nmade;
  if (right) b->made[a.right].parent = b->nmade;
  b->made[b->nmade] = a;
  return b->nmade++;
}

static int close_edge(builder *b, int inside, int edge, bool idle)
{
  const lwi_assembly_tree *t = b->t;
  const bool ground = t->from[edge] == LW_NO_NODE || t->to[edge] == LW_NO_NODE;
  const bool grounded = b->made[inside].grounded;
  return make(b, (lwi_assembly){.kind = LWI_ASSEMBLY_CLOSE,
                                .node = -1,
                                .edge = edge,
                                .left = inside,
                                .right = -1,
                                .idle = idle,
                                .loop = !ground || grounded,
                                .grounded = ground || grounded});
}

/* A node has lost an edge: was that the last one, its late edge follows. */
static int lose_edge(builder *b, int node, int top)
{
  if (node < 0 || --b->others[node] > 0 || b->late[node] < 0) return top;
  return close_edge(b, top, b->late[node], false);
}

/* After the elimination of an edge, and of its group: late edges of the nodes that have no
   others. */
static int close_late(builder *b, int edge, int top)
{
  const lwi_assembly_tree *t = b->t;
  const int g = t->group[edge];
  for (int e = g < 0 ? edge : b->group_first[g]; e >= 0; e = g < 0 ? -1 : b->group_next[e])
    top = lose_edge(b, t->to[e], lose_edge(b, t->from[e], top));
  return top;
}

static void make_leaf(builder *b, int x)
{
  int top = make(
      b, (lwi_assembly){.kind = LWI_ASSEMBLY_LEAF, .node = x, .edge = -1, .left = -1, .right = -1});
  if (b->others[x] == 0 && b->late[x] >= 0) top = close_edge(b, top, b->late[x], false);
  b->up[x] = x;
  b->weight[x] = 1;
  b->top[x] = top;
}

/* Eliminates an edge between assemblies that there are, inside one, or to the ground. */
static void eliminate(builder *b, int e)
{
  const lwi_assembly_tree *t = b->t;
  const int from = t->from[e] == LW_NO_NODE ? t->to[e] : t->from[e];
  const int to = t->to[e] == LW_NO_NODE ? t->from[e] : t->to[e];
  const int x = lwi_sets_find(b->up, from), y = lwi_sets_find(b->up, to);
  const bool complete = t->group[e] < 0 || --b->group_left[t->group[e]] == 0;
  int top = x == y ? close_edge(b, b->top[x], e, !complete)
                   : make(b, (lwi_assembly){.kind = LWI_ASSEMBLY_JOIN,
                                            .node = -1,
                                            .edge = e,
                                            .idle = !complete,
                                            .left = b->top[x],
                                            .right = b->top[y]});
  if (complete) top = close_late(b, e, top);
  if (x != y) lwi_sets_join_by_size(b->up, b->weight, x, y);
  b->top[lwi_sets_find(b->up, x)] = top;
}

static void bisect(builder *b)
{
  lwi_splitter *s = &b->split;
  find_components(b);
  for (int r = 0; r < s->nregion; r++) /* grows meanwhile */
    if (s->region[r].high - s->region[r].low > 1) lwi_split_region(s, r);
  for (int r = s->nregion - 1; r >= 0; r--) {
    const lwi_region *region = &s->region[r];
    if (region->npart == 0) { /* a node, and at once its edges to the ground */
      const int x = s->order[region->low];
      make_leaf(b, x);
      for (int e = b->ground[x]; e >= 0; e = b->next_ground[e])
        eliminate(b, e);
    }
    for (int k = region->edge; k < region->edge + region->nedge && region->npart; k++)
      eliminate(b, s->crossing[k]);
  }
}

/* All bodies, then edges one after the other. */
static void follow_order(builder *b, const int order[])
{
  for (int x = 0; x < b->t->nnode; x++)
    make_leaf(b, x);
  for (int k = 0; k < b->t->nedge; k++)
    if (b->t->group[order[k]] != LWI_LATE) eliminate(b, order[k]);
}

/* ---- post-order ---- */

/* Numbers backwards: outside before inside, right before left. */
static bool number(builder *b)
{
  lwi_assembly_tree *t = b->t;
  int *new_number = LWI_TAKE(&b->scratch, b->nmade, int);
  int *stack = LWI_TAKE(&b->scratch, b->nmade, int);
  if (!new_number || !stack) return false;
  int n = b->nmade, depth = 0;
  for (int k = 0; k < b->nmade; k++)
    if (b->made[k].parent < 0) stack[depth++] = k, t->nroot++;
  while (depth > 0) {
    const int k = stack[--depth];
    new_number[k] = --n;
    if (b->made[k].left >= 0) stack[depth++] = b->made[k].left;
    if (b->made[k].right >= 0) stack[depth++] = b->made[k].right;
  }
  for (int k = 0; k < b->nmade; k++) {
    lwi_assembly a = b->made[k];
    if (a.left >= 0) a.left = new_number[a.left];
    if (a.right >= 0) a.right = new_number[a.right];
    if (a.parent >= 0) a.parent = new_number[a.parent];
    t->assembly[new_number[k]] = a;
  }
  for (int i = 0; i < b->nmade; i++)
    t->assembly[i].first = t->assembly[i].left < 0 ? i : t->assembly[t->assembly[i].left].first;
  t->nassembly = b->nmade;
  return true;
}

/* ---- handles ---- */

int lwi_assembly_inside(const lwi_assembly_tree *t, const lwi_assembly *a)
{
  return (a->left < 0 ? 0 : t->assembly[a->left].nhandle) +
         (a->right < 0 ? 0 : t->assembly[a->right].nhandle);
}

static void keep_handles(lwi_assembly_tree *t, const int *left, int inside, lwi_assembly *a)
{
  if (inside < 0) return;
  const lwi_assembly *in = &t->assembly[inside];
  for (int k = in->handle; k < in->handle + in->nhandle; k++)
    if (left[t->handle[k]] > 0) t->handle[a->handle + a->nhandle++] = t->handle[k];
}

/* How many of the nodes of an edge, and of its group, lose their last edge with it. */
static int lose_edges(const builder *b, int edge, int *left)
{
  const lwi_assembly_tree *t = b->t;
  const int g = t->group[edge];
  int gone = 0;
  for (int e = g < 0 ? edge : b->group_first[g]; e >= 0; e = g < 0 ? -1 : b->group_next[e]) {
    const int ends[2] = {t->from[e], t->to[e]};
    for (int k = 0; k < 2; k++)
      if (ends[k] >= 0 && --left[ends[k]] == 0) gone++;
  }
  return gone;
}

/* left: edges that each node has still to lose; two walks, the first one counts */
static int find_handles(const builder *b, int *left, bool store)
{
  lwi_assembly_tree *t = b->t;
  memset(left, 0, (size_t)t->nnode * sizeof *left);
  for (int e = 0; e < t->nedge; e++) {
    if (t->from[e] >= 0) left[t->from[e]]++;
    if (t->to[e] >= 0) left[t->to[e]]++;
  }
  int total = 0;
  for (int i = 0; i < t->nassembly; i++) {
    lwi_assembly *a = &t->assembly[i];
    int n = a->edge < 0 ? left[a->node] > 0 : lwi_assembly_inside(t, a);
    if (a->edge >= 0 && !a->idle) n -= lose_edges(b, a->edge, left);
    a->handle = total;
    if (store) {
      a->nhandle = 0;
      if (a->edge < 0 && n) t->handle[a->handle + a->nhandle++] = a->node;
      keep_handles(t, left, a->left, a);
      keep_handles(t, left, a->right, a);
    } else {
      a->nhandle = n;
    }
    total += n;
  }
  return total;
}

static bool list_handles(builder *b)
{
  lwi_assembly_tree *t = b->t;
  t->handle = LWI_TAKE(&t->arena, find_handles(b, b->weight, false), int);
  t->root = LWI_TAKE(&t->arena, t->nroot, int);
  t->path = LWI_TAKE(&t->arena, t->nassembly, double);
  if (!t->handle || !t->root || !t->path) return false;
  find_handles(b, b->weight, true);
  int n = 0;
  for (int i = 0; i < t->nassembly; i++)
    if (t->assembly[i].parent < 0) t->root[n++] = i;
  return true;
}

/* ---- make and free ---- */

static bool build(builder *b, int nnode, int nedge, const int from[], const int to[],
                  const int group[], const int order[])
{
  lwi_assembly_tree *t = b->t;
  int *ends[2] = {LWI_TAKE(&t->arena, nedge, int), LWI_TAKE(&t->arena, nedge, int)};
  int *own_group = LWI_TAKE(&t->arena, nedge, int);
  if (!own_group) return false;
  for (int e = 0; e < nedge; e++)
    own_group[e] = group ? group[e] : LWI_NO_GROUP;
  t->group = own_group;
  t->assembly = LWI_TAKE(&t->arena, (size_t)nnode + (size_t)nedge, lwi_assembly);
  if (!ends[0] || !ends[1] || !t->assembly || !allocate(b, nnode, nedge)) return false;
  if (nedge) memcpy(ends[0], from, (size_t)nedge * sizeof(int));
  if (nedge) memcpy(ends[1], to, (size_t)nedge * sizeof(int));
  t->nnode = b->split.nnode = nnode;
  t->nedge = b->split.nedge = nedge;
  t->from = b->split.from = ends[0];
  t->to = b->split.to = ends[1];
  list_neighbours(b);
  list_groups(b);
  if (order)
    follow_order(b, order);
  else
    bisect(b);
  return number(b) && list_handles(b);
}

lwi_assembly_tree *lwi_assembly_tree_new(int nnode, int nedge, const int from[], const int to[],
                                         lw_status *status)
{
  return lwi_assembly_tree_grouped(nnode, nedge, from, to, NULL, NULL, status);
}

lwi_assembly_tree *lwi_assembly_tree_grouped(int nnode, int nedge, const int from[], const int to[],
                                             const int group[], const int order[],
                                             lw_status *status)
{
  lw_status ignored, *st = status ? status : &ignored;
  *st = LW_E_ARG;
  if (nnode < 0 || nedge < 0 || (nedge && (!from || !to)) ||
      !ends_are_valid(nnode, nedge, from, to, group))
    return NULL;
  lwi_arena arena = {0};
  builder b = {.t = LWI_TAKE(&arena, 1, lwi_assembly_tree)};
  *st = LW_E_MEMORY;
  if (!b.t) return NULL;
  b.t->arena = arena;
  const bool ok = build(&b, nnode, nedge, from, to, group, order);
  lwi_arena_free(&b.scratch);
  if (!ok) return lwi_assembly_tree_free(b.t), NULL;
  *st = LW_OK;
  return b.t;
}

void lwi_assembly_tree_free(lwi_assembly_tree *t)
{
  if (!t) return;
  lwi_arena arena = t->arena; /* which owns t */
  lwi_arena_free(&arena);
}
