/* SPDX-License-Identifier: Apache-2.0 */
/* relax_file.c -- writes a model file again with other joint types, everything else as it was:
   edits of the text at the nodes of its YAML document.  The result is read and compiled before it
   is written. */
#include "io/file/file_text.h"
#include "io/read/text_edits.h"
#include "model/model.h"
#include "linkwork/file.h"
#include "linkwork/output.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"
#include "linkwork/redundancy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUE = 400 };

/* ---- edits ---- */

/* An entry of a mapping, with its comma or its lines. */
static void drop_entry(lwi_edits *e, const lwi_yaml_node *map, const lwi_yaml_entry *entry)
{
  size_t at = lwi_edit_start(e, entry->key), end = lwi_edit_end(e, entry->value);
  if (map->style == LWI_YAML_FLOW) {
    size_t next = end;
    while (next < e->length && strchr(" \t\n", e->text[next]))
      next++;
    if (e->text[next] == ',') {
      for (end = next + 1; end < e->length && strchr(" \t\n", e->text[end]); end++) {
      }
    } else {
      while (at > 0 && strchr(" \t\n", e->text[at - 1]))
        at--;
      if (at > 0 && e->text[at - 1] == ',') at--;
    }
  } else {
    while (at > 0 && e->text[at - 1] != '\n')
      at--;
    while (end < e->length && e->text[end] != '\n')
      end++;
    end += end < e->length;
  }
  lwi_edit(e, at, end, "");
}

static void drop_key(lwi_edits *e, const lwi_yaml_node *map, const char *key)
{
  const lwi_yaml_entry *entry = lwi_edit_entry(map, key);
  if (entry) drop_entry(e, map, entry);
}

/* ---- joints ---- */

static int print_axis(char *out, size_t size, const char *key, const double axis[3])
{
  for (int i = 0; i < 3; i++)
    if (axis[i] == 1 && axis[(i + 1) % 3] == 0 && axis[(i + 2) % 3] == 0)
      return snprintf(out, size, "%s: %c", key, 'x' + i);
  return snprintf(out, size, "%s: [%.17g, %.17g, %.17g]", key, axis[0], axis[1], axis[2]);
}

/* type: NEW, with further keys after it */
static void write_type(lwi_edits *e, const lwi_yaml_node *map, const char *type, const char *more)
{
  const lwi_yaml_entry *entry = lwi_edit_entry(map, "type");
  char text[MOST_VALUE];
  if (!entry || entry->value->kind != LWI_YAML_SCALAR || entry->value->edited) {
    e->failed = true;
    return;
  }
  if (!*more)
    snprintf(text, sizeof text, "%s", type);
  else if (map->style == LWI_YAML_FLOW)
    snprintf(text, sizeof text, "%s, %s", type, more);
  else
    snprintf(text, sizeof text, "%s\n%*s%s", type, entry->key->column - 1, "", more);
  lwi_edit(e, lwi_edit_start(e, entry->value), lwi_edit_end(e, entry->value), text);
}

/* The value of a key of a joint with one freedom, as written, becomes before + value + after. */
static void wrap_value(lwi_edits *e, const lwi_yaml_node *map, const char *key, const char *before,
                       const char *after)
{
  const lwi_yaml_entry *entry = lwi_edit_entry(map, key);
  if (!entry) return;
  const lwi_yaml_node *x = entry->value;
  if (x->kind == LWI_YAML_LIST && x->count == 1) x = x->item[0];
  if (x->kind != LWI_YAML_SCALAR) {
    e->failed = true;
    return;
  }
  const size_t at = lwi_edit_start(e, x), end = lwi_edit_end(e, x);
  char text[MOST_VALUE];
  if (snprintf(text, sizeof text, "%s%.*s%s", before, (int)(end - at), e->text + at, after) >=
      MOST_VALUE)
    e->failed = true;
  lwi_edit(e, lwi_edit_start(e, entry->value), lwi_edit_end(e, entry->value), text);
}

/* A list of a number per freedom gets one more. */
static void add_zero(lwi_edits *e, const lwi_yaml_node *map, const char *key)
{
  const lwi_yaml_entry *entry = lwi_edit_entry(map, key);
  if (!entry) return;
  if (entry->value->kind != LWI_YAML_LIST || entry->value->style != LWI_YAML_FLOW) {
    e->failed = true;
    return;
  }
  const size_t end = lwi_edit_end(e, entry->value) - 1;
  lwi_edit(e, end, end, ", 0");
}

static void each_freedom(lwi_edits *e, const lwi_yaml_node *map, const char *before,
                         const char *after)
{
  static const char *const keys[] = {"q", "u", "damping", "armature"};
  for (int i = 0; i < 4; i++)
    wrap_value(e, map, keys[i], before, after);
  wrap_value(e, map, "friction", before, strcmp(before, "[") == 0 ? ", none]" : after);
}

/* limits of the first freedom; of one more there are none */
static void extend_limits(lwi_edits *e, const lwi_yaml_node *map)
{
  const lwi_yaml_entry *entry = lwi_edit_entry(map, "limits");
  if (!entry) return;
  const size_t at = lwi_edit_start(e, entry->value), end = lwi_edit_end(e, entry->value);
  lwi_edit(e, at, at, "[");
  lwi_edit(e, end, end, ", none]");
}

/* u of a turn about a coordinate axis, in the child's joint axes */
static void turn_speed(lwi_edits *e, const lwi_yaml_node *map, const double a[3])
{
  static const char *const before[] = {"[", "[0, ", "[0, 0, "}, *const after[] = {", 0, 0]", ", 0]",
                                                                                  "]"};
  for (int i = 0; i < 3; i++)
    if (a[i] == 1) {
      wrap_value(e, map, "u", before[i], after[i]);
      return;
    }
  if (lwi_edit_entry(map, "u")) e->failed = true;
}

static void to_spherical(lwi_edits *e, const lwi_yaml_node *map, const double a[3])
{
  char text[MOST_VALUE];
  snprintf(text, sizeof text, "{axis_angle: [%.17g, %.17g, %.17g, ", a[0], a[1], a[2]);
  wrap_value(e, map, "q", text, "]}");
  turn_speed(e, map, a);
  drop_key(e, map, "axis");
  write_type(e, map, "spherical", "");
}

static void to_gimbal(lwi_edits *e, const lwi_yaml_node *map, const double axis3[3])
{
  char more[MOST_VALUE], third[120];
  print_axis(third, sizeof third, "axis3", axis3);
  const char *separator = map->style == LWI_YAML_FLOW ? ", " : NULL;
  const char *first = lwi_edit_entry(map, "axis") ? "" : "axis: z";
  const char *second = lwi_edit_entry(map, "axis2") ? "" : "axis2: x";
  if (!separator && (*first || *second)) { /* several lines: only in flow style */
    e->failed = true;
    return;
  }
  snprintf(more, sizeof more, "%s%s%s%s%s", first, *first ? separator : "", second,
           *second ? separator : "", third);
  add_zero(e, map, "q");
  add_zero(e, map, "u");
  write_type(e, map, "gimbal", more);
}

static void change_joint(lwi_edits *e, const lwi_yaml_node *map, const lw_release *r,
                         lw_joint_type old, const double axis[3])
{
  char more[MOST_VALUE] = "";
  if (r->to_constraint) {
    static const char *const keys[] = {"q", "u", "hold", "cut", "axis"};
    for (int i = 0; i < 5; i++)
      drop_key(e, map, keys[i]);
    print_axis(more, sizeof more, "axis", r->axis);
    write_type(e, map, r->constraint_type == LW_POINT_ON_LINE ? "point_on_line" : "point_on_plane",
               more);
    return;
  }
  if (r->type == LW_SPHERICAL && old == LW_REVOLUTE) {
    to_spherical(e, map, axis);
    return;
  }
  if (r->type == LW_GIMBAL) {
    to_gimbal(e, map, r->axis);
    return;
  }
  if (r->type == LW_UNIVERSAL) print_axis(more, sizeof more, "axis2", r->axis);
  if (old == LW_FIXED && r->type != LW_SPHERICAL) print_axis(more, sizeof more, "axis", r->axis);
  if (r->type == LW_PLANAR) {
    drop_key(e, map, "axis");
    each_freedom(e, map, "[0, 0, ", "]");
  } else if (old == LW_PRISMATIC)
    each_freedom(e, map, "[0, ", "]");
  else if (old == LW_REVOLUTE) {
    each_freedom(e, map, "[", ", 0]");
    extend_limits(e, map);
  }
  write_type(e, map, lw_joint_type_name(r->type), more);
}

/* ---- the file ---- */

/* The place of a release in the document, and its change. */
static bool edit_release(lwi_edits *e, const lwi_yaml_node *joints, const lw_model *m,
                         const lw_release *r)
{
  const lw_joint_info info = r->joint.id ? lw_get_joint(m, r->joint) : (lw_joint_info){0};
  const char *name = r->joint.id ? info.name : lw_get_constraint(m, r->constraint).name;
  const lwi_yaml_entry *entry = lwi_edit_entry(joints, name);
  if (!entry || entry->value->kind != LWI_YAML_MAP || info.file) return false;
  if (r->removed)
    drop_entry(e, joints, entry);
  else
    change_joint(e, entry->value, r, info.type, m->joint[r->joint.id].shape.axis[0]);
  return !e->failed;
}

/* Is the text a model in which exactly the releases are made, and nothing is redundant that was
   not? */
static lw_status check_text(const char *text, size_t length, const lw_model *m,
                            const lw_redundancy *r, const char *path)
{
  int nremoved = 0, released = 0, dof = -1, redundant = -1;
  for (int g = 0; g < r->ngroup; g++)
    for (int i = 0; i < r->group[g].nrelease; i++) {
      nremoved += r->group[g].release[i].removed;
      released += r->group[g].release[i].equations;
    }
  lw_error why = {0};
  lw_spec *s = lw_spec_parse(text, length, path, &why);
  lw_model *changed = s ? lw_compile(s, &why) : NULL;
  lw_spec_free(s);
  if (!changed) return why.status == LW_E_MEMORY ? LW_E_MEMORY : LW_E_UNSUPPORTED;
  lw_work *w = lw_work_new(changed);
  double *q = calloc((size_t)lw_nq(changed) + (size_t)lw_nu(changed) + 1, sizeof *q);
  lw_status status = w && q ? LW_OK : LW_E_MEMORY;
  if (status == LW_OK) {
    lw_initial_state(changed, q, q + lw_nq(changed));
    status = lw_close_loops(w, 0, q, q + lw_nq(changed), NULL);
  }
  lw_redundancy *left = status == LW_OK ? lw_redundancy_new(w, 0, q, &why) : NULL;
  if (status == LW_OK && !left) status = why.status;
  if (left) {
    dof = left->dof;
    redundant = left->redundant;
  }
  lw_redundancy_free(left);
  const int parts = lw_njoint(m) + lw_nconstraint(m) - nremoved;
  if (status == LW_OK && (dof != r->dof || redundant != r->redundant - released ||
                          lw_njoint(changed) + lw_nconstraint(changed) != parts))
    status = LW_E_UNSUPPORTED;
  lw_work_free(w);
  free(q);
  lw_model_free(changed);
  return status;
}

static lw_status relax_text(const lw_model *m, const lw_redundancy *r, const lwi_yaml_document *doc,
                            lwi_edits *e, const char *path, const char *to, lw_error *err)
{
  const lwi_position at = {.file = path};
  const lwi_yaml_node *root = lwi_yaml_root(doc);
  const lwi_yaml_node *joints =
      root && root->kind == LWI_YAML_MAP ? lwi_yaml_find(root, "joints") : NULL;
  for (int g = 0; g < r->ngroup; g++)
    for (int i = 0; i < r->group[g].nrelease; i++) {
      const lw_release *x = &r->group[g].release[i];
      if (joints && joints->kind == LWI_YAML_MAP && edit_release(e, joints, m, x)) continue;
      return lwi_file_fail(err, LW_E_UNSUPPORTED, at,
                           "\"%s\" is not written under joints of this file in a way that can be "
                           "changed: change it by hand",
                           x->joint.id ? lw_get_joint(m, x->joint).name
                                       : lw_get_constraint(m, x->constraint).name);
    }
  size_t length = 0;
  char *text = lwi_edits_apply(e, &length);
  lw_status status = text ? check_text(text, length, m, r, path) : LW_E_MEMORY;
  if (status == LW_OK)
    status = lw_write_file(to, text, length, err);
  else if (status == LW_E_MEMORY)
    lwi_file_fail(err, status, at, "out of memory");
  else
    lwi_file_fail(
        err, status = LW_E_UNSUPPORTED, at,
        "the changed text is another mechanism (are joints shared by merge keys, aliases, "
        "repeat or include?): change it by hand");
  free(text);
  return status;
}

lw_status lw_relax_file(const lw_model *m, const lw_redundancy *r, const char *path, const char *to,
                        lw_error *err)
{
  const lwi_position at = {.file = path ? path : "lw_relax_file"};
  if (!m || !r || !path || !to)
    return lwi_file_fail(err, LW_E_ARG, at, "no model, redundancy or path");
  if (r->ngroup > 0 && !r->determined)
    return lwi_file_fail(err, LW_E_UNSUPPORTED, at,
                         "no changes that make all loads determined are "
                         "known");
  char *text;
  size_t length;
  lw_status status = lwi_file_read(path, &text, &length, err);
  if (status != LW_OK) return status;
  lw_error parsing = {0};
  lwi_yaml_document *doc = lwi_yaml_parse(text, length, path, &parsing);
  lwi_edits e = {0};
  const bool ready = lwi_edits_start(&e, text, length);
  if (!doc) {
    status = parsing.status;
    if (err) *err = parsing;
  }
  if (doc && !ready)
    status = lwi_file_fail(err, LW_E_MEMORY, at, "out of memory");
  else if (doc)
    status = relax_text(m, r, doc, &e, path, to, err);
  lwi_edits_free(&e);
  lwi_yaml_free(doc);
  free(text);
  return status;
}
