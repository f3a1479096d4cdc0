/* SPDX-License-Identifier: Apache-2.0 */
/* shapes.c -- evaluates the numbers of shapes.  Nothing that moves depends on them: models that
   events make have those of the first one. */
#include "model/compile/constants.h"

#include <stdio.h>
#include <string.h>

static bool is_given(const double x[], int n)
{
  for (int i = 0; i < n; i++)
    if (x[i] != 0) return true;
  return false;
}

static bool check_extent(lwi_compiler *c, const lw_shape_desc *d)
{
  const bool block = d->type == LW_SHAPE_BOX || d->type == LW_SHAPE_ELLIPSOID;
  const bool long_one = d->type == LW_SHAPE_CYLINDER || d->type == LW_SHAPE_CAPSULE;
  const bool round = d->type == LW_SHAPE_SPHERE || long_one;
  for (int i = 0; block && i < 3; i++)
    if (d->size[i] < 0) return lwi_compile_fail(c, LW_E_MODEL, "`size` is negative");
  if (round && d->radius < 0) return lwi_compile_fail(c, LW_E_MODEL, "`radius` is negative");
  if (long_one && d->length < 0) return lwi_compile_fail(c, LW_E_MODEL, "`length` is negative");
  return true;
}

static bool compile_shape(lwi_compiler *c, lw_shape_desc *d)
{
  num_frame place;
  double *e = d->place.orient.value;
  if (!lwi_place(c, &d->place, "at", &place) || !lwi_numbers(c, d->size, 3, "size") ||
      !lwi_numbers(c, &d->radius, 1, "radius") || !lwi_numbers(c, &d->length, 1, "length") ||
      !lwi_numbers(c, d->scale, 3, "scale") || !lwi_numbers(c, d->color, 4, "color"))
    return false;
  memcpy(d->place.at, place.p, sizeof d->place.at);
  d->place.orient.type = LW_ORIENT_QUAT;
  quat_from_rot(place.R, e);
  for (int i = 0; i < 3 && !is_given(d->scale, 3); i++)
    d->scale[i] = 1;
  return check_extent(c, d);
}

static bool keep_text(lwi_compiler *c, const char **text)
{
  return !*text || (*text = lwi_arena_text(c->lasting, *text)) != NULL;
}

bool lwi_compile_shapes(lwi_compiler *c)
{
  lw_model *m = c->m;
  char number[16]; /* stands for a name */
  const int n = m->nshape = c->s->shapes.n;
  m->shape = c->before ? c->before->shape : LWI_TAKE(c->lasting, n, lw_shape_desc);
  if (c->before) return true;
  if (!m->shape) return lwi_compile_memory(c);
  for (int i = 0; i < n; i++) {
    lw_shape_desc *d = &m->shape[i];
    *d = c->s->shapes.item[i].d;
    if (!keep_text(c, &d->name) || !keep_text(c, &d->file)) return lwi_compile_memory(c);
    snprintf(number, sizeof number, "%d", i + 1);
    lwi_compile_at(c, "shape", d->name ? d->name : number, c->s->shapes.item[i].mark);
    if (!compile_shape(c, d)) return false;
  }
  lwi_compile_at(c, NULL, NULL, (lwi_mark){0});
  return true;
}
