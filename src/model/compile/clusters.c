/* SPDX-License-Identifier: Apache-2.0 */
/* clusters.c -- finds the clusters of coupled tree constraints and the coarser tree of clusters,
   for constraint embedding (model/clusters.h, docs/theory/loops.md). */
#include "graph/union_find.h"
#include "model/compile/compile.h"

/* Capacity for independent speeds of a cluster of n freedoms.  Each one needs the motions of all
   its links, and memory must not grow quadratically with the size of the model. */
enum { MOST_MOTIONS = 16384, LEAST_CAPACITY = 8 };

static int capacity_for(int n)
{
  const int most =
      MOST_MOTIONS / (n + 1) > LEAST_CAPACITY ? MOST_MOTIONS / (n + 1) : LEAST_CAPACITY;
  return n < most ? n : most;
}

static int ends_of(const lw_model *m, const lwi_tree_constraint *t, int i, int end[2])
{
  if (i < t->npair) {
    const lwi_pair *p = &m->pair[m->tree_constraints.pair[t->pair + i].pair];
    end[0] = p->link[0], end[1] = p->link[1];
    return lwi_links_meet(m, end[0], end[1]);
  }
  end[0] = end[1] = m->tree_constraints.term[t->term + i - t->npair].link;
  return m->link[end[0]].parent;
}

static int base_of(const lw_model *m, const lwi_tree_constraint *t)
{
  int base = -1, end[2];
  for (int i = 0; i < t->npair + t->nterm; i++) {
    const int here = ends_of(m, t, i, end);
    base = base < 0 ? here : lwi_links_meet(m, base, here);
  }
  return base < 0 ? 0 : base;
}

/* ---- sets of coupled constraints ---- */

/* owner[link]: a constraint whose subgraph contains it, or -1; up: union-find of constraints */
static void unite(const lw_model *m, int *owner, int *up)
{
  lwi_sets_init(m->tree_constraints.nconstraint, up);
  for (int i = 0; i < m->nlink; i++)
    owner[i] = -1;
  for (int t = 0; t < m->tree_constraints.nconstraint; t++) {
    const lwi_tree_constraint *constraint = &m->tree_constraints.constraint[t];
    const int base = base_of(m, constraint);
    int end[2];
    for (int i = 0; i < 2 * (constraint->npair + constraint->nterm); i++) {
      ends_of(m, constraint, i / 2, end);
      for (int l = end[i % 2]; l != base && owner[l] != t; l = m->link[l].parent)
        if (owner[l] < 0)
          owner[l] = t;
        else
          lwi_sets_join(up, owner[l], t), owner[l] = t;
    }
  }
  for (int t = 0; t < m->tree_constraints.nconstraint; t++)
    up[t] = lwi_sets_find(up, t);
  for (int i = 0; i < m->nlink; i++)
    if (owner[i] >= 0) owner[i] = up[owner[i]];
}

/* ---- lists ---- */

static int moving(const lwi_link *L)
{
  return L->nu - L->inertialess;
}

static void list_links(const lw_model *m, lwi_clusters *x, const int *owner, const int *class)
{
  for (int i = 0; i < m->nlink; i++)
    x->member[i] = (lwi_member){.cluster = owner[i] < 0 ? -1 : class[owner[i]], .sum = -1};
  for (int i = 1; i < m->nlink; i++) {
    if (x->member[i].cluster < 0) continue;
    lwi_cluster *c = &x->cluster[x->member[i].cluster];
    if (c->nlink++ == 0) c->head = i, c->base = m->link[i].parent;
    c->ncolumn += moving(&m->link[i]);
    x->locked = x->locked || m->link[i].locked;
  }
  for (int k = 0; k < x->ncluster; k++) {
    lwi_cluster *c = &x->cluster[k];
    c->link = x->nlink, c->column = x->ncolumn;
    c->capacity = capacity_for(c->ncolumn);
    c->cluster_motions = x->nmode, c->map = x->nmap, c->mass = x->nmass, c->speed = x->nspeed;
    x->nlink += c->nlink, x->ncolumn += c->ncolumn, x->nspeed += c->capacity;
    x->nmode += (size_t)c->nlink * (size_t)c->capacity;
    x->nmap += (size_t)c->ncolumn * (size_t)c->capacity;
    x->nmass += (size_t)c->capacity * (size_t)c->capacity;
    x->fit = x->fit && c->capacity == c->ncolumn && !x->locked;
    c->nlink = c->ncolumn = 0;
  }
  for (int i = 1; i < m->nlink; i++) {
    lwi_member *b = &x->member[i];
    if (b->cluster < 0) continue;
    lwi_cluster *c = &x->cluster[b->cluster];
    const int parent = m->link[i].parent;
    b->at = c->link + c->nlink++;
    b->in = parent == c->base ? -1 : x->member[parent].at;
    b->column = c->ncolumn;
    x->link[b->at] = i;
    for (int j = m->link[i].inertialess; j < m->link[i].nu; j++)
      x->column[c->column + c->ncolumn++] = m->link[i].column + j;
  }
}

static void list_constraints(const lw_model *m, lwi_clusters *x, const int *up, const int *class)
{
  for (int t = 0; t < m->tree_constraints.nconstraint; t++)
    x->cluster[x->constraint[t].cluster = class[up[t]]].nconstraint++;
  for (int k = 0, at = 0; k < x->ncluster; k++) {
    x->cluster[k].constraint = at;
    at += x->cluster[k].nconstraint;
    x->cluster[k].nconstraint = 0;
  }
  for (int t = 0; t < m->tree_constraints.nconstraint; t++) {
    lwi_cluster *c = &x->cluster[x->constraint[t].cluster];
    x->order[c->constraint + c->nconstraint++] = t;
  }
}

/* ---- order of the inward sweep ---- */

static int receiver(const lw_model *m, const lwi_clusters *x, int i)
{
  const lwi_member *b = &x->member[i];
  if (b->cluster < 0) return m->link[i].parent;
  return x->cluster[b->cluster].head == i ? x->cluster[b->cluster].base : 0;
}

static void connect(const lw_model *m, lwi_clusters *x)
{
  for (int i = 0; i < m->nlink; i++)
    x->member[i].bare = true;
  for (int i = m->nlink - 1; i > 0; i--) {
    const int to = receiver(m, x, i);
    if (to == 0) continue;
    lwi_member *b = &x->member[i], *a = &x->member[to];
    a->bare = false;
    b->into = -1;
    if (to == i - 1) {
      a->arrives = true;
      continue;
    }
    b->first = a->sum < 0;
    if (b->first) a->sum = x->nsum++;
    b->into = a->sum;
  }
}

/* ---- paths of constraints inward ---- */

typedef struct {
  const lw_model *m;
  lwi_clusters *x;
  int *place; /* [ncolumn] index of the cluster's freedom among the constraint's, by stamp */
  int *stamp;
  int nwalk, ncolumn;
} walker;

static void meet_freedom(walker *k, int t, int column)
{
  const lwi_cluster_constraint *c = &k->x->constraint[t];
  lwi_strip *s = &k->x->strip[c->strip];
  const int at = k->x->cluster[c->cluster].column + column;
  if (k->stamp[at] != t + 1) {
    k->stamp[at] = t + 1;
    k->place[at] = s->ncolumn++;
    if (k->x->strip_column) k->x->strip_column[k->ncolumn] = column;
    k->ncolumn++;
  }
  if (k->x->walk) k->x->walk[k->nwalk] = k->place[at];
  k->nwalk++;
}

static void walk_constraint(walker *k, int at)
{
  const lw_model *m = k->m;
  const int t = k->x->order[at];
  const lwi_tree_constraint *constraint = &m->tree_constraints.constraint[t];
  lwi_strip *s = &k->x->strip[at];
  *s = (lwi_strip){.row = constraint->row, .n = constraint->n, .column = k->ncolumn, .G = k->x->nG};
  k->x->constraint[t].strip = at;
  k->x->constraint[t].walk = k->nwalk;
  for (int i = 0; i < constraint->npair; i++) {
    int end[2];
    const int stop = ends_of(m, constraint, i, end);
    if (k->x->walk) k->x->stop[constraint->pair + i] = stop;
    for (int side = 0; side < 2; side++)
      for (int l = end[side]; l != stop; l = m->link[l].parent)
        for (int j = 0; j < moving(&m->link[l]); j++)
          meet_freedom(k, t, k->x->member[l].column + j);
  }
  for (int i = constraint->term; i < constraint->term + constraint->nterm; i++) {
    const lwi_link *L = &m->link[m->tree_constraints.term[i].link];
    const int j = m->tree_constraints.term[i].column - L->column - L->inertialess;
    meet_freedom(k, t, k->x->member[m->tree_constraints.term[i].link].column + j);
  }
  k->x->nG += (size_t)(constraint->n * s->ncolumn);
}

static bool walk_constraints(lwi_compiler *c, lwi_clusters *x)
{
  const lw_model *m = c->m;
  int npair = 0;
  for (int t = 0; t < m->tree_constraints.nconstraint; t++)
    npair += m->tree_constraints.constraint[t].npair;
  x->stop = LWI_TAKE(c->tree_constraints, npair + 1, int);
  walker k = {
      m, x, LWI_TAKE(&c->scratch, x->ncolumn + 1, int), LWI_TAKE(&c->scratch, x->ncolumn + 1, int),
      0, 0};
  if (!k.place || !k.stamp || !x->stop) return lwi_compile_memory(c);
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      x->walk = LWI_TAKE(c->tree_constraints, k.nwalk + 1, int);
      x->strip_column = LWI_TAKE(c->tree_constraints, k.ncolumn + 1, int);
      if (!x->walk || !x->strip_column) return lwi_compile_memory(c);
      memset(k.stamp, 0, (size_t)(x->ncolumn + 1) * sizeof(int));
    }
    k.nwalk = k.ncolumn = 0;
    x->nG = 0;
    for (int i = 0; i < m->tree_constraints.nconstraint; i++)
      walk_constraint(&k, i);
  }
  return true;
}

bool lwi_compile_clusters(lwi_compiler *c)
{
  lw_model *m = c->m;
  lwi_clusters *x = &m->clusters;
  *x = (lwi_clusters){.fit = true};
  const int n = m->tree_constraints.nconstraint;
  if (n == 0) return true;
  int *owner = LWI_TAKE(&c->scratch, m->nlink, int), *up = LWI_TAKE(&c->scratch, n, int);
  int *class = LWI_TAKE(&c->scratch, n, int);
  x->member = LWI_TAKE(c->tree_constraints, m->nlink, lwi_member);
  x->constraint = LWI_TAKE(c->tree_constraints, n, lwi_cluster_constraint);
  x->order = LWI_TAKE(c->tree_constraints, n, int);
  x->strip = LWI_TAKE(c->tree_constraints, n, lwi_strip);
  x->link = LWI_TAKE(c->tree_constraints, m->nlink, int);
  x->column = LWI_TAKE(c->tree_constraints, m->nu + 1, int);
  if (!owner || !up || !class || !x->member || !x->constraint || !x->order || !x->strip ||
      !x->link || !x->column)
    return lwi_compile_memory(c);
  unite(m, owner, up);
  for (int t = 0; t < n; t++)
    class[t] = up[t] == t ? x->ncluster++ : class[up[t]];
  x->cluster = LWI_TAKE(c->tree_constraints, x->ncluster, lwi_cluster);
  if (!x->cluster) return lwi_compile_memory(c);
  list_links(m, x, owner, class);
  list_constraints(m, x, up, class);
  connect(m, x);
  return walk_constraints(c, x);
}
