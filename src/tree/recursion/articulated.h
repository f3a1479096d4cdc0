/* SPDX-License-Identifier: Apache-2.0 */
/* articulated.h -- forward dynamics by the articulated-body recursion.  [RBDA] Table 7.1;
   docs/theory/tree.md.

   Legend: I   articulated inertia P(k)          U = I S,  D = S^T U (G = U / D)
           pA  bias load z(k) without its P a    eps = tau - S^T pA
   A joint of several freedoms is eliminated one freedom at a time, as if it were a chain of
   one-freedom joints with massless links at one point: no matrix D to factorise, no cases for
   sizes.  As in inverse.h, the first child passes its results to the parent in registers. */
#ifndef LWI_TREE_RECURSION_ARTICULATED_H
#define LWI_TREE_RECURSION_ARTICULATED_H
#include "tree/recursion/inverse.h"

typedef struct {
  abi I;
  force pA;
} articulated;

/* Upper estimate of S^T I S.  A pivot below 2^-46 of it, times the growth of errors by previous
   small pivots, is a rounding error: the freedom moves no mass. */
static inline real pivot_size(abi I, motion S)
{
  return v3_dot(S.w, S.w) * abi_angular_size(I) + v3_dot(S.v, S.v) * abi_linear_size(I);
}

/* After freedoms are eliminated, I S = 0 and S^T pA = tau up to rounding errors of the size of the
   body's inertia.  A light body further inward that moves along the same S would take these errors
   for its own inertia.  They are removed by the projector E = 1 - s s^T / s^T s, where s has the
   components of S:

     I <- E I E,   pA <- pA + s (tau - S^T pA) / s^T s
     x s^T + s x^T = ((x + g s)(x + g s)^T - (x - g s)(x - g s)^T) / 2g,   g s as large as x

   This follows the elimination of all freedoms of a joint, since one of them alone leaves terms as
   large as the body; each s is orthogonal to the previous ones, so that their equations remain
   satisfied. */
static inline abi sweep_inertia(abi I, force s, real by)
{
  const motion S = {s.t, s.f};
  const force x = abi_mul(I, S);
  const real g = real_sqrt((v3_dot(x.t, x.t) + v3_dot(x.f, x.f)) * by);
  const real factor = real_select(g > 0.0, 0.5 * by / g, real_set(0.0));
  const force y = force_fma(x, s, -0.5 * by * power(S, x));
  I = abi_sub_outer(I, force_fma(y, s, g), factor);
  return abi_sub_outer(I, force_fma(y, s, -g), -factor);
}

/* 1 / s^T s */
static inline real inverse_square(force s)
{
  const real square = v3_dot(s.t, s.t) + v3_dot(s.f, s.f);
  return real_select(square > 0.0, 1.0 / square, real_set(0.0));
}

/* the components of S, without its projections on the orthogonal others[n] */
static inline force direction_left(motion S, const force *others, int n)
{
  force s = {S.w, S.v};
  for (int i = 0; i < n; i++) {
    const motion o = {others[i].t, others[i].f};
    s = force_fma(s, others[i], -inverse_square(others[i]) * power(o, s));
  }
  return s;
}

static __attribute__((noinline)) void sweep_freedoms(const lwi_link *L, const freedom *fr,
                                                     const real *load, articulated *at)
{
  force swept[6];
  int n = 0;
  articulated a = {abi_symmetric(at->I), at->pA};
  for (int j = L->inertialess; j < L->nu; j++) {
    if (lwi_is_locked(L, j) || lwi_armature(L, j) > 0) continue; /* a rotor leaves I S != 0 */
    const force s = swept[n] = direction_left(fr[j].S, swept, n);
    const real by = inverse_square(swept[n++]);
    a.I = sweep_inertia(a.I, s, by);
    a.pA = force_fma(a.pA, s, by * (load[j] - power(fr[j].S, a.pA)));
  }
  *at = a;
}

/* Eliminates one freedom from an articulated inertia and its bias.  A pivot below its rounding
   errors becomes NaN, and so does all that depends on it.  rotor: its armature, which no other link
   feels: D = S^T I S + rotor. */
static inline articulated release(articulated a, freedom *fr, real tau, real rotor,
                                  bool inertialess, real noise)
{
  const force U = abi_mul(a.I, fr->S);
  real D = power(fr->S, U) + rotor;
  if (inertialess) { /* a rotation of a particle: S, U and udot are zero */
    D = real_set(1.0);
    tau = real_set(0.0);
  }
  fr->U = U;
  fr->Dinv = real_select(D > noise, 1.0 / D, real_set((double)NAN));
  fr->eps = tau - power(fr->S, a.pA);
  return (articulated){abi_sub_outer(a.I, U, fr->Dinv), force_fma(a.pA, U, fr->eps * fr->Dinv)};
}

/* A locked freedom: udot is zero, and the parent carries the whole inertia. */
static inline void carry_locked(articulated a, freedom *fr, real tau)
{
  fr->U = abi_mul(a.I, fr->S);
  fr->Dinv = real_set(0.0);
  fr->eps = tau - power(fr->S, a.pA);
}

/* Eliminates all freedoms of a link's joint.  regular becomes -1 where a D was not positive.  Inlined, so that
   the inertia stays in registers; what is rare is a function of its own. */
static inline __attribute__((always_inline)) articulated release_all(const lw_model *m,
                                                                     lwi_tree_work *w, int i,
                                                                     articulated a, const real *tau,
                                                                     real *regular)
{
  const lwi_link *L = &m->link[i];
  const bool own_tau = lwi_has_freedom_elements(m);
  freedom *fr = w->freedom + L->column;
  const abi whole = a.I;
  real load[6], spread = real_set(1.0);
  for (int j = 0; j < L->nu; j++) {
    load[j] = own_tau ? w->tau[L->u + j] : real_set(0.0);
    if (tau) load[j] += tau[L->u + j];
    if (lwi_is_locked(L, j)) {
      carry_locked(a, &fr[j], load[j]);
      continue;
    }
    const real size = m->light ? pivot_size(whole, fr[j].S) : real_set(0.0);
    a = release(a, &fr[j], load[j], real_set(lwi_armature(L, j)), j < L->inertialess,
                0x1p-46 * size * spread);
    spread = real_select(size * fr[j].Dinv > spread, size * fr[j].Dinv, spread);
    *regular = real_select((fr[j].Dinv > 0.0) & (fr[j].Dinv < 1e300), *regular, real_set(-1.0));
  }
  if (!w->unequal) return a;
  articulated swept = a;
  sweep_freedoms(L, fr, load, &swept);
  return swept;
}

static bool articulate_inward(const lw_model *m, lwi_tree_work *w, const real *tau)
{
  const bool pushed = lwi_has_link_forces(m);
  real regular = real_set(1.0); /* -1 where a D was not positive */
  articulated handed = {0};
  bool arrives = false;
  for (int i = m->nlink - 1; i > 0; i--) {
    const lwi_link *L = &m->link[i];
    const link_state *s = &w->link[i];
    const rigid M = link_inertia(L, s);
    articulated a = {abi_rigid(M), rigid_bias(M, s->V.w)};
    if (pushed) a.pA = force_sub(a.pA, w->applied[i]);
    if (arrives) a = (articulated){abi_add(a.I, handed.I), force_add(a.pA, handed.pA)};
    if (L->branch >= 0) {
      a.I = abi_add(a.I, w->branch_inertia[L->branch]);
      a.pA = force_add(a.pA, w->branch_force[L->branch]);
    }
    a = release_all(m, w, i, a, tau, &regular);
    arrives = L->hands_on;
    if (L->parent == 0) continue;

    /* articulated inertia and bias for the parent */
    a.pA = force_add(a.pA, abi_mul(a.I, s->c));
    handed = (articulated){abi_from(a.I, s->r), force_from(a.pA, s->r)};
    if (!L->hands_on) {
      const int b = m->link[L->parent].branch;
      w->branch_inertia[b] = L->last ? handed.I : abi_add(w->branch_inertia[b], handed.I);
      w->branch_force[b] = L->last ? handed.pA : force_add(w->branch_force[b], handed.pA);
    }
  }
  return !real_any(regular < 0.0);
}

/* udot(j) = D^-1 (eps - U^T (phi* A + c)), the last eliminated freedom of a joint first */
static void articulate_outward(const lw_model *m, lwi_tree_work *w, real *udot)
{
  w->link[0].A.v = v3_neg(gravity(m));
  for (int i = 1; i < m->nlink; i++) {
    const lwi_link *L = &m->link[i];
    const freedom *fr = w->freedom + L->column;
    link_state *s = &w->link[i];
    const motion parent = w->link[L->parent].A;
    motion A = motion_add(motion_at(parent, s->r), s->c);
    if (L->nu == 1) { /* U^T phi* A(parent) as (phi U)^T A(parent): beside A, not after it */
      const force U = force_from(fr[0].U, s->r);
      const real x = fr[0].Dinv * ((fr[0].eps - power(s->c, fr[0].U)) - power(parent, U));
      udot[L->u] = x;
      A = motion_fma(A, fr[0].S, x);
    }
    for (int j = L->nu - 1; j >= 0 && L->nu != 1; j--) {
      const real x = fr[j].Dinv * (fr[j].eps - power(A, fr[j].U));
      udot[L->u + j] = x;
      A = motion_fma(A, fr[j].S, x);
    }
    keep_rotors(L, w, udot);
    s->A = A;
  }
}

static bool forward(const lw_model *m, lwi_tree_work *w, double t, const double *q, const double *u,
                    const double *tau, double *udot)
{
  kinematics(m, w, q, u);
  find_forces(m, w, t, q, u);
  const bool regular = articulate_inward(m, w, (const real *)tau);
  articulate_outward(m, w, (real *)udot);
  return regular;
}

#endif
