/* SPDX-License-Identifier: Apache-2.0 */
/* dynamics_terms.c -- the dynamics of the tree as terms (tree_terms.h): [Jain2012] eqs (12), (14) in link axes. */
#include "io/code/tree_terms.h"

#include <stdlib.h>

/* ---- inverse dynamics ---- */

/* The acceleration of a link whose parent has A, less S udot. */
static lwi_six carry(lwi_tree_terms *x, int i, lwi_six A)
{
  lwi_terms *T = &x->T;
  const lwi_link_terms *s = &x->link[i];
  const lwi_vec there = lwi_vec_add(T, A.v, lwi_vec_cross(T, A.w, s->r));
  return lwi_six_add(T, (lwi_six){lwi_link_turn_in(x, i, A.w), lwi_link_turn_in(x, i, there)},
                     s->c);
}

/* A load from a link to its parent. */
static lwi_six hand_on(lwi_tree_terms *x, int i, lwi_six f)
{
  lwi_terms *T = &x->T;
  const lwi_vec force = lwi_link_turn_out(x, i, f.v);
  const lwi_vec moment = lwi_link_turn_out(x, i, f.w);
  return (lwi_six){lwi_vec_add(T, moment, lwi_vec_cross(T, x->link[i].r, force)), force};
}

/* [J w + h x v; m v - h x w] */
static lwi_six times_inertia(lwi_tree_terms *x, lwi_term mass, lwi_vec h, lwi_mat J, lwi_six A)
{
  lwi_terms *T = &x->T;
  const lwi_vec moment = lwi_vec_add(T, lwi_mat_times(T, J, A.w), lwi_vec_cross(T, h, A.v));
  const lwi_vec force = lwi_vec_sub(T, lwi_vec_scale(T, mass, A.v), lwi_vec_cross(T, h, A.w));
  return (lwi_six){moment, force};
}

/* The part of the load that velocities make, [w x J w; w x (w x h)], less what force elements apply. */
static lwi_six bias_load(lwi_tree_terms *x, int i)
{
  lwi_terms *T = &x->T;
  const lwi_vec w = x->link[i].V.w, h = lwi_vector_terms(x, x->m->link[i].h);
  const lwi_vec Jw = lwi_mat_times(T, lwi_inertia_terms(x, &x->m->link[i]), w);
  const lwi_six f = {lwi_vec_cross(T, w, Jw), lwi_vec_cross(T, w, lwi_vec_cross(T, w, h))};
  return (lwi_six){lwi_vec_sub(T, f.w, x->link[i].applied.w),
                   lwi_vec_sub(T, f.v, x->link[i].applied.v)};
}

static lwi_six lifted(lwi_tree_terms *x) /* gravity as an acceleration of the ground */
{
  return (lwi_six){.v = lwi_vec_neg(&x->T, lwi_vec_of(&x->T, x->m->gravity))};
}

void lwi_trace_inverse(lwi_tree_terms *x, const lwi_term udot[], lwi_term tau[])
{
  const lw_model *m = x->m;
  lwi_terms *T = &x->T;
  lwi_six *A = calloc((size_t)m->nlink, sizeof *A), *f = calloc((size_t)m->nlink, sizeof *f);
  if (!A || !f) T->failed = true;
  if (A) A[0] = lifted(x);
  for (int i = 1; i < m->nlink && !T->failed; i++) {
    const lwi_link *L = &m->link[i];
    A[i] = carry(x, i, A[L->parent]);
    for (int j = 0; udot && j < L->nu; j++)
      A[i] = lwi_six_add(T, A[i], lwi_six_scale(T, udot[L->u + j], x->link[i].S[j]));
    f[i] = lwi_six_add(T,
                       times_inertia(x, lwi_term_number(T, L->mass), lwi_vector_terms(x, L->h),
                                     lwi_inertia_terms(x, L), A[i]),
                       bias_load(x, i));
  }
  for (int i = m->nlink - 1; i > 0 && !T->failed; i--) {
    const lwi_link *L = &m->link[i];
    for (int j = 0; j < L->nu; j++) {
      const lwi_term rotor =
          udot ? lwi_term_scale(T, lwi_armature(L, j), udot[L->u + j]) : LWI_TERM_ZERO;
      const lwi_term load = lwi_term_add(T, lwi_six_dot(T, x->link[i].S[j], f[i]), rotor);
      tau[L->u + j] = lwi_term_sub(T, load, x->element_tau[L->u + j]);
    }
    f[L->parent] = lwi_six_add(T, f[L->parent], hand_on(x, i, f[i]));
  }
  free(A);
  free(f);
}

/* ---- mass matrix ---- */

typedef struct {
  lwi_term mass;
  lwi_vec h;
  lwi_mat J;
} composite;

/* The inertia of a link and all that it carries, in the axes and about the origin of its parent. */
static composite shifted(lwi_tree_terms *x, int i, composite c)
{
  lwi_terms *T = &x->T;
  const lwi_vec r = x->link[i].r, h = lwi_link_turn_out(x, i, c.h);
  const lwi_vec mr = lwi_vec_scale(T, c.mass, r);
  lwi_mat J = lwi_link_turn_matrix(x, i, c.J);
  for (int a = 0; a < 3; a++)
    for (int b = a; b < 3; b++) { /* + 2 h.r + m r.r on the diagonal, - r h^T - h r^T - m r r^T */
      lwi_term sum =
          lwi_term_add(T, lwi_term_mul(T, r.x[a], h.x[b]), lwi_term_mul(T, h.x[a], r.x[b]));
      sum = lwi_term_add(T, sum, lwi_term_mul(T, r.x[a], mr.x[b]));
      J.x[a][b] = lwi_term_sub(T, J.x[a][b], sum);
      if (a != b) continue;
      const lwi_vec twice = lwi_vec_add(T, lwi_vec_add(T, h, h), mr);
      J.x[a][b] = lwi_term_add(T, J.x[a][b], lwi_vec_dot(T, r, twice));
    }
  return (composite){c.mass, lwi_vec_add(T, h, mr), lwi_mat_symmetric(J)};
}

void lwi_trace_mass_matrix(lwi_tree_terms *x, lwi_term M[])
{
  const lw_model *m = x->m;
  lwi_terms *T = &x->T;
  composite *c = calloc((size_t)m->nlink, sizeof *c);
  if (!c) T->failed = true;
  for (int i = 0; i < m->nu * m->nu; i++)
    M[i] = LWI_TERM_ZERO;
  for (int i = 1; i < m->nlink && !T->failed; i++) {
    const lwi_link *L = &m->link[i];
    c[i] = (composite){lwi_term_number(T, L->mass), lwi_vector_terms(x, L->h),
                       lwi_inertia_terms(x, L)};
  }
  for (int i = m->nlink - 1; i > 0 && !T->failed; i--) {
    const lwi_link *L = &m->link[i];
    for (int j = 0; j < L->nu; j++) {
      const int column = L->u + j;
      lwi_six f = times_inertia(x, c[i].mass, c[i].h, c[i].J, x->link[i].S[j]);
      for (int a = i; a > 0; a = m->link[a].parent) {
        const lwi_link *P = &m->link[a];
        for (int b = 0; b < (a == i ? j + 1 : P->nu); b++)
          M[column * m->nu + P->u + b] = M[(P->u + b) * m->nu + column] =
              lwi_six_dot(T, x->link[a].S[b], f);
        f = hand_on(x, a, f);
      }
      M[column * m->nu + column] =
          lwi_term_add(T, M[column * m->nu + column], lwi_term_number(T, lwi_armature(L, j)));
    }
    const composite up = shifted(x, i, c[i]);
    composite *p = &c[L->parent];
    if (L->parent == 0) continue;
    *p = (composite){lwi_term_add(T, p->mass, up.mass), lwi_vec_add(T, p->h, up.h),
                     lwi_mat_add(T, p->J, up.J)};
  }
  free(c);
}

/* ---- accelerations ---- */

/* load = [J w + H v; H^T w + M v] */
typedef struct {
  lwi_mat J, H, M;
} articulated;

static lwi_six times_articulated(lwi_tree_terms *x, const articulated *I, lwi_six A)
{
  lwi_terms *T = &x->T;
  const lwi_mat Ht = lwi_mat_transpose(I->H);
  return (lwi_six){lwi_vec_add(T, lwi_mat_times(T, I->J, A.w), lwi_mat_times(T, I->H, A.v)),
                   lwi_vec_add(T, lwi_mat_times(T, Ht, A.w), lwi_mat_times(T, I->M, A.v))};
}

/* I - U U^T / D */
static void release(lwi_tree_terms *x, articulated *I, lwi_six U, lwi_term Dinv)
{
  lwi_terms *T = &x->T;
  const lwi_six scaled = lwi_six_scale(T, Dinv, U);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      I->H.x[a][b] = lwi_term_sub(T, I->H.x[a][b], lwi_term_mul(T, scaled.w.x[a], U.v.x[b]));
      if (b < a) continue;
      I->J.x[a][b] = lwi_term_sub(T, I->J.x[a][b], lwi_term_mul(T, scaled.w.x[a], U.w.x[b]));
      I->M.x[a][b] = lwi_term_sub(T, I->M.x[a][b], lwi_term_mul(T, scaled.v.x[a], U.v.x[b]));
    }
  I->J = lwi_mat_symmetric(I->J);
  I->M = lwi_mat_symmetric(I->M);
}

/* To the axes and origin of the parent: with r x as a matrix,
     M' = M,   H' = H + r x M,   J' = J - H r x + r x (H^T - M r x) */
static articulated shift_articulated(lwi_tree_terms *x, int i, articulated I)
{
  lwi_terms *T = &x->T;
  const lwi_mat rx = lwi_mat_cross(T, x->link[i].r);
  const lwi_mat J = lwi_link_turn_matrix(x, i, I.J), H = lwi_link_turn_matrix(x, i, I.H);
  const lwi_mat M = lwi_mat_symmetric(lwi_link_turn_matrix(x, i, I.M));
  const lwi_mat inner = lwi_mat_sub(T, lwi_mat_transpose(H), lwi_mat_mul(T, M, rx));
  const lwi_mat both = lwi_mat_sub(T, lwi_mat_mul(T, rx, inner), lwi_mat_mul(T, H, rx));
  return (articulated){lwi_mat_symmetric(lwi_mat_add(T, J, both)),
                       lwi_mat_add(T, H, lwi_mat_mul(T, rx, M)), M};
}

static articulated rigid(lwi_tree_terms *x, int i)
{
  const lwi_link *L = &x->m->link[i];
  const lwi_term mass = lwi_term_number(&x->T, L->mass);
  return (articulated){lwi_inertia_terms(x, L),
                       lwi_mat_cross(&x->T, lwi_vector_terms(x, L->h)),
                       {{{mass, 0, 0}, {0, mass, 0}, {0, 0, mass}}}};
}

void lwi_trace_articulated(lwi_tree_terms *x, lwi_term udot[])
{
  const lw_model *m = x->m;
  lwi_terms *T = &x->T;
  articulated *I = calloc((size_t)m->nlink, sizeof *I);
  lwi_six *p = calloc((size_t)m->nlink, sizeof *p), *A = calloc((size_t)m->nlink, sizeof *A);
  lwi_six *U = calloc((size_t)m->nu + 1, sizeof *U);
  lwi_term *Dinv = calloc(2 * (size_t)m->nu + 1, sizeof *Dinv), *eps = Dinv ? Dinv + m->nu : NULL;
  if (!I || !p || !A || !U || !Dinv) T->failed = true;
  for (int i = 1; i < m->nlink && !T->failed; i++) {
    I[i] = rigid(x, i);
    p[i] = bias_load(x, i);
  }
  for (int i = m->nlink - 1; i > 0 && !T->failed; i--) {
    const lwi_link *L = &m->link[i];
    for (int j = L->nu - 1; j >= 0; j--) {
      const int k = L->u + j;
      const lwi_six S = x->link[i].S[j];
      U[k] = times_articulated(x, &I[i], S);
      const lwi_term D =
          lwi_term_add(T, lwi_six_dot(T, S, U[k]), lwi_term_number(T, lwi_armature(L, j)));
      Dinv[k] = lwi_term_div(T, LWI_TERM_ONE, D);
      eps[k] =
          lwi_term_sub(T, lwi_term_add(T, x->tau[k], x->element_tau[k]), lwi_six_dot(T, S, p[i]));
      release(x, &I[i], U[k], Dinv[k]);
      p[i] = lwi_six_add(T, p[i], lwi_six_scale(T, lwi_term_mul(T, eps[k], Dinv[k]), U[k]));
    }
    if (L->parent == 0) continue;
    p[i] = lwi_six_add(T, p[i], times_articulated(x, &I[i], x->link[i].c));
    const articulated up = shift_articulated(x, i, I[i]);
    articulated *to = &I[L->parent];
    *to = (articulated){lwi_mat_add(T, to->J, up.J), lwi_mat_add(T, to->H, up.H),
                        lwi_mat_add(T, to->M, up.M)};
    p[L->parent] = lwi_six_add(T, p[L->parent], hand_on(x, i, p[i]));
  }
  if (A) A[0] = lifted(x);
  for (int i = 1; i < m->nlink && !T->failed; i++) {
    const lwi_link *L = &m->link[i];
    A[i] = carry(x, i, A[L->parent]);
    for (int j = 0; j < L->nu; j++) {
      const int k = L->u + j;
      udot[k] = lwi_term_mul(T, Dinv[k], lwi_term_sub(T, eps[k], lwi_six_dot(T, U[k], A[i])));
      A[i] = lwi_six_add(T, A[i], lwi_six_scale(T, udot[k], x->link[i].S[j]));
    }
  }
  free(I);
  free(p);
  free(A);
  free(U);
  free(Dinv);
}

/* M = L^T D L, freedoms of leaves first, so that zeros of branches stay zero; M[i][k] becomes L. */
static void solve_by_factors(lwi_terms *T, int n, lwi_term *M, lwi_term *b)
{
  for (int k = n - 1; k >= 0; k--) {
    const lwi_term inverse = lwi_term_div(T, LWI_TERM_ONE, M[k * n + k]);
    for (int i = k - 1; i >= 0; i--) {
      const lwi_term l = lwi_term_mul(T, M[k * n + i], inverse);
      if (l == LWI_TERM_ZERO) continue;
      for (int j = i; j >= 0; j--)
        M[i * n + j] = lwi_term_sub(T, M[i * n + j], lwi_term_mul(T, l, M[k * n + j]));
      b[i] = lwi_term_sub(T, b[i], lwi_term_mul(T, l, b[k]));
      M[i * n + k] = l;
    }
    M[k * n + k] = inverse;
  }
  for (int k = 0; k < n; k++) {
    b[k] = lwi_term_mul(T, b[k], M[k * n + k]);
    for (int i = 0; i < k; i++)
      b[k] = lwi_term_sub(T, b[k],
                          M[k * n + i] == LWI_TERM_ZERO ? LWI_TERM_ZERO
                                                        : lwi_term_mul(T, M[i * n + k], b[i]));
  }
}

bool lwi_trace_by_mass_matrix(lwi_tree_terms *x, lwi_term udot[])
{
  const lw_model *m = x->m;
  const size_t n = (size_t)m->nu;
  lwi_term *M = calloc(2 * n * n + 2 * n + 1, sizeof *M);
  if (!M) return false;
  lwi_term *sorted = M + n * n, *bias = sorted + n * n, *b = bias + n;
  lwi_trace_mass_matrix(x, M);
  lwi_trace_inverse(x, NULL, bias);
  for (size_t i = 0; i < n; i++) { /* in link order */
    b[i] = lwi_term_sub(&x->T, x->tau[m->column_u[i]], bias[m->column_u[i]]);
    for (size_t j = 0; j < n; j++)
      sorted[i * n + j] = M[(size_t)m->column_u[i] * n + (size_t)m->column_u[j]];
  }
  solve_by_factors(&x->T, m->nu, sorted, b);
  for (size_t i = 0; i < n; i++)
    udot[m->column_u[i]] = b[i];
  free(M);
  return !x->T.failed;
}
