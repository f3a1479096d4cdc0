/* SPDX-License-Identifier: Apache-2.0 */
/* topology.c -- the graph of bodies and joints: floating groups get a free joint, the spanning tree
   gives every body its link and every link its joint. */
#include "linkwork/graph.h"
#include "model/constants.h"

#include <stdio.h>
#include <stdlib.h>

static lw_graph *joint_graph(lwi_compiler *c)
{
  const int n = c->njoint;
  int *from = LWI_TAKE(&c->scratch, n, int), *to = LWI_TAKE(&c->scratch, n, int);
  if (!from || !to) return NULL;
  for (int i = 0; i < n; i++)
    from[i] = c->hinge[i + 1].parent, to[i] = c->hinge[i + 1].child;
  return lw_graph_new(c->s->bodies.n + 1, n, from, to, NULL);
}

/* ---- floating groups ---- */

/* of a body that comes loose during a simulation and has the name of a joint: no joint has such a name */
static const char *free_name(lwi_compiler *c, const char *body)
{
  const size_t size = strlen(body) + sizeof ".free";
  char *name = LWI_TAKE(c->arena, size, char);
  if (name) snprintf(name, size, "%s.free", body);
  return name;
}

/* the free joint of a floating body */
static bool float_body(lwi_compiler *c, int b)
{
  const lw_body_desc *d = &c->s->bodies.item[b - 1].d;
  lwi_hinge *h = &c->hinge[++c->njoint];
  *h = (lwi_hinge){.name = c->m->body[b].name, .type = LW_FREE, .child = b, .implicit = true};
  h->has_q = h->has_u = d->start != NULL;
  lwi_compile_at(c, "body", d->name, c->s->bodies.item[b - 1].mark);
  if (lwi_name_find(&c->s->joint_names, h->name, strlen(h->name)) >= 0) {
    if (!c->s->pose)
      return lwi_compile_fail(c, LW_E_MODEL,
                              "floats freely, and the free joint of that name that it "
                              "gets is taken by a joint; rename one of them");
    if (!(h->name = free_name(c, h->name))) return lwi_compile_memory(c);
  }
  return lwi_float_hinge(c, d, h);
}

static bool float_groups(lwi_compiler *c)
{
  lw_graph *g = joint_graph(c);
  const int n = c->s->bodies.n;
  int *base = LWI_TAKE(&c->scratch, n + 2, int); /* of each group; 0: none yet, -1: on the ground */
  if (!g || !base) return lw_graph_free(g), lwi_compile_memory(c);
  const int *group = lw_graph_components(g);
  bool ok = true;
  base[group[0]] = -1;
  for (int b = 1; b <= n; b++)
    if (c->s->bodies.item[b - 1].d.start && base[group[b]] == 0) base[group[b]] = b;
  for (int b = 1; b <= n && ok; b++) {
    int *chosen = &base[group[b]];
    if (*chosen == 0) *chosen = b;
    if (*chosen == b || !c->s->bodies.item[b - 1].d.start || c->s->pose) continue;
    lwi_compile_at(c, "body", c->m->body[b].name, c->s->bodies.item[b - 1].mark);
    ok =
        lwi_compile_fail(c, LW_E_MODEL,
                         *chosen < 0 ? "pose and velocity follow from the joints that connect it "
                                       "to ground"
                                     : "pose and velocity follow from the joints: only the base of "
                                       "a floating group may have them, here \"%s\"",
                         *chosen < 0 ? "" : c->m->body[*chosen].name);
  }
  for (int b = 1; b <= n && ok; b++)
    if (base[group[b]] == b) ok = float_body(c, b);
  lw_graph_free(g);
  return ok;
}

/* ---- the spanning tree ---- */

/* Which joints the tree prefers among those at the same depth: held ones, then ones with q written,
   and last those that the user wishes to be cut.  Implicit joints come first: nothing else leads to
   their groups. */
static lw_spanning_tree *span(lwi_compiler *c, const lw_graph *g)
{
  int *rank = LWI_TAKE(&c->scratch, c->njoint, int);
  if (!rank) return NULL;
  for (int i = 0; i < c->s->joints.n; i++) {
    const lw_joint_desc *d = &c->s->joints.item[i].d;
    rank[i] = c->s->joints.item[i].phase.given ? 0 : d->cut ? 4 : d->hold ? 1 : d->has_q ? 2 : 3;
  }
  return lw_spanning_tree_new(g, &(lw_span_options){.rank = rank}, NULL);
}

/* coordinates of cut joints come after those of the tree */
static void place_coordinates(lw_model *m)
{
  for (int i = 1; i <= m->njoint; i++) {
    lwi_joint *j = &m->joint[i];
    j->info.q_all = j->info.cut ? m->nq + m->ncut_q : j->info.q;
    j->info.u_all = j->info.cut ? m->nu + m->ncut_u : j->info.u;
    m->ncut_q += j->info.cut ? j->info.nq : 0;
    m->ncut_u += j->info.cut ? j->info.nu : 0;
  }
}

/* joints, in the order of the spec, take their places in q and u */
static bool list_joints(lwi_compiler *c, const lw_spanning_tree *s)
{
  lw_model *m = c->m;
  m->joint = LWI_TAKE(c->arena, c->njoint + 1, lwi_joint);
  m->joint_index = LWI_TAKE(c->arena, 1, lwi_name_index);
  if (!m->joint || !m->joint_index) return lwi_compile_memory(c);
  m->njoint = c->njoint;
  m->ncut = s->ncut;
  for (int k = 0; k < s->ncut; k++)
    m->joint[s->cut[k] + 1].info.cut = true;
  for (int i = 1; i <= c->njoint; i++) {
    const lwi_hinge *h = &c->hinge[i];
    lw_joint_info *info = &m->joint[i].info;
    const bool cut = info->cut;
    *info = (lw_joint_info){.name = h->name,
                            .type = h->type,
                            .parent = {h->parent},
                            .child = {h->child},
                            .q = cut ? -1 : m->nq,
                            .nq = lw_joint_type_nq(h->type, m->planar),
                            .u = cut ? -1 : m->nu,
                            .nu = lw_joint_type_nu(h->type, m->planar),
                            .implicit = h->implicit,
                            .cut = cut};
    m->nq += cut ? 0 : info->nq;
    m->nu += cut ? 0 : info->nu;
    m->joint[i].pair = m->joint[i].tie = m->joint[i].lock = -1;
    if (lwi_name_add(m->joint_index, h->name, strlen(h->name)) < 0) return lwi_compile_memory(c);
  }
  place_coordinates(m);
  return true;
}

/* link 1, 2, ... in depth-first order; body b is node b-1 of the tree */
static bool number_links(lwi_compiler *c, const lw_spanning_tree *s)
{
  lw_model *m = c->m;
  const int n = m->nbody;
  int *parent = LWI_TAKE(&c->scratch, n, int);
  if (!parent) return lwi_compile_memory(c);
  for (int b = 1; b <= n; b++)
    parent[b - 1] = s->parent[b] - 1;
  lw_tree *t = lw_tree_new(n, parent, NULL, NULL);
  m->link = LWI_TAKE(c->arena, n + 1, lwi_link);
  if (!t || !m->link) return lw_tree_free(t), lwi_compile_memory(c);
  m->nlink = n + 1;
  for (int k = 0; k < n; k++) {
    const int b = t->order[k] + 1, joint = s->edge[b] + 1;
    m->body[b].link = k + 1;
    m->joint[joint].link = k + 1;
    m->joint[joint].reversed = s->reversed[b] != 0;
    m->link[k + 1].parent = m->body[s->parent[b]].link;
  }
  lw_tree_free(t);
  return true;
}

bool lwi_compile_topology(lwi_compiler *c)
{
  if (!float_groups(c)) return false;
  lw_graph *g = joint_graph(c);
  lw_spanning_tree *s = g ? span(c, g) : NULL;
  const bool ok = s ? list_joints(c, s) && number_links(c, s) : lwi_compile_memory(c);
  lw_spanning_tree_free(s);
  lw_graph_free(g);
  return ok;
}
