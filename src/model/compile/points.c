/* SPDX-License-Identifier: Apache-2.0 */
/* points.c -- compiles the points of a spec: frames that are fixed in links; force_numbers.c has
   their numbers. */
#include "model/compile/constants.h"

/* names are those of the first model: they share an index with bodies */
static const char *name_of(lwi_compiler *c, int i)
{
  if (c->before) return c->before->point[i].name;
  const char *name = lwi_arena_text(c->lasting, c->s->points.item[i].d.name);
  return name && lwi_name_add(c->m->body_index, name, strlen(name)) >= 0 ? name : NULL;
}

bool lwi_compile_points(lwi_compiler *c)
{
  lw_model *m = c->m;
  m->npoint = c->s->points.n;
  m->point = LWI_TAKE(c->arena, m->npoint, lwi_body);
  if (!m->point) return lwi_compile_memory(c);
  for (int i = 0; i < m->npoint; i++) {
    const lw_point_desc *d = &c->s->points.item[i].d;
    lwi_compile_at(c, "point", d->name, c->s->points.item[i].mark);
    m->point[i].body = d->body.id;
    m->point[i].hidden = c->s->points.item[i].role.hidden;
    m->point[i].link = m->body[d->body.id].link;
    if (!(m->point[i].name = name_of(c, i))) return lwi_compile_memory(c);
    if (!lwi_point_numbers(c, i)) return false;
  }
  return true;
}
