/* SPDX-License-Identifier: Apache-2.0 */
/* explain_massless.c -- names the freedom without mass that makes a mass matrix singular.

   In a tree it is that of the outermost joint whose articulated inertia vanishes.  With loops it is
   a motion v that they allow and that has no kinetic energy, M v = 0 and G v = 0: the eigenvector
   of the smallest eigenvalue of

     K = M / |M| + sum of g g^T / |g|^2 over the rows g of G

   with speeds scaled to those of a point at the typical length.  Not handled: loops in a link
   system, and models with more than MOST speeds, are explained as trees. */
#include "linalg/eigen.h"
#include "tree/loops/closure.h"
#include "tree/loops/explain.h"
#include "tree/loops/work.h"
#include "linkwork/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 150 };
static const double NOTHING = 1e-12; /* of the largest eigenvalue: rounding errors */

/* ---- trees ---- */

/* the last link with an inertialess freedom, which is an outermost one; 0: none */
static int find_link(const lw_model *m, lw_work *w, const double q[])
{
  memset(w->in, 0, (size_t)m->nu * sizeof(double));
  w->kernels->kinematics(m, w->tree, q, w->in);
  if (w->kernels->factor(m, w->tree, NULL)) return 0;
  w->kernels->pivots(m, w->tree, w->in);
  for (int i = m->nlink - 1; i > 0; i--) {
    const lwi_link *L = &m->link[i];
    for (int j = L->inertialess; j < L->nu; j++) {
      const double mobility = w->in[L->column + j];
      if (!lwi_is_locked(L, j) && !(mobility > 0 && mobility < 1e300)) return i;
    }
  }
  return 0;
}

/* ---- loops ---- */

typedef struct {
  double *K, *V, *value;   /* [nu][nu], [nu][nu], [nu] */
  double *row, *at_rest;   /* [nrow] */
  double *scale, *G, *one; /* [nu], [nrow][nu], [nu] */
} eigenproblem;

static bool allocate(const lw_model *m, eigenproblem *x)
{
  const size_t n = (size_t)m->nu, nrow = (size_t)m->tree_constraints.nrow;
  double *block = calloc(2 * n * n + 3 * n + 2 * nrow + nrow * n, sizeof *block);
  x->K = block;
  if (!block) return false;
  x->V = x->K + n * n;
  x->value = x->V + n * n;
  x->scale = x->value + n;
  x->one = x->scale + n;
  x->row = x->one + n;
  x->at_rest = x->row + nrow;
  x->G = x->at_rest + nrow;
  return true;
}

/* the speed of each joint at which a point at the typical length moves at 1 m/s; 0: it does not
   move */
static void find_scales(const lw_model *m, lw_work *w, eigenproblem *x)
{
  for (int i = 1; i < m->nlink; i++) {
    const lwi_link *L = &m->link[i];
    for (int j = L->inertialess; j < L->nu; j++) {
      double S[6];
      w->kernels->get_column(m, w->tree, L->column + j, S);
      const double size = hypot(norm3(S) * m->length, norm3(S + 3));
      x->scale[L->u + j] = size > 0 && !lwi_is_locked(L, j) ? 1 / size : 0;
    }
  }
}

/* G, a column for each speed: the deficit of unit accelerations */
static void find_rows(const lw_model *m, lw_work *w, eigenproblem *x)
{
  const int n = m->nu, nrow = m->tree_constraints.nrow;
  w->kernels->accelerations(m, w->tree, x->one);
  lwi_closure_deficit(m, w, &m->tree_constraints, x->one, x->at_rest);
  for (int k = 0; k < n; k++) {
    x->one[k] = x->scale[k];
    w->kernels->accelerations(m, w->tree, x->one);
    lwi_closure_deficit(m, w, &m->tree_constraints, x->one, x->row);
    for (int i = 0; i < nrow; i++)
      x->G[i * n + k] = x->at_rest[i] - x->row[i];
    x->one[k] = 0;
  }
}

static void fill(const lw_model *m, eigenproblem *x)
{
  const int n = m->nu;
  double most = 0;
  for (int i = 0; i < n * n; i++) {
    x->K[i] *= x->scale[i / n] * x->scale[i % n];
    most = fmax(most, fabs(x->K[i]));
  }
  for (int i = 0; i < n * n; i++)
    x->K[i] = most > 0 ? x->K[i] / most : 0;
  for (int r = 0; r < m->tree_constraints.nrow; r++) {
    const double *g = x->G + r * n;
    double size = 0;
    for (int k = 0; k < n; k++)
      size += g[k] * g[k];
    for (int i = 0; i < n * n && size > 0; i++)
      x->K[i] += g[i / n] * g[i % n] / size;
  }
  for (int k = 0; k < n; k++)
    if (x->scale[k] == 0) x->K[k * n + k] = 1; /* does not move */
}

/* the link whose joint moves most in the motion; 0: every motion has energy */
static int find_moving(const lw_model *m, const eigenproblem *x)
{
  const int n = m->nu;
  int least = 0, link = 0;
  double largest = 0, most = 0;
  for (int k = 0; k < n; k++) {
    if (x->value[k] < x->value[least]) least = k;
    largest = fmax(largest, x->value[k]);
  }
  if (!(x->value[least] <= NOTHING * largest)) return 0;
  for (int i = 1; i < m->nlink; i++)
    for (int j = 0; j < m->link[i].nu; j++) {
      const double part = fabs(x->V[least * n + m->link[i].u + j]);
      if (part > most) most = part, link = i;
    }
  return link;
}

static bool is_small(const lw_model *m, const lw_work *w)
{
  return w->closure && m->tree_constraints.nrow > 0 && !m->tree_constraints.link_system &&
         m->nu <= MOST && w->kernels->lanes == 1;
}

static int find_link_in_loops(const lw_model *m, lw_work *w, double t, const double q[])
{
  eigenproblem x;
  if (!allocate(m, &x)) return 0;
  w->kernels->mass_matrix(m, w->tree, q, x.K, 1, 1);
  w->kernels->kinematics(m, w->tree, q, x.one);
  lwi_closure_place(m, w, t);
  lwi_closure_rows(m, w, &m->tree_constraints);
  find_scales(m, w, &x);
  find_rows(m, w, &x);
  fill(m, &x);
  lwi_symmetric_eigen(m->nu, x.K, x.V, x.value);
  const int link = find_moving(m, &x);
  free(x.K);
  return link;
}

bool lwi_explain_massless(const lw_model *m, lw_work *w, double t, const double q[],
                          lwi_failing_part *out)
{
  w->stage = LWI_STAGE_NOTHING;
  const int link = m->nu == 0       ? 0
                   : is_small(m, w) ? find_link_in_loops(m, w, t, q)
                                    : find_link(m, w, q);
  if (link == 0) return false;
  const lwi_joint *j = &m->joint[m->link[link].joint];
  const lw_body moved = j->reversed ? j->info.parent : j->info.child;
  const lw_body on = j->reversed ? j->info.child : j->info.parent;
  const char *name = m->body[moved.id].name;
  if (j->info.implicit)
    snprintf(out->text, sizeof out->text,
             "the mass matrix is singular: body \"%.60s\" floats, and can move in a way that no "
             "inertia resists: give it mass and inertia, or a joint",
             name);
  else
    snprintf(
        out->text, sizeof out->text,
        "the mass matrix is singular: %s joint \"%.60s\" lets body \"%.60s\" move on \"%.60s\" "
        "in a way that no inertia resists: give it mass and inertia, or fewer freedoms",
        lw_joint_type_name(j->info.type), j->info.name, name, m->body[on.id].name);
  out->mark = j->mark.line ? j->mark : lwi_mark_of_body(m->spec, name);
  return true;
}
