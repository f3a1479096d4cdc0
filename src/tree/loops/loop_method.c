/* SPDX-License-Identifier: Apache-2.0 */
/* loop_method.c -- chooses the method that closes the loops of a model, cut joints or embedding, by
   operation counts.

   Operations are counted from the same lists that the computation runs through, in multiplications
   with an addition; what both methods need (kinematics, forces, rows of the constraints) is left
   out. */
#include "tree/loops/embedding.h"
#include "tree/loops/work.h"
#include "linkwork/loops.h"

/* ---- operations ---- */

enum {
  RELEASE = 90, /* eliminates one freedom of an articulated inertia, shifts it to the parent */
  SWEEP = 25,   /* one load past one freedom */
  JOIN = 60,    /* a link of a cluster: its inertia and loads to the base */
  SHIFT = 120   /* an articulated inertia to another point */
};

/* freedoms that the recursion releases one by one: all, or those outside clusters */
static double recursion(const lw_model *m, bool outside)
{
  double sum = 0;
  for (int i = 1; i < m->nlink; i++)
    if (!outside || m->clusters.member[i].cluster < 0) sum += RELEASE * m->link[i].nu + SHIFT;
  return sum;
}

double lwi_closure_cost(const lw_model *m)
{
  const lwi_tree_constraints *x = &m->tree_constraints;
  double sum = recursion(m, false);
  for (int t = 0; t < x->nconstraint; t++)
    sum += SWEEP * (double)x->constraint[t].n * x->constraint[t].ncolumn;
  for (int k = 0; k < m->nu; k++) { /* W */
    double rows = 0;
    for (int a = x->touch_start[k]; a < x->touch_start[k + 1]; a++)
      rows += x->constraint[x->touch[a].constraint].n;
    sum += rows * (rows + 6) / 2;
  }
  for (int b = 0; b < x->envelope.nblock;
       b++) { /* its factor: half the square of each row's length */
    const double n = x->envelope.block[b + 1] - x->envelope.block[b];
    const double length = x->envelope.block[b + 1] - x->envelope.first[b];
    sum += n * length * (length + 4) / 2;
  }
  return sum;
}

static double cluster_cost(const lw_model *m, const lwi_reduction *f, const lwi_cluster *c)
{
  const double nv = f->nfree;
  double sum = nv * nv * nv / 6 + JOIN * c->nlink;
  for (int s = 0; s < f->nstrip; s++) {
    const lwi_strip_factor *k = &f->factor[s];
    const double n = f->strip[s].n, width = k->nback + k->nrest + k->m;
    sum += 12 * n * f->strip[s].ncolumn + n * (n + width) * (1 + k->m) + k->m * k->nrest * nv;
  }
  for (int i = 0; i < c->nlink; i++) {
    const lwi_member *b = &m->clusters.member[m->clusters.link[c->link + i]];
    sum += nv * ((b->bare ? 40 : 60) + 4 * nv);
    if (c->base > 0) sum += 9 * nv + (b->bare ? 20 : SHIFT);
  }
  return sum + (c->base > 0 ? 21 * nv : 0);
}

double lwi_embedding_cost(const lw_model *m, const lw_work *w)
{
  double sum = recursion(m, true);
  for (int k = 0; k < m->clusters.ncluster; k++)
    sum += cluster_cost(m, &w->closure->embedding->part[k], &m->clusters.cluster[k]);
  return sum;
}

/* ---- choice ---- */

void lwi_closure_update_rank(const lw_model *m, lw_work *w)
{
  lwi_closure *c = w->closure;
  if (c->method != LW_LOOPS_EMBEDDED) return;
  lwi_rank_rule rule = lwi_embedded_rule(m);
  rule.lost = c->embedding->decided ? 1e-14 : 0;
  lwi_closure_rows(m, w, &m->tree_constraints);
  c->embedding->decided = lwi_embedding_decide(m, w, &rule);
}

/* Embedding loses no digits by light bodies in loops (model/compile/added_mass.c): it does not
   invert their masses. */
bool lwi_closure_choose(const lw_model *m, lw_work *w, lw_loops method)
{
  lwi_closure *c = w->closure;
  const bool cut = c->cost[0] > 0, embedded = c->cost[1] > 0;
  if ((method == LW_LOOPS_CUT && !cut) || (method == LW_LOOPS_EMBEDDED && !embedded)) return false;
  c->asked = c->method = method;
  c->embedding->decided = false;
  if (method == LW_LOOPS_AUTO)
    c->method = embedded && (!cut || m->has_light_bodies || c->cost[1] < c->cost[0])
                    ? LW_LOOPS_EMBEDDED
                    : LW_LOOPS_CUT;
  return cut || embedded;
}

bool lwi_closure_is_available(const lw_model *m, const lw_work *w)
{
  const lwi_closure *c = w->closure;
  return !c || m->tree_constraints.nconstraint == 0 || c->cost[0] > 0 || c->cost[1] > 0;
}

lw_status lw_set_loops(lw_work *w, lw_loops method)
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_work(m, w) || (unsigned)method > LW_LOOPS_EMBEDDED) return LW_E_ARG;
  if (!w->closure || m->tree_constraints.nconstraint == 0) return LW_OK;
  w->stage = LWI_STAGE_NOTHING;
  return lwi_closure_choose(m, w, method) ? LW_OK : LW_E_UNSUPPORTED;
}

/* Kinematics, forces and the pass outward of a link take as long as PLACE multiplications of divide
   and conquer: measured, 79 and 286 ns for a link of a chain of 1,000 (bench/README.md). */
double lw_recursion_cost(const lw_work *w)
{
  enum { PLACE = 350 };
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_work(m, w)) return 0;
  const double links = PLACE * (m->nlink - 1.);
  if (!w->closure || m->tree_constraints.nconstraint == 0) return links + recursion(m, false);
  const double cut = w->closure->cost[0], embedded = w->closure->cost[1];
  if (!(cut > 0) && !(embedded > 0)) return 0;
  return links + (w->closure->method == LW_LOOPS_EMBEDDED ? embedded : cut);
}

lw_loops_info lw_get_loops(const lw_work *w)
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_work(m, w) || !w->closure || m->tree_constraints.nconstraint == 0)
    return (lw_loops_info){.method = LW_LOOPS_AUTO};
  const lwi_closure *c = w->closure;
  lw_loops_info info = {.asked = c->asked,
                        .method = c->method,
                        .nnode = m->clusters.ncluster,
                        .cut_cost = c->cost[0],
                        .embedded_cost = c->cost[1]};
  for (int k = 0; k < m->clusters.ncluster; k++) {
    const lwi_cluster *cluster = &m->clusters.cluster[k];
    info.nindependent += c->embedding->cluster_motions.nv[k];
    if (cluster->nlink > info.largest) info.largest = cluster->nlink;
  }
  return info;
}
