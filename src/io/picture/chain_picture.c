/* SPDX-License-Identifier: Apache-2.0 */
/* chain_picture.c -- a long serial chain in rows, to the right and back to the left in turn. */
#include "io/picture/picture.h"
#include "linkwork/query.h"

#include <math.h>

typedef struct {
  int columns, rows;
  double cell, step; /* width of a cell, distance of rows */
} grid;

static grid chain_grid(const lwi_graph_picture *p)
{
  const int n = p->s.t->nbody + 1;
  double box = 0, label = 0;
  for (int v = 0; v < n; v++) {
    const int joint = v ? lw_body_joint(p->s.m, (lw_body){v}).id : 0;
    if (p->box[v] > box) box = p->box[v];
    if (joint) label = fmax(label, lwi_joint_label_width(&p->s, joint));
  }
  grid g = {.cell = box + label + 34, .step = LWI_ROW + 22};
  const double square = sqrt(1.6 * n * g.step / g.cell); /* wider than high */
  g.columns = (int)fmax(4, fmin(ceil(square), 1 + floor(2400 / g.cell)));
  g.rows = (n + g.columns - 1) / g.columns;
  return g;
}

void lwi_chain_measure(lwi_graph_picture *p)
{
  const grid g = chain_grid(p);
  p->width = g.columns * g.cell + 8;
  p->height = g.rows * g.step;
}

/* Middle of the box at a place of the chain. */
static lwi_svg_point cell_middle(const grid *g, int place, lwi_svg_point at)
{
  const int row = place / g->columns, along = place % g->columns;
  const int column = row % 2 ? g->columns - 1 - along : along;
  return (lwi_svg_point){at.x + 8 + (column + 0.4) * g->cell, at.y + (row + 0.5) * g->step};
}

/* The edge into the body at `place`, whose box and the one before it are v and u. */
static void draw_link(const lwi_graph_picture *p, lwi_svg *out, lwi_svg_point a, lwi_svg_point b,
                      int u, int v)
{
  const int joint = lw_body_joint(p->s.m, (lw_body){v}).id;
  const bool free_joint = lwi_joint_is_free(lw_get_joint(p->s.m, (lw_joint){joint}).type);
  const double side = b.x > a.x ? 1 : b.x < a.x ? -1 : 0, down = side == 0 ? 1 : 0;
  const lwi_svg_point from = {a.x + side * p->box[u] / 2, a.y + down * LWI_BOX / 2.0};
  const lwi_svg_point to = {b.x - side * p->box[v] / 2, b.y - down * LWI_BOX / 2.0};
  lwi_svg_path_begin(out, free_joint ? "free" : "edge", true);
  lwi_svg_move(out, from);
  lwi_svg_draw(out, to);
  lwi_svg_path_end(out);
  const double aside = down > 0 ? 8 + lwi_joint_label_width(&p->s, joint) / 2 : 0;
  lwi_draw_joint_label(
      out, &p->s, joint,
      (lwi_svg_point){(from.x + to.x) / 2 + aside - 3 * side, (from.y + to.y) / 2});
}

void lwi_chain_draw(const lwi_graph_picture *p, lwi_svg *out, lwi_svg_point at)
{
  const grid g = chain_grid(p);
  const int *order = p->s.t->tree->order;
  for (int place = 1; place <= p->s.t->nbody; place++)
    draw_link(p, out, cell_middle(&g, place - 1, at), cell_middle(&g, place, at),
              place > 1 ? order[place - 2] + 1 : 0, order[place - 1] + 1);
  for (int place = 0; place <= p->s.t->nbody; place++) {
    const int v = place ? order[place - 1] + 1 : 0;
    const lwi_svg_point middle = cell_middle(&g, place, at);
    const lwi_svg_point corner = {middle.x - p->box[v] / 2, middle.y - LWI_BOX / 2.0};
    if (v)
      lwi_draw_body(p, out, v, corner);
    else
      lwi_draw_ground(out, corner, p->box[0]);
  }
}
