/* SPDX-License-Identifier: Apache-2.0 */
/* read_scope.c -- parts of included files and of mirrored blocks: where they are written, their names
   in the whole model, and the signs of what is mirrored (scope.h). */
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

/* x, vx, ax, fx, dx, dvx: polar vectors; wx, tx, rx, dwx, wdotx and quaternions: axial ones */
static int column_sign(const lwi_scope *s, const char *column)
{
  const size_t n = strcspn(column, ".");
  const int det = lwi_scope_det(s), last = n > 0 ? column[n - 1] - 'x' : -1;
  if (n == 2 && column[0] == 'e' && column[1] >= '1' && column[1] <= '3')
    return det * s->sign[column[1] - '1'];
  if (last < 0 || last > 2) return 1;
  if (n == 2 && column[0] >= 'x' && column[0] <= 'z') /* of an axis: M R M */
    return s->sign[column[0] - 'x'] * s->sign[last];
  if (n == 1 || (n == 2 && strchr("vafd", column[0]))) return s->sign[last];
  if (n == 3 && memcmp(column, "dv", 2) == 0) return s->sign[last];
  const bool axial = (n == 2 && strchr("wtr", column[0])) ||
                     (n == 3 && memcmp(column, "dw", 2) == 0) ||
                     (n == 5 && memcmp(column, "wdot", 4) == 0);
  return axial ? det * s->sign[last] : 1;
}

/* A coordinate q.J, u.J.2, udot.J.3 of a joint that is mirrored itself. */
static bool coordinate_flips(const lwi_reader *r, const lwi_scope *s, const char *column)
{
  const char *name = strchr(column, '.') + 1, *dot = strrchr(name, '.');
  char joint[256];
  lw_joint j = lw_spec_find_joint(r->spec, name);
  int index = 1;
  if (j.id < 1 && dot) {
    snprintf(joint, sizeof joint, "%.*s", (int)(dot - name < 255 ? dot - name : 255), name);
    j = lw_spec_find_joint(r->spec, joint);
    index = atoi(dot + 1);
  }
  if (j.id < 1 || index < 1 || index > LWI_MOST_Q) return false;
  const lwi_yaml_node at = {.scope = (int)(s - r->scopes->item)};
  int sign[LWI_MOST_Q] = {0};
  const lw_joint_type type = r->spec->joints.item[j.id - 1].d.type;
  if (column[0] == 'q')
    lwi_read_q_signs(r, &at, type, sign);
  else
    lwi_read_u_signs(r, &at, type, sign);
  return sign[index - 1] < 0;
}

typedef struct {
  const lwi_reader *r;
  int scope;
} column_place;

static bool column_flips(void *context, const char *column, const char *own)
{
  const column_place *p = context;
  const lwi_scope *s = &p->r->scopes->item[p->scope];
  const bool coordinate = strncmp(column, "q.", 2) == 0 || strncmp(column, "u.", 2) == 0 ||
                          strncmp(column, "udot.", 5) == 0;
  /* a joint outside of the mirrored block is not mirrored */
  if (coordinate) return strcmp(column, own) != 0 && coordinate_flips(p->r, s, column);
  return column_sign(s, column) < 0;
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

/* An expression becomes -(expression), with the place of the one it was. */
static bool flip_expression(lwi_reader *r, int index, double *x)
{
  const lwi_spec_expr e = r->spec->expr[index];
  const size_t length = strlen(e.text);
  char *text = malloc(length + 4);
  uint16_t *origin = calloc(length + 4, sizeof *origin);
  if (text && origin) {
    snprintf(text, length + 4, "-(%s)", e.text);
    for (size_t i = 0; i <= length; i++)
      origin[i + 2] = e.origin ? e.origin[i] : (uint16_t)i;
    r->spec->mark = e.mark;
    r->spec->origin = origin;
    *x = lw_expr(r->spec, text);
  }
  const bool ok = text && origin;
  free(text);
  free(origin);
  return ok ? lwi_read_check(r) : lwi_read_no_memory(r);
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

/* The image of Rot(a, q) is Rot(det(M) M a, q): with axes mirrored as axial vectors angles stay.  The
   shift of a cylindrical joint along such an axis changes its sign with det(M); prismatic joints have
   polar axes.  Components of vectors change as vectors do. */
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
