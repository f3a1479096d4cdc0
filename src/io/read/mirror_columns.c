/* SPDX-License-Identifier: Apache-2.0 */
/* mirror_columns.c -- which result columns have the opposite sign in a mirrored part
   (docs/format.md 10.8): components of vectors, freedoms of joints that change their sign, and the
   loads on those. */
#include "io/read/read_common.h"
#include "model/joint/joint.h"
#include "model/spec/spec_data.h"
#include "linkwork/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Does a freedom of a mirrored joint change its sign?  dof 0: the first. */
static bool freedom_flips(const lwi_reader *r, const lwi_scope *s, lw_joint joint, int dof)
{
  int sign[6];
  if (joint.id < 1 || joint.id > r->spec->joints.n || dof > 6) return false;
  const lwi_yaml_node at = {.scope = (int)(s - r->scopes->item)};
  lwi_read_u_signs(r, &at, r->spec->joints.item[joint.id - 1].d.type, sign);
  return sign[dof > 0 ? dof - 1 : 0] < 0;
}

/* A part of `forces` by its name in the whole model, where it has not been read yet; or NULL. */
static const lwi_yaml_node *find_force(const lwi_reader *r, const char *name)
{
  for (int i = 0; r->forces && i < r->forces->count; i++) {
    const lwi_yaml_entry *e = &r->forces->entry[i];
    const char *whole = lwi_scope_name(r->scopes, e->key->scope, e->key->text);
    if (!whole) return lwi_spec_no_memory(r->spec), NULL;
    if (strcmp(whole, name) == 0) return e->value->kind == LWI_YAML_MAP ? e->value : NULL;
  }
  return NULL;
}

/* The freedom that a motor, servo or joint spring of the file acts on flips. */
static bool force_flips(const lwi_reader *r, const lwi_scope *s, const char *name)
{
  const lwi_yaml_node *force = find_force(r, name);
  const lwi_yaml_node *joint = force ? lwi_yaml_find(force, "joint") : NULL;
  const lwi_yaml_node *dof = force ? lwi_yaml_find(force, "dof") : NULL;
  if (!joint || joint->kind != LWI_YAML_SCALAR) return false;
  const char *whole = lwi_scope_name(r->scopes, joint->scope, joint->text);
  if (!whole) return lwi_spec_no_memory(r->spec), false;
  const bool plain = dof && dof->kind == LWI_YAML_SCALAR;
  return freedom_flips(r, s, lw_spec_find_joint(r->spec, whole), plain ? atoi(dof->text) : 0);
}

/* load.M of a motor, servo, joint spring, driver or gear: signs as those of the freedom that it
   acts on, of a gear the second one.  Couplers have coefficients that flip instead. */
static bool load_flips(const lwi_reader *r, const lwi_scope *s, const char *name)
{
  const lw_spec *spec = r->spec;
  for (int i = 0; i < spec->constraints.n; i++) {
    const lw_constraint_desc *d = &spec->constraints.item[i].d;
    const int term = d->type == LW_DRIVER ? 0 : d->type == LW_GEAR ? 1 : -1;
    if (term >= 0 && d->name && strcmp(d->name, name) == 0)
      return freedom_flips(r, s, d->terms[term].joint, d->terms[term].dof);
  }
  return force_flips(r, s, name);
}

bool lwi_read_column_flips(const lwi_reader *r, int scope, const char *column, const char *own)
{
  const lwi_scope *s = &r->scopes->item[scope];
  const bool coordinate = strncmp(column, "q.", 2) == 0 || strncmp(column, "u.", 2) == 0 ||
                          strncmp(column, "udot.", 5) == 0;
  /* a joint outside of the mirrored block is not mirrored */
  if (coordinate) return strcmp(column, own) != 0 && coordinate_flips(r, s, column);
  if (strncmp(column, "load.", 5) == 0)
    return strcmp(column, own) != 0 && load_flips(r, s, column + 5);
  return column_sign(s, column) < 0;
}
