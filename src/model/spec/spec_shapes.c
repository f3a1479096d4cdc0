/* SPDX-License-Identifier: Apache-2.0 */
/* spec_shapes.c -- the shapes of a spec. */
#include "linkwork/shapes.h"
#include "model/spec/spec_data.h"

const char *lw_shape_type_name(lw_shape_type type)
{
#define NAME(value, name) name,
  static const char *const names[] = {LW_SHAPE_TYPES(NAME)};
#undef NAME
  return (unsigned)type < LW_SHAPE_TYPE_COUNT ? names[type] : NULL;
}

void lw_add_shape(lw_spec *s, const lw_shape_desc *d)
{
  if (!lwi_spec_good(s)) return;
  if (!d || !lw_shape_type_name(d->type) || (d->type == LW_SHAPE_MESH && !d->file)) {
    lwi_spec_fail(s, LW_E_ARG, s->mark, "lw_add_shape: no descriptor, type or file");
    return;
  }
  if (d->body.id < 0 || d->body.id > s->bodies.n) {
    lwi_spec_fail(s, LW_E_ARG, s->mark, "a shape: no such body");
    return;
  }
  lw_shape_desc copy = *d;
  copy.name = lwi_spec_text(s, d->name);
  copy.file = lwi_spec_text(s, d->type == LW_SHAPE_MESH ? d->file : NULL);
  if (lwi_spec_good(s)) LWI_SPEC_APPEND(s, shapes, copy);
}
