/* SPDX-License-Identifier: Apache-2.0 */
/* given_shapes.c -- the shapes that a model gives its bodies; each file of a mesh is read once. */
#include "io/mesh/mesh.h"
#include "io/scene/scene.h"
#include "linkwork/shapes.h"

#include <stdlib.h>
#include <string.h>

/* files read so far */
typedef struct {
  const char **file; /* [n] */
  int *mesh;         /* [n] its number; -1: it cannot be read */
  lw_scene_mesh *list;
  const char **missing;
  int n;
} meshes;

static bool keep_mesh(lwi_scene *s, const lwi_mesh *from, lw_scene_mesh *to)
{
  to->nvertex = from->nvertex;
  to->ntriangle = from->nface;
  to->vertex = lwi_arena_copy(&s->arena, from->vertex, (size_t)from->nvertex, sizeof *from->vertex);
  to->triangle = lwi_arena_copy(&s->arena, from->face, (size_t)from->nface, sizeof *from->face);
  return to->vertex && to->triangle;
}

/* The number of the mesh of a file; -1: it cannot be read, or there is no memory. */
static int find_mesh(lwi_shapes *out, meshes *m, const char *file)
{
  for (int i = 0; i < m->n; i++)
    if (strcmp(m->file[i], file) == 0) return m->mesh[i];
  lwi_scene *s = out->s;
  lwi_mesh mesh = {0};
  const lwi_mesh_status status = lwi_mesh_read(file, &mesh);
  int number = -1;
  if (status == LWI_MESH_OK && keep_mesh(s, &mesh, &m->list[s->s.nmesh]))
    number = s->s.nmesh++;
  else if (status == LWI_MESH_OK || status == LWI_MESH_MEMORY)
    out->full = true;
  else
    m->missing[s->s.nmissing++] = file;
  lwi_mesh_free(&mesh);
  m->file[m->n] = file;
  m->mesh[m->n++] = number;
  return number;
}

static bool meshes_start(lwi_shapes *out, meshes *m, size_t n)
{
  lwi_arena *a = &out->s->arena;
  m->file = lwi_arena_take(a, n, sizeof *m->file);
  m->mesh = lwi_arena_take(a, n, sizeof *m->mesh);
  m->list = lwi_arena_take(a, n, sizeof *m->list);
  m->missing = lwi_arena_take(a, n, sizeof *m->missing);
  out->s->s.mesh = m->list;
  out->s->s.missing = m->missing;
  return m->file && m->mesh && m->list && m->missing;
}

static void set_size(const lw_shape_desc *d, double size[3])
{
  const bool whole = d->type == LW_SHAPE_BOX || d->type == LW_SHAPE_ELLIPSOID;
  memcpy(size, whole ? d->size : d->scale, sizeof d->size);
  if (whole || d->type == LW_SHAPE_MESH) return;
  size[0] = d->radius;
  size[1] = d->length;
  size[2] = 0;
}

static lw_pose pose_of(const lw_place *place)
{
  lw_pose pose = {.quat = {1}};
  memcpy(pose.p, place->at, sizeof pose.p);
  if (place->orient.type == LW_ORIENT_QUAT)
    memcpy(pose.quat, place->orient.value, sizeof pose.quat);
  return pose;
}

void lwi_shapes_add_given(lwi_shapes *out, bool looks[])
{
  const lw_model *m = out->s->m;
  const int n = lw_nshape(m);
  meshes files = {0};
  bool *missing = lwi_arena_take(&out->s->arena, (size_t)m->nbody + 1, sizeof *missing);
  if (!missing || !meshes_start(out, &files, (size_t)n)) out->full = true;
  for (int i = 0; i < n && !out->full; i++) {
    lw_shape_desc d;
    if (lw_get_shape(m, i, &d) != LW_OK) continue;
    lw_scene_shape shape = {.body = d.body, .type = d.type, .pose = pose_of(&d.place), .mesh = -1};
    set_size(&d, shape.size);
    memcpy(shape.color, d.color, sizeof d.color);
    if (d.type == LW_SHAPE_MESH && (shape.mesh = find_mesh(out, &files, d.file)) < 0) {
      missing[d.body.id] = true;
      continue;
    }
    lwi_shapes_add(out, &shape);
    looks[d.body.id] = true;
  }
  for (int b = 0; missing && b <= m->nbody; b++)
    looks[b] = looks[b] && !missing[b];
}
