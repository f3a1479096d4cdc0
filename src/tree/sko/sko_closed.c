/* SPDX-License-Identifier: Apache-2.0 */
/* sko_closed.c -- the SKO model of a mechanism with loops: classes of links that constraints
   couple, and for each of them the freedoms as functions of independent ones.

   A constraint sees the motion of its links relative to their deepest common ancestor, a relation
   the freedoms of its joints.  These links, and those between them and the ancestor, are one class;
   classes that meet are one.  What hangs on a class hangs on one link inward of it, so that the
   classes form a tree ([Jain2012] section 5.2). */
#include "tree/sko/sko.h"

#include "base/carve.h"
#include "graph/union_find.h"
#include "linalg/null_spaces.h"
#include "math/rotation.h"
#include "model/model.h"
#include "tree/loops/closure.h"
#include "tree/loops/work.h"

#include <stdlib.h>

static const double tolerance = 1e-7; /* as where redundant equations are named */

/* ---- classes ---- */

typedef struct {
  const lw_model *m;
  int *depth, *find, *stamp, *set; /* [nlink] */
  int *class_of;                   /* [nlink - 1] by link - 1 */
  int nset, nclass, now;
} classes;

static void add_link(classes *c, int link)
{
  if (link <= 0 || c->stamp[link] == c->now) return;
  c->stamp[link] = c->now;
  c->set[c->nset++] = link;
}

static int common_ancestor(const classes *c, int a, int b)
{
  while (a != b)
    if (c->depth[a] > c->depth[b])
      a = c->m->link[a].parent;
    else
      b = c->m->link[b].parent;
  return a;
}

/* The links from `link` inward, up to `stop` without it. */
static void add_path(classes *c, int link, int stop)
{
  for (; link != stop; link = c->m->link[link].parent)
    add_link(c, link);
}

static void join_constraint(classes *c, const lwi_tree_constraint *t)
{
  const lwi_tree_constraints *x = &c->m->tree_constraints;
  c->nset = 0;
  c->now++;
  for (int p = 0; p < t->npair; p++) {
    const int *link = c->m->pair[x->pair[t->pair + p].pair].link;
    const int stop = common_ancestor(c, link[0], link[1]);
    add_path(c, link[0], stop);
    add_path(c, link[1], stop);
  }
  for (int i = 0; i < t->nterm; i++)
    add_link(c, x->term[t->term + i].link);
  if (c->nset == 0) return;
  int base = c->set[0];
  for (int i = 1; i < c->nset; i++)
    base = common_ancestor(c, base, c->set[i]);
  const int stop = c->stamp[base] == c->now && base > 0 ? c->m->link[base].parent : base;
  for (int i = 0, n = c->nset; i < n; i++)
    add_path(c, c->set[i], stop);
  for (int i = 1; i < c->nset; i++)
    lwi_sets_join(c->find, c->set[0], c->set[i]);
}

static void number_classes(classes *c)
{
  const int nlink = c->m->nlink;
  for (int i = 0; i < nlink; i++)
    c->stamp[i] = -1;
  for (int i = 1; i < nlink; i++) {
    const int root = lwi_sets_find(c->find, i);
    if (c->stamp[root] < 0) c->stamp[root] = c->nclass++;
    c->class_of[i - 1] = c->stamp[root];
  }
}

static bool find_classes(classes *c, const lw_model *m)
{
  const size_t n = (size_t)m->nlink + 1;
  *c = (classes){.m = m, .depth = calloc(5 * n, sizeof(int))};
  if (!c->depth) return false;
  c->find = c->depth + n;
  c->stamp = c->find + n;
  c->set = c->stamp + n;
  c->class_of = c->set + n;
  for (int i = 0; i < m->nlink; i++) {
    c->find[i] = i;
    c->depth[i] = i > 0 ? c->depth[m->link[i].parent] + 1 : 0;
  }
  for (int i = 0; i < m->tree_constraints.nconstraint; i++)
    join_constraint(c, &m->tree_constraints.constraint[i]);
  number_classes(c);
  return true;
}

/* ---- the embedding: sizes ---- */

typedef struct {
  size_t X, rows, scratch;
} sizes;

static lwi_sko_embedding carve(const lw_sko *s, const lw_model *m, const sizes *z, lwi_carver *c)
{
  const size_t nnode = (size_t)s->nnode + 1, nf = (size_t)s->nfreedom + 1;
  const size_t ncon = (size_t)m->tree_constraints.nconstraint + 1;
  LWI_CARVE(c, 1, lwi_sko_embedding);
  return (lwi_sko_embedding){
      .constrained = LWI_CARVE(c, nnode, bool),
      .at = LWI_CARVE(c, nnode, size_t),
      .X = LWI_CARVE(c, z->X + 1, double),
      .x0 = LWI_CARVE(c, nf, double),
      .rotor = LWI_CARVE(c, nf, int),
      .local = LWI_CARVE(c, m->nu + 1, int),
      .node_of = LWI_CARVE(c, ncon, int),
      .first_row = LWI_CARVE(c, ncon, int),
      .nrow = LWI_CARVE(c, nnode, int),
      .rows = LWI_CARVE(c, nnode, size_t),
      .G = LWI_CARVE(c, z->rows + 1, double),
      .weight = LWI_CARVE(c, nf, double),
      .scratch = LWI_CARVE(c, z->scratch + 1, double),
      .tau = LWI_CARVE(c, m->nu + 1, double),
      .deficit = LWI_CARVE(c, m->tree_constraints.nrow + 1, double),
      .is_free = LWI_CARVE(c, nf, bool),
  };
}

/* The class of a constraint: that of one of its links. */
static int class_of_constraint(const classes *c, const lwi_tree_constraint *t)
{
  const lwi_tree_constraints *x = &c->m->tree_constraints;
  for (int i = 0; i < t->nterm; i++)
    if (x->term[t->term + i].link > 0) return c->class_of[x->term[t->term + i].link - 1];
  for (int p = 0; p < t->npair; p++) {
    const int *link = c->m->pair[x->pair[t->pair + p].pair].link;
    const int stop = common_ancestor(c, link[0], link[1]);
    for (int side = 0; side < 2; side++)
      if (link[side] != stop) return c->class_of[link[side] - 1];
  }
  return -1; /* between frames of one link: satisfied, or never */
}

static void count_rows(const classes *c, int node_of[], int first_row[], int nrow[])
{
  for (int i = 0; i < c->m->tree_constraints.nconstraint; i++) {
    const lwi_tree_constraint *t = &c->m->tree_constraints.constraint[i];
    node_of[i] = class_of_constraint(c, t);
    if (node_of[i] < 0) continue;
    first_row[i] = nrow[node_of[i]];
    nrow[node_of[i]] += t->n;
  }
}

static sizes find_sizes(const lw_sko *s, const int nrow[], size_t rows[], size_t at[])
{
  sizes z = {0};
  for (int v = 0; v < s->nnode; v++) {
    const size_t r = (size_t)s->node[v].r;
    rows[v] = z.rows;
    at[v] = z.X;
    z.rows += (size_t)nrow[v] * (r + 1);
    z.X += r * r;
    const size_t more = lwi_null_spaces_size(nrow[v], (int)r + 1) + (size_t)nrow[v] * (r + 1);
    if (nrow[v] && more > z.scratch) z.scratch = more;
  }
  return z;
}

static lwi_sko_embedding *new_embedding(const classes *c, const lw_sko *s)
{
  const size_t nnode = (size_t)s->nnode + 1;
  const size_t ncon = (size_t)c->m->tree_constraints.nconstraint + 1;
  int *count = calloc(nnode + 2 * ncon, sizeof *count);
  size_t *places = calloc(2 * nnode, sizeof *places);
  lwi_sko_embedding *e = NULL;
  if (count && places) {
    count_rows(c, count + nnode, count + nnode + ncon, count);
    const sizes z = find_sizes(s, count, places, places + nnode);
    lwi_carver carver = {0};
    carve(s, c->m, &z, &carver);
    if (lwi_carver_alloc(&carver)) {
      e = (lwi_sko_embedding *)(void *)carver.base;
      *e = carve(s, c->m, &z, &carver);
      memcpy(e->nrow, count, nnode * sizeof(int));
      memcpy(e->node_of, count + nnode, ncon * sizeof(int));
      memcpy(e->first_row, count + nnode + ncon, ncon * sizeof(int));
      memcpy(e->rows, places, nnode * sizeof(size_t));
      memcpy(e->at, places + nnode, nnode * sizeof(size_t));
    }
  }
  free(count);
  free(places);
  return e;
}

static void fill_maps(lwi_sko_embedding *e, const lw_sko *s, const lw_model *m)
{
  double *rotor = e->tau; /* [nspeed] scratch */
  for (int i = 1; i < m->nlink; i++)
    for (int j = 0; j < m->link[i].nu; j++)
      rotor[m->link[i].u + j] = lwi_armature(&m->link[i], j);
  for (int i = 0; i < m->nu; i++)
    e->local[i] = -1;
  for (int v = 0; v < s->nnode; v++) {
    int nrotor = 0;
    e->constrained[v] = e->nrow[v] > 0;
    for (int j = 0; j < s->node[v].r; j++) {
      const int f = s->node[v].freedom + j;
      e->local[s->speed[f]] = f;
      e->is_free[f] = true;
      e->rotor[f] = e->constrained[v] && rotor[s->speed[f]] > 0 ? nrotor++ : -1;
    }
  }
}

/* ---- rows at a state ---- */

static void find_weights(lwi_sko_embedding *e, const lw_model *m, const lw_work *w)
{
  for (int i = 1; i < m->nlink; i++)
    for (int j = 0; j < m->link[i].nu; j++) {
      const int column = m->link[i].column + j, f = e->local[m->link[i].u + j];
      double S[6];
      if (f < 0) continue;
      w->kernels->get_column(m, w->tree, column, S);
      e->weight[f] = dot3(S, S) > 0 ? 1 : m->length;
      if (m->held && m->held[column]) e->weight[f] *= 1e-3;
    }
}

/* After lw_bias, which leaves accelerations for udot = 0: G of each node with weighted columns, and
   the right side of G udot as a further column. */
static void find_rows(lwi_sko_embedding *e, const lw_sko *s, const lw_model *m, lw_work *w,
                      double t)
{
  const lwi_tree_constraints *x = &m->tree_constraints;
  lwi_closure *c = w->closure;
  lwi_sko_zero(e->tau, (size_t)m->nu);
  lwi_closure_place(m, w, t);
  lwi_closure_rows(m, w, x);
  lwi_closure_deficit(m, w, x, e->tau, e->deficit);
  memset(c->all, 1, (size_t)m->nu * sizeof(bool));
  w->kernels->factor(m, w->tree, c->all);
  lwi_closure_sweep(m, w, x); /* E = G^T */
  find_weights(e, m, w);
  for (int v = 0; v < s->nnode; v++)
    lwi_sko_zero(e->G + e->rows[v], (size_t)e->nrow[v] * (size_t)(s->node[v].r + 1));
  for (int k = 0; k < m->nu; k++) {
    const int f = e->local[m->column_u[k]];
    for (int a = x->touch_start[k]; f >= 0 && a < x->touch_start[k + 1]; a++) {
      const int con = x->touch[a].constraint, v = e->node_of[con];
      const int j = v < 0 ? -1 : f - s->node[v].freedom, width = v < 0 ? 0 : s->node[v].r + 1;
      if (j < 0 || j >= width - 1) continue; /* inward of the class: does not move its rows */
      for (int i = 0; i < x->constraint[con].n; i++)
        e->G[e->rows[v] + (size_t)((e->first_row[con] + i) * width + j)] =
            c->eps[x->touch[a].eps + (size_t)i] * e->weight[f];
    }
  }
  for (int con = 0; con < x->nconstraint; con++) {
    const int v = e->node_of[con];
    for (int i = 0; i < x->constraint[con].n && v >= 0; i++)
      e->G[e->rows[v] + (size_t)((e->first_row[con] + i + 1) * (s->node[v].r + 1) - 1)] =
          e->deficit[x->constraint[con].row + i];
  }
}

/* Which freedoms of a node are independent; returns their number. */
static int choose_free(lwi_sko_embedding *e, const lw_sko *s, int v, double length)
{
  const lwi_sko_node *x = &s->node[v];
  if (!e->constrained[v]) return x->r;
  const lwi_null_spaces n = lwi_null_spaces_at(e->scratch, e->nrow[v], x->r + 1, e->G + e->rows[v],
                                               (lwi_null_rule){tolerance, length, 1});
  for (int j = 0; j < x->r; j++)
    e->is_free[x->freedom + j] = false;
  int count = 0;
  for (int k = 0; k < x->r + 1 - n.rank; k++)
    if (n.free_column[k] < x->r) e->is_free[x->freedom + n.free_column[k]] = true, count++;
  return count;
}

/* The columns of the rows with dependent freedoms first, then independent ones, then the right
   side; place[j]: the freedom of column j. */
static void sort_columns(const lwi_sko_embedding *e, const lwi_sko_node *x, int v, double *A,
                         int place[])
{
  int n = 0;
  for (int free = 0; free < 2; free++)
    for (int j = 0; j < x->r; j++)
      if (e->is_free[x->freedom + j] == (bool)free) place[n++] = j;
  place[n++] = x->r;
  for (int i = 0; i < e->nrow[v]; i++)
    for (int j = 0; j < n; j++)
      A[i * n + j] = e->G[e->rows[v] + (size_t)(i * n + place[j])];
}

/* X and x0 of a node with r independent freedoms; false: they are not independent here. */
static bool solve_node(lwi_sko_embedding *e, const lw_sko *s, int v, int r, double length,
                       int place[])
{
  const lwi_sko_node *x = &s->node[v];
  const int ncol = x->r + 1;
  double *X = e->X + e->at[v];
  lwi_sko_zero(X, (size_t)x->r * (size_t)r);
  if (!e->constrained[v]) {
    for (int j = 0; j < x->r; j++)
      X[j * r + j] = 1;
    return true;
  }
  double *A = e->scratch + lwi_null_spaces_size(e->nrow[v], ncol);
  sort_columns(e, x, v, A, place);
  const lwi_null_spaces n = lwi_null_spaces_at(e->scratch, e->nrow[v], ncol, A,
                                               (lwi_null_rule){tolerance, length, r + 1});
  if (n.rank != x->r - r) return false;
  for (int k = 0; k < ncol - n.rank; k++) {
    const double *from = n.N + (size_t)k * (size_t)ncol;
    const int column = n.free_column[k] - (x->r - r); /* among the independent ones */
    for (int j = 0; j < x->r; j++) {
      const double weight = e->weight[x->freedom + place[j]];
      if (column == r)
        e->x0[x->freedom + place[j]] = -weight * from[j];
      else
        X[place[j] * r + column] =
            weight / e->weight[x->freedom + place[n.free_column[k]]] * from[j];
    }
  }
  return true;
}

static lw_status solve_nodes(lw_sko *k, const lw_model *m, lw_work *w, double t)
{
  lwi_sko_embedding *e = k->embedding;
  const lw_sko *s = k->source;
  lwi_sko_zero(e->x0, (size_t)s->nfreedom);
  find_rows(e, s, m, w, t);
  for (int v = 0; v < s->nnode; v++)
    if (!solve_node(e, s, v, k->node[v].r, m->length, (int *)k->speeds)) return LW_E_SINGULAR;
  return LW_OK;
}

lw_status lwi_sko_close(lw_sko *k, const lw_model *m, lw_work *w, double t)
{
  for (; k; k = k->source)
    if (k->origin == LWI_SKO_EMBEDDED) return solve_nodes(k, m, w, t);
  return LW_E_UNSUPPORTED;
}

/* ---- the model ---- */

static lw_sko *aggregate_classes(const classes *c, lw_error *err)
{
  lw_sko *first = lwi_sko_from_tree(c->m, err);
  lw_sko *s = first ? lw_sko_aggregate(first, c->nclass, c->class_of, err) : NULL;
  if (!s) lw_sko_free(first);
  return s;
}

static lw_sko *from_classes(const classes *c, lw_work *w, double t, lw_error *err)
{
  lw_sko *s = aggregate_classes(c, err);
  if (!s) return NULL;
  lwi_sko_embedding *e = new_embedding(c, s);
  int *r = calloc((size_t)s->nnode + 1, sizeof *r);
  if (!e || !r) {
    lw_sko *first = s->source;
    lw_sko_free(s);
    lw_sko_free(first);
    free(e);
    free(r);
    return lwi_refuse(err, LW_E_MEMORY);
  }
  fill_maps(e, s, c->m);
  find_rows(e, s, c->m, w, t);
  for (int v = 0; v < s->nnode; v++)
    r[v] = choose_free(e, s, v, c->m->length);
  lw_sko *k = lwi_sko_embed(s, e, r, err);
  free(r);
  return k;
}

lw_sko *lw_sko_from_closed(lw_work *w, double t, const double q[], lw_error *err)
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w) || (m->nq && !q)) return lwi_refuse(err, LW_E_ARG);
  if (!w->closure) return lwi_sko_from_tree(m, err);
  if (m->tree_constraints.link_system) return lwi_refuse(err, LW_E_UNSUPPORTED);
  double *zero = calloc(2 * (size_t)m->nu + 2, sizeof *zero);
  classes c = {0};
  lw_sko *k = NULL;
  if (!zero || !find_classes(&c, m)) {
    lwi_set_status(err, LW_E_MEMORY);
  } else {
    const lw_status status = lw_bias(w, t, q, zero, zero + m->nu + 1);
    k = status == LW_OK ? from_classes(&c, w, t, err) : lwi_refuse(err, status);
  }
  free(c.depth);
  free(zero);
  return k;
}
