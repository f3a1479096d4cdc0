/* SPDX-License-Identifier: Apache-2.0 */
/* attachments.c -- where joints, constraints, contacts and springs are attached to each body. */
#include "io/scene/scene.h"

#include <math.h>
#include <string.h>

typedef void visit_place(void *context, lw_body b, const double at[3]);

/* A body hangs free on a joint that leaves it every motion: that is no attachment. */
static bool is_attachment(const lw_scene_joint *j)
{
  return !j->implicit && j->type != LW_FREE;
}

/* Calls visit for each place; those of springs and shapes last. */
static void walk(const lwi_scene *scene, visit_place *visit, void *context)
{
  const lw_scene *s = &scene->s;
  for (int i = 0; i < s->njoint; i++) {
    if (!is_attachment(&s->joint[i])) continue;
    visit(context, s->joint[i].parent, s->joint[i].place.p);
    visit(context, s->joint[i].child, s->joint[i].child_place.p);
  }
  for (int i = 0; i < s->nconstraint; i++) {
    const lw_constraint_type type = s->constraint[i].type;
    if (type != LW_DISTANCE && type != LW_ROPE && type != LW_POINT_ON_LINE) continue;
    visit(context, s->constraint[i].parent, s->constraint[i].place.p);
    visit(context, s->constraint[i].child, s->constraint[i].child_place.p);
  }
  for (int i = 0; i < s->ncontact; i++)
    visit(context, s->contact[i].body, s->contact[i].at);
  for (int i = 0; i < s->nspring; i++) {
    visit(context, s->spring[i].from, s->spring[i].from_at);
    visit(context, s->spring[i].to, s->spring[i].to_at);
  }
  lw_shape_desc d; /* of a body of which a mesh is missing, so that it hangs together */
  for (int i = 0; i < lw_nshape(scene->m); i++)
    if (lw_get_shape(scene->m, i, &d) == LW_OK && d.type != LW_SHAPE_MESH)
      visit(context, d.body, d.place.at);
}

static void count(void *context, lw_body b, const double at[3])
{
  (void)at;
  ((lwi_attached *)context)[b.id].n++;
}

/* Places that coincide are one. */
static void keep(void *context, lw_body b, const double at[3])
{
  const lwi_attachments *a = context;
  lwi_attached *list = &a->body[b.id];
  for (int k = list->first; k < list->first + list->n; k++) {
    const double d =
        fabs(a->at[k][0] - at[0]) + fabs(a->at[k][1] - at[1]) + fabs(a->at[k][2] - at[2]);
    if (d <= 1e-9 * (1 + fabs(at[0]) + fabs(at[1]) + fabs(at[2]))) return;
    if (list->n > 64) return; /* a hub of very many joints: the first ones show it */
  }
  memcpy(a->at[list->first + list->n++], at, sizeof a->at[0]);
}

bool lwi_scene_attach(lwi_scene *s, lwi_attachments *out)
{
  const size_t nbody = (size_t)s->s.nbody + 1;
  out->body = lwi_arena_take(&s->arena, nbody, sizeof *out->body);
  if (!out->body) return false;
  walk(s, count, out->body);
  int total = 0;
  for (size_t b = 0; b < nbody; b++) {
    out->body[b].first = total;
    total += out->body[b].n;
    out->body[b].n = 0;
  }
  out->at = lwi_arena_take(&s->arena, (size_t)total, sizeof *out->at);
  if (!out->at) return false;
  walk(s, keep, out);
  return true;
}
