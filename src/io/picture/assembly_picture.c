/* SPDX-License-Identifier: Apache-2.0 */
/* assembly_picture.c -- the assembly tree of divide and conquer: the whole mechanism on the left,
   bodies on the right, and in between what is eliminated where, with the bodies that are still seen
   from outside.

   Of large models the upper levels are drawn, and what is further inside as one box each. */
#include "base/fail.h"
#include "dca/dca.h"
#include "io/picture/svg.h"
#include "io/picture/tree_layout.h"
#include "linkwork/file.h"
#include "linkwork/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double EDGE = 32, TOP = 104, BOX = 17, LINE = 23, GAP = 22, NAME = 11, HANDLES = 9.5;
static const double MOST_SIZE = 3990; /* pixels: larger pictures are hard to open and to read */
enum { MOST_NODES = 300, MOST_NAMES = 3, MOST_MECHANISMS = 40 };

/* node 0 is the mechanism; node i > 0 the assembly of[i] */
typedef struct {
  const lw_model *m;
  const lw_dca *d;
  lwi_arena *arena;
  int nnode, *of;
  bool *closed_up; /* [nnode] what is inside is not drawn */
  int *size;       /* [nassembly] bodies */
  int shown;       /* levels; 0: all */
  int mechanisms;  /* separate ones */
  int levels;      /* that are drawn */
  int most_levels; /* not more than these; 0: as many as MOST_NODES allows */
  lw_tree *tree;
  lwi_tree_layout layout;
  double *box;
} picture;

/* ---- which assemblies ---- */

/* Levels that can be drawn with at most MOST_NODES nodes.  depth: 0 in mechanisms that are not drawn, beyond the first
   MOST_MECHANISMS. */
static int choose_levels(picture *p, const lwi_assembly_tree *t, int depth[], int count[])
{
  int deepest = 0, total = 0, level = 0;
  p->mechanisms = 0;
  for (int i = t->nassembly - 1; i >= 0; i--) {
    const int parent = t->assembly[i].parent;
    depth[i] = parent < 0 ? p->mechanisms++ < MOST_MECHANISMS : depth[parent] + (depth[parent] > 0);
    count[depth[i]]++;
    deepest = depth[i] > deepest ? depth[i] : deepest;
  }
  while (level < deepest && total + count[level + 1] <= MOST_NODES)
    total += count[++level];
  return level > 0 ? level : 1;
}

static bool list_nodes(picture *p)
{
  const lwi_assembly_tree *t = p->d->tree;
  const int n = t->nassembly;
  int *depth = LWI_TAKE(p->arena, n + 1, int), *count = LWI_TAKE(p->arena, n + 2, int);
  int *node = LWI_TAKE(p->arena, n + 1, int), *parent = LWI_TAKE(p->arena, n + 1, int);
  p->of = LWI_TAKE(p->arena, n + 1, int);
  p->closed_up = LWI_TAKE(p->arena, n + 1, bool);
  p->size = LWI_TAKE(p->arena, n + 1, int);
  if (!depth || !count || !node || !parent || !p->of || !p->closed_up || !p->size) return false;
  for (int i = 0; i < n; i++) {
    const lwi_assembly *a = &t->assembly[i];
    p->size[i] = a->left < 0 ? 1 : p->size[a->left] + (a->right < 0 ? 0 : p->size[a->right]);
  }
  int levels = choose_levels(p, t, depth, count);
  if (p->most_levels > 0 && levels > p->most_levels) levels = p->most_levels;
  p->levels = levels;
  p->nnode = 1;
  parent[0] = LW_NO_NODE;
  for (int i = n - 1; i >= 0; i--) { /* outward ones first: parents have lower numbers */
    const lwi_assembly *a = &t->assembly[i];
    if (depth[i] > levels || depth[i] == 0) continue;
    node[i] = p->nnode;
    p->of[p->nnode] = i;
    p->closed_up[p->nnode] = depth[i] == levels && a->kind != LWI_ASSEMBLY_LEAF;
    if (p->closed_up[p->nnode]) p->shown = levels;
    parent[p->nnode++] = a->parent < 0 ? 0 : node[a->parent];
  }
  p->tree = lw_tree_new(p->nnode, parent, NULL, NULL);
  return p->tree != NULL;
}

/* ---- words ---- */

static const lwi_dca_edge *edge_of(const picture *p, const lwi_assembly *a)
{
  return &p->d->edge[p->d->graph_edge[a->edge]];
}

static const char *edge_name(const picture *p, const lwi_dca_edge *e)
{
  if (e->constraint) return p->m->constraint[e->constraint].info.name;
  return e->joint ? p->m->joint[e->joint].info.name : "spin";
}

static const char *link_name(const picture *p, int node)
{
  for (int b = 1; b <= p->m->nbody; b++)
    if (p->m->body[b].link == node + 1) return p->m->body[b].name;
  return "";
}

/* a name that is not too long for its box, whole characters only */
static void shorten(const char *name, char out[24])
{
  snprintf(out, 20, "%s", name);
  if (strlen(name) < 20) return;
  size_t n = 17;
  while (n > 0 && ((unsigned char)out[n] & 0xc0) == 0x80)
    n--;
  strcpy(out + n, "…");
}

static void title_of(const picture *p, int node, char text[64])
{
  char name[24];
  const lwi_assembly *a = node ? &p->d->tree->assembly[p->of[node]] : NULL;
  if (!a)
    snprintf(text, 64, "%d %s", p->m->nbody, p->m->nbody == 1 ? "body" : "bodies");
  else if (a->kind == LWI_ASSEMBLY_LEAF)
    shorten(link_name(p, a->node), name), snprintf(text, 64, "%s", name);
  else if (p->closed_up[node])
    snprintf(text, 64, "%d bodies", p->size[p->of[node]]);
  else
    shorten(edge_name(p, edge_of(p, a)), name), snprintf(text, 64, a->idle ? "(%s)" : "%s", name);
}

/* the handles of an assembly, by name if they are few */
static void handles_of(const picture *p, int node, char text[96])
{
  const lwi_assembly_tree *t = p->d->tree;
  *text = 0;
  if (node == 0) return;
  const lwi_assembly *a = &t->assembly[p->of[node]];
  if (a->kind == LWI_ASSEMBLY_LEAF) return;
  if (a->nhandle > MOST_NAMES) {
    snprintf(text, 96, "%d handles", a->nhandle);
    return;
  }
  for (int k = 0; k < a->nhandle; k++) {
    char name[24];
    const size_t used = strlen(text);
    shorten(link_name(p, t->handle[a->handle + k]), name);
    snprintf(text + used, 96 - used, "%s%s", k ? ", " : "", name);
  }
}

/* ---- layout ---- */

static bool lay_out(picture *p)
{
  double *height = LWI_TAKE(p->arena, p->nnode, double),
         *gap = LWI_TAKE(p->arena, p->nnode, double);
  p->box = LWI_TAKE(p->arena, p->nnode, double);
  if (!height || !gap || !p->box) return false;
  for (int i = 0; i < p->nnode; i++) {
    char text[64], handles[96];
    title_of(p, i, text);
    handles_of(p, i, handles);
    const double a = lwi_svg_text_width(text, NAME), b = lwi_svg_text_width(handles, HANDLES);
    p->box[i] = (a > b ? a : b) + 14;
    gap[i] = GAP;
    int inside = 0; /* a row that also holds boxes with handles is higher */
    if (i > 0) lw_tree_children(p->tree, p->tree->parent[i], &inside);
    height[i] = *handles || inside == 1 ? LINE + 10 : LINE;
  }
  const lwi_tree_sizes sizes = {p->box, height, gap, NULL};
  return lwi_tree_lay_out(p->tree, &sizes, p->arena, &p->layout);
}

/* ---- drawing ---- */

static void draw_edge(const picture *p, lwi_svg *out, int node)
{
  const int parent = p->tree->parent[node];
  const lwi_tree_layout *l = &p->layout;
  const lwi_svg_point from = {EDGE + l->x[parent] + p->box[parent], TOP + l->y[parent]};
  const lwi_svg_point to = {EDGE + l->x[node], TOP + l->y[node]};
  const double middle = to.x - GAP / 2;
  lwi_svg_path_begin(out, "free", false);
  lwi_svg_move(out, from);
  lwi_svg_draw(out, (lwi_svg_point){to.x - GAP, from.y});
  lwi_svg_curve(out, (lwi_svg_point){middle, from.y}, (lwi_svg_point){middle, to.y}, to);
  lwi_svg_path_end(out);
}

static void draw_node(const picture *p, lwi_svg *out, int node)
{
  char text[64], handles[96];
  const lwi_assembly *a = node ? &p->d->tree->assembly[p->of[node]] : NULL;
  const bool leaf = a && a->kind == LWI_ASSEMBLY_LEAF, whole = !a || p->closed_up[node];
  const lwi_svg_point at = {EDGE + p->layout.x[node], TOP + p->layout.y[node] - BOX / 2};
  const lwi_dca_edge *e = leaf || whole ? NULL : edge_of(p, a);
  const char *look = !e || !a                      ? "body"
                     : e->kind == LWI_DCA_RELATION ? "tiename"
                     : a->loop                     ? "cutname"
                                                   : "joint";
  title_of(p, node, text);
  handles_of(p, node, handles);
  lwi_svg_rect(out,
               leaf    ? "node"
               : whole ? "segment"
                       : "band",
               at, p->box[node], BOX, leaf ? 5 : 2);
  lwi_svg_text(out, look, (lwi_svg_point){at.x + p->box[node] / 2, at.y + 12.5}, LWI_SVG_MIDDLE,
               "%s", text);
  if (*handles)
    lwi_svg_text(out, "type", (lwi_svg_point){at.x + p->box[node] / 2, at.y + BOX + 9},
                 LWI_SVG_MIDDLE, "%s", handles);
}

static void draw_title(const picture *p, lwi_svg *out)
{
  const char *name = lw_model_name(p->m);
  const lw_dca_info i = lw_dca_get_info(p->d);
  lwi_svg_text(out, "title", (lwi_svg_point){EDGE, 44}, LWI_SVG_START, "%s",
               name && *name ? name : "model");
  lwi_svg_text(out, "subtitle", (lwi_svg_point){EDGE, 66}, LWI_SVG_START,
               "assembly tree · %d bodies · %d edges eliminated · depth %d · at most %d handle%s",
               p->m->nbody, p->d->nedge, i.depth, i.widest, i.widest == 1 ? "" : "s");
  lwi_svg_text(out, "subtitle", (lwi_svg_point){EDGE, 84}, LWI_SVG_START,
               "%.3g multiplications, %.3g one after the other · speed-up at least %.3g on 2, %.3g "
               "on 8, %.3g on 64 processors",
               i.operations, i.critical, lw_dca_speed_up(p->d, 2), lw_dca_speed_up(p->d, 8),
               lw_dca_speed_up(p->d, 64));
}

static void draw_legend(const picture *p, lwi_svg *out, double y, double width)
{
  lwi_svg_line(out, "rule", (lwi_svg_point){EDGE, y - 20}, (lwi_svg_point){width - EDGE, y - 20});
  static const char *const lines[] = {
      "Right: bodies. Each box to the left unites what is on its right by eliminating the joint or "
      "constraint in it;",
      "below it the bodies that are still seen from outside: its handles.",
      "Brown: a loop closes, perhaps through the ground; ochre: a relation; in brackets: waits for "
      "the rest of one."};
  for (int i = 0; i < 3; i++)
    lwi_svg_text(out, "note", (lwi_svg_point){EDGE, y + 16 * i}, LWI_SVG_START, "%s", lines[i]);
  char part[160] = "";
  if (p->mechanisms > MOST_MECHANISMS)
    snprintf(part, sizeof part, "%d of %d separate mechanisms. ", MOST_MECHANISMS, p->mechanisms);
  if (p->shown)
    snprintf(part + strlen(part), sizeof part - strlen(part),
             "The outer %d levels of %d; what is inside is one box each.", p->shown,
             lw_dca_get_info(p->d).depth + 1);
  if (*part) lwi_svg_text(out, "note", (lwi_svg_point){EDGE, y + 48}, LWI_SVG_START, "%s", part);
}

static double width_of(const picture *p)
{
  return 2 * EDGE + fmax(p->layout.width, 820);
}
static double height_of(const picture *p)
{
  return TOP + p->layout.height + 108;
}

/* As many levels as fit into a picture that can be looked at. */
static bool fit(picture *p)
{
  for (;;) {
    if (!list_nodes(p) || !lay_out(p)) return false;
    const double size = fmax(width_of(p), height_of(p));
    if (size <= MOST_SIZE || p->levels <= 1) return true;
    const int fewer = (int)(p->levels * MOST_SIZE / size);
    p->most_levels = fewer < 1 ? 1 : fewer < p->levels ? fewer : p->levels - 1;
    p->shown = 0;
    lw_tree_free(p->tree);
    p->tree = NULL;
  }
}

static lw_status draw(const picture *p, const char *path, lw_error *err)
{
  const double width = width_of(p), height = height_of(p);
  lwi_svg *out = lwi_svg_create(path, width, height, "assembly tree of divide and conquer", err);
  if (!out) return err ? err->status : LW_E_FILE;
  draw_title(p, out);
  for (int i = 1; i < p->nnode; i++)
    draw_edge(p, out, i);
  for (int i = 0; i < p->nnode; i++)
    draw_node(p, out, i);
  draw_legend(p, out, TOP + p->layout.height + 42, width);
  return lwi_svg_close(out, err);
}

lw_status lw_write_assembly_svg(const lw_model *m, const char *path, lw_error *err)
{
  return lw_write_assembly_plan_svg(m, NULL, path, err);
}

lw_status lw_write_assembly_plan_svg(const lw_model *m, const lw_dca_options *options,
                                     const char *path, lw_error *err)
{
  if (!m || !path) return lwi_fail(err, LW_E_ARG, "lw_write_assembly_svg: an argument is missing");
  lwi_arena arena = {0};
  lw_dca_options plan = options ? *options : (lw_dca_options){0};
  plan.plan_only = true;
  lw_dca *d = lw_dca_new(m, &plan, err);
  if (!d) return err ? err->status : LW_E_MEMORY;
  picture p = {.m = m, .d = d, .arena = &arena};
  const lw_status status = fit(&p) ? draw(&p, path, err) : lwi_out_of_memory(err, NULL);
  lw_tree_free(p.tree);
  lwi_arena_free(&arena);
  lw_dca_free(d);
  return status;
}
