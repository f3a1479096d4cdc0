/* SPDX-License-Identifier: Apache-2.0 */
/* pattern_picture.c -- where the mass matrix is not zero.  [Jain2012] figure 7.

   Rows and columns are the speeds in tree order, segment after segment.  A segment meets itself and
   the segments that it carries, which follow it: one bar of blocks to the right of the diagonal and
   its mirror image below, so that three rectangles a segment draw the whole pattern. */
#include "io/picture/picture.h"
#include "linkwork/query.h"

#include <math.h>
#include <stdio.h>

static const double LARGEST = 26, SMALLEST = 14, FONT = 10; /* of a speed that has its name */
static const double THIN = 0.5; /* thinner lines are drawn like this, shorter ones not at all */
enum { NAMED_SPEEDS = 30, GRID = 60 };

static lw_joint_info joint_at(const lwi_pictured_model *s, int node)
{
  return lw_get_joint(s->m, lw_body_joint(s->m, (lw_body){node + 1}));
}

/* "knee", "ball.2"; of a joint that linkwork gave: the body's name. */
static void speed_name(const lw_joint_info *joint, int i, char text[], size_t size)
{
  snprintf(text, size, joint->nu > 1 ? "%s.%d" : "%s", joint->name, i + 1);
}

static double widest_name(const lwi_pictured_model *s)
{
  double widest = 0;
  for (int v = 0; v < s->t->nbody; v++) {
    char text[256];
    const lw_joint_info joint = joint_at(s, v);
    speed_name(&joint, 0, text, sizeof text);
    if (joint.nu > 0) widest = fmax(widest, lwi_svg_text_width(text, FONT));
  }
  return widest;
}

bool lwi_pattern_picture_make(lwi_pattern_picture *p, const lwi_pictured_model *s, double side)
{
  const lw_segments *g = s->t->segments;
  *p = (lwi_pattern_picture){.s = *s, .start = LWI_TAKE(s->arena, g->nsegment + 1, int)};
  if (!p->start) return false;
  int n = 0;
  for (int k = 0; k < g->nsegment; k++) {
    p->start[k] = n;
    for (int i = g->start[k]; i < g->start[k + 1]; i++)
      n += s->t->weight[g->node[i]];
  }
  p->start[g->nsegment] = n;

  p->by_speed = n <= NAMED_SPEEDS;
  if (p->by_speed) side = fmax(side, SMALLEST * n);
  p->unit = n > 0 ? fmin(LARGEST, side / n) : 0;
  p->side = p->unit * n;
  p->margin = (p->by_speed ? widest_name(s) : lwi_svg_text_width("S000", FONT)) + 34 +
              lwi_svg_text_width(s->segment, FONT);
  p->width = fmax(p->margin + p->side + 8, 300);
  p->height = p->side + 62;
  return true;
}

/* ---- drawing ---- */

static void draw_block(const lwi_pattern_picture *p, lwi_svg *out, const char *look,
                       lwi_svg_point at, const int row[2], const int column[2])
{
  const double width = p->unit * (column[1] - column[0]), height = p->unit * (row[1] - row[0]);
  if (fmin(width, height) == 0 || fmax(width, height) < THIN) return;
  lwi_svg_rect(out, look, (lwi_svg_point){at.x + p->unit * column[0], at.y + p->unit * row[0]},
               fmax(width, THIN), fmax(height, THIN), 0);
}

static void draw_blocks(const lwi_pattern_picture *p, lwi_svg *out, lwi_svg_point at)
{
  const lw_segments *g = p->s.t->segments;
  for (int k = 0; k < g->nsegment; k++) {
    const int own[2] = {p->start[k], p->start[k + 1]};
    const int carried[2] = {p->start[k + 1], p->start[g->end[k]]};
    draw_block(p, out, "shared", at, own, carried);
    draw_block(p, out, "shared", at, carried, own);
    draw_block(p, out, "own", at, own, own);
  }
  if (p->unit < THIN)
    lwi_svg_line(out, "diagonal", at, (lwi_svg_point){at.x + p->side, at.y + p->side});
}

static void draw_grid(const lwi_pattern_picture *p, lwi_svg *out, lwi_svg_point at)
{
  const int n = p->start[p->s.t->segments->nsegment];
  for (int i = 1; i < n && n <= GRID; i++) {
    const double d = p->unit * i;
    lwi_svg_line(out, "cell", (lwi_svg_point){at.x + d, at.y},
                 (lwi_svg_point){at.x + d, at.y + p->side});
    lwi_svg_line(out, "cell", (lwi_svg_point){at.x, at.y + d},
                 (lwi_svg_point){at.x + p->side, at.y + d});
  }
}

/* Numbers of the segments above and to the left, where there is room. */
static void draw_segment_labels(const lwi_pattern_picture *p, lwi_svg *out, lwi_svg_point at)
{
  const lw_segments *g = p->s.t->segments;
  double next_x = -1, next_y = -1; /* where the labels so far end */
  for (int k = 0; k < g->nsegment; k++) {
    char text[40];
    snprintf(text, sizeof text, "%s%d", p->s.segment, k + 1);
    const double middle = p->unit * (p->start[k] + p->start[k + 1]) / 2;
    const double half = lwi_svg_text_width(text, FONT) / 2;
    if (p->start[k] == p->start[k + 1]) continue;
    if (middle - half > next_x) {
      lwi_svg_text(out, "axis", (lwi_svg_point){at.x + middle, at.y - 6}, LWI_SVG_MIDDLE, "%s",
                   text);
      next_x = middle + half + 6;
    }
    if (middle - 5 > next_y) {
      lwi_svg_text(out, "axis", (lwi_svg_point){at.x - 7, at.y + middle + 3.5}, LWI_SVG_END, "%s",
                   text);
      next_y = middle + 6;
    }
  }
}

/* Speeds by name, beyond the numbers of the segments. */
static void draw_speed_names(const lwi_pattern_picture *p, lwi_svg *out, lwi_svg_point at)
{
  const lw_segments *g = p->s.t->segments;
  int row = 0;
  for (int i = 0; i < g->nnode; i++) {
    const lw_joint_info joint = joint_at(&p->s, g->node[i]);
    for (int k = 0; k < joint.nu; k++, row++) {
      char text[256];
      speed_name(&joint, k, text, sizeof text);
      lwi_svg_text(out, "axis", (lwi_svg_point){at.x - 30, at.y + p->unit * (row + 0.5) + 3.5},
                   LWI_SVG_END, "%s", text);
    }
  }
}

void lwi_pattern_picture_draw(const lwi_pattern_picture *p, lwi_svg *out, lwi_svg_point at)
{
  const lw_topology *t = p->s.t;
  const double n = p->start[t->segments->nsegment];
  const lwi_svg_point corner = {at.x + p->margin, at.y + 20};
  if (n == 0) {
    lwi_svg_text(out, "note", (lwi_svg_point){at.x, at.y + 14}, LWI_SVG_START, "no freedoms");
    return;
  }
  draw_blocks(p, out, corner);
  draw_grid(p, out, corner);
  lwi_svg_rect(out, "frame", corner, p->side, p->side, 0);
  draw_segment_labels(p, out, corner);
  if (p->by_speed) draw_speed_names(p, out, corner);
  const lwi_svg_point below = {at.x, corner.y + p->side + 20};
  lwi_svg_text(out, "note", below, LWI_SVG_START, "%d × %d, %.3g %% not zero", (int)n, (int)n,
               100 * (double)t->mass_entries / (n * n));
  lwi_svg_text(out, "note", (lwi_svg_point){below.x, below.y + 16}, LWI_SVG_START,
               "factors without fill: %lld entries in one triangle",
               (long long)((double)t->mass_entries + n) / 2);
}
