/* SPDX-License-Identifier: Apache-2.0 */
/* sko_dynamics.c -- velocities, inverse dynamics, Coriolis vector and composite-body mass matrix,
   for nodes of any size.  [Jain2012] eqs (18)-(20); for aggregated nodes (38)-(41), where a is
   A_S* a. */
#include "tree/sko/sko.h"

lw_status lw_sko_velocities(lw_sko *k, const double thd[], double V[])
{
  if (!k || (k->nfreedom && !thd) || (k->nrow && !V)) return LW_E_ARG;
  if (!k->has_numbers) return LW_E_STAGE;
  lwi_sko_zero(V, (size_t)k->nrow);
  lwi_sko_add_Ht(k, thd, V);
  lwi_sko_scatter_rows(k, V);
  return LW_OK;
}

lw_status lw_sko_inverse_dynamics(lw_sko *k, const double thdd[], double T[], double alpha[],
                                  double f[])
{
  if (!k || (k->nfreedom && !T)) return LW_E_ARG;
  if (!k->has_numbers) return LW_E_STAGE;
  double *acc = k->row_p, *load = k->row2, *tau = k->free1;

  /* alpha = A* (H* thdd + a) */
  lwi_sko_copy(acc, k->a, (size_t)k->nrow);
  if (thdd) lwi_sko_add_Ht(k, thdd, acc);
  lwi_sko_scatter_rows(k, acc);

  /* f = A (M alpha + b) */
  lwi_sko_copy(load, k->b, (size_t)k->nrow);
  lwi_sko_add_M(k, acc, load);
  lwi_sko_gather_rows(k, load);

  for (int j = 0; j < k->nfreedom; j++)
    tau[j] = (thdd ? k->rotor[j] * thdd[j] : 0) - k->load[j];
  lwi_sko_add_H(k, load, tau);
  if (!lwi_all_finite(tau, k->nfreedom)) return LW_E_NUMBER;
  lwi_sko_copy(T, tau, (size_t)k->nfreedom);
  if (alpha) lwi_sko_copy(alpha, acc, (size_t)k->nrow);
  if (f) lwi_sko_copy(f, load, (size_t)k->nrow);
  return LW_OK;
}

lw_status lw_sko_bias(lw_sko *k, double C[])
{
  return lw_sko_inverse_dynamics(k, NULL, C, NULL, NULL);
}

/* ---- mass matrix ---- */

/* Rows of the freedoms of v, columns of those of j: U H(j)*, where U = H(v) R(v) A(j, v)*. */
static void put_block(lw_sko *k, const lwi_sko_node *v, const lwi_sko_node *j, const double *U,
                      const lwi_sko_sink *sink)
{
  double *block = k->square[2];
  lwi_sko_zero(block, lwi_sko_area(v->r, j->r));
  lwi_mult(v->r, j->n, j->r, U, lwi_sko_H(k, j), block);
  for (int i = 0; i < v->r && j == v; i++)
    block[lwi_sko_area(i, j->r) + (size_t)i] += k->rotor[v->freedom + i];
  for (int i = 0; i < v->r; i++) {
    const int count = j == v ? i + 1 : j->r;
    sink->put(sink->to, v->freedom + i, j->freedom, count, block + lwi_sko_area(i, j->r));
  }
}

/* U = U A(p, v)* as rows of the whole parent: [r][n of v] to [r][n of p] */
static void move_inward(lw_sko *k, const lwi_sko_node *v, int r, double *U, double *moved)
{
  const int np = k->node[v->parent].n;
  lwi_sko_zero(moved, lwi_sko_area(r, np));
  for (int i = 0; i < r; i++)
    lwi_mulv(v->h, v->n, 1, lwi_sko_A(k, v), U + lwi_sko_area(i, v->n),
             moved + lwi_sko_area(i, np) + v->at);
  lwi_sko_copy(U, moved, lwi_sko_area(r, np));
}

/* Mass(v, j) for v itself and every j that carries it. */
static void put_node(lw_sko *k, const lwi_sko_node *v, const double *R, const lwi_sko_sink *sink)
{
  double *U = k->square[0], *moved = k->square[1];
  lwi_sko_zero(U, lwi_sko_area(v->r, v->n));
  lwi_mul(v->r, v->n, v->n, 1, lwi_sko_H(k, v), R, U);
  for (const lwi_sko_node *j = v;; j = &k->node[j->parent]) {
    put_block(k, v, j, U, sink);
    if (j->parent < 0) return;
    move_inward(k, j, v->r, U, moved);
  }
}

/* R(k) = M(k) + sum over children of A R A* */
void lwi_sko_composite(lw_sko *k, const lwi_sko_sink *sink)
{
  double *R = k->R;
  lwi_sko_copy(R, k->M, k->nsquare);
  for (int i = k->nnode - 1; i >= 0; i--) {
    const lwi_sko_node *v = &k->node[k->tree->order[i]];
    if (v->r > 0) put_node(k, v, R + v->square, sink);
    if (v->parent < 0) continue;
    lwi_sko_congruence(v, lwi_sko_A(k, v), R + v->square, k->square[1], k->square[0]);
    lwi_sko_add_inner(k, v, k->square[0], R);
  }
}

typedef struct {
  double *mass;
  size_t n;
} full_matrix;

static void put_full(void *to, int i, int j, int count, const double *x)
{
  const full_matrix *m = (const full_matrix *)to;
  for (int c = 0; c < count; c++)
    m->mass[(size_t)i * m->n + (size_t)(j + c)] = m->mass[(size_t)(j + c) * m->n + (size_t)i] =
        x[c];
}

lw_status lw_sko_mass_matrix(lw_sko *k, double mass[])
{
  if (!k || (k->nfreedom && !mass)) return LW_E_ARG;
  if (!k->has_numbers) return LW_E_STAGE;
  full_matrix m = {mass, (size_t)k->nfreedom};
  lwi_sko_zero(mass, m.n * m.n);
  lwi_sko_composite(k, &(lwi_sko_sink){&m, put_full});
  return LW_OK;
}
