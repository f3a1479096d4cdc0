/* SPDX-License-Identifier: Apache-2.0 */
/* body_balance.c -- the residual of the balance of forces or momenta of each body,

     R = load + loads of its joints - (M (A - g) + bias)        of a motion with loops
     R = impulse + impulses of its joints - M dV                after a jump of light bodies

   is known accurately from the accelerations and loads found.  A sweep with R for loads gives the
   correction [Higham2002].

   Of a motion R is compared with the size of its terms, in the first call of a work and in one of
   some (tree/loops/force_balance.h): mobilities that are wrong, or have lost their digits, are
   noticed although the joints' equations hold (correct.c).

   In a jump the momentum M dV of a body with the added mass P is a small difference of (M + P) dV
   and of the load P dV that makes up for it (light.c): digits are lost by which P is larger than M.
   Nothing more is then to be corrected by the loads of added masses. */
#include "dca/dca.h"
#include "dca/leaf.h"
#include "tree/loops/force_balance.h"
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

/* The sweep with d->unbalanced for loads. */
static lw_status make_up(lw_dca *d)
{
  for (int i = 0; i < d->nedge; i++)
    if (d->edge[i].kind == LWI_DCA_LIGHT) memset(d->edge[i].given, 0, sizeof d->edge[i].given);
  d->balances = true;
  const lw_status status = lwi_dca_solve(d, LWI_DCA_CORRECT);
  d->balances = false;
  return status;
}

/* ---- jumps ---- */

lw_status lwi_dca_balance_jump(lw_dca *d)
{
  const lw_model *m = d->m;
  for (int i = 0; i < d->nedge; i++)
    add_edge_load(&d->edge[i], d->unbalanced);
  for (int i = 1; i < m->nlink; i++) {
    double p[6];
    lwi_link_momentum(m, d->caller, i, d->state[i].A, p);
    add_load(d->unbalanced[i], p, -1);
  }
  return make_up(d);
}

/* ---- motions ---- */

/* raises [torque, force] by a load */
static void add_size(double size[2], const double f[6])
{
  size[0] += norm3(f);
  size[1] += norm3(f + 3);
}

/* Adds sign times M of a motion to f, and its size. */
static void add_inertia(const lw_dca *d, int link, const double motion[6], double sign, double f[6],
                        double size[2])
{
  double p[6];
  lwi_link_momentum(d->m, d->caller, link, motion, p);
  add_load(f, p, sign);
  add_size(size, p);
}

/* f -= M (A - g) + bias: of the velocity [w; 0] the momentum p gives the bias w x p */
static void subtract_required(const lw_dca *d, int link, double f[6], double size[2])
{
  const double *A = d->state[link].A, *g = d->m->gravity;
  const double turn[6] = {A[0], A[1], A[2]}, shift[6] = {0, 0, 0, A[3], A[4], A[5]},
               fall[6] = {0, 0, 0, g[0], g[1], g[2]};
  double V[6], ignored[6], p[6], bias[6];
  d->kernels->get_motion(d->m, d->work, link, V, ignored);
  V[3] = V[4] = V[5] = 0;
  lwi_link_momentum(d->m, d->caller, link, V, p);
  cross3(V, p, bias);
  cross3(V, p + 3, bias + 3);
  add_load(f, bias, -1);
  add_size(size, bias);
  add_inertia(d, link, turn, -1, f, size);
  add_inertia(d, link, shift, -1, f, size);
  add_inertia(d, link, fall, 1, f, size);
}

static void add_edge_size(const lwi_dca_edge *e, double (*size)[6])
{
  double on_a[6];
  if (e->kind == LWI_DCA_RELATION) {
    for (int k = 0; k < e->nlink; k++) {
      double f[6] = {0};
      add_load(f, e->kept + 2 + 6 * k, e->kept[0]);
      add_size(size[e->links[k]], f);
    }
  } else if (e->kind != LWI_DCA_LIGHT) {
    shift_row(e->kept, lwi_dca_kept_arm(e->kept), on_a);
    add_size(size[e->b], e->kept);
    add_size(size[e->a], on_a);
  }
}

/* The largest residual of a balance; in the plane, of what can move there. */
static double compare(const lw_dca *d, int link, const double size[2], double total)
{
  const double *R = d->unbalanced[link], length = d->m->length;
  const bool turns = !d->m->link[link].inertialess;
  const double torque = d->m->planar ? fabs(R[2]) : norm3(R),
               force = d->m->planar ? hypot(R[3], R[4]) : norm3(R + 3);
  const double unit = 1e-250 + 1e-7 * total; /* smaller terms are rounding errors of larger ones */
  const double a = turns ? torque / (size[0] + unit * length) : 0;
  return fmax(a, force / (size[1] + size[0] / length + unit));
}

/* Finds d->unbalanced; returns the largest part of a balance, and names its body. */
static double find_imbalance(lw_dca *d)
{
  const lw_model *m = d->m;
  double(*R)[6] = d->unbalanced, (*size)[6] = d->first, total = 0, worst = 0;
  memset(R[0], 0, sizeof R[0]);
  memset(size, 0, (size_t)m->nlink * sizeof *size);
  for (int i = 1; i < m->nlink; i++) {
    find_applied(d, i, R[i]);
    add_size(size[i], R[i]);
    subtract_required(d, i, R[i], size[i]);
  }
  for (int i = 0; i < d->nedge; i++) {
    add_edge_load(&d->edge[i], R);
    add_edge_size(&d->edge[i], size);
  }
  memset(size[0], 0, sizeof size[0]); /* the ground has no acceleration to be set aside */
  for (int i = 1; i < m->nlink; i++)
    total += size[i][1];
  for (int b = 1; b <= m->nbody; b++) {
    const double part = compare(d, m->body[b].link, size[m->body[b].link], total);
    if (part <= worst) continue;
    worst = part;
    d->caller->unsolved = (lwi_unsolved){.body = b, .residual = part};
  }
  return worst;
}

lw_status lwi_dca_balance_motion(lw_dca *d)
{
  enum { MOST_STEPS = 3 };
  lw_work *w = d->caller;
  double before = HUGE_VAL;
  for (int k = 0;; k++) {
    const double worst = find_imbalance(d);
    w->near_singular = w->near_singular || worst > LWI_REFINED;
    if (!(worst > LWI_REFINED && worst < 0.5 * before) || k == MOST_STEPS)
      return worst <= LWI_UNSOLVED ? LW_OK : LW_E_SINGULAR;
    const lw_status status = make_up(d);
    if (status != LW_OK) return status;
    before = worst;
  }
}
