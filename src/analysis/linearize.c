/* SPDX-License-Identifier: Apache-2.0 */
/* linearize.c -- the linearised mechanism as data: M, C, K, and state space. */
#include "math/finite.h"
#include "math/arrays.h"
#include "analysis/lapack.h"
#include "analysis/reduced_equations.h"
#include "analysis/state_equations.h"
#include "base/fail.h"
#include "linkwork/analysis.h"

#include <stdlib.h>
#include <string.h>

/* the public struct and its memory */
typedef struct {
  lw_linearization shown;
  int *independent, *states;
  double *M, *C, *K, *kin, *L, *Z, *W, *S, *A, *B, *joints, *bodies, *udot;
  double *scratch;
} parts;

static void carve(parts *p, const lw_model *m, int n, int ns, lwi_carver *c)
{
  const size_t k = (size_t)n, s = (size_t)ns, size = 2 * k + s, all = (size_t)lw_nu_all(m);
  p->independent = LWI_CARVE(c, k, int);
  double **const squares[] = {&p->M, &p->C, &p->K, &p->kin};
  for (size_t i = 0; i < 4; i++)
    *squares[i] = LWI_CARVE(c, k * k, double);
  p->states = LWI_CARVE(c, s, int);
  p->L = LWI_CARVE(c, k * s, double);
  p->Z = LWI_CARVE(c, k * s, double);
  p->W = LWI_CARVE(c, k * s, double);
  p->S = LWI_CARVE(c, s * s, double);
  p->A = LWI_CARVE(c, size * size, double);
  p->B = LWI_CARVE(c, size * all, double);
  p->joints = LWI_CARVE(c, all * k, double);
  p->bodies = LWI_CARVE(c, 6 * (size_t)m->nbody * k, double);
  p->udot = LWI_CARVE(c, m->nu, double);
  p->scratch = LWI_CARVE(c, (size_t)m->nu + all, double);
}

static parts *new_parts(const lw_model *m, int n, int ns)
{
  parts *p = calloc(1, sizeof *p);
  lwi_carver c = {0};
  if (!p) return NULL;
  carve(p, m, n, ns, &c);
  char *block = calloc(1, c.used + 64);
  if (!block) {
    free(p);
    return NULL;
  }
  /* calloc aligns for double, which is sufficient */
  c = (lwi_carver){.base = block};
  carve(p, m, n, ns, &c);
  return p;
}

void lw_linearization_free(lw_linearization *l)
{
  if (!l) return;
  parts *p = (parts *)l;
  free(p->independent);
  free(p);
}

/* Velocities of joints and bodies from each independent speed. */
static void spread(parts *p, const lwi_linearized *l)
{
  const lw_model *m = l->r.m;
  const int n = l->r.n, all = lw_nu_all(m);
  double *u = p->scratch, *every = u + m->nu;
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < m->nu; i++)
      u[i] = every[i] = l->r.N[i * n + k];
    lw_kinematics(l->r.w, l->r.q, u);
    lw_get_cut_joints(l->r.w, NULL, every, NULL);
    for (int i = 0; i < all; i++)
      p->joints[i * n + k] = every[i];
    for (int b = 1; b <= m->nbody; b++) {
      double V[6] = {0};
      lw_get_velocity(l->r.w, (lw_body){b}, V);
      for (int i = 0; i < 6; i++)
        p->bodies[(6 * (b - 1) + i) * n + k] = V[i];
    }
  }
}

/* A = [kin 1 0; -M^-1 K  -M^-1 C  -M^-1 L; Z W S],  B = [0; M^-1 joints^T; 0] */
static lw_status fill_state_space(parts *p, int n, int ns, int all)
{
  const int width = 2 * n + ns + all, size = 2 * n + ns;
  double *L = calloc((size_t)n * (size_t)(n + width) + 1, sizeof *L);
  if (!L) return LW_E_MEMORY;
  double *X = L + n * n;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      L[i * n + j] = p->M[i * n + j];
      X[i * width + j] = -p->K[i * n + j];
      X[i * width + n + j] = -p->C[i * n + j];
    }
    for (int j = 0; j < ns; j++)
      X[i * width + 2 * n + j] = -p->L[i * ns + j];
    for (int j = 0; j < all; j++)
      X[i * width + size + j] = p->joints[j * n + i];
  }
  const lw_status status = lwi_lapack_solve_definite(n, width, L, X);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      p->A[i * size + j] = p->kin[i * n + j];
    p->A[i * size + n + i] = 1;
    memcpy(p->A + (n + i) * size, X + i * width, (size_t)size * sizeof(double));
    for (int j = 0; j < all; j++)
      p->B[(n + i) * all + j] = X[i * width + size + j];
  }
  for (int i = 0; i < ns; i++)
    for (int j = 0; j < size; j++)
      p->A[(2 * n + i) * size + j] = j < n       ? p->Z[i * n + j]
                                     : j < 2 * n ? p->W[i * n + j - n]
                                                 : p->S[i * ns + j - 2 * n];
  free(L);
  return status;
}

static void copy_states(parts *p, const lwi_state_equations *e)
{
  if (e->ns > 0) memcpy(p->states, e->index, (size_t)e->ns * sizeof(int));
  lwi_copy(p->L, e->L, e->n * e->ns);
  lwi_copy(p->Z, e->Z, e->n * e->ns);
  lwi_copy(p->W, e->W, e->n * e->ns);
  lwi_copy(p->S, e->S, e->ns * e->ns);
}

/* Compares K - K^T with the magnitude of the terms of K. */
static bool is_symmetric(const double *K, int n, double scale)
{
  double off = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      off = fmax(off, fabs(K[i * n + j] - K[j * n + i]));
  return off <= 1e-9 * scale;
}

/* On failure *status says why. */
static lw_linearization *finish(const lwi_linearized *l, const lwi_state_equations *e,
                                lw_status *status)
{
  const lw_model *m = l->r.m;
  const int n = l->r.n;
  parts *p = new_parts(m, n, e->ns);
  *status = LW_E_MEMORY;
  if (!p) return NULL;
  const size_t square = (size_t)n * (size_t)n * sizeof(double);
  memcpy(p->independent, l->r.independent, (size_t)n * sizeof(int));
  memcpy(p->M, l->M, square);
  memcpy(p->C, l->C, square);
  memcpy(p->K, l->K, square);
  memcpy(p->kin, l->kin, square);
  memcpy(p->udot, l->udot, (size_t)m->nu * sizeof(double));
  copy_states(p, e);
  spread(p, l);
  *status = fill_state_space(p, n, e->ns, lw_nu_all(m));
  p->shown = (lw_linearization){
      .n = n,
      .nu = m->nu,
      .ninput = lw_nu_all(m),
      .nbody = m->nbody,
      .independent = p->independent,
      .M = p->M,
      .C = p->C,
      .K = p->K,
      .kin = p->kin,
      .nstate = e->ns,
      .states = p->states,
      .L = p->L,
      .Z = p->Z,
      .W = p->W,
      .S = p->S,
      .A = p->A,
      .B = p->B,
      .joints = p->joints,
      .bodies = p->bodies,
      .udot = p->udot,
      .symmetric = is_symmetric(p->K, n, l->stiffness) && lwi_largest(p->kin, n * n) == 0,
      .damped = lwi_largest(p->C, n * n) > 1e-12 * sqrt(l->stiffness * lwi_largest(p->M, n * n)),
      .stiffness = l->stiffness,
  };
  if (*status == LW_OK) return &p->shown;
  lw_linearization_free(&p->shown);
  return NULL;
}

lw_linearization *lw_linearize(lw_work *w, double t, const double q[], const double u[],
                               lw_error *err)
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w) || (m->nq && !q)) {
    lwi_fail(err, LW_E_ARG, "lw_linearize: an argument is missing");
    return NULL;
  }
  int ns;
  if (lwi_state_count(m, "the mechanism is not linearised", &ns, err) != LW_OK) return NULL;
  if (lwi_lapack_ready(err) != LW_OK) return NULL;
  double drift;
  lw_status status = lw_drift(w, t, q, &drift);
  if (status != LW_OK || drift > 1e-6 * fmax(1, m->length)) {
    lwi_fail(err, status != LW_OK ? status : LW_E_ARG,
             "lw_linearize: q does not satisfy the constraints; call lw_close_loops first");
    return NULL;
  }
  lwi_linearized l = {0};
  lwi_state_equations e = {0};
  lw_linearization *out = NULL;
  if (!lwi_linearized_init(&l, m) || !lwi_state_equations_init(&e, m, ns)) {
    lwi_out_of_memory(err, NULL);
    lwi_linearized_free(&l);
    return NULL;
  }
  status = u ? lwi_linearized_motion(&l, w, t, q, u) : lwi_linearized_from_rest(&l, w, t, q);
  if (status == LW_OK && ns > 0) status = lwi_state_equations_find(&e, &l);
  if (status == LW_OK) out = finish(&l, &e, &status);
  if (status != LW_OK)
    lw_explain(w, t, q, u, status, "the mechanism cannot be linearised here", err);
  lwi_linearized_free(&l);
  lwi_state_equations_free(&e);
  return out;
}
