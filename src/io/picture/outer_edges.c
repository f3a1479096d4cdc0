/* SPDX-License-Identifier: Apache-2.0 */
/* outer_edges.c -- what the picture of a digraph shows beside its tree: cut joints and constraints,
   and on request springs, forces and contacts as edges, motors and drivers beside the joints that
   they move. */
#include "io/picture/picture.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

static void add(lwi_graph_picture *p, lwi_outer_edge e)
{
  if (!e.name) e.name = "";
  p->outer[p->nouter++] = e;
}

static void add_loop(lwi_graph_picture *p, int k)
{
  const lw_topology *t = p->s.t;
  const int e = t->loop_edge[k], from = t->loop_from[k] + 1, to = t->loop_to[k] + 1;
  if (e < t->njoint) {
    const lw_joint_info info = lw_get_joint(p->s.m, (lw_joint){e + 1});
    add(p, (lwi_outer_edge){from, to, info.name, lw_joint_type_name(info.type), "cut", "cutname"});
    return;
  }
  const lw_constraint_info info =
      lw_get_constraint(p->s.m, (lw_constraint){t->constraint[e - t->njoint]});
  add(p, (lwi_outer_edge){from, to, info.name, lw_constraint_type_name(info.type), "constraint",
                          "tiename"});
}

static void add_elements(lwi_graph_picture *p, const lw_scene *s)
{
  for (int i = 0; i < s->nspring; i++) {
    const lw_scene_spring *x = &s->spring[i];
    add(p, (lwi_outer_edge){x->from.id, x->to.id, x->name, x->bushing ? "bushing" : "spring",
                            "push", "pushname"});
  }
  for (int i = 0; i < s->nload; i++)
    add(p, (lwi_outer_edge){0, s->load[i].body.id, s->load[i].name, "force", "push", "pushname"});
  for (int i = 0; i < s->ncontact; i++)
    add(p, (lwi_outer_edge){s->contact[i].other.id, s->contact[i].body.id, s->contact[i].name,
                            "contact", "push", "pushname"});
}

bool lwi_loops_list(lwi_graph_picture *p)
{
  const lw_scene *s = p->s.scene;
  const int more = s ? s->nspring + s->nload + s->ncontact : 0;
  p->outer = LWI_TAKE(p->s.arena, p->s.t->nloop + more + 1, lwi_outer_edge);
  if (!p->outer) return false;
  for (int k = 0; k < p->s.t->nloop; k++)
    add_loop(p, k);
  if (s) add_elements(p, s);
  return true;
}

/* ---- what moves a joint ---- */

static void append(char text[], size_t size, const char *what, const char *name)
{
  const size_t used = strlen(text);
  snprintf(text + used, size - used, " · %s %s", what, name ? name : "");
}

static bool moves(const lwi_constraint *c, int joint)
{
  for (int k = 0; k < c->relation.nterm; k++)
    if (c->relation.term[k].joint == joint) return true;
  return false;
}

void lwi_joint_type_text(const lwi_pictured_model *s, int joint, char text[], size_t size)
{
  const lw_scene *scene = s->scene;
  snprintf(text, size, "%s", lw_joint_type_name(lw_get_joint(s->m, (lw_joint){joint}).type));
  for (int i = 0; scene && i < scene->nmotor; i++)
    if (scene->motor[i].joint.id == joint) append(text, size, "motor", scene->motor[i].name);
  for (int i = 1; scene && i <= s->m->nconstraint; i++)
    if (moves(&s->m->constraint[i], joint))
      append(text, size, lw_constraint_type_name(s->m->constraint[i].info.type),
             s->m->constraint[i].info.name);
}
