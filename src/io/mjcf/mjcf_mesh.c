/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_mesh.c -- meshes and materials of <asset>. */
#include "io/mjcf/mjcf.h"

#include <stdio.h>
#include <string.h>

char *lwi_mjcf_stem(lwi_arena *arena, const char *file)
{
  const char *slash = strrchr(file, '/'), *start = slash ? slash + 1 : file;
  const char *dot = strrchr(start, '.');
  const size_t length = dot ? (size_t)(dot - start) : strlen(start);
  char *text = LWI_TAKE(arena, length + 1, char);
  if (text) memcpy(text, start, length);
  return text;
}

/* MESHDIR/FILE; the file as written if that is an absolute path */
static const char *path_of(lwi_mjcf *x, const lwi_xml_element *e, const char *file, bool *found)
{
  const char *dir = x->compiler.meshdir;
  const size_t n = strlen(dir), size = n + strlen(file) + 2;
  char *path = LWI_TAKE(&x->robot.arena, size, char);
  if (!path) return lwi_xml_no_memory(e, x->robot.err), NULL;
  if (n == 0 || file[0] == '/')
    snprintf(path, size, "%s", file);
  else
    snprintf(path, size, "%s%s%s", dir, dir[n - 1] == '/' ? "" : "/", file);
  const char *result = lwi_robot_find_file(&x->robot, x->model[x->current].root->file, path, found);
  return result ? result : (lwi_xml_no_memory(e, x->robot.err), NULL);
}

static bool read_reference(lwi_mjcf *x, const lwi_mjcf_item *item, lwi_mjcf_mesh *m)
{
  double quat[4] = {1, 0, 0, 0};
  m->reference = lwi_frame_identity();
  if (!lwi_mjcf_read(x, item, "scale", 3, m->scale) ||
      !lwi_mjcf_read(x, item, "refpos", 3, m->reference.p) ||
      !lwi_mjcf_read(x, item, "refquat", 4, quat))
    return false;
  return lwi_rot_quat(quat, &m->reference.R) ||
         lwi_xml_fail(item->element, x->robot.err, "refquat gives no direction");
}

/* A vertex p of the file is at S R^T (p - r) in the frame of the geom, with the scale S and the
   reference R, r. */
static void place_vertex(const lwi_mjcf_mesh *m, double p[3])
{
  double d[3];
  for (int i = 0; i < 3; i++)
    d[i] = p[i] - m->reference.p[i];
  for (int i = 0; i < 3; i++)
    p[i] = m->scale[i] * dot3(m->reference.R.c[i], d);
}

/* The same as a place of S p, which it is unless different scales follow a turn: S R^T (p - r) = (S
   R^T S^-1) (S p - S r). */
static void find_place(lwi_mjcf_mesh *m)
{
  double *r = m->place.p;
  m->place = lwi_frame_identity();
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3 && m->scale[i] != 0; j++)
      m->place.R.c[i][j] = m->scale[j] * m->reference.R.c[j][i] / m->scale[i];
  for (int i = 0; i < 3; i++)
    r[i] = 0;
  place_vertex(m, r);
}

/* inertia="convex" needs the hull: the body itself is taken, which is the same if it is convex. */
static lwi_mesh_rule read_rule(lwi_mjcf *x, const lwi_mjcf_item *item)
{
  const char *rule = lwi_mjcf_get(x, item, "inertia");
  if (rule && strcmp(rule, "shell") == 0) return LWI_MESH_SHELL;
  if (rule && strcmp(rule, "convex") == 0) {
    const char *name = lwi_mjcf_get(x, item, "name"), *file = lwi_mjcf_get(x, item, "file");
    lwi_listing_add(&x->not_hulls, name ? name : file ? file : "");
  }
  const bool exact = rule ? strcmp(rule, "legacy") != 0 : x->compiler.exact_meshes;
  return exact ? LWI_MESH_EXACT : LWI_MESH_LEGACY;
}

static bool read_mesh(lwi_mjcf *x, const lwi_xml_element *e)
{
  lwi_robot *r = &x->robot;
  lwi_mjcf_item item;
  lwi_mjcf_mesh m = {.element = e, .scale = {1, 1, 1}};
  if (!lwi_mjcf_item_of(x, e, "mesh", x->main_class, &item)) return false;
  const char *file = lwi_mjcf_get(x, &item, "file"), *name = lwi_xml_get(e, "name");
  if (!name && file) name = lwi_mjcf_stem(&r->arena, file);
  if (!name) return !file || lwi_xml_no_memory(e, r->err);
  if (!read_reference(x, &item, &m)) return false;
  find_place(&m);
  if (file && !(m.path = path_of(x, e, file, &m.found))) return false;
  m.rule = read_rule(x, &item);
  const int n = x->mesh_names.n;
  if (!lwi_grow(&x->mesh, n, &x->mesh_capacity, sizeof *x->mesh) ||
      lwi_name_add(&x->mesh_names, name, strlen(name)) < 0)
    return lwi_xml_no_memory(e, r->err);
  if (x->mesh_names.n > n) x->mesh[n] = m;
  return true;
}

static bool read_material(lwi_mjcf *x, const lwi_xml_element *e)
{
  const char *name = lwi_xml_get(e, "name");
  const int n = x->material_names.n;
  if (!name) return true;
  if (!lwi_grow(&x->material, n, &x->material_capacity, sizeof *x->material) ||
      lwi_name_add(&x->material_names, name, strlen(name)) < 0)
    return lwi_xml_no_memory(e, x->robot.err);
  if (x->material_names.n > n) x->material[n] = e;
  return true;
}

bool lwi_mjcf_read_meshes(lwi_mjcf *x)
{
  for (const lwi_xml_element *asset = NULL; (asset = lwi_mjcf_next_section(x, asset, "asset"));)
    for (const lwi_xml_element *e = asset->first; e; e = e->next) {
      if (strcmp(e->name, "mesh") == 0 && !read_mesh(x, e)) return false;
      if (strcmp(e->name, "material") == 0 && !read_material(x, e)) return false;
    }
  return true;
}

lwi_mjcf_mesh *lwi_mjcf_find_mesh(const lwi_mjcf *x, const char *name)
{
  const int at = name ? lwi_name_find(&x->mesh_names, name, strlen(name)) : -1;
  return at < 0 ? NULL : &x->mesh[at];
}

/* ---- mass ---- */

static const char *reason(lwi_mesh_status status)
{
  switch (status) {
  case LWI_MESH_UNKNOWN: return "neither STL nor OBJ";
  case LWI_MESH_BROKEN: return "no triangles, or broken ones";
  case LWI_MESH_OK: return "encloses no volume";
  default: return "not found";
  }
}

bool lwi_mjcf_measure_mesh(lwi_mjcf *x, lwi_mjcf_mesh *m)
{
  lwi_mesh mesh = {0};
  char text[300];
  if (m->state != LWI_MJCF_MESH_NEW) return true;
  const lwi_mesh_status status = m->found ? lwi_mesh_read(m->path, &mesh) : LWI_MESH_NO_FILE;
  for (int i = 0; i < mesh.nvertex; i++)
    place_vertex(m, mesh.vertex[i]);
  const bool good = status == LWI_MESH_OK && lwi_mesh_measure(&mesh, m->rule, &m->measures);
  m->state = good ? LWI_MJCF_MESH_MEASURED : LWI_MJCF_MESH_LOST;
  lwi_mesh_free(&mesh);
  if (status == LWI_MESH_MEMORY) return lwi_xml_no_memory(m->element, x->robot.err);
  if (good) return true;
  snprintf(text, sizeof text, "%.200s (%s)", m->path ? m->path : "without a file", reason(status));
  lwi_listing_add(&x->lost_meshes, text);
  return true;
}
