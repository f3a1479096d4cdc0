/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_body.c -- the tree of bodies, through frames, replicas and attached models.

   What belongs to a body itself is read before the bodies within it, so that joints are in the
   order of qpos. */
#include "io/mjcf/mjcf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOINTS = 6 };

/* where elements are written: in which frame of the body, with which default class */
typedef struct {
  lwi_frame frame;
  int class;
} context;

/* a body while it is read */
typedef struct {
  const char *name;
  lwi_mass inertial, geoms;
  bool has_inertial, missing;
  int njoint, joint[MOST_JOINTS];
  int link; /* its number; -1: the world */
} body;

/* ---- names ---- */

int lwi_mjcf_find(const lwi_name_index *names, const int *number, const char *name)
{
  const int at = name ? lwi_name_find(names, name, strlen(name)) : -1;
  return at < 0 ? -1 : number[at];
}

bool lwi_mjcf_leave_out(lwi_mjcf *x, const lwi_xml_element *e, const char *missing)
{
  char text[160];
  const char *name = lwi_xml_get(e, "name");
  snprintf(text, sizeof text, "%.20s%s%.40s: %.60s", e->name, name ? " " : "", name ? name : "",
           missing ? missing : "nothing named");
  lwi_listing_add(&x->broken, text);
  return true;
}

bool lwi_mjcf_enter(lwi_mjcf *x, const lwi_xml_element *e, lwi_name_index *names, int **number,
                    int *capacity, const char *name, int value)
{
  if (!name) return true;
  const int n = names->n;
  if (!lwi_grow(number, n, capacity, sizeof **number)) return lwi_xml_no_memory(e, x->robot.err);
  const int at = lwi_name_add(names, name, strlen(name));
  if (at < 0) return lwi_xml_no_memory(e, x->robot.err);
  if (at < n)
    return lwi_xml_fail(e, x->robot.err, "there is a %.20s \"%.80s\" already", e->name, name);
  (*number)[n] = value;
  return true;
}

static const char *joined(lwi_mjcf *x, const char *a, const char *b)
{
  const size_t size = strlen(a) + strlen(b) + 1;
  char *text = LWI_TAKE(&x->robot.arena, size, char);
  if (text) snprintf(text, size, "%s%s", a, b);
  return text;
}

/* ---- what belongs to the body ---- */

static bool add_joint(lwi_mjcf *x, const lwi_xml_element *e, const context *c, body *b)
{
  lwi_robot *r = &x->robot;
  lwi_robot_joint j;
  char number[16] = "";
  const char *given = lwi_xml_get(e, "name");
  if (b->link < 0 && b->name == NULL) return lwi_xml_fail(e, r->err, "the world has no joints");
  if (b->njoint == MOST_JOINTS)
    return lwi_xml_fail(e, r->err, "a body has at most %d joints", MOST_JOINTS);
  if (b->njoint && !given) snprintf(number, sizeof number, "_%d", b->njoint + 1);
  const char *name = given ? given : joined(x, b->name, number);
  if (!name) return lwi_xml_no_memory(e, r->err);
  if (!lwi_mjcf_joint(x, e, c->class, c->frame, name, &j)) return false;
  j.link = r->nlink;
  const int at = lwi_robot_add_joint(r, &j);
  if (at < 0) return false;
  b->joint[b->njoint++] = at;
  return !given || lwi_mjcf_enter(x, e, &x->joint_names, &x->joint_of_name, &x->joint_name_capacity,
                                  name, at);
}

static bool add_site(lwi_mjcf *x, const lwi_xml_element *e, const context *c, const body *b)
{
  lwi_mjcf_item item;
  lwi_robot_point p = {.element = e, .link = b->link};
  const char *name = lwi_xml_get(e, "name");
  if (!name) return true;
  if (!lwi_mjcf_item_of(x, e, "site", c->class, &item) || !lwi_mjcf_frame(x, &item, &p.place))
    return false;
  p.place = lwi_frame_mul(c->frame, p.place);
  p.name = name;
  const int at = lwi_robot_add_point(&x->robot, &p);
  return at >= 0 &&
         lwi_mjcf_enter(x, e, &x->site_names, &x->site_of_name, &x->site_name_capacity, p.name, at);
}

/* The mass of the world does not matter. */
static bool add_geom(lwi_mjcf *x, const lwi_xml_element *e, const context *c, body *b)
{
  lwi_mjcf_geom g;
  const bool world = !b->name;
  x->ngeom++;
  if (!lwi_mjcf_read_geom(x, e, c->class, c->frame, &g)) return false;
  if (!world && lwi_mjcf_flag(x, &g.item, "shellinertia", false))
    lwi_listing_add(&x->shells, b->name);
  return lwi_mjcf_add_geom_shape(x, &g, world ? -1 : x->robot.nlink) &&
         (world || lwi_mjcf_add_geom_mass(x, &g, &b->geoms, &b->missing));
}

/* ---- frames and replicas ---- */

typedef bool visitor(lwi_mjcf *x, const lwi_xml_element *e, const context *c, body *b);

static bool visit(lwi_mjcf *x, const lwi_xml_element *parent, const context *c, body *b,
                  visitor *use);

static bool visit_frame(lwi_mjcf *x, const lwi_xml_element *e, const context *c, body *b,
                        visitor *use)
{
  context inner = *c;
  const lwi_mjcf_item item = {e, "frame", -1};
  if (!lwi_mjcf_find_class(x, e, "childclass", c->class, &inner.class)) return false;
  if (!lwi_mjcf_frame(x, &item, &inner.frame)) return false;
  inner.frame = lwi_frame_mul(c->frame, inner.frame);
  return visit(x, e, &inner, b, use);
}

/* Each replica is placed on the one before. */
static bool visit_replicas(lwi_mjcf *x, const lwi_xml_element *e, const context *c, body *b,
                           visitor *use)
{
  context inner = *c;
  lwi_frame step;
  double offset[3] = {0};
  const lwi_mjcf_item item = {e, "replicate", -1};
  if (!lwi_mjcf_frame(x, &item, &step) || !lwi_xml_read(e, "offset", 3, offset, x->robot.err))
    return false;
  memcpy(step.p, offset, sizeof offset);
  for (const lwi_xml_element *replica = e->first; replica; replica = replica->next) {
    if (!visit(x, replica, &inner, b, use)) return false;
    inner.frame = lwi_frame_mul(inner.frame, step);
  }
  return true;
}

/* Another model with its own settings and classes, or a part of this one. */
static bool visit_attached(lwi_mjcf *x, const lwi_xml_element *e, const context *c, body *b,
                           visitor *use)
{
  const lwi_xml_element *root = lwi_xml_child(e, "mujoco");
  const int outer = x->current;
  if (!root) return visit(x, e, c, b, use);
  lwi_mjcf_use_model(x, lwi_mjcf_model_of(x, root));
  const context inner = {c->frame, x->main_class};
  if (!visit(x, lwi_xml_child(root, "worldbody"), &inner, b, use)) return false;
  lwi_mjcf_use_model(x, outer);
  return true;
}

static bool visit(lwi_mjcf *x, const lwi_xml_element *parent, const context *c, body *b,
                  visitor *use)
{
  for (const lwi_xml_element *e = parent->first; e; e = e->next) {
    const bool ok = strcmp(e->name, "frame") == 0      ? visit_frame(x, e, c, b, use)
                    : strcmp(e->name, "replicas") == 0 ? visit_replicas(x, e, c, b, use)
                    : strcmp(e->name, "attached") == 0 ? visit_attached(x, e, c, b, use)
                                                       : use(x, e, c, b);
    if (!ok) return false;
  }
  return true;
}

/* ---- bodies ---- */

/* Elements that MuJoCo makes bodies of. */
static bool is_made(const lwi_xml_element *e)
{
  return strcmp(e->name, "composite") == 0 || strcmp(e->name, "flexcomp") == 0 ||
         strcmp(e->name, "attach") == 0;
}

static const char *name_of_part(const lwi_xml_element *e)
{
  const char *name = lwi_xml_get(e, "name");
  if (!name) name = lwi_xml_get(e, "prefix");
  if (!name) name = lwi_xml_get(e, "model");
  return name ? name : e->name;
}

static bool read_part(lwi_mjcf *x, const lwi_xml_element *e, const context *c, body *b)
{
  if (strcmp(e->name, "joint") == 0 || strcmp(e->name, "freejoint") == 0)
    return add_joint(x, e, c, b);
  if (strcmp(e->name, "geom") == 0) return add_geom(x, e, c, b);
  if (strcmp(e->name, "inertial") == 0) {
    b->has_inertial = true;
    return lwi_mjcf_inertial(x, e, c->frame, &b->inertial);
  }
  if (is_made(e)) lwi_listing_add(&x->parts, name_of_part(e));
  return true;
}

static bool read_site(lwi_mjcf *x, const lwi_xml_element *e, const context *c, body *b)
{
  return strcmp(e->name, "site") != 0 || add_site(x, e, c, b);
}

static const char *name_of_body(lwi_mjcf *x, const lwi_xml_element *e)
{
  char number[40];
  const char *name = lwi_xml_get(e, "name");
  snprintf(number, sizeof number, "body%d", ++x->unnamed);
  return name ? name : lwi_arena_text(&x->robot.arena, number);
}

/* Returns its number; -1: out of memory. */
static int add_at(lwi_mjcf *x, const lwi_robot_link *l, lwi_frame world)
{
  lwi_robot *r = &x->robot;
  const int capacity = r->link_capacity, link = lwi_robot_add_link(r, l);
  if (link < 0) return -1;
  if (capacity != r->link_capacity || !x->world) {
    lwi_frame *more = realloc(x->world, (size_t)r->link_capacity * sizeof *more);
    if (!more) return lwi_xml_no_memory(l->element, r->err), -1;
    x->world = more;
  }
  x->world[link] = world;
  return link;
}

/* The link with its joints; of a free joint the pose of the body is where it starts. */
static bool add_link(lwi_mjcf *x, const lwi_xml_element *e, int parent, lwi_frame place, body *b)
{
  lwi_robot *r = &x->robot;
  lwi_robot_link l = {.name = b->name,
                      .element = e,
                      .parent = parent,
                      .place = place,
                      .silent = !lwi_xml_get(e, "name"),
                      .njoint = b->njoint};
  const bool geoms = x->compiler.from_geoms == LWI_MJCF_GEOM_ALWAYS ||
                     (x->compiler.from_geoms == LWI_MJCF_GEOM_AUTO && !b->has_inertial);
  l.own = geoms ? b->geoms : b->has_inertial ? b->inertial : (lwi_mass){0};
  if (geoms && b->missing) lwi_listing_add(&x->no_mass, b->name);
  if (!lwi_xml_number(e, "gravcomp", &l.balanced, r->err)) return false;
  if (!(l.joint = lwi_arena_copy(&r->arena, b->joint, MOST_JOINTS, sizeof(int))))
    return lwi_xml_no_memory(e, r->err);
  const lwi_frame world = parent < 0 ? place : lwi_frame_mul(x->world[parent], place);
  if (b->njoint && r->joint[b->joint[0]].type == LW_FREE) {
    double quat[4];
    lwi_robot_joint *j = &r->joint[b->joint[0]];
    if (parent >= 0)
      return lwi_xml_fail(j->element, r->err, "a free joint belongs to a body of the world");
    quat_from_rot(world.R, quat);
    memcpy(j->q, world.p, 3 * sizeof(double));
    memcpy(j->q + 3, quat, sizeof quat);
    l.place = lwi_frame_identity();
  }
  b->link = add_at(x, &l, world);
  return b->link >= 0 && lwi_mjcf_enter(x, e, &x->body_names, &x->link_of_name,
                                        &x->link_name_capacity, l.silent ? NULL : b->name, b->link);
}

/* The rotors of a ball or free joint on the ground are a ball: its inertia is the same about all
   axes.  Those of a free joint's translations are a mass without weight at the origin. */
static bool add_rotors(lwi_mjcf *x, const lwi_robot_joint *j)
{
  char name[220];
  lwi_robot *r = &x->robot;
  if (lw_joint_type_nu(j->type, false) == 1 || j->armature == 0) return true;
  for (int i = r->link[j->link].parent; i >= 0; i = r->link[i].parent)
    if (r->link[i].njoint) return lwi_listing_add(&x->joint_loads, j->name), true;
  for (int i = 0; i < 3; i++)
    r->link[j->link].own.inertia[i] += j->armature;
  if (j->type != LW_FREE) return true;
  snprintf(name, sizeof name, "armature.%.180s", j->name);
  lwi_robot_link l = {.name = lwi_arena_text(&r->arena, name),
                      .element = j->element,
                      .parent = j->link,
                      .place = lwi_frame_identity(),
                      .own = {.mass = j->armature},
                      .silent = true,
                      .balanced = 1};
  return l.name ? add_at(x, &l, x->world[j->link]) >= 0 : lwi_xml_no_memory(j->element, r->err);
}

bool lwi_mjcf_add_rotors(lwi_mjcf *x)
{
  for (int i = 0; i < x->robot.njoint; i++)
    if (!add_rotors(x, &x->robot.joint[i])) return false;
  return true;
}

static bool weigh_part(lwi_mjcf *x, const lwi_xml_element *e, const context *c, body *b)
{
  lwi_mjcf_geom g;
  if (strcmp(e->name, "inertial") == 0) return read_part(x, e, c, b);
  return strcmp(e->name, "geom") != 0 || (lwi_mjcf_read_geom(x, e, c->class, c->frame, &g) &&
                                          lwi_mjcf_add_geom_mass(x, &g, &b->geoms, &b->missing));
}

/* coordinate="global": all is written in the frame of the world.  A body whose place is not written
   is where its mass is. */
static bool read_global_place(lwi_mjcf *x, const lwi_xml_element *e, const lwi_mjcf_item *item,
                              int class, lwi_frame *world)
{
  const context outermost = {lwi_frame_identity(), class};
  body b = {.link = -1};
  if (!lwi_mjcf_frame(x, item, world)) return false;
  if (lwi_xml_get(e, "pos")) return true;
  if (!visit(x, e, &outermost, &b, weigh_part)) return false;
  memcpy(world->p, b.has_inertial ? b.inertial.com : b.geoms.com, sizeof world->p);
  return true;
}

/* Where the body is in its parent, and in which frame of its own its parts are written. */
static bool read_place(lwi_mjcf *x, const lwi_xml_element *e, const context *c, int parent,
                       context *inner, lwi_frame *place)
{
  const lwi_mjcf_item item = {e, "body", -1};
  if (!x->compiler.global) {
    if (!lwi_mjcf_frame(x, &item, place)) return false;
    *place = lwi_frame_mul(c->frame, *place);
    return true;
  }
  lwi_frame world;
  if (!read_global_place(x, e, &item, inner->class, &world)) return false;
  inner->frame = lwi_frame_inverse(world);
  *place = parent < 0 ? world : lwi_frame_mul(lwi_frame_inverse(x->world[parent]), world);
  return true;
}

static bool read_body(lwi_mjcf *x, const lwi_xml_element *e, const context *c, body *outer)
{
  if (strcmp(e->name, "body") != 0) return true;
  context inner = {lwi_frame_identity(), c->class};
  body b = {.name = name_of_body(x, e), .link = -1};
  lwi_frame place;
  if (!b.name) return lwi_xml_no_memory(e, x->robot.err);
  if (!lwi_mjcf_find_class(x, e, "childclass", c->class, &inner.class)) return false;
  return read_place(x, e, c, outer->link, &inner, &place) && visit(x, e, &inner, &b, read_part) &&
         add_link(x, e, outer->link, place, &b) && visit(x, e, &inner, &b, read_site) &&
         visit(x, e, &inner, &b, read_body);
}

static bool read_world_part(lwi_mjcf *x, const lwi_xml_element *e, const context *c, body *b)
{
  if (strcmp(e->name, "geom") == 0) return add_geom(x, e, c, b);
  if (is_made(e)) lwi_listing_add(&x->parts, name_of_part(e));
  return read_site(x, e, c, b) && read_body(x, e, c, b);
}

bool lwi_mjcf_read_bodies(lwi_mjcf *x)
{
  const context outermost = {lwi_frame_identity(), 0};
  body world = {.link = -1};
  const lwi_xml_element *e = lwi_xml_child(x->robot.root, "worldbody");
  for (; e; e = lwi_xml_find(e->next, "worldbody"))
    if (!visit(x, e, &outermost, &world, read_world_part)) return false;
  return true;
}
