/* SPDX-License-Identifier: Apache-2.0 */
/* write_bodies.c -- the sections `bodies` and `points`. */
#include "io/write/write_parts.h"

const char *lwi_write_body_name(const lw_spec *s, lw_body body)
{
  return body.id < 1 ? "ground" : s->bodies.item[body.id - 1].d.name;
}

static void write_solid(lwi_yaml_text *y, const lw_solid *d)
{
  static const char *const names[] = {"", "rod", "box", "sphere", "cylinder", "point"};
  lwi_yaml_key(y, "solid");
  lwi_yaml_add(y, "{%s: {", names[d->type]);
  y->first = true;
  lwi_yaml_number(y, "mass", d->mass);
  lwi_yaml_number(y, "density", d->density);
  lwi_yaml_list(y, "at", d->at, 3);
  lwi_yaml_list(y, "axis", d->axis, 3);
  lwi_yaml_list(y, "size", d->size, 3);
  lwi_yaml_number(y, "radius", d->radius);
  lwi_yaml_number(y, "length", d->length);
  lwi_yaml_add(y, "}}");
}

static void write_start(lwi_yaml_text *y, const lw_start *d)
{
  lwi_yaml_key(y, "pose");
  lwi_yaml_add(y, "{");
  y->first = true;
  lwi_yaml_place(y, "at", "orient", &d->pose);
  lwi_yaml_add(y, "}, velocity: {");
  y->first = true;
  lwi_yaml_list(y, "linear", d->linear, 3);
  lwi_yaml_list(y, "angular", d->angular, 3);
  lwi_yaml_add(y, "}");
  y->first = false;
}

static void write_body(lwi_yaml_text *y, const lw_body_desc *d)
{
  const bool diagonal = d->inertia[3] == 0 && d->inertia[4] == 0 && d->inertia[5] == 0;
  lwi_yaml_open(y, d->name);
  if (d->solid.type != LW_SOLID_NONE) {
    write_solid(y, &d->solid);
  } else {
    lwi_yaml_key(y, "mass");
    lwi_yaml_value(y, d->mass);
    lwi_yaml_list(y, "com", d->com, 3);
    if (y->spec->planar)
      lwi_yaml_number(y, "inertia", d->inertia[2]);
    else
      lwi_yaml_list(y, "inertia", d->inertia, diagonal ? 3 : 6);
  }
  if (d->any_inertia) lwi_yaml_word(y, "any_inertia", "true");
  if (d->start) write_start(y, d->start);
  lwi_yaml_close(y);
}

void lwi_write_bodies(lwi_yaml_text *y, const lw_spec *s)
{
  if (s->bodies.n) lwi_yaml_add(y, "bodies:\n");
  for (int i = 0; i < s->bodies.n; i++)
    write_body(y, &s->bodies.item[i].d);
  int n = 0;
  for (int i = 0; i < s->points.n; i++) {
    const lw_point_desc *d = &s->points.item[i].d;
    if (s->points.item[i].role.hidden) continue; /* of a contact */
    if (n++ == 0) lwi_yaml_add(y, "points:\n");
    lwi_yaml_open(y, d->name);
    lwi_yaml_word(y, "body", lwi_write_body_name(s, d->body));
    lwi_yaml_place(y, "at", "orient", &d->place);
    lwi_yaml_close(y);
  }
}
