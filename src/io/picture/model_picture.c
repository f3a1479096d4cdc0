/* SPDX-License-Identifier: Apache-2.0 */
/* model_picture.c -- the page: title, digraph, segment tree beside the mass matrix, legend. */
#include "base/fail.h"
#include "io/picture/picture.h"
#include "linkwork/file.h"
#include "linkwork/output.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double EDGE = 32, HEAD = 34; /* of the page; of a part */
/* more than this cannot be read as a picture: pixels of a part; bodies, loops, levels */
static const double MOST_SIZE = 3600;
enum { MANY_BODIES = 400, MANY_LOOPS = 200, MANY_LEVELS = 80 };

typedef struct {
  lwi_pictured_model s;
  bool has_graph, has_segments;
  lwi_graph_picture graph;
  lwi_segment_picture segments;
  lwi_pattern_picture pattern;
  int nrelation; /* constraints that are no edges */
  double width, height, graph_height, lower_height, events_height;
} page;

static bool make_parts(page *p)
{
  const lw_topology *t = p->s.t;
  const bool chain = t->kind == LW_SYSTEM_SERIAL_CHAIN;
  p->has_graph = t->nbody <= MANY_BODIES && t->nloop <= MANY_LOOPS &&
                 (chain || t->tree->nlevel <= MANY_LEVELS);
  p->nrelation = lw_nconstraint(p->s.m) - (t->nedge - t->njoint);
  if (p->has_graph && !lwi_graph_picture_make(&p->graph, &p->s)) return false;
  if (fmax(p->graph.width, p->graph.height) > MOST_SIZE) p->has_graph = false;
  if (!lwi_segment_picture_make(&p->segments, &p->s)) return false;
  p->has_segments =
      p->segments.levels > 0 && fmax(p->segments.width, p->segments.height) <= MOST_SIZE;
  if (p->has_segments && p->graph.height + p->segments.height > MOST_SIZE) p->has_graph = false;
  const double side = fmax(300, fmin(0.6 * p->segments.height, 700));
  return lwi_pattern_picture_make(&p->pattern, &p->s, p->has_segments ? side : 500);
}

/* One line for each event, up to some; returns the number of lines. */
static int list_events(const page *p, lwi_svg *out, double top)
{
  enum { MOST = 12 };
  const lw_model *m = p->s.m;
  const int n = m->nevent < MOST ? m->nevent : MOST;
  for (int i = 0; i < n && out; i++) {
    const lwi_event *e = &m->event[i];
    const lwi_svg_point at = {EDGE, top + 16 * i + 12};
    const char *what = lw_action_name(e->d.action), *whom = e->d.joint ? e->d.joint : "";
    if (i + 1 == MOST && m->nevent > MOST)
      lwi_svg_text(out, "pushname", at, LWI_SVG_START, "and %d more events", m->nevent - MOST + 1);
    else if (e->when)
      lwi_svg_text(out, "pushname", at, LWI_SVG_START, "event %s: %s %s at a crossing",
                   e->d.name ? e->d.name : "", what, whom);
    else
      lwi_svg_text(out, "pushname", at, LWI_SVG_START, "event %s: %s %s at t = %g",
                   e->d.name ? e->d.name : "", what, whom, e->d.at);
  }
  return n;
}

/* Names of segments that no body and no joint has. */
static const char *segment_prefix(const lw_model *m)
{
  for (int i = 1; i <= lw_nbody(m) + lw_njoint(m); i++) {
    const char *name = i <= lw_nbody(m) ? lw_body_name(m, (lw_body){i})
                                        : lw_get_joint(m, (lw_joint){i - lw_nbody(m)}).name;
    if (name && name[0] == 'S' && name[1] >= '0' && name[1] <= '9') return "segment ";
  }
  return "S";
}

static const char *title_of(const page *p)
{
  const char *name = lw_model_name(p->s.m);
  return name && *name ? name : "model";
}

static void measure_page(page *p)
{
  const double pattern_left = p->has_segments ? fmax(p->segments.width, 300) + 48 : 0;
  const double lower = pattern_left + p->pattern.width;
  p->graph_height = p->has_graph ? HEAD + p->graph.height + (p->nrelation ? 22 : 0) + 18 : 30;
  p->lower_height = HEAD + fmax(p->has_segments ? p->segments.height : 0, p->pattern.height) + 12;
  const double title = fmin(lwi_svg_text_width(title_of(p), 22), MOST_SIZE);
  p->width = 2 * EDGE + fmax(fmax(lower, p->has_graph ? p->graph.width : 0), fmax(title, 790));
  p->events_height = p->s.scene ? 16 * list_events(p, NULL, 0) : 0;
  p->height = 84 + p->graph_height + p->lower_height + p->events_height + 52;
}

/* ---- drawing ---- */

static void draw_title(const page *p, lwi_svg *out)
{
  const lw_topology *t = p->s.t;
  lwi_svg_text(out, "title", (lwi_svg_point){EDGE, 44}, LWI_SVG_START, "%s", title_of(p));
  lwi_svg_text(out, "subtitle", (lwi_svg_point){EDGE, 66}, LWI_SVG_START,
               "%s · %d %s · %d %s · %d %s · depth %d · %d serial segment%s",
               lw_system_class_name(t->kind), t->nbody, t->nbody == 1 ? "body" : "bodies",
               t->njoint, t->njoint == 1 ? "joint" : "joints", t->nloop,
               t->nloop == 1 ? "loop" : "loops", t->tree->nlevel, t->segments->nsegment,
               t->segments->nsegment == 1 ? "" : "s");
}

static void draw_head(lwi_svg *out, lwi_svg_point at, const char *text)
{
  lwi_svg_text(out, "head", (lwi_svg_point){at.x, at.y + 14}, LWI_SVG_START, "%s", text);
}

/* Gears and the like by name: they relate coordinates and are no edges. */
static void draw_relations(const page *p, lwi_svg *out, lwi_svg_point at)
{
  char text[240] = "";
  size_t used = 0;
  for (int c = 1; c <= lw_nconstraint(p->s.m); c++) {
    const lw_constraint_info info = lw_get_constraint(p->s.m, (lw_constraint){c});
    const size_t scratch = sizeof text - used;
    if (lw_constraint_is_geometric(info.type)) continue;
    const size_t length = strlen(info.name) + strlen(lw_constraint_type_name(info.type)) + 3;
    if (length + 5 > scratch) {
      strcat(text, ", …");
      break;
    }
    used += (size_t)snprintf(text + used, scratch, "%s%s %s", used ? ", " : "",
                             lw_constraint_type_name(info.type), info.name);
  }
  lwi_svg_text(out, "note", at, LWI_SVG_START, "Not edges, but relations of coordinates: %s", text);
}

static void draw_graph(const page *p, lwi_svg *out, double top)
{
  if (!p->has_graph) {
    lwi_svg_text(out, "note", (lwi_svg_point){EDGE, top + 14}, LWI_SVG_START,
                 "Too many bodies to draw each of them%s",
                 p->has_segments ? ": serial segments only." : ": mass matrix only.");
    return;
  }
  draw_head(out, (lwi_svg_point){EDGE, top}, "Standard digraph");
  lwi_graph_picture_draw(&p->graph, out, (lwi_svg_point){EDGE, top + HEAD});
  if (p->nrelation)
    draw_relations(p, out, (lwi_svg_point){EDGE, top + HEAD + p->graph.height + 16});
}

static void draw_lower(const page *p, lwi_svg *out, double top)
{
  double x = EDGE;
  if (p->has_segments) {
    draw_head(out, (lwi_svg_point){x, top}, "Serial segments");
    lwi_segment_picture_draw(&p->segments, out, (lwi_svg_point){x, top + HEAD});
    x += fmax(p->segments.width, 300) + 48;
  }
  draw_head(out, (lwi_svg_point){x, top},
            p->s.t->nloop ? "Mass matrix of the spanning tree" : "Mass matrix");
  lwi_pattern_picture_draw(&p->pattern, out, (lwi_svg_point){x, top + HEAD});
}

static double legend_line(lwi_svg *out, lwi_svg_point at, const char *look, const char *text)
{
  lwi_svg_path_begin(out, look, true);
  lwi_svg_move(out, (lwi_svg_point){at.x, at.y - 4});
  lwi_svg_draw(out, (lwi_svg_point){at.x + 30, at.y - 4});
  lwi_svg_path_end(out);
  lwi_svg_text(out, "note", (lwi_svg_point){at.x + 37, at.y}, LWI_SVG_START, "%s", text);
  return at.x + 37 + lwi_svg_text_width(text, 11) + 12;
}

static double legend_box(lwi_svg *out, lwi_svg_point at, const char *look, const char *text)
{
  lwi_svg_rect(out, look, (lwi_svg_point){at.x, at.y - 9}, 11, 11, 0);
  lwi_svg_text(out, "note", (lwi_svg_point){at.x + 18, at.y}, LWI_SVG_START, "%s", text);
  return at.x + 18 + lwi_svg_text_width(text, 11) + 12;
}

/* Only what the picture holds. */
static void draw_legend(const page *p, lwi_svg *out, double y)
{
  const lw_topology *t = p->s.t;
  int cuts = 0, frees = 0;
  for (int j = 1; j <= t->njoint; j++) {
    const lw_joint_info info = lw_get_joint(p->s.m, (lw_joint){j});
    cuts += info.cut;
    frees += lwi_joint_is_free(info.type) && !info.cut;
  }
  lwi_svg_line(out, "rule", (lwi_svg_point){EDGE, y - 22},
               (lwi_svg_point){p->width - EDGE, y - 22});
  double x = EDGE;
  if (p->has_graph && t->njoint > cuts + frees)
    x = legend_line(out, (lwi_svg_point){x, y}, "edge", "spanning tree");
  if (p->has_graph && frees) x = legend_line(out, (lwi_svg_point){x, y}, "free", "free joint");
  if (p->has_graph && cuts) x = legend_line(out, (lwi_svg_point){x, y}, "cut", "cut joint");
  if (p->has_graph && t->nedge > t->njoint)
    x = legend_line(out, (lwi_svg_point){x, y}, "constraint", "constraint");
  const lw_scene *elements = p->s.scene;
  if (p->has_graph && elements && elements->nspring + elements->nload + elements->ncontact > 0)
    x = legend_line(out, (lwi_svg_point){x, y}, "push", "spring, force or contact");
  x = legend_box(out, (lwi_svg_point){x, y}, "own", "segment with itself");
  const int64_t n = t->segments->nsegment,
                nblock = lw_segments_nblock(t->segments, LW_PATTERN_MASS);
  if (nblock > n) x = legend_box(out, (lwi_svg_point){x, y}, "shared", "related segments");
  if (nblock < n * n) legend_box(out, (lwi_svg_point){x, y}, "none", "zero");
}

static lw_status draw_page(const page *p, const char *path, lw_error *err)
{
  lwi_svg *out = lwi_svg_create(path, p->width, p->height, title_of(p), err);
  if (!out) return err ? err->status : LW_E_FILE;
  draw_title(p, out);
  draw_graph(p, out, 94);
  draw_lower(p, out, 94 + p->graph_height);
  if (p->s.scene) list_events(p, out, 94 + p->graph_height + p->lower_height - 12);
  draw_legend(p, out, p->height - 20);
  return lwi_svg_close(out, err);
}

static lw_status write_page(const lw_model *m, const lw_scene *scene, const char *path,
                            lw_error *err)
{
  if (!m || !path) return lwi_fail(err, LW_E_ARG, "a model and a path are needed");
  lwi_arena arena = {0};
  lw_topology *t = lw_topology_new(m, NULL);
  page p = {.s = {m, t, &arena, scene, segment_prefix(m)}};
  lw_status status;
  if (t && make_parts(&p)) {
    measure_page(&p);
    status = draw_page(&p, path, err);
  } else {
    status = lwi_out_of_memory(err, NULL);
  }
  lwi_graph_picture_free(&p.graph);
  lwi_segment_picture_free(&p.segments);
  lw_topology_free(t);
  lwi_arena_free(&arena);
  return status;
}

lw_status lw_write_graph_svg(const lw_model *m, const char *path, lw_error *err)
{
  return write_page(m, NULL, path, err);
}

lw_status lw_write_elements_svg(const lw_model *m, const char *path, lw_error *err)
{
  if (!m) return lwi_fail(err, LW_E_ARG, "a model and a path are needed");
  lw_scene *scene = lw_scene_new(m, false, err);
  if (!scene) return err ? err->status : LW_E_MEMORY;
  const lw_status status = write_page(m, scene, path, err);
  lw_scene_free(scene);
  return status;
}
