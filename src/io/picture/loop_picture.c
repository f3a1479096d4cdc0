/* SPDX-License-Identifier: Apache-2.0 */
/* loop_picture.c -- the edges outside the spanning tree: each leaves its parent in a row that
   holds no box to the right, goes to a track of its own in the margin, and returns in the row of
   its child. So no line runs through a box. */
#include "io/picture/picture.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"

#include <stdlib.h>

static const double TRACK = 12, CORNER = 6, LABEL = 11, TYPE = 9.5;

/* ---- ports ---- */

/* The node in whose row an end at `v` runs: the node itself if its row is free, else a new port. */
static int end_row(const lwi_graph_picture *p, int v, const int ends[], int *n, int parent[])
{
  int nchild;
  lw_tree_children(p->s.t->tree, v - 1, &nchild); /* v = 0: what the ground carries */
  if (nchild == 0 && ends[v] == 1) return v;
  parent[*n] = v;
  return (*n)++;
}

int lwi_loops_add_ports(lwi_graph_picture *p, int parent[], unsigned char port[], double height[])
{
  const lw_topology *t = p->s.t;
  int n = t->nbody + 1;
  int *ends = LWI_TAKE(p->s.arena, n, int); /* of loop edges at each node */
  if (!ends) return -1;
  for (int k = 0; k < p->nouter; k++) {
    ends[p->outer[k].from]++;
    ends[p->outer[k].to]++;
  }
  for (int k = 0; k < p->nouter; k++) {
    p->leaves[k] = end_row(p, p->outer[k].from, ends, &n, parent);
    p->arrives[k] = end_row(p, p->outer[k].to, ends, &n, parent);
  }
  for (int v = t->nbody + 1; v < n; v++) {
    port[v] = 1;
    height[v] = LWI_PORT_ROW;
  }
  return n;
}

/* ---- labels ---- */

/* Where the row of a port or body begins to be free. */
static double row_start(const lwi_graph_picture *p, int v)
{
  const bool port = v > p->s.t->nbody;
  return port ? p->layout.left[v] + LWI_CURVE : p->layout.x[v] + p->box[v];
}

static double label_width(const lwi_graph_picture *p, int k)
{
  const double a = lwi_svg_text_width(p->outer[k].name, LABEL);
  const double b = lwi_svg_text_width(p->outer[k].type, TYPE);
  return a > b ? a : b;
}

/* ---- tracks ---- */

typedef struct {
  double top, bottom;
  int loop;
} extent;

static int by_top(const void *a, const void *b)
{
  const extent *x = a, *y = b;
  return x->top < y->top ? -1 : x->top > y->top ? 1 : x->loop - y->loop;
}

/* The first track that is free at the extent's top: bottoms[] holds where each track ends. */
static int find_track(const extent *e, double bottoms[], int *ntrack)
{
  int track = 0;
  while (track < *ntrack && bottoms[track] > e->top - CORNER)
    track++;
  if (track == *ntrack) ++*ntrack;
  bottoms[track] = e->bottom;
  return track;
}

bool lwi_loops_lay_out(lwi_graph_picture *p)
{
  const int n = p->nouter;
  int ntrack = 0;
  if (n == 0) return true;
  extent *list = LWI_TAKE(p->s.arena, n, extent);
  double *bottoms = LWI_TAKE(p->s.arena, n, double);
  if (!list || !bottoms) return false;

  double free_from = p->layout.width;
  for (int k = 0; k < n; k++) {
    const double a = p->layout.y[p->leaves[k]], b = p->layout.y[p->arrives[k]];
    const double label_end = row_start(p, p->leaves[k]) + 12 + label_width(p, k);
    list[k] = (extent){a < b ? a : b, a < b ? b : a, k};
    if (label_end > free_from) free_from = label_end;
  }
  qsort(list, (size_t)n, sizeof *list, by_top);
  for (int i = 0; i < n; i++)
    p->track[list[i].loop] = find_track(&list[i], bottoms, &ntrack);

  p->channel = free_from + 16;
  p->width = p->channel + (ntrack - 1) * TRACK + 14;
  return true;
}

/* ---- drawing ---- */

/* From a box to where the line runs freely in its row; backward if `back`. */
static void draw_end(const lwi_graph_picture *p, lwi_svg *out, lwi_svg_point at, int v, bool back)
{
  const lwi_tree_layout *l = &p->layout;
  const bool port = v > p->s.t->nbody;
  const int box = port ? p->tree->parent[v] : v;
  const lwi_svg_point side = {at.x + l->x[box] + p->box[box], at.y + l->y[box] + (port ? 7 : 0)};
  const lwi_svg_point row = {at.x + row_start(p, v), at.y + l->y[v]};
  const double middle = (side.x + row.x) / 2;
  if (!back) lwi_svg_move(out, side);
  if (port && !back)
    lwi_svg_curve(out, (lwi_svg_point){middle, side.y}, (lwi_svg_point){middle, row.y}, row);
  if (port && back) {
    lwi_svg_draw(out, row);
    lwi_svg_curve(out, (lwi_svg_point){middle, row.y}, (lwi_svg_point){middle, side.y},
                  (lwi_svg_point){side.x + 8, side.y});
  }
  if (back) lwi_svg_draw(out, side);
}

/* Along the row to the track, up or down, and back to the row of the other end. */
static void draw_track(lwi_svg *out, double x, double y0, double y1)
{
  const double turn = y1 > y0 ? CORNER : -CORNER;
  lwi_svg_draw(out, (lwi_svg_point){x - CORNER, y0});
  lwi_svg_curve(out, (lwi_svg_point){x, y0}, (lwi_svg_point){x, y0}, (lwi_svg_point){x, y0 + turn});
  lwi_svg_draw(out, (lwi_svg_point){x, y1 - turn});
  lwi_svg_curve(out, (lwi_svg_point){x, y1}, (lwi_svg_point){x, y1},
                (lwi_svg_point){x - CORNER, y1});
}

static void draw_label(const lwi_graph_picture *p, lwi_svg *out, lwi_svg_point at, int k)
{
  const lwi_outer_edge *e = &p->outer[k];
  const int v = p->leaves[k];
  const double x = at.x + row_start(p, v) + 12, y = at.y + p->layout.y[v];
  lwi_svg_text(out, e->name_look, (lwi_svg_point){x, y - 4}, LWI_SVG_START, "%s", e->name);
  lwi_svg_text(out, "type", (lwi_svg_point){x, y + 10}, LWI_SVG_START, "%s", e->type);
}

void lwi_loops_draw(const lwi_graph_picture *p, lwi_svg *out, lwi_svg_point at)
{
  for (int k = 0; k < p->nouter; k++) {
    const double x = at.x + p->channel + p->track[k] * TRACK;
    lwi_svg_path_begin(out, p->outer[k].look, true);
    draw_end(p, out, at, p->leaves[k], false);
    draw_track(out, x, at.y + p->layout.y[p->leaves[k]], at.y + p->layout.y[p->arrives[k]]);
    draw_end(p, out, at, p->arrives[k], true);
    lwi_svg_path_end(out);
    draw_label(p, out, at, k);
  }
}
