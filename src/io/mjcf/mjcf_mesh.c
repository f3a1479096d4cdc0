/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_mesh.c -- meshes and materials of <asset>. */
#include "io/mjcf/mjcf.h"

#include <stdio.h>
#include <string.h>

/* The name of a mesh without one: that of its file, without folder and ending. */
static const char *name_of(lwi_mjcf *x, const lwi_xml_element *e, const char *file)
{
  const char *name = lwi_xml_get(e, "name");
  if (name || !file) return name;
  const char *slash = strrchr(file, '/'), *start = slash ? slash + 1 : file;
  const char *dot = strrchr(start, '.');
  const size_t length = dot ? (size_t)(dot - start) : strlen(start);
  char *text = LWI_TAKE(&x->robot.arena, length + 1, char);
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
  const char *result = lwi_robot_find_file(&x->robot, path, found);
  return result ? result : (lwi_xml_no_memory(e, x->robot.err), NULL);
}

/* p -> R^T (scale p - refpos), as MuJoCo takes refpos and refquat */
static bool read_reference(lwi_mjcf *x, const lwi_mjcf_item *item, lwi_frame *out)
{
  double pos[3] = {0}, quat[4] = {1, 0, 0, 0};
  *out = lwi_frame_identity();
  if (!lwi_mjcf_read(x, item, "refpos", 3, pos) || !lwi_mjcf_read(x, item, "refquat", 4, quat))
    return false;
  lwi_frame reference = lwi_frame_identity();
  memcpy(reference.p, pos, sizeof pos);
  if (!lwi_rot_quat(quat, &reference.R))
    return lwi_xml_fail(item->element, x->robot.err, "refquat gives no direction");
  *out = lwi_frame_inverse(reference);
  return true;
}

static bool read_mesh(lwi_mjcf *x, const lwi_xml_element *e)
{
  lwi_robot *r = &x->robot;
  lwi_mjcf_item item;
  lwi_mjcf_mesh m = {.element = e, .scale = {1, 1, 1}};
  if (!lwi_mjcf_item_of(x, e, "mesh", 0, &item)) return false;
  const char *file = lwi_mjcf_get(x, &item, "file"), *name = name_of(x, e, file);
  if (!name) return !file || lwi_xml_no_memory(e, r->err);
  if (!lwi_mjcf_read(x, &item, "scale", 3, m.scale) || !read_reference(x, &item, &m.place))
    return false;
  if (file && !(m.path = path_of(x, e, file, &m.found))) return false;
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
  const lwi_xml_element *asset = lwi_xml_child(x->robot.root, "asset");
  for (; asset; asset = lwi_xml_find(asset->next, "asset"))
    for (const lwi_xml_element *e = asset->first; e; e = e->next) {
      if (strcmp(e->name, "mesh") == 0 && !read_mesh(x, e)) return false;
      if (strcmp(e->name, "material") == 0 && !read_material(x, e)) return false;
    }
  return true;
}

const lwi_mjcf_mesh *lwi_mjcf_find_mesh(const lwi_mjcf *x, const char *name)
{
  const int at = name ? lwi_name_find(&x->mesh_names, name, strlen(name)) : -1;
  return at < 0 ? NULL : &x->mesh[at];
}
