/* SPDX-License-Identifier: Apache-2.0 */
/* reduced_plan.c -- fronts and the list of what goes where: once per model. */
#include "cartesian/reduced/reduced.h"
#include "cartesian/reduced/reduced_choice.h"
#include "graph/fronts.h"

#include <stdlib.h>
#include <string.h>

/* ---- fronts ---- */

/* Cycles more or less, fitted to the machine that this was written on: a fixed part, a division and
   what follows it for each column, four numbers at a time, and one at a time for the parent. */
static double front_cost(int columns, int rows)
{
  double cycles = 30;
  const int height = rows + 1;
  for (int c = 0; c < columns; c++)
    cycles += 16 + (0.7 * c + 3) * ((height + 3) / 4 - c / 4);
  const double rest = rows - columns;
  double vectors = 0;
  for (int c = columns; c < rows; c++)
    vectors += (height + 3) / 4 - c / 4;
  return cycles + vectors * (0.6 * columns + 1) + 4 * rest + 0.7 * rest * (rest + 3) / 2;
}

/* Large fronts: a choice of pivots.  Everything that fits goes together. */
enum { CAREFUL_SMALL = 200, CAREFUL_COLUMNS = 48 };
static double rank_cost(int columns, int rows)
{
  (void)rows;
  return columns <= CAREFUL_COLUMNS ? 0 : columns;
}
static double one_front(int columns, int rows)
{
  (void)columns;
  (void)rows;
  return 0;
}

/* Finds memory for numbers that are kept from one front to a later one: the first gap that is large
   enough. */
typedef struct {
  size_t at, size;
} hole;
typedef struct {
  hole *hole; /* [n] by place */
  int n;
  size_t end;
} scratch;

static size_t allocate(scratch *r, size_t size)
{
  for (int i = 0; i < r->n; i++) {
    if (r->hole[i].size < size) continue;
    const size_t at = r->hole[i].at;
    r->hole[i].at += size;
    r->hole[i].size -= size;
    if (r->hole[i].size == 0) {
      memmove(r->hole + i, r->hole + i + 1, (size_t)(r->n - i - 1) * sizeof *r->hole);
      r->n--;
    }
    return at;
  }
  r->end += size;
  return r->end - size;
}

/* Holes beyond a few are forgotten: a little memory for a bounded search. */
enum { MOST_HOLES = 64 };
static void give_scratch(scratch *r, size_t at, size_t size)
{
  int i = 0;
  if (size == 0) return;
  while (i < r->n && r->hole[i].at < at)
    i++;
  if (i > 0 && r->hole[i - 1].at + r->hole[i - 1].size == at) {
    r->hole[i - 1].size += size;
  } else {
    if (r->n == MOST_HOLES) return;
    memmove(r->hole + i + 1, r->hole + i, (size_t)(r->n - i) * sizeof *r->hole);
    r->hole[i++] = (hole){at, size};
    r->n++;
  }
  if (i < r->n && r->hole[i - 1].at + r->hole[i - 1].size == r->hole[i].at) {
    r->hole[i - 1].size += r->hole[i].size;
    memmove(r->hole + i, r->hole + i + 1, (size_t)(r->n - i - 1) * sizeof *r->hole);
    r->n--;
  }
}

static size_t rest_size(const lwi_front *f)
{
  return (size_t)(f->h - f->w) * (size_t)f->ldr;
}

typedef struct {
  const lwi_choice *c;
  const lwi_fronts *t;
  lwi_arena *arena;
  lwi_reduced_plan *p;
  int *position; /* [nnode] first row of a node in the front at hand; -1: not in it */
  int *place;    /* [nnode] when it is eliminated */
} builder;

static void set_sizes(builder *b)
{
  lwi_reduced_plan *p = b->p;
  hole holes[MOST_HOLES];
  scratch r = {.hole = holes};
  int row = 0, map = 0;
  for (int i = 0; i < p->nfront; i++) {
    lwi_front *f = &p->front[i];
    const int begin = b->t->node_start[i], end = b->t->node_start[i + 1];
    for (int k = begin; k < end; k++) {
      const int n = b->c->graph.graph.weight[b->t->node[k]];
      f->h += n;
      if (k - begin < b->t->neliminated[i]) f->w += n;
    }
    f->ld = (f->h + 4) / 4 * 4;
    f->base = f->w / 4 * 4;
    f->ldr = f->ld - f->base;
    f->parent = b->t->parent[i];
    f->row = row;
    f->pivot = p->npivot;
    f->panel = p->npanel;
    f->child = b->t->child_start[i];
    f->nchild = b->t->child_start[i + 1] - f->child;
    f->rest = allocate(&r, rest_size(f));
    for (int k = 0; k < f->nchild; k++) {
      const lwi_front *c = &p->front[b->t->child[f->child + k]];
      p->children[f->child + k] = (lwi_front_child){b->t->child[f->child + k], map};
      map += c->h - c->w;
      give_scratch(&r, c->rest, rest_size(c));
    }
    row += f->h;
    p->npivot += f->w;
    p->npanel += lwi_reduced_panel_size(f);
    if ((int)lwi_reduced_panel_size(f) > p->largest) p->largest = (int)lwi_reduced_panel_size(f);
    if (f->ld > p->tallest) p->tallest = f->ld;
  }
  p->nrest = r.end;
  p->nmap = map;
  p->nindex = row;
}

/* first unknown of a node */
static int unknown_of(const builder *b, int v)
{
  const lwi_joint_graph *g = &b->c->graph;
  return v < g->nset_node ? b->c->s->row[g->node[v]]
                          : b->p->nrow + b->p->width * (v - g->nset_node);
}

static void locate_nodes(builder *b, int i)
{
  int at = 0;
  for (int k = b->t->node_start[i]; k < b->t->node_start[i + 1]; k++) {
    b->position[b->t->node[k]] = at;
    at += b->c->graph.graph.weight[b->t->node[k]];
  }
}

static void set_rows(builder *b, int i)
{
  lwi_reduced_plan *p = b->p;
  const lwi_front *f = &p->front[i];
  for (int k = b->t->node_start[i], at = 0; k < b->t->node_start[i + 1]; k++) {
    const int v = b->t->node[k], n = b->c->graph.graph.weight[v];
    for (int j = 0; j < n; j++, at++) {
      p->rows[f->row + at] = unknown_of(b, v) + j;
      if (at < f->w) p->block_end[f->pivot + at] = f->pivot + at + n - j;
    }
  }
  for (int c = 0; c < f->nchild; c++) {
    const lwi_front_child *child = &p->children[f->child + c];
    const int begin = b->t->node_start[child->front] + b->t->neliminated[child->front];
    for (int k = begin, at = child->map; k < b->t->node_start[child->front + 1]; k++) {
      const int v = b->t->node[k];
      for (int j = 0; j < b->c->graph.graph.weight[v]; j++)
        p->map[at++] = b->position[v] + j;
    }
  }
}

/* ---- what goes into a front ---- */

static void add_op(builder *b, lwi_front *f, lwi_op o, int row, int column)
{
  if (b->p->ops) {
    if (o.kind != LWI_OP_OWN) o.to = f->panel + (size_t)row + (size_t)column * (size_t)f->ld;
    b->p->ops[b->p->nop] = o;
  }
  b->p->nop++;
  f->nop++;
}

/* Blocks of a set against those of all sets, itself included, that are not eliminated before it. */
static void add_set_ops(builder *b, lwi_front *f, int v)
{
  const lwi_choice *c = b->c;
  const lwi_descriptor_shape *s = c->s;
  const int k = c->graph.node[v], n = s->row[k + 1] - s->row[k], column = b->position[v];
  bool alone = true;
  for (int e = s->touch[k]; e < s->touch[k + 1]; e++)
    alone = alone && c->graph.hub_node[s->body[e]] >= 0;
  for (int e = s->touch[k]; e < s->touch[k + 1]; e++) {
    const int body = s->body[e], hub = c->graph.hub_node[body];
    const lwi_block *own = &b->p->block[e];
    lwi_op o = {
        .columns = (unsigned char)n, .rows = (unsigned char)n, .phi = own->phi, .body = body};
    if (hub >= 0) {
      o.kind = LWI_OP_OWN;
      o.to = (size_t)(f->pivot + column);
      if (alone) add_op(b, f, o, 0, 0);
      o.kind = LWI_OP_HUB_ROW;
      if (b->place[hub] > b->place[v]) add_op(b, f, o, b->position[hub], column);
      continue;
    }
    for (int i = c->sets.start[body]; i < c->sets.start[body + 1]; i++) {
      const int at = c->sets.touched[i], other = c->graph.set_node[c->sets.set[at]];
      if (b->place[other] < b->place[v]) continue;
      o.kind = LWI_OP_PRODUCT;
      o.rows = (unsigned char)b->p->block[at].rows;
      o.y = b->p->block[at].y;
      add_op(b, f, o, b->position[other], column);
    }
  }
}

static void add_hub_ops(builder *b, lwi_front *f, int v)
{
  const lwi_choice *c = b->c;
  const int body = c->graph.node[v], column = b->position[v];
  add_op(b, f, (lwi_op){.kind = LWI_OP_HUB, .body = body}, column, column);
  for (int i = c->sets.start[body]; i < c->sets.start[body + 1]; i++) {
    const int at = c->sets.touched[i], other = c->graph.set_node[c->sets.set[at]];
    const lwi_block *k = &b->p->block[at];
    if (b->place[other] < b->place[v]) continue;
    add_op(b, f, (lwi_op){.kind = LWI_OP_HUB_COLUMN, .rows = (unsigned char)k->rows, .phi = k->phi},
           b->position[other], column);
  }
}

static void add_ops(builder *b)
{
  b->p->nop = 0;
  for (int i = 0; i < b->p->nfront; i++) {
    lwi_front *f = &b->p->front[i];
    f->op = b->p->nop;
    f->nop = 0;
    locate_nodes(b, i);
    for (int k = 0; k < b->t->neliminated[i]; k++) {
      const int v = b->t->node[b->t->node_start[i] + k];
      if (v < b->c->graph.nset_node)
        add_set_ops(b, f, v);
      else
        add_hub_ops(b, f, v);
    }
  }
}

static void set_blocks(builder *b)
{
  const lwi_descriptor_shape *s = b->c->s;
  size_t phi = 0;
  for (int k = 0; s->nset && k <= s->nset; k++) {
    b->p->set_row[k] = s->row[k];
    b->p->set_block[k] = s->touch[k];
  }
  for (int k = 0; k < s->nset; k++)
    for (int e = s->touch[k]; e < s->touch[k + 1]; e++) {
      lwi_block *o = &b->p->block[e];
      const int hub = b->c->graph.hub_node[s->body[e]];
      o->hub = hub >= 0 ? hub - b->c->graph.nset_node : -1;
      o->body = s->body[e];
      o->row = s->row[k];
      o->rows = s->row[k + 1] - s->row[k];
      o->phi = (unsigned)phi;
      o->y = hub >= 0 || o->rows == 0 ? ~0u : (unsigned)b->p->ny;
      phi += (size_t)(o->rows * s->width);
      if (o->y != ~0u) b->p->ny += (size_t)(o->rows * s->width);
    }
}

static bool take_fronts(builder *b)
{
  const int n = b->c->graph.graph.nnode;
  lwi_reduced_plan *p = b->p;
  p->nfront = b->t->nfront;
  p->front = LWI_TAKE(b->arena, p->nfront, lwi_front);
  p->children = LWI_TAKE(b->arena, p->nfront, lwi_front_child);
  b->position = malloc(2 * (size_t)n * sizeof(int) + 1);
  return p->front && p->children && b->position;
}

static bool build(builder *b)
{
  lwi_reduced_plan *p = b->p;
  const int n = b->c->graph.graph.nnode;
  if (!take_fronts(b)) return false;
  b->place = b->position + n;
  for (int k = 0; k < n; k++)
    b->place[b->t->order[k]] = k;
  set_sizes(b);
  p->map = LWI_TAKE(b->arena, p->nmap, int);
  p->rows = LWI_TAKE(b->arena, p->nindex, int);
  p->block_end = LWI_TAKE(b->arena, p->npivot, int);
  if (!p->map || !p->rows || !p->block_end) return false;
  add_ops(b); /* counts */
  p->ops = LWI_TAKE(b->arena, p->nop, lwi_op);
  if (!p->ops) return false;
  add_ops(b);
  for (int i = 0; i < p->nfront; i++) {
    locate_nodes(b, i);
    set_rows(b, i);
  }
  return true;
}

static lw_status build_fronts(const lwi_choice *c, lwi_front_cost *cost, double most,
                              lwi_arena *arena, lwi_reduced_plan *p)
{
  lwi_adjacency clean = {0};
  lwi_fronts fronts = {0};
  lw_status status = c->entries > most ? LW_E_UNSUPPORTED : LW_OK; /* too large to be tried */
  if (status == LW_OK) status = lwi_adjacency_new(&c->graph.graph, &clean);
  if (status == LW_OK) status = lwi_fronts_new(&clean, c->order, cost, (size_t)1 << 28, &fronts);
  if (status == LW_OK) {
    builder b = {.c = c, .t = &fronts, .arena = arena, .p = p};
    if (!build(&b))
      status = LW_E_MEMORY;
    else if ((double)p->npanel > most)
      status = LW_E_UNSUPPORTED;
    free(b.position);
  }
  lwi_fronts_free(&fronts);
  lwi_adjacency_free(&clean);
  return status;
}

/* What does not depend on the fronts. */
static bool build_blocks(const lwi_choice *c, lwi_arena *arena, lwi_reduced_plan *p)
{
  const lwi_descriptor_shape *s = c->s;
  builder b = {.c = c, .arena = arena, .p = p};
  p->nhub = c->graph.graph.nnode - c->graph.nset_node;
  p->nunknown = p->nrow + p->nhub * p->width;
  p->multiplications = c->work;
  p->forming = c->forming;
  p->forest = c->forest;
  p->method = c->method;
  p->nblock = s->nset ? s->touch[s->nset] : 0;
  p->block = LWI_TAKE(arena, p->nblock, lwi_block);
  p->hub = LWI_TAKE(arena, p->nhub, int);
  p->nset = s->nset;
  p->set_row = LWI_TAKE(arena, s->nset + 1, int);
  p->set_block = LWI_TAKE(arena, s->nset + 1, int);
  if (!p->block || !p->hub || !p->set_row || !p->set_block) return false;
  for (int v = c->graph.nset_node; v < c->graph.graph.nnode; v++)
    p->hub[v - c->graph.nset_node] = c->graph.node[v];
  set_blocks(&b);
  return true;
}

lw_status lwi_reduced_plan_new(const lwi_descriptor_shape *s, const int order[],
                               lwi_plan_purpose purpose, double most, lwi_arena *arena,
                               lwi_reduced_plan *p)
{
  static const lwi_hub_rule hubs[] = {[LWI_PLAN_QUICK] = LWI_HUBS_IF_LESS,
                                      [LWI_PLAN_LEAVES] = LWI_HUBS_IN_TREES,
                                      [LWI_PLAN_RANK] = LWI_HUBS_NONE};
  lwi_choice c = {0};
  *p = (lwi_reduced_plan){.width = s->width, .nbody = s->nbody, .nrow = lwi_descriptor_rows(s)};
  lwi_front_cost *cost = purpose != LWI_PLAN_RANK   ? front_cost
                         : p->nrow <= CAREFUL_SMALL ? one_front
                                                    : rank_cost;
  lw_status status = purpose == LWI_PLAN_BLOCKS
                         ? lwi_choose_nothing(&c, s)
                         : lwi_choose(&c, s, order, order ? LWI_HUBS_NONE : hubs[purpose]);
  if (status == LW_OK && !build_blocks(&c, arena, p)) status = LW_E_MEMORY;
  if (status == LW_OK && purpose != LWI_PLAN_BLOCKS)
    status = build_fronts(&c, cost, most, arena, p);
  p->independent = c.articulated && !order && purpose != LWI_PLAN_RANK;
  lwi_arena_free(&c.arena);
  return status;
}
