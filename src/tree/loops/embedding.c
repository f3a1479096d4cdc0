/* SPDX-License-Identifier: Apache-2.0 */
/* embedding.c -- constraint embedding: reduces the rows G udot = gamma of each cluster to udot = X
   vdot + g, runs the recursion of recursion/embedded.h on the independent speeds v, and recovers
   multipliers afterwards (embedding.h, linalg/reduction.h).  docs/theory/loops.md */
#include "tree/loops/dropped_rows.h"
#include "tree/loops/embedding.h"
#include "tree/loops/work.h"

#include <string.h>

#define PREFERRED 16. /* a pivot of a light body may be smaller than the largest by this factor */

/* ---- memory ---- */

static lwi_reduction carve_part(const lw_model *m, const lwi_cluster *k, lwi_carver *c)
{
  const lwi_clusters *x = &m->clusters;
  lwi_reduction f = {.ncolumn = k->ncolumn, .nstrip = k->nconstraint};
  f.strip = x->strip ? x->strip + k->constraint : NULL;
  f.column = x->strip_column;
  for (int i = 0; i < k->nconstraint; i++) {
    const int most = f.strip[i].ncolumn + 2 * k->capacity + 8;
    lwi_strip_scratch(&f.strip[i], most < k->ncolumn ? most : k->ncolumn, &f.nindex, &f.nvalue);
  }
  f.factor = LWI_CARVE(c, k->nconstraint, lwi_strip_factor);
  f.pivot = LWI_CARVE(c, k->ncolumn, int);
  f.pivot_column = LWI_CARVE(c, k->ncolumn, int);
  f.pivot_strip = LWI_CARVE(c, k->ncolumn, int);
  f.y = LWI_CARVE(c, k->ncolumn, double);
  f.index = (int *)lwi_carve_bytes(c, f.nindex, sizeof(int));
  f.value = (double *)lwi_carve_bytes(c, f.nvalue, sizeof(double));
  return f;
}

/* Column weights that make the speeds of light bodies dependent.  Otherwise an independent speed
   could move heavy and light bodies together, and the inertia of the light ones would be lost in
   that of the heavy ones. */
static void weigh_columns(const lw_model *m, double *weight)
{
  const lwi_clusters *x = &m->clusters;
  for (int i = 0; i < x->nlink; i++) {
    const lwi_link *L = &m->link[x->link[i]];
    const lwi_member *b = &x->member[x->link[i]];
    double *own = weight + x->cluster[b->cluster].column + b->column;
    for (int j = 0; j < L->nu - L->inertialess; j++)
      own[j] = m->added_mass[x->link[i]].tip ? PREFERRED : 1;
  }
}

lwi_embedding *lwi_embedding_carve(const lw_model *m, lwi_carver *c)
{
  const lwi_clusters *x = &m->clusters;
  const int n = m->tree_constraints.nrow;
  int widest = 0;
  lwi_embedding *at = LWI_CARVE(c, 1, lwi_embedding);
  lwi_embedding e = {
      .part = LWI_CARVE(c, x->ncluster, lwi_reduction),
      .cluster_motions = {.nv = LWI_CARVE(c, x->ncluster, int),
                          .X = (double *)lwi_carve_bytes(c, x->nmap, sizeof(double)),
                          .g = LWI_CARVE(c, x->ncolumn, double),
                          .D = (double *)lwi_carve_bytes(c, x->nmass, sizeof(double)),
                          .Dinv = LWI_CARVE(c, x->nspeed, double),
                          .eps = LWI_CARVE(c, x->nspeed, double),
                          .size = LWI_CARVE(c, x->nspeed, double)},
      .G = (double *)lwi_carve_bytes(c, x->nG, sizeof(double)),
      .residual = LWI_CARVE(c, n, double),
      .tau = LWI_CARVE(c, m->nu, double),
      .load = LWI_CARVE(c, m->nu, double),
      .kept = LWI_CARVE(c, n, bool),
      .allowed = LWI_CARVE(c, n, bool),
      .chosen = LWI_CARVE(c, n, int),
  };
  for (int k = 0; k < x->ncluster; k++)
    widest = x->cluster[k].ncolumn > widest ? x->cluster[k].ncolumn : widest;
  int *place = LWI_CARVE(c, widest, int), *list = LWI_CARVE(c, widest, int);
  double *entry = LWI_CARVE(c, 2 * LWI_STRIP_ROWS * widest, double);
  double *weight = LWI_CARVE(c, m->has_light_bodies ? x->ncolumn : 0, double);
  e.unit = LWI_CARVE(c, x->ncolumn, double);
  if (at && m->has_light_bodies) weigh_columns(m, weight);
  for (int k = 0; k < x->ncluster; k++) {
    lwi_reduction f = carve_part(m, &x->cluster[k], c);
    f.weight = m->has_light_bodies && at ? weight + x->cluster[k].column : NULL;
    f.at = place, f.list = list, f.entry = entry, f.kept = e.kept, f.chosen = e.chosen;
    if (at) e.part[k] = f;
  }
  if (at) *at = e;
  return at;
}

/* ---- accelerations ---- */

/* Units of speeds: a translation by a typical lever arm counts as much as a rotation by one
   radian.  Without them the entries of translations would dominate those of rotations in small
   mechanisms, and the reverse in large ones.  Which speeds are translations is the same in all
   states. */
static void find_units(const lw_model *m, const lw_work *w)
{
  const lwi_clusters *x = &m->clusters;
  lwi_embedding *e = w->closure->embedding;
  for (int k = 0; k < x->ncluster; k++) {
    double *unit = e->unit + x->cluster[k].column;
    bool slides = false;
    for (int i = 0; i < x->cluster[k].ncolumn; i++) {
      double S[6];
      w->kernels->get_column(m, w->tree, x->column[x->cluster[k].column + i], S);
      const bool turns = dot3(S, S) > 0;
      unit[i] = turns ? 1 : m->length;
      slides = slides || !turns;
    }
    e->part[k].unit = slides ? unit : NULL;
  }
  e->measured = true;
}

bool lwi_embedding_reduce(const lw_model *m, lw_work *w, const lwi_rank_rule *rule)
{
  const lwi_clusters *x = &m->clusters;
  lwi_closure *c = w->closure;
  lwi_embedding *e = c->embedding;
  if (!e->measured) find_units(m, w);
  w->kernels->drift(m, w->tree);
  for (int t = 0; t < m->tree_constraints.nconstraint; t++) {
    const lwi_tree_constraint *constraint = &m->tree_constraints.constraint[t];
    double *residual = e->residual + constraint->row;
    memcpy(residual, c->gamma + constraint->row, (size_t)constraint->n * sizeof(double));
    w->kernels->strip(m, w->tree, t, c->J + constraint->J, c->scale + constraint->row, c->slope,
                      e->G + x->strip[x->constraint[t].strip].G, residual);
  }
  for (int k = 0; k < x->ncluster; k++) {
    lwi_reduction *f = &e->part[k];
    if (!lwi_reduce(f, e->G, rule) || f->nfree > x->cluster[k].capacity) return false;
    e->cluster_motions.nv[k] = f->nfree;
    lwi_reduction_map(f, e->cluster_motions.X + x->cluster[k].map);
  }
  return true;
}

static void allow(const lw_model *m, lwi_embedding *e, const bool *allowed)
{
  for (int k = 0; k < m->clusters.ncluster; k++)
    e->part[k].allowed = allowed;
}

bool lwi_embedding_decide(const lw_model *m, lw_work *w, const lwi_rank_rule *rule)
{
  const lwi_rank *rank = &w->closure->rank;
  lwi_embedding *e = w->closure->embedding;
  for (int i = 0; i < m->tree_constraints.nrow; i++)
    e->allowed[rank->order[i]] = rank->kept[i];
  allow(m, e, e->allowed);
  const bool done = lwi_embedding_reduce(m, w, rule);
  allow(m, e, NULL);
  return done;
}

static void solve(const lw_model *m, lwi_embedding *e, const double rhs[])
{
  const lwi_clusters *x = &m->clusters;
  for (int k = 0; k < x->ncluster; k++)
    lwi_reduction_solve(&e->part[k], rhs, e->cluster_motions.g + x->cluster[k].column);
}

/* with the pivots that are held, or else with the best ones */
static bool reduce(const lw_model *m, lw_work *w)
{
  /* entries are those of rows, not of their products: rounding errors are far smaller squares */
  static const double finer[LWI_FINENESSES] = {1, 1e-6, 1e-12};
  lwi_closure *c = w->closure;
  lwi_rank_rule rule = lwi_embedded_rule(m);
  rule.dependent *= finer[c->fineness];
  rule.lost = c->hold_rank ? 1e-14 : 0;
  if (c->hold_rank && c->embedding->decided && lwi_embedding_reduce(m, w, NULL)) return true;
  c->embedding->decided = lwi_embedding_reduce(m, w, &rule);
  return c->embedding->decided;
}

bool lwi_embedding_forward(lw_work *w, double t, const double q[], const double u[],
                           const double tau[], double stabilization, double udot[], bool *full)
{
  const lw_model *m = lwi_work_model(w);
  lwi_closure *c = w->closure;
  lwi_embedding *e = c->embedding;
  const size_t size = (size_t)m->nu * sizeof(double);
  lwi_closure_place(m, w, t);
  w->kernels->forces(m, w->tree, t, q, u, NULL);
  lwi_closure_apply_motors(m, w);
  lwi_closure_rows(m, w, &m->tree_constraints);
  *full = !reduce(m, w);
  if (*full) return false;
  if (stabilization != 0) {
    lwi_closure_rate(m, w, &m->tree_constraints, u, c->rhs);
    for (int i = 0; i < m->tree_constraints.nrow; i++)
      e->residual[i] -= stabilization * c->rhs[i];
  }
  solve(m, e, e->residual);
  w->kernels->cluster_motions(m, w->tree, &e->cluster_motions);
  if (tau)
    memcpy(e->tau, tau, size);
  else
    memset(e->tau, 0, size);
  c->reduced = true;
  return w->kernels->embedded_motion(m, w->tree, &e->cluster_motions, tau, udot);
}

void lwi_embedding_solve_response(const lw_model *m, lw_work *w, const double rhs[], double x[])
{
  lwi_embedding *e = w->closure->embedding;
  solve(m, e, rhs);
  w->kernels->embedded_response(m, w->tree, &e->cluster_motions, x);
}

/* ---- loads ---- */

/* The loads that the freedoms of a cluster need beyond the applied ones are those of the
   constraints, G^T lambda. */
void lwi_embedding_loads(const lw_model *m, lw_work *w)
{
  const lwi_clusters *x = &m->clusters;
  lwi_closure *c = w->closure;
  lwi_embedding *e = c->embedding;
  w->kernels->required_tau(m, w->tree, e->load);
  for (int k = 0; k < x->ncluster; k++) {
    const lwi_cluster *cluster = &x->cluster[k];
    double *r = e->cluster_motions.g + cluster->column;
    for (int i = 0; i < cluster->ncolumn; i++) {
      const int at = m->column_u[x->column[cluster->column + i]];
      r[i] = e->load[at] - e->tau[at];
    }
    lwi_reduction_loads(&e->part[k], r, c->lambda);
  }
}

void lwi_embedding_stress(const lw_model *m, const lw_work *w, const double y[], double out[])
{
  for (int k = 0; k < m->clusters.ncluster; k++)
    lwi_reduction_stress(&w->closure->embedding->part[k], y, out);
}

/* N^T x: components of x along the states of self-stress */
void lwi_embedding_stress_transposed(const lw_model *m, const lw_work *w, const double x[],
                                     double out[])
{
  for (int k = 0; k < m->clusters.ncluster; k++)
    lwi_reduction_stress_transposed(&w->closure->embedding->part[k], x, out);
}
