/* SPDX-License-Identifier: Apache-2.0 */
/* constraint_sweeps.h -- sweeps of the tree for its constraints (model/tree_constraints.h).

   With the innovations factorisation M^-1 = (1 - H psi K)* D^-1 (1 - H psi K) of
   docs/theory/tree.md the rows G of the constraints have the compliance

     G M^-1 G^T = E^T D^-1 E,   E = (1 - H psi K) G^T

   E results from one inward sweep of the articulated-body recursion with the loads G^T, along the
   paths from the constraints to the ground only; no mass matrix, no outward sweep.  The response of
   the tree to loads G^T lambda is one outward sweep that starts from E lambda:

     M^-1 G^T lambda = (1 - H psi K)* D^-1 (E lambda)

   Legend: eps  an entry of E;  f the load of a row, inward. */
#ifndef LWI_TREE_RECURSION_CONSTRAINT_SWEEPS_H
#define LWI_TREE_RECURSION_CONSTRAINT_SWEEPS_H
#include "tree/recursion/articulated.h"

/* Writes four numbers: a vector stored in one piece can be loaded again without a stall. */
static inline void store3(vec3 a, double *out)
{
#if LW_PACKED
  memcpy(out, &a, sizeof a);
#else
  out[0] = real_lane(v3_x(a), 0);
  out[1] = real_lane(v3_y(a), 0);
  out[2] = real_lane(v3_z(a), 0);
#endif
}

/* positions and velocities of the frames of a pair; after kinematics of its links */
static void place_pair(const lw_model *m, const lwi_tree_work *w, int pair, lwi_pair_state *to)
{
  for (int k = 0; k < 2; k++) {
    const lwi_frame *place = &m->pair[pair].place[k];
    const link_state *s = &w->link[m->pair[pair].link[k]];
    const mat3 R = m3_mulparam(s->R, &place->R);
    const vec3 arm = m3_mulp(s->R, place->p);
    store3(R.x, to->frame[k].R.c[0]);
    store3(R.y, to->frame[k].R.c[1]);
    store3(R.z, to->frame[k].R.c[2]);
    store3(v3_add(s->p, arm), to->frame[k].p);
    store3(arm, to->arm[k]);
    store3(s->V.w, to->V[k]);
    store3(v3_add_cross(s->V.v, s->V.w, arm), to->V[k] + 3);
  }
}

/* Articulated inertias alone: U and 1/D of every freedom.  Locked freedoms do not move: 1/D = 0. */
static bool factor(const lw_model *m, lwi_tree_work *w, const bool *held)
{
  real regular = real_set(1.0);
  abi handed = {0};
  bool arrives = false;
  for (int i = m->nlink - 1; i > 0; i--) {
    const lwi_link *L = &m->link[i];
    freedom *fr = w->freedom + L->column;
    abi I = abi_rigid(link_inertia(L, &w->link[i]));
    if (arrives) I = abi_add(I, handed);
    if (L->branch >= 0) I = abi_add(I, w->branch_inertia[L->branch]);
    const abi whole = I;
    force swept[6];
    int nswept = 0;
    real spread = real_set(1.0);
    for (int j = 0; j < L->nu; j++) {
      const bool locked =
          j < L->inertialess || lwi_is_locked(L, j) || (held && held[L->column + j]);
      fr[j].U = abi_mul(I, fr[j].S);
      fr[j].Dinv = real_set(0.0);
      if (locked) continue;
      const real D = power(fr[j].S, fr[j].U) + lwi_armature(L, j);
      const real size = m->light ? pivot_size(whole, fr[j].S) : real_set(0.0);
      fr[j].Dinv = real_select(D > 0x1p-46 * size * spread, 1.0 / D, real_set((double)NAN));
      spread = real_select(size * fr[j].Dinv > spread, size * fr[j].Dinv, spread);
      regular = real_select((fr[j].Dinv > 0.0) & (fr[j].Dinv < 1e300), regular, real_set(-1.0));
      I = abi_sub_outer(I, fr[j].U, fr[j].Dinv);
      if (w->unequal && !(lwi_armature(L, j) > 0))
        swept[nswept] = direction_left(fr[j].S, swept, nswept), nswept++;
    }
    if (nswept > 0) I = abi_symmetric(I);
    for (int j = 0; j < nswept; j++)
      I = sweep_inertia(I, swept[j], inverse_square(swept[j]));
    arrives = L->hands_on;
    if (L->parent == 0) continue;
    handed = abi_from(I, w->link[i].r);
    if (!L->hands_on) {
      abi *sum = &w->branch_inertia[m->link[L->parent].branch];
      *sum = L->last ? handed : abi_add(*sum, handed);
    }
  }
  return !real_any(regular < 0.0);
}

static inline force load_of(const double J[6])
{
  return (force){v3(real_set(J[0]), real_set(J[1]), real_set(J[2])),
                 v3(real_set(J[3]), real_set(J[4]), real_set(J[5]))};
}

/* The load that a joint passes inward satisfies S^T f = -own for its moving freedoms, up to
   rounding errors, which matter for much lighter links further inward: removes them, as
   sweep_freedoms. */
static inline force sweep_load(const lwi_link *L, const freedom *fr, const real *own, force f)
{
  force swept[6];
  int n = 0;
  for (int j = 0; j < L->nu; j++) {
    if (real_lane(fr[j].Dinv, 0) == 0 || lwi_armature(L, j) > 0) continue; /* locked; as there */
    const force s = swept[n] = direction_left(fr[j].S, swept, n);
    f = force_fma(f, s, -inverse_square(swept[n++]) * (own[j] + power(fr[j].S, f)));
  }
  return f;
}

/* Sweeps the loads of row r of a constraint inward: eps of the constraint's columns, starting from
   those of its terms. */
static void sweep_row(const lw_model *m, const lwi_tree_work *w, const lwi_tree_constraints *x,
                      const lwi_tree_constraint *t, int r, force *f, double *eps)
{
  for (int l = 0; l < t->nlink; l++) {
    const int i = x->link[t->link + l], in = x->inward[t->link + l];
    const lwi_link *L = &m->link[i];
    const freedom *fr = w->freedom + L->column;
    double *e = eps + x->column[t->link + l] * t->n + r;
    real term[6];
    for (int j = 0; j < L->nu; j++) {
      term[j] = real_set(e[j * t->n]);
      const real own = term[j] + power(fr[j].S, f[l]);
      e[j * t->n] = real_lane(own, 0);
      f[l] = force_fma(f[l], fr[j].U, -(own * fr[j].Dinv));
    }
    if (w->unequal) f[l] = sweep_load(L, fr, term, f[l]);
    if (in >= 0) f[in] = force_add(f[in], force_from(f[l], w->link[i].r));
  }
}

/* In: J, rows of the constraint's pairs about link origins, [npair][2][n][6], and the slopes of
   all terms, which count times scale.  Out: eps, [ncolumn][n]. */
static void innovations(const lw_model *m, lwi_tree_work *w, const lwi_tree_constraints *x,
                        int constraint, const double *J, double scale, const double *slope,
                        double *eps)
{
  const lwi_tree_constraint *t = &x->constraint[constraint];
  const force none = {v3_zero(), v3_zero()};
  for (int i = 0; i < t->ncolumn * t->n; i++)
    eps[i] = 0;
  for (int i = t->term; i < t->term + t->nterm; i++)
    eps[x->term[i].at] += scale * slope[i];
  for (int r = 0; r < t->n; r++) {
    for (int l = 0; l < t->nlink; l++)
      w->handed[l] = none;
    for (int p = 0; p < 2 * t->npair; p++) {
      const int at = x->pair[t->pair + p / 2].at[p % 2];
      if (at >= 0) w->handed[at] = force_add(w->handed[at], load_of(J + 6 * (p * t->n + r)));
    }
    sweep_row(m, w, x, t, r, w->handed, eps);
  }
}

static void pivots(const lw_model *m, const lwi_tree_work *w, double *Dinv)
{
  for (int k = 0; k < m->nu; k++)
    Dinv[k] = real_lane(w->freedom[k].Dinv, 0);
}

/* Sweeps loads on all links, about their origins, inward: eps in link order.  After factor;
   overwrites joint loads. */
static void innovate(const lw_model *m, lwi_tree_work *w, double (*loads)[6], double *eps)
{
  const real none[6] = {0};
  for (int i = 0; i < m->nlink; i++)
    w->link[i].f = load_of(loads[i]);
  for (int i = m->nlink - 1; i > 0; i--) {
    const lwi_link *L = &m->link[i];
    const freedom *fr = w->freedom + L->column;
    force f = w->link[i].f;
    for (int j = 0; j < L->nu; j++) {
      const real own = power(fr[j].S, f);
      eps[L->column + j] = real_lane(own, 0);
      f = force_fma(f, fr[j].U, -(own * fr[j].Dinv));
    }
    if (w->unequal) f = sweep_load(L, fr, none, f);
    force *in = &w->link[L->parent].f;
    *in = force_add(*in, force_from(f, w->link[i].r));
  }
}

/* udot += M^-1 G^T lambda, and the links' accelerations follow; eps = E lambda in link order */
static void solve_response(const lw_model *m, lwi_tree_work *w, const double *eps, double *udot)
{
  w->derivative[0] = (motion){v3_zero(), v3_zero()};
  for (int i = 1; i < m->nlink; i++) {
    const lwi_link *L = &m->link[i];
    const freedom *fr = w->freedom + L->column;
    link_state *s = &w->link[i];
    motion A = motion_at(w->derivative[L->parent], s->r);
    for (int j = L->nu - 1; j >= 0; j--) {
      const real x = fr[j].Dinv * (eps[L->column + j] - power(A, fr[j].U));
      udot[L->u + j] += real_lane(x, 0);
      A = motion_fma(A, fr[j].S, x);
    }
    keep_rotors(L, w, (const real *)udot);
    w->derivative[i] = A;
    s->A = motion_add(s->A, A);
  }
}

/* adds a load on a link, about its origin */
static void push(lwi_tree_work *w, int link, const double load[6])
{
  w->applied[link] = force_add(w->applied[link], load_of(load));
}

/* forces, then accelerations of the tree alone */
static bool free_motion(const lw_model *m, lwi_tree_work *w, const double *tau, double *udot)
{
  const bool regular = articulate_inward(m, w, (const real *)tau);
  articulate_outward(m, w, (real *)udot);
  return regular;
}

static void hold_loads(lwi_tree_work *w, const lwi_expr *const *held)
{
  w->held = held;
  w->holds++;
}

static bool follow_holds(const lwi_tree_work *from, lwi_tree_work *w)
{
  const bool changed = w->holds != from->holds;
  w->held = from->held;
  w->holds = from->holds;
  return changed;
}

static double *part(lwi_tree_work *w, lwi_tree_part which)
{
  real *const at[] = {w->cut_q, w->cut_u, w->cut_tau, w->tau, w->wound};
  if (which == LWI_TREE_Q || which == LWI_TREE_U) return which == LWI_TREE_Q ? w->q : w->u;
  return (double *)at[which];
}

#endif
