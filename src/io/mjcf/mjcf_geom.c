/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_geom.c -- geoms: type, size and place; what they look like. */
#include "io/mjcf/mjcf.h"

#include "linalg/eigen.h"

#include <math.h>
#include <string.h>

enum {
  SHOWN = 2
}; /* the last group that MuJoCo's viewer shows at first; the others are for contacts */

static void read_type(const lwi_mjcf *x, lwi_mjcf_geom *g)
{
  const char *type = lwi_mjcf_get(x, &g->item, "type");
  g->solid = !type;
  g->type = LW_SHAPE_SPHERE;
  for (int i = 0; type && i < LW_SHAPE_TYPE_COUNT; i++)
    if (strcmp(type, lw_shape_type_name((lw_shape_type)i)) == 0) {
      g->solid = true;
      g->type = (lw_shape_type)i;
    }
}

/* size, or fromto: the ends of its axis */
static bool read_size(lwi_mjcf *x, lwi_mjcf_geom *g, lwi_frame *place)
{
  double ends[6], *s = g->half;
  const int n = lwi_mjcf_numbers(x, &g->item, "size", 3, s);
  if (n < 0) return false;
  if (!lwi_mjcf_get(x, &g->item, "fromto") || g->type == LW_SHAPE_SPHERE) return true;
  if (!lwi_mjcf_read(x, &g->item, "fromto", 6, ends)) return false;
  double z[3] = {ends[3] - ends[0], ends[4] - ends[1], ends[5] - ends[2]};
  const double half = norm3(z) / 2;
  if (!lwi_normalise(z)) return lwi_xml_fail(g->item.element, x->robot.err, "fromto has no length");
  const bool round = g->type == LW_SHAPE_CAPSULE || g->type == LW_SHAPE_CYLINDER;
  if (!round && n < 2) s[1] = s[0];
  s[round ? 1 : 2] = half;
  place->R = rot_aligning_z(z);
  for (int i = 0; i < 3; i++)
    place->p[i] = (ends[i] + ends[i + 3]) / 2;
  return true;
}

/* A simple shape about a mesh has the sizes of the box with the same inertia, its longest edge
   along z. */
static bool fit_mesh(lwi_mjcf *x, lwi_mjcf_geom *g, lwi_frame *at)
{
  double V[9], P[3], b[3], fit = 1;
  if (!lwi_mjcf_read(x, &g->item, "fitscale", 1, &fit) || !lwi_mjcf_measure_mesh(x, g->mesh))
    return false;
  if (g->mesh->state != LWI_MJCF_MESH_MEASURED) return true;
  const lwi_mesh_measures *m = &g->mesh->measures;
  const double *I = m->inertia;
  double A[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
  int order[3] = {0, 1, 2};
  lwi_symmetric_eigen(3, A, V, P);
  for (int i = 0; i < 3; i++) /* the largest moment first */
    for (int k = 0; k < 2; k++)
      if (P[order[k]] < P[order[k + 1]]) {
        const int swapped = order[k];
        order[k] = order[k + 1];
        order[k + 1] = swapped;
      }
  lwi_frame own = lwi_frame_identity();
  memcpy(own.p, m->com, sizeof own.p);
  for (int i = 0; i < 3; i++) {
    const double twice = P[0] + P[1] + P[2] - 2 * P[order[i]];
    b[i] = fit / 2 * sqrt(fmax(0, 6 * twice / m->volume));
    for (int k = 0; k < 3 && i < 2; k++)
      own.R.c[i][k] = V[3 * order[i] + k];
  }
  cross3(own.R.c[0], own.R.c[1], own.R.c[2]);
  const double r = (b[0] + b[1]) / 2;
  const bool capsule = g->type == LW_SHAPE_CAPSULE, round = capsule || g->type == LW_SHAPE_CYLINDER;
  g->half[0] = g->type == LW_SHAPE_SPHERE ? (b[0] + b[1] + b[2]) / 3 : round ? r : b[0];
  g->half[1] = capsule ? fmax(0, b[2] - r / 2) : round ? b[2] : b[1];
  g->half[2] = b[2];
  *at = lwi_frame_mul(*at, own);
  g->fitted = false;
  return true;
}

bool lwi_mjcf_read_geom(lwi_mjcf *x, const lwi_xml_element *e, int within, lwi_frame place,
                        lwi_mjcf_geom *out)
{
  lwi_frame at;
  *out = (lwi_mjcf_geom){.solid = false};
  if (!lwi_mjcf_item_of(x, e, "geom", within, &out->item)) return false;
  read_type(x, out);
  if (!lwi_mjcf_frame(x, &out->item, &at) || !lwi_mjcf_read(x, &out->item, "group", 1, &out->group))
    return false;
  out->mesh = lwi_mjcf_find_mesh(x, lwi_mjcf_get(x, &out->item, "mesh"));
  if (out->solid && out->type != LW_SHAPE_MESH && !read_size(x, out, &at)) return false;
  out->fitted = out->solid && out->mesh && out->type != LW_SHAPE_MESH;
  if (out->fitted && !x->compiler.fit_box && !fit_mesh(x, out, &at)) return false;
  out->place = lwi_frame_mul(place, at);
  return true;
}

/* ---- what it looks like ---- */

/* Its own colour, or that of its material. */
static bool read_color(lwi_mjcf *x, const lwi_mjcf_geom *g, double color[4])
{
  const char *name = lwi_mjcf_get(x, &g->item, "material");
  const int at = name ? lwi_name_find(&x->material_names, name, strlen(name)) : -1;
  lwi_mjcf_item material;
  for (int i = 0; at >= 0 && i < 3; i++)
    color[i] = 1;
  if (at >= 0 && (!lwi_mjcf_item_of(x, x->material[at], "material", 0, &material) ||
                  !lwi_mjcf_read(x, &material, "rgba", 4, color)))
    return false;
  return lwi_mjcf_read(x, &g->item, "rgba", 4, color);
}

static void set_size(const lwi_mjcf_geom *g, lwi_robot_shape *s)
{
  const bool round =
      g->type == LW_SHAPE_SPHERE || g->type == LW_SHAPE_CYLINDER || g->type == LW_SHAPE_CAPSULE;
  s->place = g->place;
  if (g->type == LW_SHAPE_MESH) {
    s->place = lwi_frame_mul(g->place, g->mesh->place);
    s->d.file = g->mesh->path;
    memcpy(s->d.scale, g->mesh->scale, sizeof s->d.scale);
  } else if (round) {
    s->d.radius = g->half[0];
    s->d.length = g->type == LW_SHAPE_SPHERE ? 0 : 2 * g->half[1];
  } else {
    for (int i = 0; i < 3; i++)
      s->d.size[i] = 2 * g->half[i];
  }
}

bool lwi_mjcf_add_geom_shape(lwi_mjcf *x, const lwi_mjcf_geom *g, int link)
{
  lwi_robot_shape s = {.element = g->item.element, .link = link, .spare = g->group > SHOWN};
  const bool mesh = g->solid && g->type == LW_SHAPE_MESH;
  s.d.type = g->type;
  s.d.name = lwi_xml_get(g->item.element, "name");
  s.d.color[3] = 1;
  if (!read_color(x, g, s.d.color)) return false;
  if (s.d.color[3] == 0) return true;
  if (!lwi_mjcf_get(x, &g->item, "rgba") && !lwi_mjcf_get(x, &g->item, "material"))
    s.d.color[3] = 0;
  const bool plane =
      lwi_mjcf_get(x, &g->item, "type") && strcmp(lwi_mjcf_get(x, &g->item, "type"), "plane") == 0;
  if (!g->solid || g->fitted || (mesh && !(g->mesh && g->mesh->path)))
    return x->robot.lost_shapes += !plane, true;
  set_size(g, &s);
  return lwi_robot_add_shape(&x->robot, &s);
}
