/* SPDX-License-Identifier: Apache-2.0 */
/* sko_model.c -- the SKO model of a mechanism at the state of a work, in ground axes about the
   origin of each link (docs/theory/tree.md):

     A(p, k) = phi = [1 r~; 0 1]    M = [J h~; -h~ m 1]
     a = c(k)                       b = [w x J w; w x (w x h)] - applied loads

   Gravity enters a at the roots, as an upward acceleration of the ground. */
#include "tree/sko/sko.h"

#include "math/rotation.h"
#include "model/model.h"
#include "tree/loops/work.h"

#include <stdlib.h>

/* ---- structure ---- */

static int nfreedom_of(const lwi_link *L)
{
  return L->nu - L->inertialess;
}

static void map_freedoms(lw_sko *k, const lw_model *m)
{
  for (int v = 0; v < k->nnode; v++) {
    const lwi_link *L = &m->link[v + 1];
    for (int j = 0; j < k->node[v].r; j++)
      k->speed[k->node[v].freedom + j] = L->u + L->inertialess + j;
  }
}

lw_sko *lw_sko_from_model(const lw_model *m, lw_error *err)
{
  if (!m) return lwi_refuse(err, LW_E_ARG);
  if (lwi_is_constrained(m)) return lwi_refuse(err, LW_E_UNSUPPORTED);
  return lwi_sko_from_tree(m, err);
}

lw_sko *lwi_sko_from_tree(const lw_model *m, lw_error *err)
{
  const int n = m->nlink - 1;
  int *parent = (int *)lwi_graph_alloc(3 * ((size_t)n + 1) * sizeof *parent);
  if (!parent) return lwi_refuse(err, LW_E_MEMORY);
  int *nrow = parent + n, *nfreedom = nrow + n;
  for (int v = 0; v < n; v++) {
    parent[v] = m->link[v + 1].parent - 1;
    nrow[v] = 6;
    nfreedom[v] = nfreedom_of(&m->link[v + 1]);
  }
  lw_tree *tree = lw_tree_new(n, parent, NULL, err);
  const lwi_sko_plan plan = {.tree = tree, .n = nrow, .r = nfreedom, .nfirst = n, .nspeed = m->nu};
  lw_sko *k = tree ? lwi_sko_build(&plan, err) : NULL;
  if (k) {
    k->origin = LWI_SKO_MODEL;
    k->m = m;
    lwi_sko_first_maps(k);
    map_freedoms(k, m);
  }
  free(parent);
  return k;
}

/* the one that all between were made from */
static lw_sko *first_of(const lw_sko *k)
{
  const lw_sko *first = k;
  while (first && first->source)
    first = first->source;
  return (lw_sko *)first;
}

int lw_sko_find_body(const lw_sko *k, lw_body b, int *row)
{
  if (!k) return 0;
  const lw_model *m = first_of(k)->m;
  const bool is_body = m && b.id > 0 && b.id <= m->nbody;
  return lw_sko_find_node(k, is_body ? m->body[b.id].link - 1 : LW_NO_NODE, row);
}

void lw_speed_parents(const lw_model *m, int parent[])
{
  if (!m || !parent) return;
  for (int c = 0; c < m->nu; c++) {
    const int inner = c > m->run_start[c] ? c - 1 : m->before[c];
    parent[m->column_u[c]] = inner < 0 ? LW_NO_NODE : m->column_u[inner];
  }
}

/* ---- numbers ---- */

/* what the kernels know of a link, as plain doubles */
typedef struct {
  rot3 R;
  double w[3], r[3], c[6], applied[6];
} link_numbers;

static link_numbers read_link(const lw_model *m, const lw_work *w, int i)
{
  link_numbers s;
  double R[9], p[3], V[6], A[6];
  w->kernels->get_frame(m, w->tree, i, R, p);
  w->kernels->get_motion(m, w->tree, i, V, A);
  w->kernels->get_edge(m, w->tree, i, s.r, s.c, s.applied);
  s.R = rot_columns(R);
  lwi_sko_copy(s.w, V, 3);
  return s;
}

/* x~ at `at` in a 6 x 6 matrix, times s */
static void put_cross(const double x[3], double s, double *at)
{
  at[1] = -s * x[2], at[2] = s * x[1];
  at[6] = s * x[2], at[8] = -s * x[0];
  at[12] = -s * x[1], at[13] = s * x[0];
}

/* M and the part of b that comes from rotation. */
static void fill_inertia(const lwi_link *L, const link_numbers *s, double M[36], double b[6])
{
  const rot3 J = rot_mul(rot_mul(s->R, L->J), rot_transpose(s->R));
  double h[3], x[3];
  rot_mulv(s->R, L->h, h);
  lwi_sko_zero(M, 36);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      M[6 * i + j] = 0.5 * (J.c[i][j] + J.c[j][i]);
    M[6 * (3 + i) + 3 + i] = L->mass;
  }
  put_cross(h, 1, M + 3);
  put_cross(h, -1, M + 18);

  rot_mulv(J, s->w, x);
  cross3(s->w, x, b);
  cross3(s->w, h, x);
  cross3(s->w, x, b + 3);
}

static void fill_node(lw_sko *k, const lw_model *m, const lw_work *w, int node)
{
  const lwi_sko_node *v = &k->node[node];
  const lwi_link *L = &m->link[node + 1];
  const link_numbers s = read_link(m, w, node + 1);
  for (int j = 0; j < v->r; j++)
    w->kernels->get_column(m, w->tree, L->column + L->inertialess + j, lwi_sko_H(k, v) + 6 * j);
  for (int j = 0; j < v->r; j++)
    k->rotor[v->freedom + j] = lwi_armature(L, L->inertialess + j);
  fill_inertia(L, &s, k->M + v->square, k->b + v->row);
  lwi_sko_copy(k->a + v->row, s.c, 6);
  if (v->parent >= 0) { /* phi = [1 r~; 0 1] */
    double *phi = lwi_sko_A(k, v);
    lwi_sko_zero(phi, 36);
    for (int i = 0; i < 6; i++)
      phi[7 * i] = 1;
    put_cross(s.r, 1, phi + 3);
  }
  for (int i = 0; i < 3 && v->parent < 0; i++)
    k->a[v->row + 3 + i] -= m->gravity[i];
}

/* After inverse dynamics: the loads that act on the links, and f, what their joints hand to
   them. */
static void fill_applied(lw_sko *k, const lw_model *m, const lw_work *w, double *f)
{
  double z[6];
  for (int i = 0; i < k->nnode; i++) {
    const lwi_sko_node *v = &k->node[i];
    const link_numbers s = read_link(m, w, i + 1);
    w->kernels->get_load(m, w->tree, i + 1, f + v->row, z, z + 3);
    for (int j = 0; j < 6; j++)
      k->b[v->row + j] -= s.applied[j];
  }
}

/* ---- the calls ---- */

static bool fits(const lw_sko *k, const lw_model *m, const lw_work *w)
{
  if (!k || !lwi_is_single(m, w) || k->origin != LWI_SKO_MODEL) return false;
  if (k->nnode != m->nlink - 1 || k->nspeed != m->nu) return false;
  for (int v = 0; v < k->nnode; v++) {
    const lwi_link *L = &m->link[v + 1];
    if (k->node[v].parent != L->parent - 1 || k->node[v].r != nfreedom_of(L)) return false;
  }
  return true;
}

/* Fills the models between the first and this one, the first one first. */
static lw_status refresh_from_first(lw_sko *k)
{
  if (!k->source) return LW_OK;
  const lw_status st = refresh_from_first(k->source);
  return st == LW_OK ? lw_sko_refresh(k) : st;
}

static void fill(lw_sko *k, const lw_model *m, const lw_work *w)
{
  for (int v = 0; v < k->nnode; v++)
    fill_node(k, m, w, v);
  lwi_sko_zero(k->load, (size_t)k->nfreedom);
  lwi_sko_renewed(k);
}

lw_status lw_sko_update(lw_sko *k, lw_work *w)
{
  const lw_model *m = lwi_work_model(w);
  lw_sko *first = first_of(k);
  if (!fits(first, m, w)) return LW_E_ARG;
  if (lwi_is_constrained(m)) return LW_E_UNSUPPORTED;
  if (w->stage < LWI_STAGE_KINEMATICS) return LW_E_STAGE;
  fill(first, m, w);
  return refresh_from_first(k);
}

lw_status lw_sko_update_with_forces(lw_sko *k, lw_work *w, double t, const double q[],
                                    const double u[])
{
  const lw_model *m = lwi_work_model(w);
  lw_sko *first = first_of(k);
  if (!fits(first, m, w)) return LW_E_ARG;
  const lw_status st = lw_bias(w, t, q, u, first->speeds);
  if (st != LW_OK) return st;
  fill(first, m, w);
  fill_applied(first, m, w, first->row_p);

  /* loads of motors and joint springs: H f less the bias, which contains them */
  if (lwi_has_freedom_elements(m)) {
    lwi_sko_add_H(first, first->row_p, first->load);
    for (int j = 0; j < first->nfreedom; j++)
      first->load[j] -= first->speeds[first->speed[j]];
  }
  if (lwi_is_constrained(m)) {
    const lw_status closed = lwi_sko_close(k, m, w, t);
    if (closed != LW_OK) return closed;
  }
  return refresh_from_first(k);
}
