/* SPDX-License-Identifier: Apache-2.0 */
/* graph_picture.c -- the standard digraph: ground on the left, spanning tree in columns. */
#include "io/picture/picture.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"

#include <string.h>

static const double PAD = 10, NAME = 12, LABEL = 11, TYPE = 9.5;
enum { LONG_CHAIN = 8 }; /* bodies in one row at most */

/* ---- boxes and labels ---- */

void lwi_draw_ground(lwi_svg *out, lwi_svg_point c, double width)
{
  for (int k = 0; k < 5; k++)
    lwi_svg_line(out, "hatch", (lwi_svg_point){c.x - 6, c.y + 5 * k + 6},
                 (lwi_svg_point){c.x, c.y + 5 * k});
  lwi_svg_rect(out, "ground", c, width, LWI_BOX, 0);
  lwi_svg_text(out, "earth", (lwi_svg_point){c.x + width / 2, c.y + LWI_BOX / 2.0 + 4.2},
               LWI_SVG_MIDDLE, "ground");
}

void lwi_draw_body(const lwi_graph_picture *p, lwi_svg *out, int body, lwi_svg_point c)
{
  lwi_svg_rect(out, "node", c, p->box[body], LWI_BOX, 5);
  lwi_svg_text(out, "body", (lwi_svg_point){c.x + p->box[body] / 2, c.y + LWI_BOX / 2.0 + 4.2},
               LWI_SVG_MIDDLE, "%s", lw_body_name(p->s.m, (lw_body){body}));
}

double lwi_joint_label_width(const lwi_pictured_model *s, int joint)
{
  char text[160];
  const lw_joint_info info = lw_get_joint(s->m, (lw_joint){joint});
  const double name = info.implicit ? 0 : lwi_svg_text_width(info.name, LABEL);
  lwi_joint_type_text(s, joint, text, sizeof text);
  const double type = lwi_svg_text_width(text, TYPE);
  return name > type ? name : type;
}

void lwi_draw_joint_label(lwi_svg *out, const lwi_pictured_model *s, int joint,
                          lwi_svg_point middle)
{
  char text[160];
  const lw_joint_info info = lw_get_joint(s->m, (lw_joint){joint});
  lwi_joint_type_text(s, joint, text, sizeof text);
  if (!info.implicit)
    lwi_svg_text(out, "joint", (lwi_svg_point){middle.x, middle.y - 4}, LWI_SVG_MIDDLE, "%s",
                 info.name);
  lwi_svg_text(out, "type", (lwi_svg_point){middle.x, middle.y + 10}, LWI_SVG_MIDDLE, "%s", text);
}

void lwi_draw_tree_edge(lwi_svg *out, const char *look, lwi_svg_point from, double bend,
                        lwi_svg_point to)
{
  const double middle = (from.x + bend) / 2;
  lwi_svg_path_begin(out, look, true);
  lwi_svg_move(out, from);
  if (from.y != to.y)
    lwi_svg_curve(out, (lwi_svg_point){middle, from.y}, (lwi_svg_point){middle, to.y},
                  (lwi_svg_point){bend, to.y});
  lwi_svg_draw(out, to);
  lwi_svg_path_end(out);
}

/* ---- layout ---- */

static int joint_of(const lwi_graph_picture *p, int body)
{
  return lw_body_joint(p->s.m, (lw_body){body}).id;
}

static void measure_boxes(lwi_graph_picture *p)
{
  for (int b = 0; b <= p->s.t->nbody; b++)
    p->box[b] = lwi_svg_text_width(lw_body_name(p->s.m, (lw_body){b}), NAME) + 2 * PAD;
}

static bool lay_out_tree(lwi_graph_picture *p)
{
  const lw_topology *t = p->s.t;
  const int most = t->nbody + 1 + 2 * p->nouter;
  int *parent = LWI_TAKE(p->s.arena, most, int);
  double *gap = LWI_TAKE(p->s.arena, most, double);
  double *height = LWI_TAKE(p->s.arena, most, double);
  unsigned char *port = LWI_TAKE(p->s.arena, most, unsigned char);
  if (!parent || !gap || !height || !port) return false;

  parent[0] = LW_NO_NODE;
  height[0] = LWI_ROW;
  for (int b = 1; b <= t->nbody; b++) {
    parent[b] = t->tree->parent[b - 1] + 1;
    height[b] = LWI_ROW;
    gap[b] = LWI_CURVE + lwi_joint_label_width(&p->s, joint_of(p, b)) + 22;
  }
  const int n = lwi_loops_add_ports(p, parent, port, height);
  p->tree = lw_tree_new(n, parent, NULL, NULL);
  for (int v = t->nbody + 1; v < n; v++)
    gap[v] = LWI_CURVE;
  const lwi_tree_sizes sizes = {p->box, height, gap, port};
  return p->tree && lwi_tree_lay_out(p->tree, &sizes, p->s.arena, &p->layout);
}

bool lwi_graph_picture_make(lwi_graph_picture *p, const lwi_pictured_model *s)
{
  const lw_topology *t = s->t;
  *p = (lwi_graph_picture){.s = *s};
  if (!lwi_loops_list(p)) return false;
  p->box = LWI_TAKE(s->arena, t->nbody + 1 + 2 * p->nouter, double);
  if (!p->box) return false;
  measure_boxes(p);
  if (t->kind == LW_SYSTEM_SERIAL_CHAIN && t->nbody > LONG_CHAIN && p->nouter == 0) {
    lwi_chain_measure(p);
    return true;
  }
  p->leaves = LWI_TAKE(s->arena, p->nouter, int);
  p->arrives = LWI_TAKE(s->arena, p->nouter, int);
  p->track = LWI_TAKE(s->arena, p->nouter, int);
  if (!p->leaves || !p->arrives || !p->track || !lay_out_tree(p)) return false;
  p->width = p->layout.width + 8;
  p->height = p->layout.height;
  return lwi_loops_lay_out(p);
}

void lwi_graph_picture_free(lwi_graph_picture *p)
{
  lw_tree_free(p->tree);
}

/* ---- drawing ---- */

/* A pale band behind the bodies of each serial segment: they are in one row. */
static void draw_bands(const lwi_graph_picture *p, lwi_svg *out, lwi_svg_point at)
{
  const lw_segments *s = p->s.t->segments;
  if (s->nsegment < 2) return;
  for (int k = 0; k < s->nsegment; k++) {
    const int first = s->node[s->start[k]] + 1, last = s->node[s->start[k + 1] - 1] + 1;
    const double x = p->layout.x[first] - 6, y = p->layout.y[first] - 26;
    const double width = p->layout.x[last] + p->box[last] + 6 - x;
    lwi_svg_rect(out, "band", (lwi_svg_point){at.x + x, at.y + y}, width, 45, 7);
    lwi_svg_text(out, "tag", (lwi_svg_point){at.x + x + 6, at.y + y + 10}, LWI_SVG_START, "%s%d",
                 p->s.segment, k + 1);
  }
}

static void draw_edges(const lwi_graph_picture *p, lwi_svg *out, lwi_svg_point at)
{
  const lwi_tree_layout *l = &p->layout;
  for (int b = 1; b <= p->s.t->nbody; b++) {
    const int parent = p->tree->parent[b], joint = joint_of(p, b);
    const bool free_joint = lwi_joint_is_free(lw_get_joint(p->s.m, (lw_joint){joint}).type);
    const double bend = at.x + l->left[b] + LWI_CURVE;
    const lwi_svg_point from = {at.x + l->x[parent] + p->box[parent], at.y + l->y[parent]};
    const lwi_svg_point to = {at.x + l->x[b], at.y + l->y[b]};
    lwi_draw_tree_edge(out, free_joint ? "free" : "edge", from, bend, to);
    lwi_draw_joint_label(out, &p->s, joint, (lwi_svg_point){(bend + to.x - 10) / 2 + 1, to.y});
  }
}

void lwi_graph_picture_draw(const lwi_graph_picture *p, lwi_svg *out, lwi_svg_point at)
{
  if (!p->tree) {
    lwi_chain_draw(p, out, at);
    return;
  }
  const lwi_tree_layout *l = &p->layout;
  at.x += 8; /* for the hatch of the ground */
  draw_bands(p, out, at);
  lwi_loops_draw(p, out, at);
  draw_edges(p, out, at);
  lwi_draw_ground(out, (lwi_svg_point){at.x + l->x[0], at.y + l->y[0] - LWI_BOX / 2.0}, p->box[0]);
  for (int b = 1; b <= p->s.t->nbody; b++)
    lwi_draw_body(p, out, b, (lwi_svg_point){at.x + l->x[b], at.y + l->y[b] - LWI_BOX / 2.0});
}
