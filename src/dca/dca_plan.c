/* SPDX-License-Identifier: Apache-2.0 */
/* dca_plan.c -- once per model: its graph, the assembly tree, and the storage of results. */
#include "base/fail.h"
#include "dca/dca.h"
#include "linkwork/graph.h"

#include <stdlib.h>

#define TAKE(d, n, type) LWI_TAKE(&(d)->arena, n, type)

lw_status lwi_dca_no_memory(lw_error *err)
{
  return lwi_fail(err, LW_E_MEMORY, "divide and conquer: out of memory");
}

/* ---- bodies ---- */

static void set_body(const lw_model *m, const lwi_body *body, lwi_dca_body *b, lwi_dca_state *s)
{
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  const lwi_link *L = &m->link[body->link];
  const double mass = L->mass;
  for (int i = 0; i < 3; i++) {
    b->com[i] = mass > 0 ? L->h[i] / mass : 0;
    s->inverse_mass[i] = m->planar && i == 2 ? 0 : 1 / (mass + m->added_mass[body->link].mass);
  }
  const double cc = dot3(b->com, b->com);
  for (int i = 0; i < 6; i++)
    b->inertia[i] =
        L->J.c[column[i]][row[i]] - mass * ((i < 3 ? cc : 0) - b->com[row[i]] * b->com[column[i]]);
}

/* bodies, and the edges of light ones */
static lw_status set_bodies(lw_dca *d, lw_error *err)
{
  const lw_model *m = d->m;
  d->body = TAKE(d, m->nlink, lwi_dca_body);
  d->state = TAKE(d, m->nlink, lwi_dca_state);
  d->edge = TAKE(d, m->nbody + m->njoint + m->nconstraint, lwi_dca_edge);
  if (!d->body || !d->state || !d->edge) return lwi_dca_no_memory(err);
  for (int i = 1; i <= m->nbody; i++) {
    lwi_dca_body *b = &d->body[m->body[i].link];
    double B[6][6];
    set_body(m, &m->body[i], b, &d->state[m->body[i].link]);
    lwi_dca_edge *e = &d->edge[d->nedge];
    if (!lwi_dca_lighten(m, i, b, B, e)) continue;
    double(*own)[6] = lwi_arena_take(&d->arena, (size_t)e->m, sizeof *own);
    if (!own) return lwi_dca_no_memory(err);
    memcpy(own, B, (size_t)e->m * sizeof *own);
    e->B = (const double(*)[6])own;
    d->nedge++;
  }
  return LW_OK;
}

/* ---- edges ---- */

static void add_edge(lw_dca *d, lwi_dca_edge e, int *of)
{
  *of = -1;
  if (e.m == 0) return;
  *of = d->nedge;
  d->edge[d->nedge++] = e;
}

static lwi_dca_edge edge_of_joint(const lw_model *m, int i)
{
  const lwi_joint *j = &m->joint[i];
  if (j->link == 0)
    return (lwi_dca_edge){.kind = LWI_DCA_CLOSING,
                          .joint = i,
                          .a = m->body[j->info.parent.id].link,
                          .b = m->body[j->info.child.id].link,
                          .m = j->equations.n + lwi_count_locked(j->locked)};
  /* a tree joint connects its link to the parent */
  const lwi_link *L = &m->link[j->link];
  const int rotors = lwi_count_locked(lwi_rotors(j));
  const bool revolute = !m->planar && L->kind == LWI_KIND_REVOLUTE && !L->locked && rotors == 0;
  return (lwi_dca_edge){.kind = revolute ? LWI_DCA_REVOLUTE : LWI_DCA_TREE,
                        .joint = i,
                        .link = j->link,
                        .a = L->parent,
                        .b = j->link,
                        .rotors = rotors,
                        .m = (m->planar ? 3 : 6) - j->info.nu + lwi_count_locked(L->locked) +
                             rotors};
}

static lw_status add_relation(lw_dca *d, int constraint, lw_error *err)
{
  const int nterm = d->m->constraint[constraint].relation.nterm;
  int *links = TAKE(d, 2 * nterm, int), *inner = TAKE(d, 2 * nterm, int);
  if (!links || !inner) return lwi_dca_no_memory(err);
  const int n = lwi_dca_relation_links(d->m, constraint, links);
  add_edge(d,
           (lwi_dca_edge){.kind = LWI_DCA_RELATION,
                          .constraint = constraint,
                          .m = 1,
                          .nlink = n,
                          .links = links,
                          .inner = inner},
           &d->constraint_edge[constraint]);
  return LW_OK;
}

static lw_status list_edges(lw_dca *d, lw_error *err)
{
  const lw_model *m = d->m;
  bool relations = false;
  d->joint_edge = TAKE(d, m->njoint + 1, int);
  d->constraint_edge = TAKE(d, m->nconstraint + 1, int);
  if (!d->joint_edge || !d->constraint_edge) return lwi_dca_no_memory(err);
  d->joint_edge[0] = d->constraint_edge[0] = -1;
  for (int i = 1; i <= m->njoint; i++)
    add_edge(d, edge_of_joint(m, i), &d->joint_edge[i]);
  for (int i = 1; i <= m->nconstraint; i++) {
    const lwi_constraint *k = &m->constraint[i];
    if (k->relation.nterm > 0) {
      const lw_status status = add_relation(d, i, err);
      if (status != LW_OK) return status;
      relations = true;
      continue;
    }
    add_edge(d,
             (lwi_dca_edge){.kind = LWI_DCA_CLOSING,
                            .constraint = i,
                            .a = m->body[k->info.parent.id].link,
                            .b = m->body[k->info.child.id].link,
                            .m = k->equations.n},
             &d->constraint_edge[i]);
  }
  if (relations && !(d->relation_tau = TAKE(d, m->nu, double))) return lwi_dca_no_memory(err);
  return LW_OK;
}

/* ---- the assembly tree ---- */

/* edges of the graph: one for most edges, several for a relation */
typedef struct {
  int n, *from, *to, *group, *rows, *edge;
} graph_edges;

static void add_graph_edge(graph_edges *g, int edge, int rows, int a, int b, int group)
{
  g->from[g->n] = a - 1;
  g->to[g->n] = b - 1;
  g->group[g->n] = group;
  g->rows[g->n] = rows;
  g->edge[g->n++] = edge;
}

/* does a relation include the ground? */
static bool is_grounded(const lw_model *m, int constraint)
{
  const lwi_relation *r = &m->constraint[constraint].relation;
  for (int k = 0; k < r->nterm; k++) {
    const lwi_joint *j = &m->joint[r->term[k].joint];
    if (j->info.parent.id == 0 || j->info.child.id == 0) return true;
  }
  return false;
}

static void add_graph_edges(const lw_dca *d, int edge, graph_edges *g)
{
  const lwi_dca_edge *e = &d->edge[edge];
  if (e->kind == LWI_DCA_LIGHT) {
    add_graph_edge(g, edge, e->m, e->b, e->b, LWI_LATE);
  } else if (e->kind != LWI_DCA_RELATION) {
    add_graph_edge(g, edge, e->m, e->a, e->b, LWI_NO_GROUP);
  } else {
    for (int k = 1; k < e->nlink; k++)
      add_graph_edge(g, edge, 1, e->links[0], e->links[k], edge);
    if (is_grounded(d->m, e->constraint) || e->nlink == 1)
      add_graph_edge(g, edge, 1, e->links[0], 0, edge);
  }
}

/* The edge of a joint or constraint that the caller names, -1: it has no equations.  named[] by
   joint, then constraint */
static lw_status find_named(const lw_dca *d, const lw_assembled *x, bool named[], int *edge,
                            lw_error *err)
{
  const lw_model *m = d->m;
  const bool joint = x->joint.id > 0 && x->joint.id <= m->njoint && x->constraint.id == 0;
  const bool constraint =
      x->joint.id == 0 && x->constraint.id > 0 && x->constraint.id <= m->nconstraint;
  if (!joint && !constraint)
    return lwi_fail(err, LW_E_ARG, "assembly: no such joint or constraint");
  bool *mark = &named[joint ? x->joint.id : m->njoint + x->constraint.id];
  if (*mark)
    return lwi_fail(err, LW_E_ARG, "assembly: %s is named twice",
                    joint ? m->joint[x->joint.id].info.name
                          : m->constraint[x->constraint.id].info.name);
  *mark = true;
  *edge = joint ? d->joint_edge[x->joint.id] : d->constraint_edge[x->constraint.id];
  return LW_OK;
}

/* The edges that the caller names first, in that order, then the others as they are in order[]. */
static lw_status put_first(const lw_dca *d, const graph_edges *g, int order[], lwi_arena *scratch,
                           lw_error *err)
{
  bool *named = LWI_TAKE(scratch, d->m->njoint + d->m->nconstraint + 1, bool);
  bool *taken = LWI_TAKE(scratch, d->nedge + 1, bool);
  int *sorted = LWI_TAKE(scratch, g->n + 1, int), n = 0;
  if (!named || !taken || !sorted) return lwi_dca_no_memory(err);
  for (int k = 0; k < d->requested.norder; k++) {
    int e = -1;
    const lw_status status = find_named(d, &d->requested.order[k], named, &e, err);
    if (status != LW_OK) return status;
    if (e >= 0) taken[e] = true;
    for (int i = 0; i < g->n && e >= 0; i++)
      if (g->edge[i] == e) sorted[n++] = i;
  }
  for (int i = 0; i < g->n; i++)
    if (!taken[g->edge[order[i]]]) sorted[n++] = order[i];
  memcpy(order, sorted, (size_t)n * sizeof *order);
  return LW_OK;
}

/* NULL, by bisection, or the order of another strategy or of the caller's */
static lw_status choose_order(const lw_dca *d, const graph_edges *g, lwi_arena *scratch,
                              int **order, lw_error *err)
{
  *order = NULL;
  if (d->requested.strategy == LW_ASSEMBLY_BISECTION && d->requested.norder == 0) return LW_OK;
  *order = LWI_TAKE(scratch, g->n + 1, int);
  const bool inward = d->requested.strategy == LW_ASSEMBLY_INWARD;
  if (!*order ||
      !(inward ? lwi_assembly_order_inward(g->n, g->from, g->to, *order)
               : lwi_assembly_order_pairs(d->m->nlink - 1, g->n, g->from, g->to, *order)))
    return lwi_dca_no_memory(err);
  return d->requested.norder ? put_first(d, g, *order, scratch, err) : LW_OK;
}

/* node of the assembly tree = link - 1, so that the ground is LW_NO_NODE */
static lw_status grow_tree(lw_dca *d, lw_error *err)
{
  lwi_arena scratch = {0};
  int most = 0;
  for (int e = 0; e < d->nedge; e++)
    most += 1 + d->edge[e].nlink;
  graph_edges g = {0};
  int **const list[] = {&g.from, &g.to, &g.group, &g.rows};
  g.edge = d->graph_edge = TAKE(d, most, int);
  bool allocated = g.edge;
  for (int k = 0; k < 4; k++)
    allocated = (*list[k] = LWI_TAKE(&scratch, most, int)) && allocated;
  lw_status st = LW_E_MEMORY;
  if (allocated) {
    for (int e = 0; e < d->nedge; e++)
      add_graph_edges(d, e, &g);
    int *order;
    const lw_status chosen = choose_order(d, &g, &scratch, &order, err);
    if (chosen != LW_OK) {
      lwi_arena_free(&scratch);
      return chosen;
    }
    d->tree = lwi_assembly_tree_grouped(d->m->nlink - 1, g.n, g.from, g.to, g.group, order, &st);
  }
  if (d->tree) d->cost = lwi_assembly_tree_cost(d->tree, g.rows);
  if (d->tree) st = lwi_dca_count_levels(d, g.rows);
  lwi_arena_free(&scratch);
  return st == LW_E_MEMORY ? lwi_dca_no_memory(err)
         : st != LW_OK     ? lwi_fail(err, st, "bad graph")
                           : LW_OK;
}

/* ---- steps ---- */

static int find_handle(const lwi_assembly_tree *t, int assembly, int node)
{
  const lwi_assembly *a = &t->assembly[assembly];
  for (int k = 0; k < a->nhandle; k++)
    if (t->handle[a->handle + k] == node) return k;
  return -1;
}

/* the inner handle of an assembly that a node is */
static int find_inner(const lwi_assembly_tree *t, const lwi_assembly *a, int node)
{
  if (node < 0) return -1;
  const int k = find_handle(t, a->left, node);
  if (k >= 0 || a->right < 0) return k;
  return t->assembly[a->left].nhandle + find_handle(t, a->right, node);
}

static void find_ends(const lw_dca *d, const lwi_assembly *a, lwi_dca_step *s, lwi_dca_edge *e)
{
  const lwi_assembly_tree *t = d->tree;
  e->nout = a->nhandle;
  s->link = e->link;
  s->link_a = e->a;
  s->link_b = e->b;
  s->u = e->link > 0 ? d->m->link[e->link].u : 0;
  s->m = (uint8_t)e->m;
  s->edge_kind = (uint8_t)e->kind;
  if (e->kind == LWI_DCA_RELATION) {
    for (int k = 0; k < e->nlink; k++)
      e->inner[k] = find_inner(t, a, e->links[k] - 1);
    return;
  }
  s->a = find_inner(t, a, e->a - 1);
  s->b = find_inner(t, a, e->b - 1);
}

static lw_status make_steps(lw_dca *d, lw_error *err)
{
  const lwi_assembly_tree *t = d->tree;
  size_t total = 0;
  for (int i = 0; i < t->nassembly; i++)
    total += (size_t)t->assembly[i].nhandle;
  d->nstep = t->nassembly;
  d->step = TAKE(d, d->nstep, lwi_dca_step);
  int *handle = TAKE(d, 2 * total, int);
  if (!d->step || !handle) return lwi_dca_no_memory(err);
  for (int i = 0; i < d->nstep; i++) {
    const lwi_assembly *a = &t->assembly[i];
    const int n = a->nhandle, *node = t->handle + a->handle;
    lwi_dca_step *s = &d->step[i];
    *s = (lwi_dca_step){.kind = (uint8_t)a->kind,
                        .edge = a->edge < 0 ? -1 : d->graph_edge[a->edge],
                        .link = a->node + 1,
                        .idle = a->idle,
                        .nout = n,
                        .a = -1,
                        .b = -1,
                        .handle = handle,
                        .loop = a->loop,
                        .left = a->left,
                        .right = a->right};
    for (int k = 0; k < n; k++) {
      handle[k] = a->kind == LWI_ASSEMBLY_LEAF ? 0 : find_inner(t, a, node[k]);
      handle[n + k] = node[k] + 1;
    }
    handle += 2 * n;
    s->nbody = a->kind == LWI_ASSEMBLY_LEAF ? 1 : d->step[a->left].nbody;
    s->nbody += a->right < 0 ? 0 : d->step[a->right].nbody;
    if (a->kind == LWI_ASSEMBLY_LEAF) continue;
    s->nleft = t->assembly[a->left].nhandle;
    s->nright = a->right < 0 ? 0 : t->assembly[a->right].nhandle;
    if (!a->idle) find_ends(d, a, s, &d->edge[s->edge]);
  }
  return LW_OK;
}

/* ---- which blocks of mobilities are read ---- */

/* blocks read by the step itself: those in the rows of its ends, and those that its own blocks
   start from */
static void mark_read(const lw_dca *d, const lwi_dca_step *s, int child, int start)
{
  if (child < 0) return;
  lwi_dca_step *c = &d->step[child];
  const int a = s->a - start, b = s->b - start;
  if (c->nout > LWI_DCA_MARKED) return;
  for (int i = 0; i < c->nout; i++)
    for (int j = 0; j < c->nout; j++)
      if (s->edge_kind == LWI_DCA_RELATION || i == a || i == b) c->read |= lwi_dca_mark(i, j);
  for (int i = 0; i < s->nout; i++)
    for (int j = 0; j < s->nout; j++) {
      const int from = s->handle[i] - start, other = s->handle[j] - start;
      if (from < 0 || from >= c->nout || other < 0 || other >= c->nout) continue;
      if (lwi_dca_is_read(s, i, j)) c->read |= lwi_dca_mark(from, other);
    }
}

static lw_status mark_blocks(lw_dca *d, lw_error *err)
{
  (void)err;
  for (int i = d->nstep - 1; i >= 0; i--) {
    const lwi_dca_step *s = &d->step[i];
    if (s->kind == LWI_ASSEMBLY_LEAF) continue;
    mark_read(d, s, s->left, 0);
    mark_read(d, s, s->right, s->nleft);
  }
  return LW_OK;
}

/* results that the outward pass needs, in the order of computing */
static lw_status place_edges(lw_dca *d, lw_error *err)
{
  size_t used = 0;
  double *at = NULL;
  for (int pass = 0; pass < 2; pass++) { /* the first one counts */
    for (int i = 0; i < d->nstep; i++) {
      if (d->step[i].edge < 0 || d->step[i].idle) continue;
      lwi_dca_edge *e = &d->edge[d->step[i].edge];
      if (pass == 1) d->step[i].kept = e->kept = at + used;
      used += e->kind == LWI_DCA_RELATION ? lwi_dca_relation_kept(e->nlink, e->nout)
                                          : lwi_dca_kept(e->nout, e->m);
    }
    if (pass == 0 && !(at = TAKE(d, used, double))) return lwi_dca_no_memory(err);
    used = 0;
  }
  return LW_OK;
}

static bool lends_mass(const lw_model *m)
{
  for (int i = 1; i < m->nlink; i++)
    if (m->added_mass[i].mass > 0) return true;
  return false;
}

static lw_status make_vectors(lw_dca *d, lw_error *err)
{
  const lw_model *m = d->m;
  d->pushed = lwi_has_link_elements(m) || (lwi_is_constrained(m) && lwi_has_freedom_elements(m));
  d->tau = TAKE(d, m->nu, double);
  d->udot = TAKE(d, m->nu, double);
  d->looped = lwi_is_constrained(m);
  d->lightened = lends_mass(m);
  d->checked = d->looped || d->lightened;
  d->child_start = TAKE(d, m->nlink + 2, int);
  d->child = TAKE(d, m->nlink, int);
  d->V = lwi_arena_take(&d->arena, (size_t)m->nlink, sizeof *d->V);
  const size_t checked = d->checked ? (size_t)m->nlink : 0;
  d->first = lwi_arena_take(&d->arena, checked, sizeof *d->first);
  d->unbalanced = lwi_arena_take(&d->arena, checked, sizeof *d->unbalanced);
  d->rank = TAKE(d, d->nedge, int);
  d->errors = TAKE(d, d->nthread, lwi_dca_errors);
  if (!d->tau || !d->udot || !d->child_start || !d->child || !d->V || !d->first || !d->unbalanced ||
      !d->rank || !d->errors)
    return lwi_dca_no_memory(err);
  for (int i = 1; i < m->nlink; i++)
    d->child_start[m->link[i].parent + 2]++;
  for (int i = 2; i <= m->nlink + 1; i++)
    d->child_start[i] += d->child_start[i - 1];
  for (int i = 1; i < m->nlink; i++)
    d->child[d->child_start[m->link[i].parent + 1]++] = i;
  return LW_OK;
}

lw_status lwi_dca_plan(lw_dca *d, lw_error *err)
{
  lw_status (*const part[])(lw_dca *, lw_error *) = {
      set_bodies,  list_edges,   grow_tree,           make_steps,          mark_blocks,
      place_edges, make_vectors, lwi_dca_make_blocks, lwi_dca_make_scratch};
  lw_status st = LW_OK;
  const size_t n = d->requested.plan_only ? 3 : sizeof part / sizeof *part;
  for (size_t i = 0; i < n && st == LW_OK; i++)
    st = part[i](d, err);
  return st;
}
