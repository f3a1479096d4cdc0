/* SPDX-License-Identifier: Apache-2.0 */
/* page_scene.c -- a scene as JSON: poses as [x, y, z, w, x, y, z], bodies by number. */
#include "linkwork/inspect.h"
#include "linkwork/reader.h"
#include "linkwork/scene.h"
#include "page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_pose(json *j, const char *key, const lw_pose *pose)
{
  double x[7];
  memcpy(x, pose->p, sizeof pose->p);
  memcpy(x + 3, pose->quat, sizeof pose->quat);
  json_numbers_short(j, key, x, 7);
}

static void put_bodies(json *j, const lw_scene *s)
{
  json_list(j, "bodies");
  for (int b = 0; b <= s->nbody; b++) {
    json_object(j, NULL);
    json_text(j, "name", b == 0 ? "ground" : s->body[b].name);
    json_numbers_short(j, "mass", &s->body[b].mass, 1);
    json_numbers_short(j, "com", s->body[b].com, 3);
    json_numbers_short(j, "inertia", s->body[b].inertia, 6);
    json_object_end(j);
  }
  json_list_end(j);
}

static void put_shapes(json *j, const lw_scene *s)
{
  json_list(j, "shapes");
  for (int i = 0; i < s->nshape; i++) {
    json_object(j, NULL);
    json_integer(j, "body", s->shape[i].body.id);
    json_text(j, "type", lw_shape_type_name(s->shape[i].type));
    put_pose(j, "pose", &s->shape[i].pose);
    json_numbers_short(j, "size", s->shape[i].size, 3);
    if (s->shape[i].mesh >= 0) json_integer(j, "mesh", s->shape[i].mesh);
    if (s->shape[i].color[3] > 0) json_numbers_short(j, "color", s->shape[i].color, 4);
    if (s->shape[i].guessed) json_bool(j, "guessed", true);
    json_object_end(j);
  }
  json_list_end(j);
}

static void put_joint(json *j, const lw_scene_joint *joint)
{
  json_object(j, NULL);
  json_text(j, "kind", "joint");
  json_text(j, "name", joint->name);
  json_text(j, "type", lw_joint_type_name(joint->type));
  json_integer(j, "parent", joint->parent.id);
  json_integer(j, "child", joint->child.id);
  put_pose(j, "place", &joint->place);
  put_pose(j, "child_place", &joint->child_place);
  json_list(j, "axes");
  for (int i = 0; i < joint->naxis; i++)
    json_numbers_short(j, NULL, joint->axis[i], 3);
  json_list_end(j);
  json_bool(j, "cut", joint->cut);
  json_bool(j, "implicit", joint->implicit);
  json_object_end(j);
}

static void put_constraint(json *j, const lw_scene_constraint *c)
{
  json_object(j, NULL);
  json_text(j, "kind", "constraint");
  json_text(j, "name", c->name);
  json_text(j, "type",
            c->type < LW_CONSTRAINT_TYPES ? lw_constraint_type_name(c->type) : "contact");
  json_integer(j, "parent", c->parent.id);
  json_integer(j, "child", c->child.id);
  put_pose(j, "place", &c->place);
  put_pose(j, "child_place", &c->child_place);
  json_list(j, "axes");
  json_numbers_short(j, NULL, c->axis, 3);
  json_list_end(j);
  json_object_end(j);
}

static void put_points(json *j, const char *key, const lw_scene_point point[], int n)
{
  json_list(j, key);
  for (int i = 0; i < n; i++) {
    json_object(j, NULL);
    json_text(j, "name", point[i].name);
    json_integer(j, "body", point[i].body.id);
    json_numbers_short(j, "at", point[i].at, 3);
    json_object_end(j);
  }
  json_list_end(j);
}

static void put_springs(json *j, const lw_scene *s)
{
  json_list(j, "springs");
  for (int i = 0; i < s->nspring; i++) {
    const lw_scene_spring *from = &s->spring[i];
    json_object(j, NULL);
    json_text(j, "name", from->name);
    json_text(j, "type", from->bushing ? "bushing" : "spring");
    json_integer(j, "from", from->from.id);
    json_integer(j, "to", from->to.id);
    json_numbers_short(j, "from_at", from->from_at, 3);
    json_numbers_short(j, "to_at", from->to_at, 3);
    json_numbers_short(j, "length", &from->length, 1);
    json_object_end(j);
  }
  json_list_end(j);
}

static void put_motors(json *j, const lw_scene *s)
{
  json_list(j, "motors");
  for (int i = 0; i < s->nmotor; i++) {
    json_object(j, NULL);
    json_text(j, "name", s->motor[i].name);
    json_text(j, "joint", s->joint[s->motor[i].joint.id - 1].name);
    json_integer(j, "dof", s->motor[i].dof);
    json_object_end(j);
  }
  json_list_end(j);
}

static void put_contacts(json *j, const lw_scene *s)
{
  json_list(j, "contacts");
  for (int i = 0; i < s->ncontact; i++) {
    const lw_contact_desc *c = &s->contact[i];
    json_object(j, NULL);
    json_text(j, "name", c->name);
    json_integer(j, "body", c->body.id);
    json_numbers_short(j, "at", c->at, 3);
    json_numbers_short(j, "radius", &c->radius, 1);
    json_numbers_short(j, "axis", c->axis, 3);
    json_text(j, "on", c->on == LW_ON_PLANE ? "plane" : "sphere");
    json_integer(j, "other", c->other.id);
    json_numbers_short(j, "other_at", c->other_at, 3);
    json_numbers_short(j, "normal", c->normal, 3);
    json_numbers_short(j, "other_radius", &c->other_radius, 1);
    json_object_end(j);
  }
  json_list_end(j);
}

/* Vertices to 14 bits of the size of the mesh. */
static bool put_mesh(json *j, const lw_scene_mesh *mesh)
{
  static const int three[3] = {0, 1, 2};
  static const double ones[3] = {1, 1, 1};
  page_rows vertices = {0}, triangles = {0};
  double largest = 0;
  bool good = true;
  for (int i = 0; i < mesh->nvertex && good; i++) {
    for (int k = 0; k < 3; k++)
      largest = fmax(largest, fabs(mesh->vertex[i][k]));
    good = page_rows_add(&vertices, i, mesh->vertex[i], three, 3, false);
  }
  for (int i = 0; i < mesh->ntriangle && good; i++) {
    const double row[3] = {mesh->triangle[i][0], mesh->triangle[i][1], mesh->triangle[i][2]};
    good = page_rows_add(&triangles, i, row, three, 3, false);
  }
  const double step = largest > 0 ? largest * 0x1p-14 : 1, steps[3] = {step, step, step};
  json_object(j, NULL);
  good = good && page_stream(j, "vertices", &vertices, steps, vertices.n) &&
         page_stream(j, "triangles", &triangles, ones, triangles.n);
  json_object_end(j);
  page_rows_free(&vertices);
  page_rows_free(&triangles);
  return good;
}

static bool put_meshes(json *j, const lw_scene *s)
{
  bool good = true;
  json_list(j, "meshes");
  for (int i = 0; i < s->nmesh && good; i++)
    good = put_mesh(j, &s->mesh[i]);
  json_list_end(j);
  json_list(j, "missing");
  for (int i = 0; i < s->nmissing; i++)
    json_text(j, NULL, s->missing[i]);
  json_list_end(j);
  return good;
}

bool page_scene_json(json *j, const lw_scene *s)
{
  put_bodies(j, s);
  put_shapes(j, s);
  put_points(j, "points", s->point, s->npoint);
  put_springs(j, s);
  put_points(j, "loads", s->load, s->nload);
  put_motors(j, s);
  put_contacts(j, s);
  json_number(j, "thickness", s->thickness);
  json_number(j, "size", s->size);
  json_numbers_short(j, "centre", s->centre, 3);
  return put_meshes(j, s);
}

/* ---- joints and constraints, which events change ---- */

static char *part_text(const lw_scene *s, int i)
{
  json j;
  if (!json_start(&j)) return NULL;
  j.depth = 2; /* in one line */
  if (i < s->njoint)
    put_joint(&j, &s->joint[i]);
  else
    put_constraint(&j, &s->constraint[i - s->njoint]);
  return json_take(&j);
}

static bool add_part(page_parts *p, char *text, double t)
{
  if (p->n == p->capacity) {
    const int capacity = p->capacity ? 2 * p->capacity : 32;
    page_part *item = realloc(p->item, (size_t)capacity * sizeof *item);
    if (!item) return false;
    p->item = item;
    p->capacity = capacity;
  }
  p->item[p->n++] = (page_part){text, t, -1};
  return true;
}

/* The part with this text that is there at present, looked for from `from` on; -1: none. */
static int find_part(const page_parts *p, int n, const char *text, int from)
{
  for (int i = 0; i < n; i++) {
    const int k = (from + i) % n;
    if (p->item[k].until < 0 && strcmp(p->item[k].text, text) == 0) return k;
  }
  return -1;
}

bool page_parts_note(page_parts *p, const lw_model *m, double t)
{
  lw_scene *s = lw_scene_new(m, false, NULL);
  const int n = p->n, count = s ? s->njoint + s->nconstraint : 0;
  bool *there = calloc((size_t)n + 1, sizeof *there);
  bool good = s && there;
  for (int i = 0, from = 0; good && i < count; i++) {
    char *text = part_text(s, i);
    const int k = text ? find_part(p, n, text, from) : -1;
    good = text && (k >= 0 || add_part(p, text, t));
    if (k >= 0) there[k] = true, from = k + 1;
    if (k >= 0 || !good) free(text);
  }
  for (int k = 0; good && k < n; k++)
    if (p->item[k].until < 0 && !there[k]) p->item[k].until = t;
  free(there);
  lw_scene_free(s);
  return good;
}

void page_parts_json(json *j, const char *key, const page_parts *p)
{
  json_list(j, key);
  for (int i = 0; i < p->n; i++) {
    json_object(j, NULL);
    json_raw(j, "part", p->item[i].text);
    json_number(j, "since", p->item[i].since);
    if (p->item[i].until >= 0) json_number(j, "until", p->item[i].until);
    json_object_end(j);
  }
  json_list_end(j);
}

void page_parts_free(page_parts *p)
{
  for (int i = 0; i < p->n; i++)
    free(p->item[i].text);
  free(p->item);
}
