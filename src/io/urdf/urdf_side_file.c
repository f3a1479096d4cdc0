/* SPDX-License-Identifier: Apache-2.0 */
/* urdf_side_file.c -- ROBOT.yaml beside ROBOT.urdf, as collections of parallel robots have it:

     closed_loop: [[A, B], ...]      frames (joints or links) that are one, ...
     type: [3d, 6d, ...]             ... in position, or in position and orientation
     joint_name: [J, ...]            joints that are written as revolute, for lack of ...
     joint_type: [SPHERICAL, UJOINT_ZY, FIXED, ...]   ... what they are

   Without closed_loop it is another file. */
#define _POSIX_C_SOURCE 200809L
#include "io/urdf/urdf.h"
#include "io/file/sources.h"

#include "linkwork/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const lwi_yaml_node *list_of(const lwi_urdf *x, const char *key)
{
  const lwi_yaml_node *root = lwi_yaml_root(x->side_file);
  const lwi_yaml_node *list = root->kind == LWI_YAML_MAP ? lwi_yaml_find(root, key) : NULL;
  return list && list->kind == LWI_YAML_LIST ? list : NULL;
}

static const char *word(const lwi_yaml_node *list, int i)
{
  const bool there = list && i < list->count && list->item[i]->kind == LWI_YAML_SCALAR;
  return there ? list->item[i]->text : NULL;
}

/* ---- types of joints ---- */

/* Two axes of the frame of the joint, one after the other: UJOINT_ZY. */
static bool make_universal(lwi_urdf *x, lwi_urdf_joint *j, const char axes[2])
{
  char name[300];
  for (int k = 0; k < 2; k++) {
    lwi_robot_joint *d = k ? &j->second : &j->d;
    if (k) *d = j->d;
    memset(d->axis, 0, sizeof d->axis);
    d->axis[axes[k] - 'X'] = 1;
    snprintf(name, sizeof name, "%.250s_%c", lwi_xml_get(j->d.element, "name"), axes[k]);
    if (!(d->name = lwi_arena_text(&x->robot->arena, name)))
      return lwi_xml_no_memory(j->d.element, x->robot->err);
  }
  j->twice = true;
  return true;
}

static bool change_type(lwi_urdf *x, lwi_urdf_joint *j, const char *type, bool *known)
{
  const size_t n = strlen(type);
  const bool universal = strncmp(type, "UJOINT_", 7) == 0 && n == 9 && strspn(type + 7, "XYZ") == 2;
  *known = true;
  j->d.has_lower = j->d.has_upper = false;
  j->d.friction = 0;
  if (universal) return j->d.type = LW_REVOLUTE, make_universal(x, j, type + 7);
  if (strcmp(type, "SPHERICAL") == 0)
    j->d.type = LW_SPHERICAL, j->fixed = false;
  else if (strcmp(type, "FIXED") == 0)
    j->fixed = true;
  else
    *known = false;
  return true;
}

static bool change_types(lwi_urdf *x)
{
  const lwi_yaml_node *names = list_of(x, "joint_name"), *types = list_of(x, "joint_type");
  lwi_listing lost = {0};
  for (int i = 0; names && i < names->count; i++) {
    const char *name = word(names, i), *type = word(types, i);
    const int at = name ? lwi_name_find(&x->joint_names, name, strlen(name)) : -1;
    bool known = false;
    if (at >= 0 && type && !change_type(x, &x->joint[at], type, &known)) return false;
    if (!known) lwi_listing_add(&lost, name ? name : "");
  }
  if (lost.n)
    lwi_robot_note(x->robot, "joint_name and joint_type of the file beside it are not used: %s",
                   lwi_listing_text(&lost));
  return true;
}

/* ---- the file ---- */

/* The text of ROBOT.yaml, if there is one. */
static bool read_beside(const lwi_urdf *x, char path[], size_t size, char **text, size_t *length)
{
  const char *file = x->robot->root->file, *dot = strrchr(file, '.');
  const size_t stem = dot ? (size_t)(dot - file) : strlen(file);
  *text = NULL;
  if (x->robot->no_files || stem + 6 > size) return true;
  snprintf(path, size, "%.*s.yaml", (int)stem, file);
  lw_error why = {0};
  if (strcmp(path, file) == 0 ||
      lwi_sources_read(x->robot->options->sources, path, text, length, &why) == LW_OK)
    return true;
  return why.status != LW_E_MEMORY || lwi_xml_no_memory(x->robot->root, x->robot->err);
}

bool lwi_urdf_read_side_file(lwi_urdf *x)
{
  char path[4000], *text;
  size_t length;
  lw_error why = {0};
  if (!read_beside(x, path, sizeof path, &text, &length)) return false;
  if (!text) return true;
  const bool meant = strstr(text, "closed_loop") != NULL;
  if (meant) x->side_file = lwi_yaml_parse(text, length, path, &why);
  free(text);
  if (why.status == LW_E_MEMORY) return lwi_xml_no_memory(x->robot->root, x->robot->err);
  if (meant && !x->side_file) lwi_robot_note(x->robot, "not used: %s", why.text);
  if (!x->side_file || !list_of(x, "closed_loop")) return true;
  return change_types(x);
}

/* ---- loops ---- */

/* A joint's name stands for the link that it carries. */
static bool find_frame(const lwi_urdf *x, const char *name, int *link)
{
  const int joint = name ? lwi_name_find(&x->joint_names, name, strlen(name)) : -1;
  const int own = name ? lwi_name_find(&x->link_names, name, strlen(name)) : -1;
  const int found = joint >= 0 ? x->joint[joint].child : own;
  *link = found >= 0 ? x->number[found] : -1;
  return found >= 0;
}

bool lwi_urdf_close_side_loops(lwi_urdf *x)
{
  lwi_robot *r = x->robot;
  const lwi_frame origin[2] = {lwi_frame_identity(), lwi_frame_identity()};
  lwi_listing lost = {0};
  if (!x->side_file) return true;
  const lwi_yaml_node *loops = list_of(x, "closed_loop"), *types = list_of(x, "type");
  for (int i = 0; loops && i < loops->count; i++) {
    const lwi_yaml_node *pair = loops->item[i]->kind == LWI_YAML_LIST ? loops->item[i] : NULL;
    const char *a = word(pair, 0), *b = word(pair, 1), *type = word(types, i);
    char name[300];
    int link[2];
    bool closed = false;
    snprintf(name, sizeof name, "%.120s.%.120s", a ? a : "", b ? b : "");
    const lwi_robot_joint j = {.name = name,
                               .element = r->root,
                               .type = type && strcmp(type, "3d") == 0 ? LW_SPHERICAL : LW_FIXED};
    if (find_frame(x, a, &link[0]) && find_frame(x, b, &link[1]) &&
        !lwi_robot_close_loop(r, &j, link, origin, &closed))
      return false;
    if (!closed) lwi_listing_add(&lost, name);
  }
  if (lost.n)
    lwi_robot_note(r, "loops of frames that are not there, or of one body, are left out: %s",
                   lwi_listing_text(&lost));
  return true;
}
