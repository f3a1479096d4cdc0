/* SPDX-License-Identifier: Apache-2.0 */
/* tie_equations.c -- what the rows of all ties are at a state: violation, its rate, and what the
   accelerations lack.  All scaled as closure.h says. */
#include "tree/closure.h"
#include "tree/work.h"

#include <string.h>

static double dot6(const double a[6], const double b[6])
{
  return dot3(a, b) + dot3(a + 3, b + 3);
}

static const lwi_equations *equations_of(const lw_model *m, const lwi_tie *t)
{
  return t->kind == LWI_TIE_JOINT ? &m->joint[t->id].equations : &m->constraint[t->id].equations;
}

/* ---- positions ---- */

/* the rotation from quaternion a to b as twice the vector part of a* b, in the axes of b */
static void rotation_between(const double a[4], const double b[4], double out[3])
{
  const double w = a[0] * b[0] + dot3(a + 1, b + 1), s = w < 0 ? -2 : 2;
  double c[3];
  cross3(a + 1, b + 1, c);
  for (int i = 0; i < 3; i++)
    out[i] = s * (a[0] * b[1 + i] - b[0] * a[1 + i] - c[i]);
}

/* how far a cut joint is from the coordinates at which it is held, by its speeds */
static void hold_residual(const lwi_joint *j, const lwi_frame frame[2], const double q[],
                          double phi[])
{
  const double *held = j->q;
  const bool planar = j->shape.planar;
  for (int i = 0; i < j->info.nu; i++)
    phi[i] = q[i] - held[i];
  if (j->info.type == LW_SPHERICAL) rotation_between(held, q, phi);
  if (j->info.type != LW_FREE) return;
  double d[3] = {0};
  for (int i = 0; i < (planar ? 2 : 3); i++)
    d[i] = q[i] - held[i];
  rot_mulv(frame[0].R, d, d);
  rot_tmulv(frame[1].R, d, d);
  if (planar)
    phi[0] = q[2] - held[2];
  else
    rotation_between(held + 3, q + 3, phi);
  memcpy(phi + (planar ? 1 : 3), d, (planar ? 2 : 3) * sizeof(double));
}

/* Those of a rotation only all together. */
static bool keep_place(const lwi_joint *j, unsigned dofs)
{
  return lwi_count_still(dofs) == j->info.nu || lwi_joint_has_rate_pair(j->info.type);
}

bool lwi_lock_holds_place(const lwi_joint *j)
{
  return keep_place(j, j->still);
}

static void freedom_residual(const lwi_joint *j, unsigned dofs, const lwi_frame frame[2],
                             const double q[], double phi[6])
{
  int n = 0;
  if (keep_place(j, dofs))
    hold_residual(j, frame, q, phi);
  else
    memset(phi, 0, 6 * sizeof(double));
  for (int i = 0; i < 6; i++)
    if (dofs >> i & 1) phi[n++] = phi[i];
}

void lwi_lock_residual(const lwi_joint *j, const lwi_frame frame[2], const double q[],
                       double phi[6])
{
  freedom_residual(j, j->still, frame, q, phi);
}

/* the sum of a relation: q or u of the tree, cut those of cut joints from index 0 */
static double relation_sum(const lw_model *m, const lwi_ties *x, const lwi_tie *t, bool speeds,
                           const double tree[], const double cut[])
{
  double sum = 0;
  for (int i = t->term; i < t->term + t->nterm; i++)
    sum += x->term[i].coefficient * tree[speeds ? x->term[i].u : x->term[i].q];
  for (int i = t->pair; i < t->pair + t->npair; i++) {
    const lwi_joint *j = &m->joint[x->pair[i].joint];
    const int at = speeds ? j->info.u_all - m->nu : j->info.q_all - m->nq;
    sum += x->pair[i].coefficient * cut[at + x->pair[i].dof];
  }
  return sum;
}

double lwi_closure_relation_sum(const lw_model *m, lw_work *w, const lwi_ties *x, int tie,
                                const double q[])
{
  return relation_sum(m, x, &x->tie[tie], false, q, w->kernels->cut_part(w->tree, LWI_CUT_Q));
}

void lwi_closure_residual(const lw_model *m, lw_work *w, const lwi_ties *x, const double q[],
                          double phi[])
{
  const lwi_closure *c = w->closure;
  const double *cut = w->kernels->cut_part(w->tree, LWI_CUT_Q);
  for (int i = 0; i < x->ntie; i++) {
    const lwi_tie *t = &x->tie[i];
    const lwi_pair_state *s = t->npair ? &c->pair[x->pair[t->pair].pair] : NULL;
    const double *own =
        cut + (t->kind == LWI_TIE_JOINT || t->dofs ? m->joint[t->id].info.q_all - m->nq : 0);
    double *out = phi + t->row;
    if (t->kind == LWI_TIE_RELATION)
      out[0] = relation_sum(m, x, t, false, q, cut) - c->target[3 * t->id];
    else if (t->dofs) {
      double whole[6];
      freedom_residual(&m->joint[t->id], t->dofs, s->frame, own, whole);
      memcpy(out, whole, (size_t)t->n * sizeof(double));
    } else
      lwi_equations_residual(equations_of(m, t), &s->frame[0], &s->frame[1],
                             t->kind == LWI_TIE_JOINT && m->joint[t->id].info.nq > 0 ? own[0] : 0,
                             out);
    for (int r = 0; r < t->n; r++)
      out[r] *= c->scale[t->row + r];
  }
}

/* ---- velocities ---- */

void lwi_closure_rate(const lw_model *m, lw_work *w, const lwi_ties *x, const double u[],
                      double rate[])
{
  const lwi_closure *c = w->closure;
  const double *cut = w->kernels->cut_part(w->tree, LWI_CUT_U);
  for (int i = 0; i < x->ntie; i++) {
    const lwi_tie *t = &x->tie[i];
    if (t->kind == LWI_TIE_RELATION) {
      rate[t->row] =
          c->scale[t->row] * (relation_sum(m, x, t, true, u, cut) - c->target[3 * t->id + 1]);
      continue;
    }
    double V[2][6], A[6];
    for (int side = 0; side < 2; side++)
      w->kernels->get_motion(m, w->tree, m->pair[x->pair[t->pair].pair].link[side], V[side], A);
    for (int r = 0; r < t->n; r++) {
      const double *J = c->J + t->J + 6 * r;
      const double held = t->kind == LWI_TIE_HOLD ? m->joint[t->id].u[r] : 0;
      rate[t->row + r] = dot6(J, V[0]) + dot6(J + 6 * t->n, V[1]) - c->scale[t->row + r] * held;
    }
  }
}

/* ---- accelerations ---- */

/* acceleration of the frame on a side of a pair, about the link's origin */
static void frame_acceleration(const lw_model *m, const lw_work *w, int pair, int side, double A[6])
{
  const int link = m->pair[pair].link[side];
  double V[6], turn[3], swing[3];
  memset(A, 0, 6 * sizeof(double));
  if (link == 0) return;
  w->kernels->get_motion(m, w->tree, link, V, A);
  cross3(V, w->closure->pair[pair].arm[side], turn);
  cross3(V, turn, swing);
  for (int i = 0; i < 3; i++)
    A[3 + i] += swing[i];
}

void lwi_closure_deficit(const lw_model *m, lw_work *w, const lwi_ties *x, const double udot[],
                         double deficit[])
{
  const lwi_closure *c = w->closure;
  for (int i = 0; i < x->ntie; i++) {
    const lwi_tie *t = &x->tie[i];
    double *d = deficit + t->row;
    memcpy(d, c->gamma + t->row, (size_t)t->n * sizeof(double));
    for (int p = 0; p < 2 * t->npair; p++) {
      double A[6];
      frame_acceleration(m, w, x->pair[t->pair + p / 2].pair, p % 2, A);
      for (int r = 0; r < t->n; r++)
        d[r] -= dot6(c->J + t->J + 6 * (p * t->n + r), A);
    }
    for (int k = t->term; k < t->term + t->nterm; k++)
      d[0] -= c->scale[t->row] * x->term[k].coefficient * udot[x->term[k].u];
  }
}
