/* SPDX-License-Identifier: Apache-2.0 */
/* read_scope.c -- parts of included files and of mirrored blocks: where they are written, their
   names in the whole model, and the signs of what is mirrored (scope.h). */
#include "io/file/file_path.h"
#include "io/read/read_common.h"
#include "model/joint/joint.h"
#include "model/spec/spec_data.h"
#include "linkwork/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const lwi_scope *scope_of(const lwi_reader *r, const lwi_yaml_node *node)
{
  return &r->scopes->item[node->scope];
}

/* ---- places and names ---- */

lwi_position lwi_read_position(const lwi_reader *r, const lwi_yaml_node *node)
{
  return (lwi_position){scope_of(r, node)->file, node->line, node->column};
}

const char *lwi_read_path(lwi_reader *r, const lwi_yaml_node *node, const char *name)
{
  const char *from = scope_of(r, node)->file;
  char *path = lwi_yaml_take(r->scopes->doc, lwi_path_beside(from, name, NULL));
  if (!path) return lwi_read_no_memory(r), NULL;
  lwi_path_beside(from, name, path);
  return path;
}

void lwi_read_locate(lwi_reader *r, const lwi_yaml_node *node)
{
  const char *file = scope_of(r, node)->file;
  lw_spec_locate_file(r->spec, strcmp(file, r->file) == 0 ? NULL : file);
  lw_spec_locate(r->spec, node->line, node->column);
}

const char *lwi_read_whole_name(lwi_reader *r, const lwi_yaml_node *node)
{
  const char *name = lwi_scope_name(r->scopes, node->scope, node->text);
  if (!name) lwi_read_no_memory(r);
  return name;
}

/* ---- expressions ---- */

static bool is_parameter(void *context, const char *name)
{
  const lwi_reader *r = context;
  return (r->kind && strcmp(r->kind, "parameter") == 0) ||
         lwi_parameters_find(&r->spec->parameters, name) >= 0;
}

typedef struct {
  const lwi_reader *r;
  int scope;
} column_place;

static bool column_flips(void *context, const char *column, const char *own)
{
  const column_place *p = context;
  return lwi_read_column_flips(p->r, p->scope, column, own);
}

static bool place_is_parameter(void *context, const char *name)
{
  const column_place *p = context;
  return is_parameter((void *)p->r, name);
}

/* The places in a text in which variables were replaced: all at its start. */
static bool no_origin(lwi_reader *r, const char *text, const uint16_t **origin)
{
  const size_t size = (strlen(text) + 1) * sizeof **origin;
  uint16_t *all = lwi_yaml_take(r->scopes->doc, size);
  if (!all) return lwi_read_no_memory(r);
  memset(all, 0, size);
  *origin = all;
  return true;
}

const char *lwi_read_in_scope(lwi_reader *r, const lwi_yaml_node *value, const uint16_t **origin)
{
  column_place place = {r, value->scope};
  const lwi_scope_lookup lookup = {place_is_parameter, column_flips, &place, r->own};
  bool too_long;
  const char *text =
      lwi_scope_expression(r->scopes, value->scope, value->text, &lookup, origin, &too_long);
  if (!text)
    (void)(too_long ? lwi_read_fail(r, value,
                                    "with its names in the whole model the expression is "
                                    "longer than %d bytes",
                                    LWI_EXPR_MAX_LENGTH)
                    : lwi_read_no_memory(r));
  if (text && value->edited && !no_origin(r, text, origin)) return NULL;
  return text;
}

bool lwi_read_expression(lwi_reader *r, const lwi_yaml_node *value, double *to)
{
  const uint16_t *origin;
  const char *text = lwi_read_in_scope(r, value, &origin);
  if (!text) return false;
  lwi_read_locate(r, value);
  /* within quotes the text starts one further */
  lw_spec_locate(r->spec, value->line, value->column + (value->style == LWI_YAML_QUOTED));
  r->spec->origin = origin;
  lwi_read_measure(r);
  *to = lw_expr(r->spec, text);
  lw_spec_measure(r->spec, NULL, NULL);
  if (lw_spec_error(r->spec, NULL) != LW_E_MODEL) return lwi_read_check(r);
  lw_error e;
  lw_spec_error(r->spec, &e); /* it cannot tell which part the expression belongs to */
  const lwi_yaml_node at = {.line = e.line, .column = e.column, .scope = value->scope};
  return lwi_read_fail(r, &at, "%s", e.text);
}

/* ---- mirrored parts ---- */

bool lwi_read_is_mirrored(const lwi_reader *r, const lwi_yaml_node *node)
{
  return lwi_scope_is_mirrored(scope_of(r, node));
}

/* An expression becomes -(expression), with the places of the one it was. */
static bool flip_expression(lwi_reader *r, int index, double *x)
{
  const lwi_spec_expr e = r->spec->expr[index];
  const size_t length = strlen(e.text) + 4;
  char *text = malloc(length);
  if (!text) return lwi_read_no_memory(r);
  snprintf(text, length, "-(%s)", e.text);
  r->spec->mark = e.expr.at;
  *x = lw_expr(r->spec, text);
  free(text);
  if (!lwi_read_check(r)) return false;
  lwi_expr *flipped = &r->spec->expr[lwi_expr_index(*x)].expr;
  for (int i = 0; i < flipped->nop; i++)
    flipped->op[i].column = i < e.expr.nop ? e.expr.op[i].column : 0;
  for (int i = 0; i < flipped->nname; i++)
    flipped->name[i].column = e.expr.name[i].column;
  return true;
}

bool lwi_read_flip(lwi_reader *r, int sign, double *x)
{
  if (sign >= 0) return true;
  const int index = lwi_expr_index(*x);
  if (index >= 0) return flip_expression(r, index, x);
  if (*x != 0) *x = -*x;
  return true;
}

bool lwi_read_polar(lwi_reader *r, const lwi_yaml_node *node, double x[3])
{
  const lwi_scope *s = scope_of(r, node);
  return lwi_read_flip(r, s->sign[0], &x[0]) && lwi_read_flip(r, s->sign[1], &x[1]) &&
         lwi_read_flip(r, s->sign[2], &x[2]);
}

int lwi_read_axial_sign(const lwi_reader *r, const lwi_yaml_node *node, int i)
{
  const lwi_scope *s = scope_of(r, node);
  return lwi_scope_det(s) * s->sign[i];
}

bool lwi_read_axial(lwi_reader *r, const lwi_yaml_node *node, double x[3])
{
  for (int i = 0; i < 3; i++)
    if (!lwi_read_flip(r, lwi_read_axial_sign(r, node, i), &x[i])) return false;
  return true;
}

/* The image of Rot(a, q) is Rot(det(M) M a, q): with axes mirrored as axial vectors angles stay.
   The shift of a cylindrical joint along such an axis changes its sign with det(M); prismatic
   joints have polar axes.  Components of vectors change as vectors do. */
void lwi_read_q_signs(const lwi_reader *r, const lwi_yaml_node *node, lw_joint_type type,
                      int sign[LWI_MOST_Q])
{
  const lwi_scope *s = scope_of(r, node);
  const int det = lwi_scope_det(s);
  const bool plane = type == LW_PLANAR || (type == LW_FREE && r->planar);
  for (int i = 0; i < LWI_MOST_Q; i++)
    sign[i] = 1;
  if (type == LW_CYLINDRICAL) sign[1] = det;
  if (type == LW_FREE || plane) sign[0] = s->sign[0], sign[1] = s->sign[1], sign[2] = s->sign[2];
  if (plane) sign[2] = det * s->sign[2];
  const int quat = plane ? -1 : type == LW_SPHERICAL ? 0 : type == LW_FREE ? 3 : -1;
  for (int i = 0; quat >= 0 && i < 3; i++)
    sign[quat + 1 + i] = det * s->sign[i];
}

void lwi_read_u_signs(const lwi_reader *r, const lwi_yaml_node *node, lw_joint_type type,
                      int sign[6])
{
  const lwi_scope *s = scope_of(r, node);
  const int det = lwi_scope_det(s);
  for (int i = 0; i < 6; i++)
    sign[i] = 1;
  if (type == LW_CYLINDRICAL) sign[1] = det;
  if (type == LW_PLANAR) sign[0] = s->sign[0], sign[1] = s->sign[1], sign[2] = det * s->sign[2];
  if (type == LW_FREE && r->planar) {
    sign[0] = det * s->sign[2], sign[1] = s->sign[0], sign[2] = s->sign[1];
    return;
  }
  for (int i = 0; (type == LW_SPHERICAL || type == LW_FREE) && i < 3; i++)
    sign[i] = det * s->sign[i];
  for (int i = 0; type == LW_FREE && i < 3; i++)
    sign[3 + i] = s->sign[i];
}

int lwi_read_dof_sign(const lwi_reader *r, const lwi_yaml_node *node, lw_joint joint, int dof)
{
  int sign[6];
  if (!lwi_read_is_mirrored(r, node) || joint.id < 1 || dof > 6) return 1;
  const lw_joint_desc *d = &r->spec->joints.item[joint.id - 1].d;
  if (strcmp(d->name, node->text) == 0) return 1; /* outside of the mirrored block */
  lwi_read_u_signs(r, node, d->type, sign);
  return sign[dof > 0 ? dof - 1 : 0];
}
