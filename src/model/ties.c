/* SPDX-License-Identifier: Apache-2.0 */
/* ties.c -- lists the ties of a model, the links that each of them can move, and their order. */
#include "model/constants.h"
#include "model/tie_order.h"

#include <stdlib.h>

/* where ties would take too much room: links of all ties, entries of the compliance; not if this is because
   ties are many and short, unless they could be embedded */
enum { MOST_LINKS = 4000000, MOST_VALUES = 2000000, SHORT = 64, NARROW = 400 };

/* ---- pairs of frames ---- */

static int add_pair(lw_model *m, lw_body parent, lw_body child)
{
  m->pair[m->npair] = (lwi_pair){.link = {m->body[parent.id].link, m->body[child.id].link}};
  return m->npair++;
}

static bool list_pairs(lwi_compiler *c)
{
  lw_model *m = c->m;
  m->pair = LWI_TAKE(c->ties, m->ncut + m->nconstraint, lwi_pair);
  if (!m->pair) return lwi_compile_memory(c);
  for (int i = 1; i <= m->njoint; i++) {
    lwi_joint *j = &m->joint[i];
    if (j->info.cut) j->pair = add_pair(m, j->info.parent, j->info.child);
  }
  for (int i = 1; i <= m->nconstraint; i++) {
    lwi_constraint *k = &m->constraint[i];
    k->pair = k->equations.n == 0 ? -1 : add_pair(m, k->info.parent, k->info.child);
  }
  return true;
}

/* ---- which ties there are ---- */

static void add_pair_use(lwi_ties *x, lwi_tie *t, int pair, int joint, int dof)
{
  x->pair[t->pair + t->npair++] =
      (lwi_tie_pair){.pair = pair, .joint = joint, .dof = dof, .coefficient = 1};
}

static lwi_tie *add_tie(lwi_ties *x, lwi_tie_kind kind, int id, int n)
{
  const lwi_tie *last = x->ntie ? &x->tie[x->ntie - 1] : NULL;
  lwi_tie *t = &x->tie[x->ntie++];
  *t = (lwi_tie){.kind = kind, .id = id, .n = n};
  t->pair = last ? last->pair + last->npair : 0;
  t->term = last ? last->term + last->nterm : 0;
  return t;
}

/* rows of freedoms of a cut joint */
static void add_freedoms(lwi_ties *x, const lwi_joint *j, lwi_tie_kind kind, int id, unsigned dofs)
{
  if (dofs == 0) return;
  lwi_tie *t = add_tie(x, kind, id, lwi_count_still(dofs));
  t->dofs = dofs;
  add_pair_use(x, t, j->pair, id, 0);
}

static void add_relation(const lw_model *m, lwi_ties *x, int id)
{
  const lwi_relation *r = &m->constraint[id].relation;
  lwi_tie *t = add_tie(x, LWI_TIE_RELATION, id, 1);
  for (int i = 0; i < r->nterm; i++) {
    const lwi_relation_term *k = &r->term[i];
    const lwi_joint *j = &m->joint[k->joint];
    if (j->info.cut)
      add_pair_use(x, t, j->pair, k->joint, k->dof);
    else
      x->term[t->term + t->nterm++] = (lwi_tie_term){.q = j->info.q + k->dof,
                                                     .u = j->info.u + k->dof,
                                                     .column = m->link[j->link].column + k->dof,
                                                     .link = j->link};
  }
}

void lwi_keep_coefficients(const lw_model *m, const lw_model *from, const lwi_ties *x,
                           lwi_ties *out)
{
  for (int i = 0; i < x->ntie; i++) {
    const lwi_tie *t = &x->tie[i];
    if (t->kind != LWI_TIE_RELATION) continue;
    const lwi_relation *r = &m->constraint[t->id].relation;
    const lwi_relation_term *term = from->constraint[t->id].relation.term;
    int pair = t->pair, plain = t->term;
    for (int k = 0; k < r->nterm; k++)
      if (m->joint[r->term[k].joint].info.cut)
        out->pair[pair++].coefficient = term[k].coefficient;
      else
        out->term[plain++].coefficient = term[k].coefficient;
  }
}

static bool take_lists(lwi_compiler *c, lwi_ties *x)
{
  const lw_model *m = c->m;
  int most = 3 * m->ncut + m->nconstraint;
  for (int i = 1; i <= m->nconstraint; i++)
    most += m->constraint[i].relation.nterm;
  x->tie = LWI_TAKE(c->ties, most, lwi_tie);
  x->pair = LWI_TAKE(c->ties, most, lwi_tie_pair);
  x->term = LWI_TAKE(c->ties, most, lwi_tie_term);
  return (x->tie && x->pair && x->term) || lwi_compile_memory(c);
}

static bool list_ties(lwi_compiler *c, lwi_ties *x, bool holding)
{
  const lw_model *m = c->m;
  if (!take_lists(c, x)) return false;
  for (int i = 1; i <= m->njoint; i++) {
    const lwi_joint *j = &m->joint[i];
    if (!j->info.cut) continue;
    if (j->equations.n > 0)
      add_pair_use(x, add_tie(x, LWI_TIE_JOINT, i, j->equations.n), j->pair, i, 0);
    add_freedoms(x, j, LWI_TIE_LOCK, i, j->still);
    if (holding && j->hold) add_freedoms(x, j, LWI_TIE_HOLD, i, (1u << j->info.nu) - 1);
  }
  for (int i = 1; i <= m->nconstraint; i++) {
    const lwi_constraint *k = &m->constraint[i];
    if (k->pair >= 0)
      add_pair_use(x, add_tie(x, LWI_TIE_GEOMETRIC, i, k->equations.n), k->pair, 0, 0);
    else
      add_relation(m, x, i);
  }
  lwi_keep_coefficients(m, m, x, x);
  return true;
}

/* ---- the links of each tie ---- */

/* marks the links inward of one, up to `stop`; returns how many are new */
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

/* the links of tie t, in any order; out may be NULL: counts */
static int gather_links(const lw_model *m, const lwi_ties *x, int t, int *mark, int stamp, int *out)
{
  const lwi_tie *tie = &x->tie[t];
  int n = 0;
  for (int i = 0; i < 2 * tie->npair; i++) {
    const lwi_pair *p = &m->pair[x->pair[tie->pair + i / 2].pair];
    const int stop = x->local ? lwi_links_meet(m, p->link[0], p->link[1]) : 0;
    n += mark_path(m, p->link[i % 2], stop, mark, stamp, out ? out + n : NULL);
  }
  for (int i = 0; i < tie->nterm; i++) {
    const int link = x->term[tie->term + i].link, stop = x->local ? m->link[link].parent : 0;
    n += mark_path(m, link, stop, mark, stamp, out ? out + n : NULL);
  }
  return n;
}

static int outward_first(const void *a, const void *b)
{
  const int x = *(const int *)a, y = *(const int *)b;
  return (x < y) - (x > y);
}

/* deepest common ancestor, with a link counting as its own: parents have lower numbers */
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
  int low = 0, high = n - 1; /* falling */
  while (low < high) {
    const int middle = (low + high) / 2;
    if (link[middle] > wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return n > 0 && link[low] == wanted ? low : -1;
}

static void connect_links(const lw_model *m, lwi_ties *x, lwi_tie *t)
{
  int *link = x->link + t->link;
  t->ncolumn = 0;
  for (int i = 0; i < t->nlink; i++) {
    x->inward[t->link + i] = place_in(link, t->nlink, m->link[link[i]].parent);
    x->column[t->link + i] = t->ncolumn;
    t->ncolumn += m->link[link[i]].nu;
  }
  for (int i = 0; i < 2 * t->npair; i++) {
    lwi_tie_pair *p = &x->pair[t->pair + i / 2];
    p->at[i % 2] = place_in(link, t->nlink, m->pair[p->pair].link[i % 2]);
  }
  for (int i = 0; i < t->nterm; i++) {
    lwi_tie_term *k = &x->term[t->term + i];
    const int at = place_in(link, t->nlink, k->link);
    k->at = x->column[t->link + at] + k->column - m->link[k->link].column;
  }
}

/* *fit: the ways inward are short enough to be listed; else nothing is */
static bool find_links(lwi_compiler *c, lwi_ties *x, bool *fit)
{
  const lw_model *m = c->m;
  int *mark = LWI_TAKE(&c->scratch, m->nlink, int), total = 0;
  if (!mark) return lwi_compile_memory(c);
  *fit = true;
  for (int t = 0; t < x->ntie; t++) {
    x->tie[t].link = total;
    x->tie[t].nlink = gather_links(m, x, t, mark, t + 1, NULL);
    total += x->tie[t].nlink;
    if (total > MOST_LINKS && total / (t + 1) > SHORT) return *fit = false, true;
  }
  x->link = LWI_TAKE(c->ties, total, int);
  x->inward = LWI_TAKE(c->ties, total, int);
  x->column = LWI_TAKE(c->ties, total, int);
  if (!x->link || !x->inward || !x->column) return lwi_compile_memory(c);
  for (int t = 0; t < x->ntie; t++) {
    lwi_tie *tie = &x->tie[t];
    gather_links(m, x, t, mark, x->ntie + t + 1, x->link + tie->link);
    qsort(x->link + tie->link, (size_t)tie->nlink, sizeof(int), outward_first);
    connect_links(m, x, tie);
  }
  return true;
}

/* ---- order, rows, envelope ---- */

/* calls put for every column of a tie: its freedom and its place among the tie's columns */
#define FOR_COLUMNS(m, x, t, freedom, place)                                                       \
  for (int l_ = (t)->link; l_ < (t)->link + (t)->nlink; l_++)                                      \
    for (int j_ = 0, freedom = (m)->link[(x)->link[l_]].column, place = (x)->column[l_];           \
         j_ < (m)->link[(x)->link[l_]].nu; j_++, freedom++, place++)

static bool order_ties(lwi_compiler *c, lwi_ties *x)
{
  const lw_model *m = c->m;
  const int n = x->ntie;
  int total = 0;
  for (int t = 0; t < n; t++)
    total += x->tie[t].ncolumn;
  int *start = LWI_TAKE(&c->scratch, n + 1, int), *column = LWI_TAKE(&c->scratch, total, int);
  int *order = LWI_TAKE(&c->scratch, n, int);
  int *room = LWI_TAKE(&c->scratch, 3 * n + 2 * m->nu + 1 + total, int);
  lwi_tie *old = LWI_TAKE(&c->scratch, n, lwi_tie);
  if (!start || !column || !order || !room || !old) return lwi_compile_memory(c);
  total = 0;
  for (int t = 0; t < n; t++) {
    const lwi_tie *tie = &x->tie[t];
    start[t] = total;
    FOR_COLUMNS(m, x, tie, freedom, place) column[total + place] = freedom;
    total += tie->ncolumn;
  }
  start[n] = total;
  lwi_order_near(&(lwi_incidence){n, m->nu, start, column}, order, room);
  for (int t = 0; t < n; t++)
    old[t] = x->tie[t];
  for (int t = 0; t < n; t++)
    x->tie[t] = old[order[t]];
  return true;
}

static void number_rows(lwi_ties *x)
{
  for (int t = 0; t < x->ntie; t++) {
    lwi_tie *tie = &x->tie[t];
    tie->row = x->nrow;
    tie->eps = x->neps;
    tie->J = x->nJ;
    x->nrow += tie->n;
    x->neps += (size_t)tie->ncolumn * (size_t)tie->n;
    x->nJ += (size_t)(12 * tie->npair * tie->n);
  }
}

static bool list_touches(lwi_compiler *c, lwi_ties *x)
{
  const lw_model *m = c->m;
  size_t total = 0;
  x->touch_start = LWI_TAKE(c->ties, m->nu + 1, int);
  if (!x->touch_start) return lwi_compile_memory(c);
  for (int t = 0; t < x->ntie; t++) {
    const lwi_tie *tie = &x->tie[t];
    FOR_COLUMNS(m, x, tie, freedom, place) x->touch_start[freedom]++;
    total += (size_t)tie->ncolumn;
  }
  x->touch = LWI_TAKE(c->ties, total, lwi_touch);
  if (!x->touch) return lwi_compile_memory(c);
  for (int k = 0; k < m->nu; k++)
    x->touch_start[k + 1] += x->touch_start[k];
  for (int t = x->ntie - 1; t >= 0; t--) {
    const lwi_tie *tie = &x->tie[t];
    FOR_COLUMNS(m, x, tie, freedom, place)
    x->touch[--x->touch_start[freedom]] = (lwi_touch){t, tie->eps + (size_t)place * (size_t)tie->n};
  }
  return true;
}

static bool shape_envelope(lwi_compiler *c, lwi_ties *x)
{
  const lw_model *m = c->m;
  lwi_envelope *e = &x->envelope;
  e->nblock = x->ntie;
  e->block = LWI_TAKE(c->ties, x->ntie + 1, int);
  e->first = LWI_TAKE(c->ties, x->ntie, int);
  e->row = LWI_TAKE(c->ties, x->nrow, size_t);
  if (!e->block || !e->first || !e->row) return lwi_compile_memory(c);
  for (int t = 0; t < x->ntie; t++) {
    const lwi_tie *tie = &x->tie[t];
    int first = t;
    FOR_COLUMNS(m, x, tie, freedom, place)
    {
      const int other = x->touch[x->touch_start[freedom]].tie;
      (void)place;
      if (other < first) first = other;
    }
    e->block[t] = tie->row;
    e->first[t] = x->tie[first].row;
  }
  e->block[x->ntie] = x->nrow;
  lwi_envelope_layout(e);
  return true;
}

/* *fit: what they share can be kept */
static bool make_ties(lwi_compiler *c, lwi_ties *x, bool holding, bool local, bool *fit)
{
  *x = (lwi_ties){.local = local};
  if (!list_ties(c, x, holding) || !find_links(c, x, fit)) return false;
  if (!*fit) return true;
  if (!order_ties(c, x)) return false;
  number_rows(x);
  if (!list_touches(c, x) || !shape_envelope(c, x)) return false;
  const size_t n = x->envelope.nvalue;
  const bool narrow = (local || !c->m->clusters.fit) && n <= NARROW * (size_t)x->nrow;
  *fit = n <= MOST_VALUES || narrow;
  return true;
}

/* ties without links, on the net of all joints */
static bool make_far_ties(lwi_compiler *c, lwi_ties *x, bool holding)
{
  *x = (lwi_ties){.local = true};
  if (!list_ties(c, x, holding)) return false;
  number_rows(x);
  x->touch_start = LWI_TAKE(c->arena, c->m->nu + 1, int);
  return x->touch_start ? lwi_compile_net(c, x, holding) : lwi_compile_memory(c);
}

/* The same ties as m->ties, in the same order, and local. */
static bool make_near_ties(lwi_compiler *c)
{
  lw_model *m = c->m;
  lwi_ties *x = &m->near;
  bool fit;
  *x = (lwi_ties){.local = true};
  if (!list_ties(c, x, false) || !find_links(c, x, &fit)) return false;
  int *joint = LWI_TAKE(&c->scratch, m->njoint + 1, int);
  int *constraint = LWI_TAKE(&c->scratch, m->nconstraint + 1, int);
  lwi_tie *old = LWI_TAKE(&c->scratch, x->ntie, lwi_tie);
  if (!joint || !constraint || !old) return lwi_compile_memory(c);
  for (int t = 0; t < x->ntie; t++) {
    old[t] = x->tie[t];
    (x->tie[t].kind == LWI_TIE_JOINT ? joint : constraint)[x->tie[t].id] = t;
  }
  for (int t = 0; t < x->ntie; t++) {
    const lwi_tie *like = &m->ties.tie[t];
    x->tie[t] = old[(like->kind == LWI_TIE_JOINT ? joint : constraint)[like->id]];
  }
  number_rows(x);
  return list_touches(c, x) && shape_envelope(c, x);
}

/* Ties reach to the ground if what they then share can be kept: unless there are many loops in
   series, each of which moves all that follow.  If these are short, they are local, and embedded if there is
   room; else they are left to the net, and to divide and conquer. */
static bool make_all_ties(lwi_compiler *c)
{
  lw_model *m = c->m;
  bool near = false, ground = false, fit;
  if (!make_ties(c, &m->ties, false, true, &near)) return false;
  near = near && !(c->s->far && m->ties.ntie > 0);
  if (near && !lwi_compile_clusters(c)) return false;
  const lwi_ties local = m->ties;
  if (near && !make_ties(c, &m->ties, false, false, &ground)) return false;
  if (ground)
    return lwi_compile_clusters(c) && make_near_ties(c) &&
           make_ties(c, &m->assembly, true, false, &fit);
  m->ties = local;
  if (!near && !make_far_ties(c, &m->ties, false)) return false;
  m->near = m->ties;
  return near ? make_ties(c, &m->assembly, true, true, &fit) : make_far_ties(c, &m->assembly, true);
}

/* ---- what assembly keeps ---- */

static bool lock_held(lwi_compiler *c)
{
  lw_model *m = c->m;
  m->locked = LWI_TAKE(c->own, m->nu, bool);
  if (!m->locked) return lwi_compile_memory(c);
  for (int i = 1; i < m->nlink; i++)
    for (int j = 0; j < m->link[i].nu; j++)
      m->locked[m->link[i].column + j] =
          m->joint[m->link[i].joint].hold || lwi_is_still(&m->link[i], j);
  return true;
}

bool lwi_compile_ties(lwi_compiler *c)
{
  lw_model *m = c->m;
  lwi_compile_at(c, NULL, NULL, (lwi_mark){0});
  if (!list_pairs(c)) return false;
  lwi_pair_numbers(c);
  double mass = 0;
  for (int i = 1; i < m->nlink; i++)
    mass += m->link[i].mass;
  m->mobility = mass > 0 ? 1 / mass : 0;
  if (!lock_held(c) || !make_all_ties(c) || !lwi_compile_loans(c)) return false;
  for (int t = 0; t < m->ties.ntie; t++) {
    const lwi_tie *tie = &m->ties.tie[t];
    lwi_joint *j = &m->joint[tie->id]; /* or a constraint of that number */
    *(tie->kind == LWI_TIE_JOINT  ? &j->tie
      : tie->kind == LWI_TIE_LOCK ? &j->lock
                                  : &m->constraint[tie->id].tie) = t;
  }
  return true;
}
