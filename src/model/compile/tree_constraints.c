/* SPDX-License-Identifier: Apache-2.0 */
/* tree_constraints.c -- the links that each tree constraint of a model can move, their order, and
   the shape of the compliance (model/tree_constraints.h); which of the several lists there are.
   tree_constraint_list.c lists the constraints themselves. */
#include "model/compile/constants.h"
#include "model/compile/shared_column_order.h"

#include <stdlib.h>

/* limits of memory: links of all constraints, and entries of the compliance.  They do not apply if
   there are many short constraints, unless these can be embedded */
enum { MOST_LINKS = 4000000, MOST_VALUES = 2000000, SHORT = 64, NARROW = 400 };

/* ---- the links of each constraint ---- */

/* marks the links inward of a link, up to `stop`; returns the number of new ones */
static int mark_path(const lw_model *m, int link, int stop, int *mark, int stamp, int *out)
{
  int n = 0;
  for (; link > stop && mark[link] != stamp; link = m->link[link].parent) {
    mark[link] = stamp;
    if (out) out[n] = link;
    n++;
  }
  return n;
}

/* the links of constraint t, in any order; out NULL: only counts */
static int gather_links(const lw_model *m, const lwi_tree_constraints *x, int t, int *mark,
                        int stamp, int *out)
{
  const lwi_tree_constraint *constraint = &x->constraint[t];
  int n = 0;
  for (int i = 0; i < 2 * constraint->npair; i++) {
    const lwi_pair *p = &m->pair[x->pair[constraint->pair + i / 2].pair];
    const int stop = x->local ? lwi_links_meet(m, p->link[0], p->link[1]) : 0;
    n += mark_path(m, p->link[i % 2], stop, mark, stamp, out ? out + n : NULL);
  }
  for (int i = 0; i < constraint->nterm; i++) {
    const int link = x->term[constraint->term + i].link, stop = x->local ? m->link[link].parent : 0;
    n += mark_path(m, link, stop, mark, stamp, out ? out + n : NULL);
  }
  return n;
}

static int outward_first(const void *a, const void *b)
{
  const int x = *(const int *)a, y = *(const int *)b;
  return (x < y) - (x > y);
}

/* deepest common ancestor, possibly a or b itself: parents have lower numbers */
int lwi_links_meet(const lw_model *m, int a, int b)
{
  while (a != b)
    if (a > b)
      a = m->link[a].parent;
    else
      b = m->link[b].parent;
  return a;
}

static int place_in(const int *link, int n, int wanted)
{
  int low = 0, high = n - 1; /* descending */
  while (low < high) {
    const int middle = (low + high) / 2;
    if (link[middle] > wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return n > 0 && link[low] == wanted ? low : -1;
}

static void connect_links(const lw_model *m, lwi_tree_constraints *x, lwi_tree_constraint *t)
{
  int *link = x->link + t->link;
  t->ncolumn = 0;
  for (int i = 0; i < t->nlink; i++) {
    x->inward[t->link + i] = place_in(link, t->nlink, m->link[link[i]].parent);
    x->column[t->link + i] = t->ncolumn;
    t->ncolumn += m->link[link[i]].nu;
  }
  for (int i = 0; i < 2 * t->npair; i++) {
    lwi_constrained_pair *p = &x->pair[t->pair + i / 2];
    p->at[i % 2] = place_in(link, t->nlink, m->pair[p->pair].link[i % 2]);
  }
  for (int i = 0; i < t->nterm; i++) {
    lwi_constrained_term *k = &x->term[t->term + i];
    const int at = place_in(link, t->nlink, k->link);
    k->at = x->column[t->link + at] + k->column - m->link[k->link].column;
  }
}

/* *fit: the paths inward are short enough to be listed; otherwise none is */
static bool find_links(lwi_compiler *c, lwi_tree_constraints *x, bool *fit)
{
  const lw_model *m = c->m;
  int *mark = LWI_TAKE(&c->scratch, m->nlink, int), total = 0;
  if (!mark) return lwi_compile_memory(c);
  *fit = true;
  for (int t = 0; t < x->nconstraint; t++) {
    x->constraint[t].link = total;
    x->constraint[t].nlink = gather_links(m, x, t, mark, t + 1, NULL);
    total += x->constraint[t].nlink;
    if (total > MOST_LINKS && total / (t + 1) > SHORT) return *fit = false, true;
  }
  x->link = LWI_TAKE(c->tree_constraints, total, int);
  x->inward = LWI_TAKE(c->tree_constraints, total, int);
  x->column = LWI_TAKE(c->tree_constraints, total, int);
  if (!x->link || !x->inward || !x->column) return lwi_compile_memory(c);
  for (int t = 0; t < x->nconstraint; t++) {
    lwi_tree_constraint *constraint = &x->constraint[t];
    gather_links(m, x, t, mark, x->nconstraint + t + 1, x->link + constraint->link);
    qsort(x->link + constraint->link, (size_t)constraint->nlink, sizeof(int), outward_first);
    connect_links(m, x, constraint);
  }
  return true;
}

/* ---- order, rows, envelope ---- */

/* loops over the columns of a constraint: its freedom and its place among the constraint's
   columns */
#define FOR_COLUMNS(m, x, t, freedom, place)                                                       \
  for (int l_ = (t)->link; l_ < (t)->link + (t)->nlink; l_++)                                      \
    for (int j_ = 0, freedom = (m)->link[(x)->link[l_]].column, place = (x)->column[l_];           \
         j_ < (m)->link[(x)->link[l_]].nu; j_++, freedom++, place++)

static bool order_constraints(lwi_compiler *c, lwi_tree_constraints *x)
{
  const lw_model *m = c->m;
  const int n = x->nconstraint;
  int total = 0;
  for (int t = 0; t < n; t++)
    total += x->constraint[t].ncolumn;
  int *start = LWI_TAKE(&c->scratch, n + 1, int), *column = LWI_TAKE(&c->scratch, total, int);
  int *order = LWI_TAKE(&c->scratch, n, int);
  int *scratch = LWI_TAKE(&c->scratch, 3 * n + 2 * m->nu + 1 + total, int);
  lwi_tree_constraint *old = LWI_TAKE(&c->scratch, n, lwi_tree_constraint);
  if (!start || !column || !order || !scratch || !old) return lwi_compile_memory(c);
  total = 0;
  for (int t = 0; t < n; t++) {
    const lwi_tree_constraint *constraint = &x->constraint[t];
    start[t] = total;
    FOR_COLUMNS(m, x, constraint, freedom, place) column[total + place] = freedom;
    total += constraint->ncolumn;
  }
  start[n] = total;
  lwi_order_near(&(lwi_incidence){n, m->nu, start, column}, order, scratch);
  for (int t = 0; t < n; t++)
    old[t] = x->constraint[t];
  for (int t = 0; t < n; t++)
    x->constraint[t] = old[order[t]];
  return true;
}

static void number_rows(lwi_tree_constraints *x)
{
  for (int t = 0; t < x->nconstraint; t++) {
    lwi_tree_constraint *constraint = &x->constraint[t];
    constraint->row = x->nrow;
    constraint->eps = x->neps;
    constraint->J = x->nJ;
    x->nrow += constraint->n;
    x->neps += (size_t)constraint->ncolumn * (size_t)constraint->n;
    x->nJ += (size_t)(12 * constraint->npair * constraint->n);
  }
}

static bool list_touches(lwi_compiler *c, lwi_tree_constraints *x)
{
  const lw_model *m = c->m;
  size_t total = 0;
  x->touch_start = LWI_TAKE(c->tree_constraints, m->nu + 1, int);
  if (!x->touch_start) return lwi_compile_memory(c);
  for (int t = 0; t < x->nconstraint; t++) {
    const lwi_tree_constraint *constraint = &x->constraint[t];
    FOR_COLUMNS(m, x, constraint, freedom, place) x->touch_start[freedom]++;
    total += (size_t)constraint->ncolumn;
  }
  x->touch = LWI_TAKE(c->tree_constraints, total, lwi_touch);
  if (!x->touch) return lwi_compile_memory(c);
  for (int k = 0; k < m->nu; k++)
    x->touch_start[k + 1] += x->touch_start[k];
  for (int t = x->nconstraint - 1; t >= 0; t--) {
    const lwi_tree_constraint *constraint = &x->constraint[t];
    FOR_COLUMNS(m, x, constraint, freedom, place)
    x->touch[--x->touch_start[freedom]] =
        (lwi_touch){t, constraint->eps + (size_t)place * (size_t)constraint->n};
  }
  return true;
}

static bool shape_envelope(lwi_compiler *c, lwi_tree_constraints *x)
{
  const lw_model *m = c->m;
  lwi_envelope *e = &x->envelope;
  e->nblock = x->nconstraint;
  e->block = LWI_TAKE(c->tree_constraints, x->nconstraint + 1, int);
  e->first = LWI_TAKE(c->tree_constraints, x->nconstraint, int);
  e->row = LWI_TAKE(c->tree_constraints, x->nrow, size_t);
  if (!e->block || !e->first || !e->row) return lwi_compile_memory(c);
  for (int t = 0; t < x->nconstraint; t++) {
    const lwi_tree_constraint *constraint = &x->constraint[t];
    int first = t;
    FOR_COLUMNS(m, x, constraint, freedom, place)
    {
      const int other = x->touch[x->touch_start[freedom]].constraint;
      (void)place;
      if (other < first) first = other;
    }
    e->block[t] = constraint->row;
    e->first[t] = x->constraint[first].row;
  }
  e->block[x->nconstraint] = x->nrow;
  lwi_envelope_layout(e);
  return true;
}

/* *fit: their compliance fits in memory */
static bool make_constraints(lwi_compiler *c, lwi_tree_constraints *x, bool holding, bool local,
                             bool *fit)
{
  *x = (lwi_tree_constraints){.local = local};
  if (!lwi_list_tree_constraints(c, x, holding) || !find_links(c, x, fit)) return false;
  if (!*fit) return true;
  if (!order_constraints(c, x)) return false;
  number_rows(x);
  if (!list_touches(c, x) || !shape_envelope(c, x)) return false;
  const size_t n = x->envelope.nvalue;
  const bool narrow = (local || !c->m->clusters.fit) && n <= NARROW * (size_t)x->nrow;
  *fit = n <= MOST_VALUES || narrow;
  return true;
}

/* constraints without links, in a link system with all joints */
static bool make_system_constraints(lwi_compiler *c, lwi_tree_constraints *x, bool holding)
{
  *x = (lwi_tree_constraints){.local = true};
  if (!lwi_list_tree_constraints(c, x, holding)) return false;
  number_rows(x);
  x->touch_start = LWI_TAKE(c->arena, c->m->nu + 1, int);
  return x->touch_start ? lwi_compile_link_system(c, x, holding) : lwi_compile_memory(c);
}

/* The same constraints as m->tree_constraints, in the same order, and local. */
static bool make_local_constraints(lwi_compiler *c)
{
  lw_model *m = c->m;
  lwi_tree_constraints *x = &m->near;
  bool fit;
  *x = (lwi_tree_constraints){.local = true};
  if (!lwi_list_tree_constraints(c, x, false) || !find_links(c, x, &fit)) return false;
  int *joint = LWI_TAKE(&c->scratch, m->njoint + 1, int);
  int *constraint = LWI_TAKE(&c->scratch, m->nconstraint + 1, int);
  lwi_tree_constraint *old = LWI_TAKE(&c->scratch, x->nconstraint, lwi_tree_constraint);
  if (!joint || !constraint || !old) return lwi_compile_memory(c);
  for (int t = 0; t < x->nconstraint; t++) {
    old[t] = x->constraint[t];
    (x->constraint[t].kind == LWI_TREE_CONSTRAINT_JOINT ? joint : constraint)[x->constraint[t].id] =
        t;
  }
  for (int t = 0; t < x->nconstraint; t++) {
    const lwi_tree_constraint *like = &m->tree_constraints.constraint[t];
    x->constraint[t] =
        old[(like->kind == LWI_TREE_CONSTRAINT_JOINT ? joint : constraint)[like->id]];
  }
  number_rows(x);
  return list_touches(c, x) && shape_envelope(c, x);
}

/* Constraints reach to the ground if their compliance then fits in memory, that is, unless there
   are many loops in series, each of which moves all that follow.  Short loops in series become
   local, and are embedded if their independent speeds fit; otherwise the link system or divide and
   conquer is used. */
static bool make_all_constraints(lwi_compiler *c)
{
  lw_model *m = c->m;
  bool near = false, ground = false, fit;
  if (!make_constraints(c, &m->tree_constraints, false, true, &near)) return false;
  near = near && !(c->s->far && m->tree_constraints.nconstraint > 0);
  if (near && !lwi_compile_clusters(c)) return false;
  const lwi_tree_constraints local = m->tree_constraints;
  if (near && !make_constraints(c, &m->tree_constraints, false, false, &ground)) return false;
  if (ground)
    return lwi_compile_clusters(c) && make_local_constraints(c) &&
           make_constraints(c, &m->assembly, true, false, &fit);
  m->tree_constraints = local;
  if (!near && !make_system_constraints(c, &m->tree_constraints, false)) return false;
  m->near = m->tree_constraints;
  return near ? make_constraints(c, &m->assembly, true, true, &fit)
              : make_system_constraints(c, &m->assembly, true);
}

/* ---- data of assembly ---- */

static bool lock_held(lwi_compiler *c)
{
  lw_model *m = c->m;
  m->held = LWI_TAKE(c->own, m->nu, bool);
  if (!m->held) return lwi_compile_memory(c);
  for (int i = 1; i < m->nlink; i++)
    for (int j = 0; j < m->link[i].nu; j++)
      m->held[m->link[i].column + j] =
          m->joint[m->link[i].joint].hold || lwi_is_locked(&m->link[i], j);
  return true;
}

bool lwi_compile_tree_constraints(lwi_compiler *c)
{
  lw_model *m = c->m;
  lwi_compile_at(c, NULL, NULL, (lwi_mark){0});
  if (!lwi_list_pairs(c)) return false;
  lwi_pair_numbers(c);
  double mass = 0;
  for (int i = 1; i < m->nlink; i++)
    mass += m->link[i].mass;
  m->mobility = mass > 0 ? 1 / mass : 0;
  if (!lock_held(c) || !make_all_constraints(c) || !lwi_compile_added_mass(c)) return false;
  for (int t = 0; t < m->tree_constraints.nconstraint; t++) {
    const lwi_tree_constraint *constraint = &m->tree_constraints.constraint[t];
    lwi_joint *j = &m->joint[constraint->id]; /* or a constraint of that number */
    *(constraint->kind == LWI_TREE_CONSTRAINT_JOINT  ? &j->constraint
      : constraint->kind == LWI_TREE_CONSTRAINT_LOCK ? &j->lock
                                                     : &m->constraint[constraint->id].constraint) =
        t;
  }
  return true;
}
