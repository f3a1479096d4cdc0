/* SPDX-License-Identifier: Apache-2.0 */
/* force_balance.c -- residual of the equations of motion after forward dynamics, relative to the
   size of their terms (force_balance.h). */
#include "tree/loops/force_balance.h"
#include "tree/loops/closure.h"
#include "tree/loops/embedding.h"

#include <math.h>
#include <string.h>

/* relative to the sum of all forces: smaller terms are rounding errors of larger ones */
static const double NOTHING = 1e-7;

bool lwi_balance_is_due(lw_work *w)
{
  return w->calls++ % LWI_BALANCE_EVERY == 0 || w->near_singular;
}

/* ---- how large loads are ---- */

/* sums of absolute values, inward: [torque, force] of each link about its origin */
static void size_link(const lw_model *m, const lw_work *w, int i, double size[2])
{
  const lwi_link *L = &m->link[i];
  double V[6], A[6], r[3], c[6], applied[6];
  w->kernels->get_motion(m, w->tree, i, V, A);
  w->kernels->get_edge(m, w->tree, i, r, c, applied);
  /* w x v: speeds of bodies that float are in their own axes */
  const double turn = norm3(A) + dot3(V, V),
               shift = norm3(A + 3) + norm3(m->gravity) + norm3(V) * norm3(V + 3);
  const double inertia = L->J.c[0][0] + L->J.c[1][1] + L->J.c[2][2], arm = norm3(L->h);
  size[0] += inertia * turn + arm * shift + norm3(applied);
  size[1] += arm * turn + L->mass * shift + norm3(applied + 3);
}

static void size_links(const lw_model *m, const lw_work *w, double (*size)[2])
{
  double r[3], c[6], applied[6];
  memset(size, 0, (size_t)m->nlink * sizeof *size);
  for (int i = m->nlink - 1; i > 0; i--) {
    size_link(m, w, i, size[i]);
    w->kernels->get_edge(m, w->tree, i, r, c, applied);
    size[m->link[i].parent][0] += size[i][0] + norm3(r) * size[i][1];
    size[m->link[i].parent][1] += size[i][1];
  }
}

/* ---- residual ---- */

/* residual = T + G^T lambda - (M udot + bias) of each speed, in all lanes */
static void find_residual(const lw_model *m, lw_work *w, const double tau[], double residual[])
{
  w->kernels->required_tau(m, w->tree, residual);
  for (int i = 0; i < m->nu * w->kernels->lanes; i++)
    residual[i] = (tau ? tau[i] : 0) - residual[i];
  const lwi_tree_constraints *x = &m->tree_constraints;
  const int n = w->closure && !w->closure->reduced ? x->nconstraint : 0;
  for (int i = 0; i < n; i++) /* loads of relations on the speeds of the tree, with cut joints */
    for (int k = x->constraint[i].term; k < x->constraint[i].term + x->constraint[i].nterm; k++)
      residual[x->term[k].u] += w->closure->slope[k] * lwi_closure_multiplier(m, w, i);
}

static void compare(const lw_model *m, lwi_unsolved *worst, int link, double residual, double size)
{
  const double part = fabs(residual) / (size + 1e-250);
  if (part <= worst->residual) return;
  const lwi_joint *j = &m->joint[m->link[link].joint];
  *worst =
      (lwi_unsolved){.body = j->reversed ? j->info.parent.id : j->info.child.id, .residual = part};
}

/* size of the terms in the load of freedom j of a link, in a lane */
static double size_of(const lw_model *m, const lw_work *w, int link, int j, int lane,
                      double (*size)[2])
{
  const int lanes = w->kernels->lanes;
  double S[6];
  w->kernels->get_column(m, w->tree, m->link[link].column + j, S);
  const double own = norm3(S) * size[link][0] + norm3(S + 3) * size[link][1] +
                     NOTHING * size[0][1] * (norm3(S) * m->length + norm3(S + 3));
  if (m->nmotor + m->njoint_spring == 0) return own;
  const double *tau = w->kernels->part(w->tree, LWI_TREE_TAU);
  return own + fabs(tau[(m->link[link].u + j) * lanes + lane]);
}

static void compare_links(const lw_model *m, const lw_work *w, int lane, double (*size)[2],
                          double sizes[], lwi_unsolved *worst)
{
  const int lanes = w->kernels->lanes;
  for (int i = 1; i < m->nlink; i++) {
    const lwi_link *L = &m->link[i];
    const bool embedded = w->closure && w->closure->reduced && m->clusters.member[i].cluster >= 0;
    for (int j = L->inertialess; j < L->nu; j++) {
      sizes[L->u + j] = size_of(m, w, i, j, lane, size);
      if (lwi_is_locked(L, j) || embedded) continue;
      compare(m, worst, i, w->residual[(L->u + j) * lanes + lane], sizes[L->u + j]);
    }
  }
}

static int link_of_column(const lw_model *m, int column)
{
  int i = m->nlink - 1;
  while (i > 1 && (m->link[i].nu == 0 || m->link[i].column > column))
    i--;
  return i;
}

/* X^T residual, of the independent speeds of each cluster */
static void compare_clusters(const lw_model *m, const lw_work *w, const double residual[],
                             const double sizes[], lwi_unsolved *worst)
{
  const lwi_cluster_motions *cluster_motions = &w->closure->embedding->cluster_motions;
  for (int k = 0; k < m->clusters.ncluster; k++) {
    const lwi_cluster *cluster = &m->clusters.cluster[k];
    const int nv = cluster_motions->nv[k];
    const double *X = cluster_motions->X + cluster->map;
    for (int v = 0; v < nv; v++) {
      double sum = 0, size = 0, most = -1;
      int at = 0; /* the column with the largest part */
      for (int i = 0; i < cluster->ncolumn; i++) {
        const int column = m->clusters.column[cluster->column + i], u = m->column_u[column];
        const double part = X[i * nv + v] * residual[u];
        sum += part;
        size += fabs(X[i * nv + v]) * sizes[u];
        if (fabs(part) > most) most = fabs(part), at = column;
      }
      compare(m, worst, link_of_column(m, at), sum, size);
    }
  }
}

/* Sizes of terms are found lane by lane: those of one lane, another one each time, except in the
   first call and once digits were lost. */
static bool is_lane_due(const lw_work *w, int lane)
{
  const unsigned turn = w->calls / LWI_BALANCE_EVERY;
  return w->calls <= 1 || w->near_singular || turn % (unsigned)w->kernels->lanes == (unsigned)lane;
}

double lwi_find_imbalance(const lw_model *m, lw_work *w, const double tau[])
{
  const int lanes = w->kernels->lanes;
  double *residual = w->residual, *sizes = residual + 2 * m->nu * lanes;
  double(*size)[2] = (double(*)[2])(sizes + m->nu);
  lwi_unsolved worst = {0};
  find_residual(m, w, tau, residual);
  for (int lane = 0; lane < lanes; lane++) {
    if (!is_lane_due(w, lane)) continue;
    w->kernels->choose_lane(w->tree, lane);
    size_links(m, w, size);
    memset(sizes, 0, (size_t)m->nu * sizeof *sizes);
    compare_links(m, w, lane, size, sizes, &worst);
  }
  w->kernels->choose_lane(w->tree, 0);
  if (w->closure && w->closure->reduced) compare_clusters(m, w, residual, sizes, &worst);
  w->unsolved = worst;
  return worst.residual;
}

bool lwi_balance_tree(const lw_model *m, lw_work *w, const double tau[])
{
  enum { MOST_STEPS = 3 };
  const int n = m->nu * w->kernels->lanes;
  double worst = lwi_find_imbalance(m, w, tau), before = HUGE_VAL, *loads = w->residual + n;
  for (int i = 0; i < n; i++)
    loads[i] = tau ? tau[i] : 0;
  w->near_singular = w->near_singular || worst > LWI_REFINED;
  for (int k = 0; k < MOST_STEPS && worst > LWI_REFINED && worst < 0.5 * before; k++) {
    for (int i = 0; i < n; i++)
      loads[i] += w->residual[i];
    if (!w->kernels->free_motion(m, w->tree, loads, w->out)) return false;
    before = worst;
    worst = lwi_find_imbalance(m, w, tau);
  }
  return worst <= LWI_UNSOLVED;
}
