/* SPDX-License-Identifier: Apache-2.0 */
/* mechanism_picture.c -- a mechanism at one or more instants, as a drawing on paper: bodies from
   back to front, then springs and joints. */
#include "base/arena.h"
#include "base/fail.h"
#include "io/picture/projection.h"
#include "math/rotation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDGE = 28, CAPTION = 34, RING = 20 /* points of a circle */ };
static const char *const colours[] = {"#4e79a7", "#e28e2c", "#59a14f", "#b07aa1", "#76b7b2",
                                      "#e15759", "#9c755f", "#d4b63f", "#86a7d3", "#8cb08a"};
enum { NCOLOUR = sizeof colours / sizeof *colours };

typedef struct {
  const lw_model *m;
  const lw_scene *s;
  const lw_drawing *d;
  lwi_projection view;
  lwi_svg *out;
  lwi_svg_point *point, *hull; /* scratch, for the largest mesh */
} picture;

static const lw_pose *pose_at(const picture *p, int instant, int body)
{
  return &p->d->pose[(size_t)instant * ((size_t)p->s->nbody + 1) + (size_t)body];
}

static void to_ground(const lw_pose *pose, const double at[3], double out[3])
{
  rot_mulv(rot_from_quat(pose->quat), at, out);
  for (int i = 0; i < 3; i++)
    out[i] += pose->p[i];
}

/* ---- the outline of a shape ---- */

static void add_point(picture *p, const lw_pose *body, const lw_pose *shape, const double at[3],
                      int *n)
{
  double local[3], ground[3];
  to_ground(shape, at, local);
  to_ground(body, local, ground);
  p->point[(*n)++] = lwi_project(&p->view, ground);
}

/* Corners of a box, or circles: across the axis, and for round things along it too. */
static int outline(picture *p, const lw_pose *body, const lw_scene_shape *s)
{
  int n = 0;

  if (s->type == LW_SHAPE_MESH) {
    const lw_scene_mesh *mesh = &p->s->mesh[s->mesh];
    for (int i = 0; i < mesh->nvertex; i++) {
      const double *v = mesh->vertex[i];
      const double at[3] = {s->size[0] * v[0], s->size[1] * v[1], s->size[2] * v[2]};
      add_point(p, body, &s->pose, at, &n);
    }
  } else if (s->type == LW_SHAPE_BOX) {
    for (int i = 0; i < 8; i++) {
      const double at[3] = {(i & 1 ? 0.5 : -0.5) * s->size[0], (i & 2 ? 0.5 : -0.5) * s->size[1],
                            (i & 4 ? 0.5 : -0.5) * s->size[2]};
      add_point(p, body, &s->pose, at, &n);
    }
  } else {
    const double r = s->size[0], half[3] = {s->size[0] / 2, s->size[1] / 2, s->size[2] / 2};
    const bool ellipsoid = s->type == LW_SHAPE_ELLIPSOID;
    for (int i = 0; i < RING * RING; i++) {
      const double a = 2 * 3.14159265358979 * (i % RING) / RING,
                   b = 3.14159265358979 * ((double)(i / RING) / (RING - 1) - 0.5);
      const double unit[3] = {cos(a) * cos(b), sin(a) * cos(b), sin(b)};
      const double end = (i / RING >= RING / 2 ? 0.5 : -0.5) * s->size[1];
      double at[3];
      for (int k = 0; k < 3; k++)
        at[k] = unit[k] * (ellipsoid ? half[k] : r);
      if (s->type == LW_SHAPE_CYLINDER) at[0] = r * cos(a), at[1] = r * sin(a), at[2] = end;
      if (s->type == LW_SHAPE_CAPSULE) at[2] += end;
      add_point(p, body, &s->pose, at, &n);
    }
  }

  return lwi_hull(p->point, n, p->hull);
}

/* ---- parts of the picture ---- */

typedef struct {
  int shape;
  double depth;
} layer;

static int farther_first(const void *a, const void *b)
{
  const layer *x = a, *y = b;
  if (x->depth != y->depth) return x->depth < y->depth ? -1 : 1;
  return x->shape - y->shape;
}

/* Those faces of a box that can be seen, light from above. */
static void draw_faces(picture *p, const lw_pose *body, const lw_scene_shape *s, double opacity)
{
  for (int f = 0; f < 6; f++) {
    const int a = f / 2, b = (a + 1) % 3, c = (a + 2) % 3;
    const double side = f % 2 ? 1 : -1;
    double normal[3] = {0}, turned[3], in_ground[3];
    int n = 0;
    normal[a] = side;
    rot_mulv(rot_from_quat(s->pose.quat), normal, turned);
    rot_mulv(rot_from_quat(body->quat), turned, in_ground);
    if (lwi_depth(&p->view, in_ground) <= 1e-6) continue;
    for (int k = 0; k < 4; k++) {
      double at[3];
      at[a] = side * s->size[a] / 2;
      at[b] = (k == 0 || k == 3 ? -0.5 : 0.5) * s->size[b];
      at[c] = (k < 2 ? -0.5 : 0.5) * s->size[c];
      add_point(p, body, &s->pose, at, &n);
    }
    const double light = dot3(in_ground, p->view.up);
    const lwi_svg_paint paint = {
        light > 0.3 ? "#ffffff" : "#000000", "#2b3744", 0.8,
        opacity * (light > 0.3 ? 0.22 : 0.1 + 0.12 * (dot3(in_ground, p->view.right) > 0))};
    lwi_svg_polyline(p->out, &paint, p->point, n);
  }
}

static void draw_shapes(picture *p, int instant, double opacity, layer order[])
{
  for (int i = 0; i < p->s->nshape; i++) {
    double at[3];
    to_ground(pose_at(p, instant, p->s->shape[i].body.id), p->s->shape[i].pose.p, at);
    order[i] = (layer){i, lwi_depth(&p->view, at)};
  }
  qsort(order, (size_t)p->s->nshape, sizeof *order, farther_first);
  for (int i = 0; i < p->s->nshape; i++) {
    const lw_scene_shape *s = &p->s->shape[order[i].shape];
    char own[8];
    const char *fill = s->body.id ? colours[(s->body.id - 1) % NCOLOUR] : "#9aa5b1";
    if (s->color[3] > 0) {
      unsigned c[3];
      for (int k = 0; k < 3; k++)
        c[k] = (unsigned)lround(255 * fmax(0, fmin(1, s->color[k])));
      snprintf(own, sizeof own, "#%02x%02x%02x", c[0] & 255u, c[1] & 255u, c[2] & 255u);
      fill = own;
    }
    const lw_pose *body = pose_at(p, instant, s->body.id);
    const int n = outline(p, body, s);
    const lwi_svg_paint paint = {fill, "#2b3744", 1, opacity * (s->guessed ? 0.45 : 1)};
    lwi_svg_polyline(p->out, &paint, p->point, n);
    if (s->type == LW_SHAPE_BOX) draw_faces(p, body, s, paint.opacity);
  }
}

static void draw_springs(picture *p, int instant, double opacity)
{
  enum { TURNS = 9 };
  for (int i = 0; i < p->s->nspring; i++) {
    const lw_scene_spring *s = &p->s->spring[i];
    double a[3], b[3];
    to_ground(pose_at(p, instant, s->from.id), s->from_at, a);
    to_ground(pose_at(p, instant, s->to.id), s->to_at, b);
    const lwi_svg_point from = lwi_project(&p->view, a), to = lwi_project(&p->view, b);
    const double dx = to.x - from.x, dy = to.y - from.y, length = hypot(dx, dy);
    const double wide = fmin(0.7 * p->s->thickness * p->view.scale, 0.1 * length);
    lwi_svg_point line[2 * TURNS + 3];
    int n = 0;
    line[n++] = from;
    for (int k = 0; k <= 2 * TURNS && length > 0; k++) {
      const double t = 0.1 + 0.8 * k / (2 * TURNS), side = k % 2 ? wide : -wide;
      line[n++] = (lwi_svg_point){from.x + t * dx - side * dy / length,
                                  from.y + t * dy + side * dx / length};
    }
    line[n++] = to;
    const lwi_svg_paint paint = {NULL, "#46515e", 1.4, opacity};
    lwi_svg_polyline(p->out, &paint, line, n);
  }
}

/* A circle; on the ground with a pedestal. */
static void draw_joints(picture *p, int instant, double opacity)
{
  const double r = fmin(7, fmax(1.2, 0.5 * p->s->thickness * p->view.scale));
  for (int i = 0; i < p->s->njoint; i++) {
    const lw_scene_joint *j = &p->s->joint[i];
    if (j->implicit || j->type == LW_FREE || j->type == LW_FIXED) continue;
    double at[3];
    to_ground(pose_at(p, instant, j->parent.id), j->place.p, at);
    const lwi_svg_point c = lwi_project(&p->view, at);
    if (j->parent.id == 0 || j->child.id == 0) {
      const lwi_svg_point foot[] = {{c.x - 2.2 * r, c.y + 3 * r}, c, {c.x + 2.2 * r, c.y + 3 * r}};
      const lwi_svg_paint paint = {"#cfd6de", "#2b3744", 1, opacity};
      lwi_svg_polyline(p->out, &paint, foot, 3);
    }
    const lwi_svg_paint ring = {NULL, "#2b3744", 2 * r + 2, opacity};
    const lwi_svg_paint hole = {NULL, j->type == LW_SPHERICAL ? "#8b95a5" : "#ffffff", 2 * r,
                                opacity};
    lwi_svg_polyline(p->out, &ring, &c, 1);
    lwi_svg_polyline(p->out, &hole, &c, 1);
  }
}

/* ---- the page ---- */

/* The box around everything that will be drawn, in metres. */
static void find_box(picture *p, lwi_svg_point *low, lwi_svg_point *high)
{
  *low = (lwi_svg_point){INFINITY, INFINITY};
  *high = (lwi_svg_point){-INFINITY, -INFINITY};
  for (int k = 0; k < p->d->ninstant; k++) {
    for (int i = 0; i < p->s->nshape + p->s->njoint + 2 * p->s->nspring; i++) {
      int n = 1;
      double at[3] = {0};
      const int j = i - p->s->nshape, e = j - p->s->njoint;
      if (i < p->s->nshape) {
        n = outline(p, pose_at(p, k, p->s->shape[i].body.id), &p->s->shape[i]);
      } else if (e < 0) {
        if (p->s->joint[j].implicit) continue;
        to_ground(pose_at(p, k, p->s->joint[j].parent.id), p->s->joint[j].place.p, at);
      } else {
        const lw_scene_spring *s = &p->s->spring[e / 2];
        to_ground(pose_at(p, k, e % 2 ? s->to.id : s->from.id), e % 2 ? s->to_at : s->from_at, at);
      }
      if (i >= p->s->nshape) p->point[0] = lwi_project(&p->view, at);
      for (int c = 0; c < n; c++) {
        low->x = fmin(low->x, p->point[c].x), high->x = fmax(high->x, p->point[c].x);
        low->y = fmin(low->y, p->point[c].y), high->y = fmax(high->y, p->point[c].y);
      }
    }
  }
}

static lw_status draw_page(picture *p, double height, const char *path, layer order[],
                           lw_error *err)
{
  const char *name = lw_model_name(p->m);
  const double width = p->d->width > 0 ? p->d->width : 800;
  p->out = lwi_svg_create(path, width, height, name && *name ? name : "mechanism", err);
  if (!p->out) return err ? err->status : LW_E_FILE;
  for (int k = 0; k < p->d->ninstant; k++) {
    const double opacity = k + 1 == p->d->ninstant ? 1 : 0.18 + 0.4 * k / p->d->ninstant;
    draw_shapes(p, k, opacity, order);
    draw_springs(p, k, opacity);
    draw_joints(p, k, opacity);
  }
  const lwi_svg_point at = {EDGE, height - 14};
  if (p->d->time && p->d->ninstant == 1)
    lwi_svg_text(p->out, "note", at, LWI_SVG_START, "%s, t = %.4g s", name ? name : "",
                 p->d->time[0]);
  else if (p->d->time)
    lwi_svg_text(p->out, "note", at, LWI_SVG_START, "%s, %d instants from t = %.4g s to %.4g s",
                 name ? name : "", p->d->ninstant, p->d->time[0], p->d->time[p->d->ninstant - 1]);
  return lwi_svg_close(p->out, err);
}

/* Scales the box to the width, but not higher than three quarters of it. */
static double place_on_page(picture *p)
{
  lwi_svg_point low, high;
  find_box(p, &low, &high);
  if (!(low.x <= high.x && low.y <= high.y)) low = high = (lwi_svg_point){0, 0};
  const double width = p->d->width > 0 ? p->d->width : 800;
  const double wide = fmax(high.x - low.x, 1e-9), high_ = fmax(high.y - low.y, 1e-9);
  const double scale = fmin((width - 2 * EDGE) / wide, (0.75 * width - 2 * EDGE) / high_);
  p->view.scale = scale;
  p->view.left = width / 2 - scale * (low.x + high.x) / 2;
  p->view.top = EDGE - scale * low.y;
  return scale * high_ + 2 * EDGE + CAPTION;
}

static int most_points(const lw_scene *s)
{
  int most = RING * RING;
  for (int i = 0; i < s->nmesh; i++)
    if (s->mesh[i].nvertex > most) most = s->mesh[i].nvertex;
  return most;
}

lw_status lw_write_mechanism_svg(const lw_model *m, const lw_drawing *d, const char *path,
                                 lw_error *err)
{
  if (!m || !d || !path || d->ninstant < 1 || !d->pose || d->view < LW_VIEW_AUTO ||
      d->view > LW_VIEW_OBLIQUE)
    return lwi_fail(err, LW_E_ARG,
                    "a model, a path and the poses of at least one instant are needed");
  lw_scene *s = lw_scene_new(m, true, err);
  if (!s) return err ? err->status : LW_E_MEMORY;
  lwi_arena arena = {0};
  picture p = {.m = m, .s = s, .d = d};
  p.point = lwi_arena_take(&arena, (size_t)most_points(s), sizeof *p.point);
  p.hull = lwi_arena_take(&arena, 2 * (size_t)most_points(s), sizeof *p.hull);
  layer *order = lwi_arena_take(&arena, (size_t)s->nshape, sizeof *order);
  lw_status status = LW_E_MEMORY;
  if (p.point && p.hull && order) {
    lwi_projection_turn(&p.view, m, d->view);
    const double height = place_on_page(&p);
    status = draw_page(&p, height, path, order, err);
  } else {
    lwi_out_of_memory(err, NULL);
  }
  lwi_arena_free(&arena);
  lw_scene_free(s);
  return status;
}
