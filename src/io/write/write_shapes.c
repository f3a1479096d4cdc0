/* SPDX-License-Identifier: Apache-2.0 */
/* write_shapes.c -- the section `shapes`. */
#include "io/write/write_parts.h"
#include "io/file/file_path.h"

#include <stdlib.h>

static void write_scale(lwi_yaml_text *y, const double scale[3])
{
  if (scale[0] != 1 || scale[1] != 1 || scale[2] != 1) lwi_yaml_list(y, "scale", scale, 3);
}

/* as the file that is written names it */
static void write_file(lwi_yaml_text *y, const char *path)
{
  char *name = lwi_path_name(y->path, path);
  if (name)
    lwi_yaml_word(y, "file", name);
  else
    y->full = true;
  free(name);
}

void lwi_write_shapes(lwi_yaml_text *y, const lw_spec *s)
{
  if (s->shapes.n) lwi_yaml_add(y, "shapes:\n");
  for (int i = 0; i < s->shapes.n; i++) {
    const lw_shape_desc *d = &s->shapes.item[i].d;
    lwi_yaml_add(y, "  - {");
    y->first = true;
    lwi_yaml_word(y, "type", lw_shape_type_name(d->type));
    lwi_yaml_word(y, "body", lwi_write_body_name(s, d->body));
    if (d->name) lwi_yaml_word(y, "name", d->name);
    lwi_yaml_place(y, "at", "orient", &d->place);
    lwi_yaml_list(y, "size", d->size, 3);
    lwi_yaml_number(y, "radius", d->radius);
    lwi_yaml_number(y, "length", d->length);
    if (d->file) write_file(y, d->file);
    write_scale(y, d->scale);
    lwi_yaml_list(y, "color", d->color, 4);
    lwi_yaml_close(y);
  }
}
