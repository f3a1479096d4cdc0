/* SPDX-License-Identifier: Apache-2.0 */
/* light_balance.c -- momenta of light bodies after a jump.

   The momentum M dV of a body with the added mass P is a small difference of (M + P) dV and of the
   load P dV that makes up for it (light.c): digits are lost by which P is larger than M.  What the
   balance of a body lacks,

     R = impulse + impulses of its joints - M dV

   is known accurately.  A sweep with R for impulses, and nothing more to be corrected by the loads of
   added masses, gives the correction [Higham2002]. */
#include "dca/dca.h"
#include "dca/edge_rows.h"
#include "tree/loops/tree_impulse.h"

static void add_load(double to[6], const double f[6], double sign)
{
  for (int i = 0; i < 6; i++)
    to[i] += sign * f[i];
}

/* the load of an edge on the bodies that it joins; that of added mass is left out */
static void add_edge_load(const lwi_dca_edge *e, double (*R)[6])
{
  if (e->kind == LWI_DCA_RELATION) {
    for (int k = 0; k < e->nlink; k++)
      add_load(R[e->links[k]], e->kept + 2 + 6 * k, e->kept[0]);
  } else if (e->kind != LWI_DCA_LIGHT) {
    double on_a[6];
    shift_row(e->kept, lwi_dca_kept_arm(e->kept), on_a);
    add_load(R[e->b], e->kept, 1);
    add_load(R[e->a], on_a, -1);
  }
}

lw_status lwi_dca_balance_jump(lw_dca *d)
{
  const lw_model *m = d->m;
  for (int i = 0; i < d->nedge; i++) {
    add_edge_load(&d->edge[i], d->unbalanced);
    if (d->edge[i].kind == LWI_DCA_LIGHT) memset(d->edge[i].given, 0, sizeof d->edge[i].given);
  }
  for (int i = 1; i < m->nlink; i++) {
    double p[6];
    lwi_link_momentum(m, d->caller, i, d->state[i].A, p);
    add_load(d->unbalanced[i], p, -1);
  }
  d->balances = true;
  const lw_status status = lwi_dca_solve(d, LWI_DCA_CORRECT);
  d->balances = false;
  return status;
}
