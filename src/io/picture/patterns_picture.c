/* SPDX-License-Identifier: Apache-2.0 */
/* patterns_picture.c -- where the matrices of a model are not zero: E and A of its SKO model and
   the mass matrix, bodies numbered canonically, children before those that carry them [Jain2012];
   the reduced matrix B = Phi M^-1 Phi^T of the Cartesian form, joints as written and as numbered,
   with its envelope [Serban1997].

   A pattern is a list of rectangles of blocks.  Up to CELLS rows each block is drawn; larger
   patterns are reduced to CELLS x CELLS cells, dark where anything in them is not zero. */
#include "base/fail.h"
#include "cartesian/form/cartesian.h"
#include "cartesian/reduced/joint_graph.h"
#include "io/picture/svg.h"
#include "linkwork/inspect.h"
#include "linkwork/output.h"
#include "linkwork/query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 200, NAMED = 24, COLUMNS = 3 };
static const double SIDE = 330, EDGE = 32, GAP = 40, HEAD = 26, FOOT = 24, FONT = 10;

typedef enum { ZERO, INSIDE, OTHER, OWN } mark; /* the stronger one wins */
static const char *const looks[] = {NULL, "band", "shared", "own"};

typedef struct {
  const char *title;
  int n;               /* blocks */
  const int *start;    /* [n + 1] first row of each; NULL: one row each */
  const char **name;   /* [n] of blocks; NULL: none */
  unsigned char *cell; /* [cells][cells] */
  int cells;
  double entries; /* numbers that are not zero */
} pattern;

/* ---- filling ---- */

static int first_row(const pattern *p, int block)
{
  return p->start ? p->start[block] : block;
}

static int rows_of(const pattern *p)
{
  return first_row(p, p->n);
}

/* the cells that rows first ... last - 1 fall into */
static void cells_of(const pattern *p, int first, int last, int cell[2])
{
  const double scale = (double)p->cells / rows_of(p);
  cell[0] = (int)(first * scale);
  cell[1] = (int)ceil(last * scale);
  if (cell[1] <= cell[0]) cell[1] = cell[0] + 1;
  if (cell[1] > p->cells) cell[1] = p->cells;
}

/* blocks [row][column], each a range */
static void mark_blocks(pattern *p, const int row[2], const int column[2], mark m)
{
  const int r0 = first_row(p, row[0]), r1 = first_row(p, row[1]);
  const int c0 = first_row(p, column[0]), c1 = first_row(p, column[1]);
  int y[2], x[2];
  if (r1 <= r0 || c1 <= c0) return;
  cells_of(p, r0, r1, y);
  cells_of(p, c0, c1, x);
  if (m > INSIDE) p->entries += (double)(r1 - r0) * (double)(c1 - c0);
  for (int i = y[0]; i < y[1]; i++)
    for (int j = x[0]; j < x[1]; j++) {
      unsigned char *cell = &p->cell[i * p->cells + j];
      if (*cell < m) *cell = (unsigned char)m;
    }
}

static void mark_one(pattern *p, int row, int column, mark m)
{
  mark_blocks(p, (int[2]){row, row + 1}, (int[2]){column, column + 1}, m);
}

static bool start_pattern(pattern *p, lwi_arena *arena)
{
  const int rows = p->n ? rows_of(p) : 0;
  p->cells = rows < CELLS ? rows : CELLS;
  p->cell = LWI_TAKE(arena, (size_t)p->cells * (size_t)p->cells + 1, unsigned char);
  return p->cell != NULL;
}

/* ---- operators of the tree ---- */

typedef struct {
  const lw_model *m;
  const lw_topology *t;
  int *place;        /* [nbody] canonical: children first */
  int *size;         /* [nbody] bodies that it carries, itself included */
  int *speed;        /* [nbody + 1] first speed of each place */
  const char **name; /* [nbody] by place */
} bodies;

static bool number_bodies(bodies *b, lwi_arena *arena)
{
  const lw_tree *tree = b->t->tree;
  const int n = b->t->nbody;
  b->place = LWI_TAKE(arena, n + 1, int);
  b->size = LWI_TAKE(arena, n + 1, int);
  b->speed = LWI_TAKE(arena, n + 1, int);
  b->name = LWI_TAKE(arena, n + 1, const char *);
  if (!b->place || !b->size || !b->speed || !b->name) return false;
  for (int k = n - 1; k >= 0; k--) {
    const int v = tree->order[k], up = tree->parent[v];
    b->size[v]++;
    if (up >= 0) b->size[up] += b->size[v];
    b->place[v] = n - 1 - k;
    b->name[n - 1 - k] = lw_body_name(b->m, (lw_body){v + 1});
    b->speed[n - k] = b->t->weight[v];
  }
  for (int i = 0; i < n; i++)
    b->speed[i + 1] += b->speed[i];
  return true;
}

/* E(parent, child) */
static void fill_kernel(pattern *p, const bodies *b)
{
  for (int v = 0; v < b->t->nbody; v++)
    if (b->t->tree->parent[v] >= 0)
      mark_one(p, b->place[b->t->tree->parent[v]], b->place[v], OTHER);
}

/* A(i, j): i carries j, or is j.  In tree order what a body carries follows it; children first:
   comes before it. */
static void fill_operator(pattern *p, const bodies *b, bool symmetric)
{
  for (int v = 0; v < b->t->nbody; v++) {
    const int at = b->place[v], own[2] = {at, at + 1}, carried[2] = {at + 1 - b->size[v], at};
    mark_blocks(p, own, own, OWN);
    if (carried[0] == carried[1]) continue;
    mark_blocks(p, own, carried, OTHER);
    if (symmetric) mark_blocks(p, carried, own, OTHER);
  }
}

/* ---- the reduced matrix ---- */

typedef struct {
  const lw_cartesian *c;
  lwi_body_sets sets;
  lwi_joint_graph graph;
} joints;

/* Names of the sets of rows, by set. */
static void name_sets(const joints *j, const char *name[])
{
  const lw_cartesian *c = j->c;
  for (int i = 1; i <= c->m->njoint; i++)
    if (c->joint_set[i] >= 0) name[c->joint_set[i]] = c->m->joint[i].info.name;
  for (int i = 1; i <= c->m->nconstraint; i++)
    if (c->constraint_set[i] >= 0) name[c->constraint_set[i]] = c->m->constraint[i].info.name;
}

/* The first block of each row of the lower triangle, by place. */
static void find_first(const joints *j, const int place[], int first[])
{
  const lw_undirected *g = &j->graph.graph;
  for (int v = 0; v < g->nnode; v++)
    first[place[v]] = place[v];
  for (int v = 0; v < g->nnode; v++)
    for (int e = g->start[v]; e < g->start[v + 1]; e++) {
      const int a = place[v], b = place[g->neighbour[e]];
      if (b < first[a]) first[a] = b;
      if (a < first[b]) first[b] = a;
    }
}

static void fill_reduced(pattern *p, const joints *j, const int place[], const int first[])
{
  const lw_undirected *g = &j->graph.graph;
  for (int k = 0; k < g->nnode; k++)
    mark_blocks(p, (int[2]){k, k + 1}, (int[2]){first[k], k}, INSIDE);
  for (int v = 0; v < g->nnode; v++) {
    mark_one(p, place[v], place[v], OWN);
    for (int e = g->start[v]; e < g->start[v + 1]; e++) {
      const int w = g->neighbour[e];
      if (w == v) continue;
      mark_one(p, place[v], place[w], OTHER);
      mark_one(p, place[w], place[v], OTHER);
    }
  }
}

/* B in an order of the joints */
static bool make_reduced(pattern *p, const joints *j, const int order[], lwi_arena *arena)
{
  const lw_undirected *g = &j->graph.graph;
  const int n = g->nnode;
  int *place = LWI_TAKE(arena, n + 1, int), *first = LWI_TAKE(arena, n + 1, int);
  int *start = LWI_TAKE(arena, n + 1, int);
  const char **of_set = LWI_TAKE(arena, j->c->shape.nset + 1, const char *);
  p->name = LWI_TAKE(arena, n + 1, const char *);
  if (!place || !first || !start || !of_set || !p->name) return false;
  name_sets(j, of_set);
  for (int k = 0; k < n; k++) {
    const char *name = of_set[j->graph.node[order[k]]];
    place[order[k]] = k;
    start[k + 1] = start[k] + g->weight[order[k]];
    p->name[k] = name ? name : "lock";
  }
  p->n = n;
  p->start = start;
  if (!start_pattern(p, arena)) return false;
  find_first(j, place, first);
  fill_reduced(p, j, place, first);
  return true;
}

/* ---- drawing ---- */

/* Neighbouring cells that look alike are one rectangle. */
static void draw_cells(const pattern *p, lwi_svg *out, lwi_svg_point at, double side)
{
  const double unit = side / p->cells;
  for (int i = 0; i < p->cells; i++)
    for (int j = 0, end; j < p->cells; j = end) {
      const unsigned char m = p->cell[i * p->cells + j];
      for (end = j + 1; end < p->cells && p->cell[i * p->cells + end] == m; end++) {
      }
      if (m != ZERO)
        lwi_svg_rect(out, looks[m], (lwi_svg_point){at.x + j * unit, at.y + i * unit},
                     (end - j) * unit, unit, 0);
    }
}

static double widest_name(const pattern *p)
{
  double widest = 0;
  for (int k = 0; k < p->n && p->name && p->n <= NAMED; k++)
    widest = fmax(widest, lwi_svg_text_width(p->name[k], FONT));
  return fmin(widest, 110);
}

static void draw_names(const pattern *p, lwi_svg *out, lwi_svg_point at, double side)
{
  double end = -FONT;
  for (int k = 0; k < p->n && p->name && p->n <= NAMED; k++) {
    const double unit = side / rows_of(p);
    const double middle = 0.5 * (first_row(p, k) + first_row(p, k + 1)) * unit;
    if (middle - FONT < end) continue; /* no room below the last one */
    end = middle;
    lwi_svg_text(out, "axis", (lwi_svg_point){at.x - 6, at.y + middle + 3.5}, LWI_SVG_END, "%s",
                 p->name[k]);
  }
}

static void draw_grid(const pattern *p, lwi_svg *out, lwi_svg_point at, double side)
{
  for (int k = 1; k < p->n && p->n <= 60; k++) {
    const double d = first_row(p, k) * side / rows_of(p);
    lwi_svg_line(out, "cell", (lwi_svg_point){at.x + d, at.y},
                 (lwi_svg_point){at.x + d, at.y + side});
    lwi_svg_line(out, "cell", (lwi_svg_point){at.x, at.y + d},
                 (lwi_svg_point){at.x + side, at.y + d});
  }
}

static void draw_pattern(const pattern *p, lwi_svg *out, lwi_svg_point at)
{
  const double left = widest_name(p), side = SIDE - left;
  const lwi_svg_point corner = {at.x + left, at.y + HEAD};
  lwi_svg_text(out, "head", (lwi_svg_point){at.x, at.y + 12}, LWI_SVG_START, "%s", p->title);
  if (p->n == 0 || rows_of(p) == 0) {
    lwi_svg_text(out, "note", (lwi_svg_point){at.x, at.y + HEAD + 14}, LWI_SVG_START, "empty");
    return;
  }
  draw_cells(p, out, corner, side);
  draw_grid(p, out, corner, side);
  lwi_svg_rect(out, "frame", corner, side, side, 0);
  draw_names(p, out, corner, side);
  const double n = rows_of(p);
  lwi_svg_text(out, "note", (lwi_svg_point){corner.x, corner.y + side + 16}, LWI_SVG_START,
               "%.0f × %.0f, %.3g %% not zero%s", n, n, 100 * p->entries / (n * n),
               p->start || rows_of(p) <= CELLS ? "" : " (in cells)");
}

static lw_status draw_page(const pattern p[], int n, const char *name, const char *path,
                           lw_error *err)
{
  const int rows = (n + COLUMNS - 1) / COLUMNS;
  const double width = 2 * EDGE + COLUMNS * SIDE + (COLUMNS - 1) * GAP;
  const double height = 90 + rows * (HEAD + SIDE + FOOT + GAP);
  lwi_svg *out = lwi_svg_create(path, width, height, name, err);
  if (!out) return err ? err->status : LW_E_FILE;
  lwi_svg_text(out, "title", (lwi_svg_point){EDGE, 44}, LWI_SVG_START, "%s", name);
  lwi_svg_text(out, "subtitle", (lwi_svg_point){EDGE, 64}, LWI_SVG_START,
               "dark: a block with itself; light: not zero; grey: zero inside the envelope. "
               "Bodies: children first.");
  for (int k = 0; k < n; k++)
    draw_pattern(&p[k], out,
                 (lwi_svg_point){EDGE + (k % COLUMNS) * (SIDE + GAP),
                                 90 + (k / COLUMNS) * (HEAD + SIDE + FOOT + GAP)});
  return lwi_svg_close(out, err);
}

/* ---- all of them ---- */

static bool make_operators(pattern p[3], bodies *b, lwi_arena *arena)
{
  const int n = b->t->nbody;
  if (!number_bodies(b, arena)) return false;
  p[0] = (pattern){.title = "E", .n = n, .name = b->name};
  p[1] = (pattern){.title = "A = 1 + E + E² + …", .n = n, .name = b->name};
  p[2] = (pattern){.title = b->t->nloop ? "mass matrix of the spanning tree" : "mass matrix",
                   .n = n,
                   .start = b->speed,
                   .name = b->name};
  for (int k = 0; k < 3; k++)
    if (!start_pattern(&p[k], arena)) return false;
  if (n == 0) return true;
  fill_kernel(&p[0], b);
  fill_operator(&p[1], b, false);
  if (b->speed[n] > 0) fill_operator(&p[2], b, true);
  return true;
}

static lw_status make_both_reduced(pattern p[2], joints *j, lw_order_method method, char title[],
                                   lwi_arena *arena)
{
  static const double most_pairs = 2e7;
  if (!lwi_body_sets_new(&j->c->shape, arena, &j->sets)) return LW_E_MEMORY;
  lw_status status =
      lwi_joint_graph_new(&j->c->shape, &j->sets, NULL, most_pairs, arena, &j->graph);
  const int n = status == LW_OK ? j->graph.graph.nnode : 0;
  int *order = LWI_TAKE(arena, n + 1, int);
  if (status == LW_OK && !order) status = LW_E_MEMORY;
  p[0].title = "B, joints as written";
  p[1].title = title;
  sprintf(title, "B, numbered by %s", lw_order_method_name(method));
  for (int k = 0; k < 2 && status == LW_OK; k++) {
    status = lw_order_nodes(&j->graph.graph, k ? method : LW_ORDER_NATURAL, order);
    if (status == LW_OK && !make_reduced(&p[k], j, order, arena)) status = LW_E_MEMORY;
  }
  return status;
}

lw_status lw_write_patterns_svg(const lw_model *m, lw_order_method method, const char *path,
                                lw_error *err)
{
  if (!m || !path || (int)method < 0 || method > LW_ORDER_METHODS)
    return lwi_fail(err, LW_E_ARG, "lw_write_patterns_svg: an argument is missing");
  lwi_arena arena = {0};
  pattern p[5] = {0};
  char title[80];
  const char *name = lw_model_name(m);
  lw_topology *t = lw_topology_new(m, NULL);
  lw_cartesian *c = t ? lw_cartesian_new(m, NULL, NULL) : NULL;
  bodies b = {.m = m, .t = t};
  joints j = {.c = c};
  lw_status status = c && make_operators(p, &b, &arena) ? LW_OK : LW_E_MEMORY;
  if (status == LW_OK)
    status = make_both_reduced(p + 3, &j, method == LW_ORDER_METHODS ? LW_ORDER_SEARCH : method,
                               title, &arena);
  if (status == LW_OK)
    status = draw_page(p, 5, name && *name ? name : "model", path, err);
  else
    lwi_fail(err, status, "patterns: %s", lw_status_text(status));
  lw_cartesian_free(c);
  lw_topology_free(t);
  lwi_arena_free(&arena);
  return status;
}
