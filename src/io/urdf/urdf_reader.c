/* SPDX-License-Identifier: Apache-2.0 */
/* urdf_reader.c -- the reader of URDF: links and joints in any order become a robot.

   Files of real robots have mistakes.  What can be left out without changing the rest is left out,
   and a note names it: joints of links that do not exist, second joints of one link, mimic without
   a joint to mimic. */
#include "io/urdf/urdf.h"

#include "io/file/file_kind.h"
#include "io/read/model_format.h"
#include "linkwork/reader.h"

#include <stdlib.h>
#include <string.h>

typedef lwi_urdf reader;

/* ---- xacro ---- */

/* A call of a macro, which xacro leaves where it does not know it; other elements of xacro stand in its source only. */
static bool is_macro_call(const lwi_xml_element *e)
{
  static const char *const source[] = {"include", "macro",  "property",     "arg",
                                       "if",      "unless", "insert_block", "call"};
  if (strncmp(e->name, "xacro:", 6) != 0) return false;
  for (size_t i = 0; i < sizeof source / sizeof *source; i++)
    if (strcmp(e->name + 6, source[i]) == 0) return false;
  return true;
}

/* What only the source of a URDF file has; calls of macros are listed. */
static const lwi_xml_element *find_xacro(const lwi_xml_element *e, lwi_listing *calls)
{
  for (; e; e = e->next) {
    const bool call = is_macro_call(e);
    if (strncmp(e->name, "xacro:", 6) == 0 && !call) return e;
    if (call) lwi_listing_add(calls, e->name);
    for (const lwi_xml_attribute *a = e->attribute; a; a = a->next)
      if (strstr(a->value, "${") || strstr(a->value, "$(")) return e;
    const lwi_xml_element *inside = find_xacro(e->first, calls);
    if (inside) return inside;
  }
  return NULL;
}

static bool check_expanded(const reader *x)
{
  lwi_robot *r = x->robot;
  lwi_listing calls = {0};
  const lwi_xml_element *e = find_xacro(r->root, &calls);
  if (!e && calls.n && !lwi_xml_child(r->root, "link")) e = r->root;
  if (e)
    return lwi_xml_fail(e, r->err,
                        "this is a xacro file, from which URDF is made: run `xacro FILE > "
                        "robot.urdf` first");
  if (calls.n)
    lwi_robot_note(r,
                   "macros that xacro has not expanded, and what they would make, are missing: %s",
                   lwi_listing_text(&calls));
  return true;
}

/* ---- lists ---- */

static bool allocate(reader *x)
{
  lwi_robot *r = x->robot;
  const int nlink = lwi_xml_count(r->root->first, "link"),
            njoint = lwi_xml_count(r->root->first, "joint");
  x->link = LWI_TAKE(&r->arena, nlink + 1, const lwi_xml_element *);
  x->joint = LWI_TAKE(&r->arena, njoint + 1, lwi_urdf_joint);
  x->inward = LWI_TAKE(&r->arena, nlink + 1, int);
  x->number = LWI_TAKE(&r->arena, nlink + 1, int);
  x->joint_number = LWI_TAKE(&r->arena, njoint + 1, int);
  if (!x->link || !x->joint || !x->inward || !x->number || !x->joint_number)
    return lwi_xml_no_memory(r->root, r->err);
  for (int i = 0; i <= nlink; i++)
    x->inward[i] = x->number[i] = -1;
  return true;
}

static bool list_links(reader *x)
{
  lwi_robot *r = x->robot;
  lwi_listing twice = {0};
  const lwi_xml_element *e = lwi_xml_child(r->root, "link");
  for (; e; e = lwi_xml_find(e->next, "link")) {
    const char *name = lwi_xml_get(e, "name");
    if (!name) return lwi_xml_fail(e, r->err, "the link has no name");
    const int n = x->link_names.n, at = lwi_name_add(&x->link_names, name, strlen(name));
    if (at < 0) return lwi_xml_no_memory(e, r->err);
    if (at == n)
      x->link[n] = e;
    else
      lwi_listing_add(&twice, name);
  }
  if (twice.n)
    lwi_robot_note(r, "there are several links %s: the first of each counts",
                   lwi_listing_text(&twice));
  return x->link_names.n > 0 || lwi_xml_fail(r->root, r->err, "the robot has no links");
}

static int find_link(const reader *x, const lwi_xml_element *joint, const char *side)
{
  const char *name = lwi_xml_get(lwi_xml_child(joint, side), "link");
  return name ? lwi_name_find(&x->link_names, name, strlen(name)) : -1;
}

typedef struct {
  lwi_listing missing, second, twice, range;
} mistakes;

/* Takes a joint into the list, unless it does not lead to a link. */
static bool list_joint(reader *x, const lwi_xml_element *e, mistakes *found)
{
  lwi_robot *r = x->robot;
  lwi_urdf_joint *j = &x->joint[x->njoint];
  if (!lwi_urdf_read_joint(e, j, r->err)) return false;
  j->parent = find_link(x, e, "parent");
  j->child = find_link(x, e, "child");
  const bool known = j->parent >= 0 && j->child >= 0 && j->parent != j->child;
  const bool first = known && x->inward[j->child] < 0;
  if (!known) lwi_listing_add(&found->missing, j->d.name);
  if (known && !first) lwi_listing_add(&found->second, j->d.name);
  if (!known || !first) return true;
  const int n = x->joint_names.n, at = lwi_name_add(&x->joint_names, j->d.name, strlen(j->d.name));
  if (at < 0) return lwi_xml_no_memory(e, r->err);
  if (at < n) return lwi_listing_add(&found->twice, j->d.name), true;
  if (j->odd_limits) lwi_listing_add(&found->range, j->d.name);
  x->inward[j->child] = x->njoint++;
  return true;
}

static bool list_joints(reader *x)
{
  lwi_robot *r = x->robot;
  mistakes found = {0};
  const lwi_xml_element *e = lwi_xml_child(r->root, "joint");
  for (; e; e = lwi_xml_find(e->next, "joint"))
    if (!list_joint(x, e, &found)) return false;
  if (found.missing.n)
    lwi_robot_note(r, "joints without two existing links are left out: %s",
                   lwi_listing_text(&found.missing));
  if (found.second.n)
    lwi_robot_note(r, "joints to links that have a parent already are left out: %s",
                   lwi_listing_text(&found.second));
  if (found.twice.n)
    lwi_robot_note(r, "there are several joints %s: the first of each counts",
                   lwi_listing_text(&found.twice));
  if (found.range.n)
    lwi_robot_note(r, "limits that leave no range are not used: %s",
                   lwi_listing_text(&found.range));
  return true;
}

/* ---- the tree ---- */

/* Adds a link whose parent is there. */
static bool add_link(reader *x, int i)
{
  lwi_robot *r = x->robot;
  const int inward = x->inward[i];
  const lwi_urdf_joint *j = inward >= 0 ? &x->joint[inward] : NULL;
  lwi_robot_link l = {.name = lwi_xml_get(x->link[i], "name"),
                      .element = x->link[i],
                      .parent = j ? x->number[j->parent] : -1,
                      .place = j ? j->place : lwi_frame_identity()};
  if (!lwi_urdf_mass(x->link[i], &l.own, r->err)) return false;
  if (j && !j->fixed) {
    l.njoint = j->twice ? 2 : 1;
    if (!(l.joint = LWI_TAKE(&r->arena, 2, int))) return lwi_xml_no_memory(l.element, r->err);
    l.joint[0] = x->joint_number[inward];
    l.joint[1] = l.joint[0] + 1;
  }
  x->number[i] = lwi_robot_add_link(r, &l);
  return x->number[i] >= 0 && lwi_urdf_shapes(r, &x->colors, x->link[i], x->number[i]);
}

/* Each link after its parent: one pass per level of the tree would be slow for long chains, so the
   way inward to a link that is there is followed and then walked back. */
static bool add_with_parents(reader *x, int i, int *chain)
{
  int n = 0;
  for (int k = i; k >= 0 && x->number[k] < 0;) {
    chain[n++] = k;
    k = x->inward[k] >= 0 ? x->joint[x->inward[k]].parent : -1;
  }
  while (n > 0)
    if (!add_link(x, chain[--n])) return false;
  return true;
}

/* Links in a circle have no root: its first joint is left out. */
static void break_circles(reader *x)
{
  const int n = x->link_names.n;
  lwi_listing circles = {0};
  int *seen = x->number; /* scratch: by which walk, from 0 */
  for (int i = 0; i < n; i++)
    for (int k = i; seen[k] < 0 || seen[k] == i;) {
      const bool again = seen[k] == i;
      seen[k] = i;
      if (x->inward[k] < 0) break;
      if (again) {
        lwi_listing_add(&circles, x->joint[x->inward[k]].d.name);
        x->inward[k] = -1;
        break;
      }
      k = x->joint[x->inward[k]].parent;
    }
  for (int i = 0; i < n; i++)
    seen[i] = -1;
  if (circles.n)
    lwi_robot_note(x->robot, "links in a circle have no root: the joints %s are left out",
                   lwi_listing_text(&circles));
}

/* Joints keep the order of the file. */
static bool add_joints(reader *x)
{
  for (int i = 0; i < x->njoint; i++) {
    const lwi_urdf_joint *j = &x->joint[i];
    const bool used = !j->fixed && x->inward[j->child] == i;
    x->joint_number[i] = used ? lwi_robot_add_joint(x->robot, &j->d) : -1;
    if (used && x->joint_number[i] < 0) return false;
    if (used && j->twice && lwi_robot_add_joint(x->robot, &j->second) < 0) return false;
  }
  return true;
}

/* After the links: which joint moves which link, and which one mimics which. */
static void connect_joints(reader *x)
{
  lwi_robot *r = x->robot;
  lwi_listing without = {0};
  for (int i = 0; i < r->nlink; i++)
    for (int k = 0; k < r->link[i].njoint; k++)
      r->joint[r->link[i].joint[k]].link = i;
  for (int i = 0; i < x->njoint; i++) {
    const lwi_urdf_joint *j = &x->joint[i];
    if (!j->mimics) continue;
    const int other = lwi_name_find(&x->joint_names, j->mimics, strlen(j->mimics));
    const int mine = x->joint_number[i], its = other >= 0 ? x->joint_number[other] : -1;
    const bool single = mine >= 0 && (j->d.type == LW_REVOLUTE || j->d.type == LW_PRISMATIC);
    if (single && its >= 0 &&
        (r->joint[its].type == LW_REVOLUTE || r->joint[its].type == LW_PRISMATIC))
      r->joint[mine].mimic = its;
    else
      lwi_listing_add(&without, j->d.name);
  }
  if (without.n)
    lwi_robot_note(r,
                   "mimic is not used where one of the two joints is not there or does not "
                   "have one coordinate: %s",
                   lwi_listing_text(&without));
}

static bool read_tree(reader *x)
{
  lwi_robot *r = x->robot;
  break_circles(x);
  int *chain = LWI_TAKE(&r->arena, x->link_names.n + 1, int);
  if (!chain) return lwi_xml_no_memory(r->root, r->err);
  if (!add_joints(x)) return false;
  for (int i = 0; i < x->link_names.n; i++)
    if (!add_with_parents(x, i, chain)) return false;
  connect_joints(x);
  return true;
}

/* ---- the whole ---- */

static bool read_robot(lwi_robot *r, const char *text, size_t length, const char *file)
{
  reader x = {.robot = r};
  if (!(r->root = lwi_xml_parse(&r->arena, text, length, file, r->err))) return false;
  if (!(r->spec = lw_spec_new())) return lwi_xml_no_memory(r->root, r->err);
  lw_set_name(r->spec, lwi_xml_get(r->root, "name"));
  bool ok = check_expanded(&x) && allocate(&x) && lwi_urdf_list_colors(r, &x.colors) &&
            list_links(&x) && list_joints(&x) && lwi_urdf_read_side_file(&x) && read_tree(&x) &&
            lwi_robot_build(r) && lwi_urdf_close_constraints(&x) && lwi_urdf_close_side_loops(&x);
  if (ok) {
    lwi_urdf_note_skipped(r);
    ok = lwi_robot_finish(r);
  }
  lwi_name_index_free(&x.link_names);
  lwi_name_index_free(&x.joint_names);
  lwi_urdf_colors_free(&x.colors);
  lwi_yaml_free(x.side_file);
  return ok;
}

static lw_spec *read_text(const char *text, size_t length, const char *name,
                          const lw_load_options *options, lw_error *err)
{
  lwi_robot r = {.no_files = !name, .options = options, .err = err};
  return lwi_robot_take(&r, read_robot(&r, text, length, name ? name : "model"));
}

static bool is_urdf(const char *text, size_t length)
{
  return lwi_file_is_xml(text, length, "robot");
}

const lwi_model_format lwi_urdf_format = {"URDF", is_urdf, read_text, true, false};
