/* SPDX-License-Identifier: Apache-2.0 */
/* segment_picture.c -- the coarser tree of the serial segments.  [Jain2012] figure 6. */
#include "io/picture/picture.h"

#include <stdio.h>
#include <string.h>

static const double PAD = 9, FONT = 12, GAP = 40, ROW = 33;
/* segments and levels: up to these all are drawn, else the first levels, of so many at most */
enum { ALL = 400, DEEP = 40, SOME = 80, SHALLOW = 8 };

/* ---- which segments ---- */

/* All, or of very many those of the first levels. */
static bool choose_levels(lwi_segment_picture *p)
{
  const lw_segments *g = p->s.t->segments;
  int *count = LWI_TAKE(p->s.arena, g->nsegment + 1, int);
  if (!count) return false;
  for (int k = 0; k < g->nsegment; k++)
    count[g->depth[k]]++;
  const bool all = g->nsegment <= ALL && (g->nsegment <= DEEP || count[DEEP] == 0);
  const int limit = all ? ALL : SOME, deepest = all ? DEEP : SHALLOW;
  int shown = 0;
  while (p->levels < deepest && p->levels < g->nsegment && count[p->levels] > 0 &&
         shown + count[p->levels] <= limit)
    shown += count[p->levels++];
  p->nhidden = g->nsegment - shown;
  return true;
}

/* ---- texts ---- */

/* "column", "hip, shin", or "hip ... foot (6)"; "+ 7": carries 7 segments that are not drawn */
static void segment_text(const lwi_segment_picture *p, int k, char text[], size_t size)
{
  const lw_segments *g = p->s.t->segments;
  const int n = g->start[k + 1] - g->start[k], carried = g->end[k] - k - 1;
  const char *first = lw_body_name(p->s.m, (lw_body){g->node[g->start[k]] + 1});
  const char *last = lw_body_name(p->s.m, (lw_body){g->node[g->start[k + 1] - 1] + 1});
  int used;
  if (n == 1)
    used = snprintf(text, size, "%.80s", first);
  else if (n == 2)
    used = snprintf(text, size, "%.80s, %.80s", first, last);
  else
    used = snprintf(text, size, "%.80s … %.80s (%d)", first, last, n);
  if (g->depth[k] == p->levels - 1 && carried > 0)
    snprintf(text + used, size - (size_t)used, "  + %d", carried);
}

static double number_width(const lwi_segment_picture *p, int k)
{
  char text[40];
  snprintf(text, sizeof text, "%s%d", p->s.segment, k + 1);
  return lwi_svg_text_width(text, 1.1 * FONT) + 8; /* bold */
}

/* ---- layout ---- */

static bool lay_out(lwi_segment_picture *p)
{
  const lw_segments *g = p->s.t->segments;
  lwi_arena *arena = p->s.arena;
  const int most = g->nsegment + 1; /* node 0 is the ground */
  int *parent = LWI_TAKE(arena, most, int), *node = LWI_TAKE(arena, most, int);
  double *height = LWI_TAKE(arena, most, double), *gap = LWI_TAKE(arena, most, double);
  if (!parent || !node || !height || !gap) return false;

  int n = 1;
  parent[0] = p->segment[0] = LW_NO_NODE;
  height[0] = ROW;
  p->box[0] = lwi_svg_text_width("ground", FONT) + 2 * PAD;
  for (int k = 0; k < g->nsegment; k++) {
    char text[256];
    if (g->depth[k] >= p->levels) continue;
    segment_text(p, k, text, sizeof text);
    p->segment[n] = k;
    parent[n] = g->parent[k] < 0 ? 0 : node[g->parent[k]];
    height[n] = ROW;
    gap[n] = GAP;
    p->box[n] = number_width(p, k) + lwi_svg_text_width(text, FONT) + 2 * PAD;
    node[k] = n++;
  }
  p->tree = lw_tree_new(n, parent, NULL, NULL);
  const lwi_tree_sizes sizes = {p->box, height, gap, NULL};
  return p->tree && lwi_tree_lay_out(p->tree, &sizes, arena, &p->layout);
}

bool lwi_segment_picture_make(lwi_segment_picture *p, const lwi_pictured_model *s)
{
  const int most = s->t->segments->nsegment + 1;
  *p = (lwi_segment_picture){
      .s = *s, .box = LWI_TAKE(s->arena, most, double), .segment = LWI_TAKE(s->arena, most, int)};
  if (!p->box || !p->segment || !choose_levels(p) || !lay_out(p)) return false;
  p->width = p->layout.width + 8;
  p->height = p->layout.height + (p->nhidden ? 24 : 0);
  return true;
}

void lwi_segment_picture_free(lwi_segment_picture *p)
{
  lw_tree_free(p->tree);
}

static void draw_segment(const lwi_segment_picture *p, lwi_svg *out, int v, lwi_svg_point corner)
{
  const int k = p->segment[v];
  char text[256];
  const double base = corner.y + LWI_BOX / 2.0 + 4.2;
  segment_text(p, k, text, sizeof text);
  lwi_svg_rect(out, "segment", corner, p->box[v], LWI_BOX, LWI_BOX / 2.0);
  lwi_svg_text(out, "number", (lwi_svg_point){corner.x + PAD, base}, LWI_SVG_START, "%s%d",
               p->s.segment, k + 1);
  lwi_svg_text(out, "members", (lwi_svg_point){corner.x + PAD + number_width(p, k), base},
               LWI_SVG_START, "%s", text);
}

void lwi_segment_picture_draw(const lwi_segment_picture *p, lwi_svg *out, lwi_svg_point at)
{
  const lwi_tree_layout *l = &p->layout;
  at.x += 8;
  for (int v = 1; v < p->tree->nnode; v++) {
    const int u = p->tree->parent[v];
    lwi_draw_tree_edge(out, "edge", (lwi_svg_point){at.x + l->x[u] + p->box[u], at.y + l->y[u]},
                       at.x + l->x[v] - 6, (lwi_svg_point){at.x + l->x[v], at.y + l->y[v]});
    draw_segment(p, out, v, (lwi_svg_point){at.x + l->x[v], at.y + l->y[v] - LWI_BOX / 2.0});
  }
  lwi_draw_ground(out, (lwi_svg_point){at.x + l->x[0], at.y + l->y[0] - LWI_BOX / 2.0}, p->box[0]);
  if (p->nhidden)
    lwi_svg_text(out, "note", (lwi_svg_point){at.x - 8, at.y + l->height + 16}, LWI_SVG_START,
                 "%d more segments are not drawn; + n: carries n of them", p->nhidden);
}
