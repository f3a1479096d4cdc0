/* SPDX-License-Identifier: Apache-2.0 */
/* stabilized.c -- forward dynamics with stabilization of the constraints, as
   lwi_closure_stabilized.  Rows of closing edges and relations have the accelerations

     gamma - k (G u - nu)

   and a second right side, -k phi, gives the position correction. */
#include "dca/dca.h"
#include "dca/edge_rows.h"

/* violation of a cut joint or a geometric constraint */
static void find_violation(const lw_dca *d, const lwi_dca_edge *e, const double *cut_q, double *phi)
{
  const lw_model *m = d->m;
  const lwi_joint *j = &m->joint[e->joint];
  const lwi_constraint *k = e->constraint ? &m->constraint[e->constraint] : NULL;
  const lwi_pair_state *s = &d->closure->pair[k ? k->pair : j->pair];
  const double *own = cut_q + (k ? 0 : j->info.q_all - m->nq);
  const double near = !k && j->info.nq > 0 ? own[0] : 0;
  lwi_equations_residual(k ? &k->equations : &j->equations, &s->frame[0], &s->frame[1], near, phi);
  if (k || !j->locked) return;
  double held[6];
  lwi_lock_residual(j, s->frame, own, held);
  memcpy(phi + j->equations.n, held, (size_t)(e->m - j->equations.n) * sizeof(double));
}

static void set_position_correction(lw_dca *d, lw_work *w, const double *q, double stabilization)
{
  const double *cut_q = w->kernels->part(w->tree, LWI_CUT_Q);
  for (int i = 0; i < d->nedge; i++) {
    lwi_dca_edge *e = &d->edge[i];
    double phi[6], D[36], r[3], ignored[6];
    memset(e->given, 0, sizeof e->given);
    if (e->kind == LWI_DCA_RELATION) {
      const int constraint = d->m->constraint[e->constraint].constraint;
      phi[0] = lwi_closure_relation_sum(d->m, w, &d->m->tree_constraints, constraint, q);
      e->given[0] = -stabilization * (phi[0] - d->closure->target[3 * e->constraint]);
    } else if (e->kind == LWI_DCA_CLOSING) {
      find_violation(d, e, cut_q, phi);
      closing_rows(d, e, D, r, ignored);
      for (int k = 0; k < e->m; k++)
        phi[k] *= -stabilization;
      from_rows(d->m->length, e->m, D, phi, e->given);
    }
  }
  for (int i = 1; i < d->m->nlink; i++) {
    memset(d->state[i].z, 0, sizeof d->state[i].z);
    memset(d->V[i], 0, sizeof d->V[i]);
  }
}

void lwi_dca_recall(lw_dca *d, lw_work *w)
{
  if (d->stage == LWI_DCA_MOTION) return;
  for (int i = 0; i < d->nedge; i++)
    memcpy(d->edge[i].kept, d->edge[i].load, sizeof d->edge[i].load);
  lwi_dca_gather_relations(d);
  d->stage = LWI_DCA_MOTION;
  w->stage = LWI_STAGE_KINEMATICS;
}

lw_status lwi_dca_stabilized(lw_dca *d, lw_work *w, double t, const double q[], const double u[],
                             double stabilization, double udot[], double position_correction[])
{
  const size_t nu = (size_t)d->m->nu;
  const lw_status status = lwi_dca_forward(d, w, t, q, u, NULL, stabilization);
  if (status != LW_OK) return status;
  if (nu) memcpy(udot, d->udot, nu * sizeof *udot);
  if (nu) memset(position_correction, 0, nu * sizeof *position_correction);
  if (stabilization == 0 || !w->closure) return LW_OK;
  /* the sweep overwrites the loads of the motion; of a relation the first of the numbers is its
     multiplier */
  for (int i = 0; i < d->nedge; i++)
    memcpy(d->edge[i].load, d->edge[i].kept, sizeof d->edge[i].load);
  set_position_correction(d, w, q, stabilization);
  d->stage = LWI_DCA_FACTORED;
  const lw_status slid = lwi_dca_solve(d, LWI_DCA_SWEEP);
  if (slid == LW_OK && nu) memcpy(position_correction, d->udot, nu * sizeof *position_correction);
  return slid;
}
