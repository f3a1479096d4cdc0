/* SPDX-License-Identifier: Apache-2.0 */
/* topology.c -- builds the graph of bodies and joints, adds free joints to floating groups, and
   finds the spanning tree, which determines the link of every body and the joint of every link.

   Groups of bodies that are connected only through the ground are independent: in their spanning
   trees and in the order of their links.  After an event only a region is examined: the groups that
   gained or lost a joint.  The others are copied from the previous model. */
#include "graph/union_find.h"
#include "linkwork/graph.h"
#include "linkwork/reader.h"
#include "model/compile/spans.h"

#include <stdlib.h>
#include <string.h>

/* bodies that are examined, as nodes of a graph in their order; node 0 is the ground */
typedef struct {
  int n;
  int *body; /* [n + 1] */
  int *node; /* [nbody + 1]; 0: not in it */
} region;

/* ---- the region ---- */

static void enter(region *r, int body)
{
  r->body[++r->n] = body;
  r->node[body] = r->n;
}

/* group[link]: a set of links of the previous model that are connected without the ground */
static void find_groups(const lw_model *before, int *group)
{
  lwi_sets_init(before->nlink, group);
  for (int i = 1; i < before->nlink; i++)
    if (before->link[i].parent > 0) group[i] = group[before->link[i].parent];
  for (int i = 1; i <= before->njoint && before->ncut > 0; i++) {
    const lw_joint_info *info = &before->joint[i].info;
    if (info->cut && info->parent.id > 0 && info->child.id > 0)
      lwi_sets_join(group, before->body[info->parent.id].link, before->body[info->child.id].link);
  }
}

static void touch(const lw_model *before, int *group, bool *touched, int a, int b)
{
  if (a > 0) touched[lwi_sets_find(group, before->body[a].link)] = true;
  if (b > 0) touched[lwi_sets_find(group, before->body[b].link)] = true;
}

/* groups that gained or lost a joint */
static bool find_touched(lwi_compiler *c, region *r)
{
  const lw_model *before = c->before;
  int *group = LWI_TAKE(&c->scratch, before->nlink, int);
  bool *touched = LWI_TAKE(&c->scratch, before->nlink, bool);
  bool *stays = LWI_TAKE(&c->scratch, before->njoint + 1, bool);
  if (!group || !touched || !stays) return lwi_compile_memory(c);
  find_groups(before, group);
  for (int i = 1; i <= c->njoint; i++) {
    const lwi_joint_values *h = &c->joint_values[i];
    stays[h->was] = true;
    if (h->was == 0) touch(before, group, touched, h->parent, h->child);
  }
  for (int i = 1; i <= before->njoint; i++) {
    const lw_joint_info *info = &before->joint[i].info;
    const bool floats = info->implicit && info->type == LW_FREE;
    if (!stays[i] && !floats) touch(before, group, touched, info->parent.id, info->child.id);
  }
  for (int b = 1; b <= c->m->nbody; b++)
    if (touched[lwi_sets_find(group, before->body[b].link)]) enter(r, b);
  return true;
}

static bool find_region(lwi_compiler *c, region *r)
{
  r->body = LWI_TAKE(&c->scratch, c->m->nbody + 1, int);
  r->node = LWI_TAKE(&c->scratch, c->m->nbody + 1, int);
  if (!r->body || !r->node) return lwi_compile_memory(c);
  if (c->before) return find_touched(c, r);
  for (int b = 1; b <= c->m->nbody; b++)
    enter(r, b);
  return true;
}

/* ---- their graph ---- */

/* edge[]: its joints, in ascending order */
static lw_graph *joint_graph(lwi_compiler *c, const region *r, int *edge)
{
  int *from = LWI_TAKE(&c->scratch, c->njoint, int), *to = LWI_TAKE(&c->scratch, c->njoint, int);
  int n = 0;
  if (!from || !to) return NULL;
  for (int i = 1; i <= c->njoint; i++) {
    const lwi_joint_values *h = &c->joint_values[i];
    if (r->node[h->parent] == 0 && r->node[h->child] == 0) continue;
    from[n] = r->node[h->parent];
    to[n] = r->node[h->child];
    edge[n++] = i;
  }
  return lw_graph_new(r->n + 1, n, from, to, NULL);
}

/* ---- floating groups ---- */

/* base[group]: the first body with a written pose, else the first one; 0: none yet, -1: connected
   to the ground */
static bool choose_bases(lwi_compiler *c, const region *r, const int *group, int *base)
{
  bool ok = true;
  base[group[0]] = -1;
  for (int v = 1; v <= r->n; v++)
    if (c->s->bodies.item[r->body[v] - 1].d.start && base[group[v]] == 0)
      base[group[v]] = r->body[v];
  for (int v = 1; v <= r->n && ok; v++) {
    const int b = r->body[v];
    int *chosen = &base[group[v]];
    if (*chosen == 0) *chosen = b;
    if (*chosen == b || !c->s->bodies.item[b - 1].d.start || c->phase->pose) continue;
    lwi_compile_at(c, "body", c->m->body[b].name, c->s->bodies.item[b - 1].mark);
    ok =
        lwi_compile_fail(c, LW_E_MODEL,
                         *chosen < 0 ? "pose and velocity follow from the joints that connect it "
                                       "to ground"
                                     : "pose and velocity follow from the joints: only the base of "
                                       "a floating group may have them, here \"%s\"",
                         *chosen < 0 ? "" : c->m->body[*chosen].name);
  }
  return ok;
}

static bool float_groups(lwi_compiler *c, const region *r, int *edge)
{
  lw_graph *g = joint_graph(c, r, edge);
  int *base = LWI_TAKE(&c->scratch, r->n + 2, int);
  if (!g || !base) return lw_graph_free(g), lwi_compile_memory(c);
  const int *group = lw_graph_components(g);
  bool ok = choose_bases(c, r, group, base);
  for (int b = 1; b <= c->m->nbody && ok; b++) {
    const int v = r->node[b];
    if (v > 0 ? base[group[v]] == b : lwi_floated_before(c, b) > 0) ok = lwi_float_body(c, b);
  }
  lw_graph_free(g);
  return ok;
}

/* ---- the spanning tree ---- */

static bool is_to_be_cut(const lwi_compiler *c, int joint)
{
  return joint <= c->s->joints.n && !c->phase->joint[joint - 1].given &&
         c->s->joints.item[joint - 1].d.cut;
}

/* Preference of joints at the same depth: joints with armature, which has to be in the tree, held
   joints, then joints with q written, and last those with `cut`.  Implicit joints come first, since
   nothing else connects their groups. */
static int rank_of(const lwi_compiler *c, int joint)
{
  if (joint > c->s->joints.n || c->phase->joint[joint - 1].given) return 0;
  const lw_joint_desc *d = &c->s->joints.item[joint - 1].d;
  bool rotor = false;
  for (int i = 0; i < LW_RATE_PAIRS; i++)
    rotor = rotor || !(d->armature[i] == 0); /* also if it is an expression */
  return rotor ? 1 : d->cut ? 5 : d->hold ? 2 : d->has_q ? 3 : 4;
}

/* the tree, and the order of its bodies: depth first, by ascending numbers */
static bool take_spans(lwi_compiler *c, const region *r, const lw_spanning_tree *t, const int *edge,
                       int nedge, int *order, lwi_spans *out)
{
  int *parent = LWI_TAKE(&c->scratch, r->n, int);
  if (!parent) return lwi_compile_memory(c);
  for (int v = 1; v <= r->n; v++) {
    const int b = r->body[v];
    out->parent[b] = r->body[t->parent[v]];
    out->joint[b] = edge[t->edge[v]];
    out->reversed[b] = t->reversed[v] != 0;
  }
  if (!lwi_load_massless_tips(c, r->n, r->body + 1, nedge, edge, out)) return false;
  for (int v = 1; v <= r->n; v++)
    parent[v - 1] = r->node[out->parent[r->body[v]]] - 1;
  lw_tree *deep = lw_tree_new(r->n, parent, NULL, NULL);
  if (!deep) return lwi_compile_memory(c);
  for (int k = 0; k < r->n; k++)
    order[k] = r->body[deep->order[k] + 1];
  lw_tree_free(deep);
  return true;
}

/* The shallow tree, unless that cuts a joint with armature (rank 1): then as many of its other
   joints as possible, whatever the depth. */
static lw_spanning_tree *choose_tree(const lw_graph *g, int *rank)
{
  lw_spanning_tree *t = lw_spanning_tree_new(g, &(lw_span_options){.rank = rank}, NULL);
  bool again = false;
  for (int i = 0; t && i < t->ncut; i++)
    again = again || rank[t->cut[i]] == 1;
  if (!again) return t;
  for (int i = 0; i < t->ncut; i++)
    if (rank[t->cut[i]] > 1) rank[t->cut[i]] += 10;
  lw_spanning_tree_free(t);
  return lw_spanning_tree_new(g, &(lw_span_options){.mode = LW_SPAN_BY_RANK, .rank = rank}, NULL);
}

static bool span_region(lwi_compiler *c, const region *r, int *order, lwi_spans *out)
{
  int *edge = LWI_TAKE(&c->scratch, c->njoint + c->m->nbody, int);
  int *rank = LWI_TAKE(&c->scratch, c->njoint + c->m->nbody, int);
  if (!edge || !rank) return lwi_compile_memory(c);
  if (!float_groups(c, r, edge)) return false;
  lw_graph *g = joint_graph(c, r, edge);
  for (int e = 0; g && e < lw_graph_nedge(g); e++)
    rank[e] = rank_of(c, edge[e]);
  lw_spanning_tree *t = g ? choose_tree(g, rank) : NULL;
  const bool ok =
      t ? take_spans(c, r, t, edge, lw_graph_nedge(g), order, out) : lwi_compile_memory(c);
  lw_spanning_tree_free(t);
  lw_graph_free(g);
  return ok;
}

/* ---- groups outside the region, copied ---- */

/* joint[old]: its new number; body[link] of the previous model */
static bool keep_spans(lwi_compiler *c, const region *r, int *body, lwi_spans *out)
{
  const lw_model *before = c->before;
  int *joint = LWI_TAKE(&c->scratch, before->njoint + 1, int);
  if (!joint) return lwi_compile_memory(c);
  for (int i = 1; i <= c->njoint; i++)
    joint[c->joint_values[i].was] = i;
  for (int b = 1; b <= before->nbody; b++)
    body[before->body[b].link] = b;
  for (int b = 1; b <= before->nbody; b++) {
    if (r->node[b]) continue;
    const lwi_link *L = &before->link[before->body[b].link];
    out->parent[b] = body[L->parent];
    out->joint[b] = joint[L->joint];
    out->reversed[b] = before->joint[L->joint].reversed;
  }
  return true;
}

/* Merges trees on the ground, of the region and of the previous model, by the number of their first
   body. */
static void merge_orders(const lwi_compiler *c, const region *r, const int *region_order,
                         const int *body, lwi_spans *out)
{
  const lw_model *before = c->before;
  int n = 0, i = 0, k = 1; /* indices in the result, the region, the previous links */
  while (n < c->m->nbody) {
    while (k < before->nlink && r->node[body[k]])
      k++;
    const int old = k < before->nlink ? body[k] : c->m->nbody + 1;
    const int new = i < r->n ? region_order[i] : c->m->nbody + 1;
    if (new < old) do
        out->order[n++] = region_order[i++];
      while (i < r->n && out->parent[region_order[i]] != 0);
    else
      do
        out->order[n++] = body[k++];
      while (k < before->nlink && before->link[k].parent != 0);
  }
}

static bool find_spans(lwi_compiler *c, lwi_spans *out)
{
  const int n = c->m->nbody;
  region r = {0};
  *out = (lwi_spans){LWI_TAKE(&c->scratch, n + 1, int), LWI_TAKE(&c->scratch, n + 1, int),
                     LWI_TAKE(&c->scratch, n + 1, bool), LWI_TAKE(&c->scratch, n, int)};
  int *order = LWI_TAKE(&c->scratch, n, int), *body = LWI_TAKE(&c->scratch, n + 1, int);
  if (!out->parent || !out->joint || !out->reversed || !out->order || !order || !body)
    return lwi_compile_memory(c);
  if (!find_region(c, &r)) return false;
  if (!c->before) return span_region(c, &r, out->order, out);
  if (!span_region(c, &r, order, out) || !keep_spans(c, &r, body, out)) return false;
  merge_orders(c, &r, order, body, out);
  return true;
}

/* ---- into the model ---- */

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

static void list_joint(lwi_compiler *c, int i, bool cut)
{
  lw_model *m = c->m;
  const lwi_joint_values *h = &c->joint_values[i];
  const lwi_joint *old = lwi_joint_before(c, i);
  lwi_joint *j = &m->joint[i];
  *j = old ? *old : (lwi_joint){0};
  j->info = (lw_joint_info){.name = h->name,
                            .type = h->type,
                            .parent = {h->parent},
                            .child = {h->child},
                            .q = cut ? -1 : m->nq,
                            .nq = lw_joint_type_nq(h->type, m->planar),
                            .u = cut ? -1 : m->nu,
                            .nu = lw_joint_type_nu(h->type, m->planar),
                            .implicit = h->implicit,
                            .cut = cut,
                            .cut_refused = !cut && is_to_be_cut(c, i)};
  if (i <= c->s->joints.n) {
    j->mark = c->s->joints.item[i - 1].mark;
    j->info.line = j->mark.line;
    j->info.column = j->mark.column;
    j->info.file = j->mark.file ? m->files[j->mark.file - 1] : NULL;
  }
  j->link = 0;
  j->reversed = false;
  j->pair = j->constraint = j->lock = -1;
  m->nq += cut ? 0 : j->info.nq;
  m->nu += cut ? 0 : j->info.nu;
}

static bool name_joint(lwi_compiler *c, int i)
{
  const lwi_joint_values *h = &c->joint_values[i];
  const lwi_name *known = h->was > 0 ? &c->before->joint_index->name[h->was - 1] : NULL;
  const int at = known ? lwi_name_add_known(c->m->joint_index, h->name, known)
                       : lwi_name_add(c->m->joint_index, h->name, strlen(h->name));
  return at >= 0 || lwi_compile_memory(c);
}

/* A joint called "A.2" and the second coordinate of a joint "A" would have the same columns. */
static bool check_column_names(lwi_compiler *c)
{
  const lw_model *m = c->m;
  for (int i = 1; i <= m->njoint; i++) {
    const char *name = m->joint[i].info.name, *dot = strrchr(name, '.');
    const size_t digits = dot ? strspn(dot + 1, "0123456789") : 0;
    if (digits == 0 || digits > 1 || dot[1 + digits]) continue;
    const int other = lwi_name_find(m->joint_index, name, (size_t)(dot - name)) + 1;
    if (other < 1) continue;
    const lw_joint_info *o = &m->joint[other].info;
    const int most = o->nq > o->nu ? o->nq : o->nu;
    if (most < 2 || dot[1] - '0' > most || dot[1] == '0') continue;
    lwi_compile_at(c, "joint", name, m->joint[i].mark);
    return lwi_compile_fail(c, LW_E_MODEL,
                            "coordinate %s of joint \"%s\" has this name in results; "
                            "rename one of them",
                            dot + 1, o->name);
  }
  return true;
}

/* assigns the places of joints in q and u, in the order of the spec */
static bool list_joints(lwi_compiler *c, const lwi_spans *s)
{
  lw_model *m = c->m;
  bool *in_tree = LWI_TAKE(&c->scratch, c->njoint + 1, bool);
  m->joint = LWI_SCRATCH(c->own, c->njoint + 1, lwi_joint);
  m->joint_index = lwi_store_index(m->store);
  if (!in_tree || !m->joint) return lwi_compile_memory(c);
  m->njoint = c->njoint;
  m->ncut = m->njoint - m->nbody;
  m->joint[0] = (lwi_joint){0};
  for (int b = 1; b <= m->nbody; b++)
    in_tree[s->joint[b]] = true;
  for (int i = 1; i <= c->njoint; i++) {
    list_joint(c, i, !in_tree[i]);
    if (!name_joint(c, i)) return false;
  }
  m->nstate = c->s->states.n; /* they follow the coordinates of the tree */
  m->nq += m->nstate;
  place_coordinates(m);
  return check_column_names(c);
}

/* link 1, 2, ... in depth-first order */
static bool number_links(lwi_compiler *c, const lwi_spans *s)
{
  lw_model *m = c->m;
  const int n = m->nbody;
  m->link = LWI_SCRATCH(c->own, n + 1, lwi_link); /* filled by links.c */
  if (!m->link) return lwi_compile_memory(c);
  m->link[0] = (lwi_link){0};
  m->nlink = n + 1;
  for (int k = 0; k < n; k++) {
    const int b = s->order[k], joint = s->joint[b];
    m->body[b].link = k + 1;
    m->joint[joint].link = k + 1;
    m->joint[joint].reversed = s->reversed[b];
    m->link[k + 1].parent = m->body[s->parent[b]].link;
  }
  return true;
}

bool lwi_compile_topology(lwi_compiler *c)
{
  lwi_spans s;
  return find_spans(c, &s) && list_joints(c, &s) && number_links(c, &s);
}
