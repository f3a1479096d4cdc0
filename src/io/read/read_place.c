/* SPDX-License-Identifier: Apache-2.0 */
/* read_place.c -- parts of an included file that are placed on a body: with the ground of the file
   at (p, P) on that body, a place (a, R) on the ground becomes (p + P a, P R).

   All numbers may be expressions of parameters; the new ones are expressions of them, so that
   derivatives pass. */
#include "io/read/read_common.h"
#include "model/spec/spec_data.h"
#include "linkwork/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- formulas ---- */

static void put_number(lwi_reader *r, char **at, const char *end, double x)
{
  const int e = lwi_expr_index(x);
  const size_t left = (size_t)(end - *at);
  const int n = e >= 0 ? snprintf(*at, left, "(%s)", r->spec->expr[e].text)
                       : snprintf(*at, left, "(%.17g)", x);
  *at += (size_t)n < left ? (size_t)n : left;
}

static double plain_value(const lwi_reader *r, double x)
{
  const int e = lwi_expr_index(x);
  if (e < 0) return x;
  const lwi_expr *expr = &r->spec->expr[e].expr;
  return expr->nname == 0 ? lwi_expr_value(expr, NULL) : x;
}

/* The value of a formula in which A, B, ... stand for numbers: a number again if all are. */
static bool compute(lwi_reader *r, const char *formula, const double x[], double *to)
{
  char *text = malloc(LWI_EXPR_MAX_LENGTH + 1), *at = text;
  const char *end = text + LWI_EXPR_MAX_LENGTH;
  if (!text) return lwi_read_no_memory(r);
  for (; *formula && at < end; formula++)
    if (*formula >= 'A' && *formula <= 'Z')
      put_number(r, &at, end, x[*formula - 'A']);
    else
      *at++ = *formula;
  const bool fits = at < end;
  if (fits) {
    *at = '\0';
    r->spec->origin = NULL;
    *to = plain_value(r, lw_expr(r->spec, text));
  }
  free(text);
  if (!fits) return lwi_read_fail(r, r->name, "a place of too many expressions in one another");
  return lwi_read_check(r);
}

static bool compute_all(lwi_reader *r, const char *const formula[], int n, const double x[],
                        double to[])
{
  double made[4];
  for (int i = 0; i < n; i++)
    if (!compute(r, formula[i], x, &made[i])) return false;
  memcpy(to, made, (size_t)n * sizeof *to);
  return true;
}

/* ---- rotations ---- */

/* The quaternion w, x, y, z of an orientation. */
static bool quaternion(lwi_reader *r, const lw_orient *o, double q[4])
{
  static const char *const rpy[] = {
      "cos(A/2)*cos(B/2)*cos(C/2)+sin(A/2)*sin(B/2)*sin(C/2)",
      "sin(A/2)*cos(B/2)*cos(C/2)-cos(A/2)*sin(B/2)*sin(C/2)",
      "cos(A/2)*sin(B/2)*cos(C/2)+sin(A/2)*cos(B/2)*sin(C/2)",
      "cos(A/2)*cos(B/2)*sin(C/2)-sin(A/2)*sin(B/2)*cos(C/2)",
  };
  static const char *const axis_angle[] = {"cos(D/2)", "sin(D/2)*A/sqrt(A^2+B^2+C^2)",
                                           "sin(D/2)*B/sqrt(A^2+B^2+C^2)",
                                           "sin(D/2)*C/sqrt(A^2+B^2+C^2)"};
  static const char *const quat[] = {"A/sqrt(A^2+B^2+C^2+D^2)", "B/sqrt(A^2+B^2+C^2+D^2)",
                                     "C/sqrt(A^2+B^2+C^2+D^2)", "D/sqrt(A^2+B^2+C^2+D^2)"};
  switch (o->type) {
  case LW_ORIENT_RPY: return compute_all(r, rpy, 4, o->value, q);
  case LW_ORIENT_AXIS_ANGLE: return compute_all(r, axis_angle, 4, o->value, q);
  case LW_ORIENT_QUAT: return compute_all(r, quat, 4, o->value, q);
  default: q[0] = 1, q[1] = q[2] = q[3] = 0; return true;
  }
}

/* a = p + P a, with the quaternion P = (A, B, C, D), a = (E, F, G), p = (H, I, J) */
static bool move_point(lwi_reader *r, const double P[4], const double p[3], double a[3])
{
  static const char *const turned[] = {
      "H+(A^2+B^2-C^2-D^2)*E+2*(B*C-A*D)*F+2*(B*D+A*C)*G",
      "I+2*(B*C+A*D)*E+(A^2-B^2+C^2-D^2)*F+2*(C*D-A*B)*G",
      "J+2*(B*D-A*C)*E+2*(C*D+A*B)*F+(A^2-B^2-C^2+D^2)*G",
  };
  const double x[] = {P[0], P[1], P[2], P[3], a[0], a[1], a[2], p[0], p[1], p[2]};
  return compute_all(r, turned, r->planar ? 2 : 3, x, a);
}

static bool turn_frame(lwi_reader *r, const double P[4], lw_orient *o)
{
  static const char *const product[] = {"A*E-B*F-C*G-D*H", "A*F+B*E+C*H-D*G", "A*G-B*H+C*E+D*F",
                                        "A*H+B*G-C*F+D*E"};
  double x[8] = {P[0], P[1], P[2], P[3]};
  if (!quaternion(r, o, x + 4)) return false;
  o->type = LW_ORIENT_QUAT;
  return compute_all(r, product, 4, x, o->value);
}

/* ---- the ground of an included file ---- */

static bool is_ground(const lwi_yaml_node *body)
{
  return body->kind == LWI_YAML_SCALAR && strcmp(body->text, "ground") == 0;
}

lwi_yaml_node lwi_read_ground_at(const lwi_yaml_node *node)
{
  return (lwi_yaml_node){.kind = LWI_YAML_SCALAR,
                         .line = node->line,
                         .column = node->column,
                         .count = 6,
                         .scope = node->scope,
                         .text = "ground"};
}

/* One step outwards: from the ground of a scope to what it is placed on. */
static bool move_out(lwi_reader *r, const lwi_scope *s, double at[3], lw_orient *orient)
{
  double p[3] = {0}, P[4];
  lw_orient place = {.type = LW_ORIENT_NONE};
  r->key = "at";
  if (s->at && !lwi_read_vector(r, s->at, p)) return false;
  r->key = "orient";
  if (s->orient && !lwi_read_orient(r, s->orient, &place)) return false;
  if (!quaternion(r, &place, P)) return false;
  if (at && !move_point(r, P, p, at)) return false;
  if (!orient || !s->orient) return true;
  if (!r->planar) return turn_frame(r, P, orient);
  orient->type = LW_ORIENT_RPY;
  const double angle[] = {orient->value[2], place.value[2]};
  return compute(r, "A+B", angle, &orient->value[2]);
}

bool lwi_read_on_ground(lwi_reader *r, const lwi_yaml_node *body, double at[3], lw_orient *orient)
{
  const char *key = r->key;
  for (int i = body->scope; is_ground(body) && i >= 0;) {
    const lwi_scope *s = &r->scopes->item[i];
    if ((s->at || s->orient) && !move_out(r, s, at, orient)) return false;
    if (s->ground) body = s->ground;
    i = s->ground ? body->scope : s->parent;
  }
  r->key = key;
  return true;
}

bool lwi_read_place_on(lwi_reader *r, const lwi_yaml_node *part, const char *key, double at[3],
                       lw_orient *orient)
{
  const lwi_yaml_node *body = lwi_yaml_find(part, key);
  return !body || lwi_read_on_ground(r, body, at, orient);
}
