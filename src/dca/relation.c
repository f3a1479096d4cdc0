/* SPDX-License-Identifier: Apache-2.0 */
/* relation.c -- gear, coupler, driver: one equation of the links of several joints,

     sum_k J_k A_k = g,   with the load J_k^T lambda on link k

   J_k are rows about the links' origins, so that a coordinate of a tree joint is u = s^T (V_b -
   phi* V_a) with s a column of S (S^T S)^-1, and one of a joint that closes a loop has the rows of
   model/joint/joint_relative.h. Its elimination, as in dca.h with a sum for the difference:

     E_j = sum_k J_k Z_kj,   T = sum_k E_k J_k^T,   q_j = E_j / T
     Znew_ij = Z_ij - E_i^T q_j,  lambda_0 = (g - sum_k J_k z_k) / T,  znew_i = z_i + E_i^T lambda_0
     lambda = lambda_0 - sum_j q_j F_j */
#include "dca/edge_rows.h"
#include "dca/leaf.h"

/* as in eliminate.h */
static const double ABSOLUTE_ZERO = 1e-10;

/* ---- its links ---- */

static int add_link(int link, int *links, int n)
{
  for (int i = 0; i < n; i++)
    if (links[i] == link) return n;
  if (link > 0) links[n++] = link;
  return n;
}

int lwi_dca_relation_links(const lw_model *m, int constraint, int *links)
{
  const lwi_relation *r = &m->constraint[constraint].relation;
  int n = 0;
  for (int k = 0; k < r->nterm; k++) {
    const lwi_joint *j = &m->joint[r->term[k].joint];
    const int a = j->link > 0 ? m->link[j->link].parent : m->body[j->info.parent.id].link;
    const int b = j->link > 0 ? j->link : m->body[j->info.child.id].link;
    n = add_link(b, links, add_link(a, links, n));
  }
  return n;
}

/* ---- its row at a state ---- */

static void add_row(const lwi_dca_edge *e, double *J, int link, double scale, const double f[6])
{
  for (int k = 0; k < e->nlink; k++)
    for (int i = 0; i < 6 && e->links[k] == link; i++)
      J[6 * k + i] += scale * f[i];
}

/* g' and g'' u^2 of a term at the state (model/joint/relations.h) */
typedef struct {
  double slope, bend;
} curve;

static curve curve_of(const lw_dca *d, const lwi_relation_term *k)
{
  const lw_joint_info *j = &d->m->joint[k->joint].info;
  if (!d->m->has_curves) return (curve){.slope = k->coefficient};
  const double q = j->cut ? d->kernels->part(d->work, LWI_CUT_Q)[j->q_all - d->m->nq + k->dof]
                          : d->kernels->part(d->work, LWI_TREE_Q)[j->q + k->dof];
  const double u = j->cut ? d->kernels->part(d->work, LWI_CUT_U)[j->u_all - d->m->nu + k->dof]
                          : d->kernels->part(d->work, LWI_TREE_U)[j->u + k->dof];
  return (curve){lwi_term_slope(k, q), lwi_term_bend(k, q) * u * u};
}

/* a coordinate of a tree joint; returns s^T c */
static double add_tree_term(const lw_dca *d, const lwi_dca_edge *e, const lwi_relation_term *k,
                            double *J)
{
  const int link = d->m->joint[k->joint].link;
  const lwi_link *L = &d->m->link[link];
  tree_edge t;
  double x[6] = {0}, s[6] = {0}, on_a[6], arm[3], bias = 0;
  const curve g = curve_of(d, k);
  find_tree_edge(d, link, &t);
  x[k->dof] = 1;
  solve_normal(L->nu, L->inertialess, t.S, x);
  for (int j = 0; j < L->nu; j++)
    for (int i = 0; i < 6; i++)
      s[i] += t.S[j][i] * x[j];
  cross3(t.r, s + 3, arm);
  for (int i = 0; i < 3; i++)
    on_a[i] = s[i] + arm[i], on_a[3 + i] = s[3 + i];
  add_row(e, J, link, g.slope, s);
  add_row(e, J, L->parent, -g.slope, on_a);
  for (int i = 0; i < 6; i++)
    bias += s[i] * t.c[i];
  return g.slope * bias - g.bend;
}

/* a coordinate of a cut joint; returns the terms of velocities */
static double add_cut_term(const lw_dca *d, const lwi_dca_edge *e, const lwi_relation_term *k,
                           double *J)
{
  const lwi_joint *j = &d->m->joint[k->joint];
  const lwi_dca_place P[2] = {pair_place(d, j->pair, 0), pair_place(d, j->pair, 1)};
  double rows[2][6][6], gamma[6], f[6];
  const double *near = lwi_cut_near(d->m, d->kernels, d->work, k->joint);
  const lwi_joint_at at = {&j->shape, &P[0].X, &P[1].X, near};
  lwi_joint_speed_rows(&at, rows[0], rows[1]);
  lwi_joint_speed_gamma(&at, P[0].V, P[1].V, gamma);
  const curve g = curve_of(d, k);
  double bias = gamma[k->dof];
  for (int side = 0; side < 2; side++) {
    const double *one = rows[side][k->dof];
    shift_row(one, P[side].o, f);
    add_row(e, J, d->m->pair[j->pair].link[side], g.slope, f);
    bias -= row_swing(one, &P[side]);
  }
  return g.slope * bias - g.bend;
}

/* J of all links; returns g of the accelerations */
static double find_row(const lw_dca *d, const lwi_dca_edge *e, double *J)
{
  const lwi_relation *r = &d->m->constraint[e->constraint].relation;
  const double *target = d->closure->target + 3 * e->constraint;
  double g = target[2];
  memset(J, 0, 6 * (size_t)e->nlink * sizeof *J);
  for (int k = 0; k < r->nterm; k++)
    g += d->m->joint[r->term[k].joint].info.cut ? add_cut_term(d, e, &r->term[k], J)
                                                : add_tree_term(d, e, &r->term[k], J);
  if (d->stabilization == 0) return g;
  double rate = -target[1];
  for (int k = 0; k < e->nlink; k++) {
    double V[6], A[6];
    d->kernels->get_motion(d->m, d->work, e->links[k], V, A);
    rate += row_dot6(J + 6 * k, V);
  }
  return g - d->stabilization * rate;
}

double lwi_dca_relation_rate(const lw_dca *d, const lwi_dca_edge *e)
{
  double rate = 0;
  for (int k = 0; k < e->nlink; k++)
    rate += row_dot6(e->kept + 2 + 6 * k, d->V[e->links[k]]);
  return rate;
}

/* ---- elimination ---- */

typedef struct {
  const lwi_dca_step *s;
  lwi_dca_edge *e;
  lwi_mobility left, right, out;
  double *J, *q;
} relation;

static relation open_relation(const lw_dca *d, int step, double *scratch)
{
  const lwi_dca_step *s = &d->step[step];
  lwi_dca_edge *e = &d->edge[s->edge];
  return (relation){.s = s,
                    .e = e,
                    .left = lwi_mobility_of(d, s->left, scratch),
                    .right = lwi_mobility_of(d, s->right, scratch),
                    .out = lwi_mobility_of(d, step, scratch),
                    .J = e->kept + 2,
                    .q = e->kept + 2 + 6 * e->nlink};
}

static const double *block(const relation *x, int i, int j)
{
  const int n = x->left.n;
  if ((i < n) != (j < n)) return NULL;
  return i < n ? lwi_mobility_block(&x->left, i, j) : lwi_mobility_block(&x->right, i - n, j - n);
}

static const double *inner_z(const relation *x, int k)
{
  const int n = x->left.n;
  return k < n ? x->left.z + LWI_ROW * k : x->right.z + LWI_ROW * (k - n);
}

/* E_j of an inner handle */
static void find_effect(const relation *x, int j, double E[6])
{
  memset(E, 0, 6 * sizeof *E);
  for (int k = 0; k < x->e->nlink; k++) {
    const double *Z = block(x, x->e->inner[k], j), *J = x->J + 6 * k;
    for (int i = 0; i < 6 && Z; i++)
      for (int l = 0; l < 6; l++)
        E[l] += J[i] * Z[LWI_ROW * i + l];
  }
}

/* 1/T; 0 if the equation follows from others */
static double find_inverse(const lw_dca *d, const relation *x)
{
  double T = 0, bare = 0;
  for (int k = 0; k < x->e->nlink; k++) {
    const double *J = x->J + 6 * k;
    const int link = x->e->links[k];
    double E[6], A[6];
    find_effect(x, x->e->inner[k], E);
    push_body(&d->state[link], J, A);
    T += row_dot6(E, J);
    bare += row_dot6(A, J);
  }
  const bool counts =
      d->hold_rank ? d->rank[x->s->edge] > 0 : T > lwi_dca_finer(d) * ABSOLUTE_ZERO * bare;
  return counts && T > 0 ? 1 / T : 0;
}

static double deficit(const relation *x, double g)
{
  for (int k = 0; k < x->e->nlink; k++)
    g -= row_dot6(x->J + 6 * k, inner_z(x, x->e->inner[k]));
  return g;
}

void lwi_dca_eliminate_relation(lw_dca *d, int step, double *scratch)
{
  relation x = open_relation(d, step, scratch);
  double *E = scratch + d->rows_at;
  const double g = find_row(d, x.e, x.J), inverse = find_inverse(d, &x);
  const double lambda = d->pass == LWI_DCA_FORWARD ? inverse * deficit(&x, g) : 0;
  x.e->given[0] = g;
  x.e->kept[0] = lambda;
  x.e->kept[1] = inverse;
  d->rank[x.s->edge] = inverse > 0;
  for (int j = 0; j < x.s->nout; j++) {
    double *Ej = E + 6 * j;
    find_effect(&x, x.s->handle[j], Ej);
    const double *z = inner_z(&x, x.s->handle[j]);
    for (int l = 0; l < 6; l++) {
      x.q[6 * j + l] = inverse * Ej[l];
      x.out.z[LWI_ROW * j + l] = z[l] + lambda * Ej[l];
    }
  }
  for (int i = 0; i < x.s->nout; i++)
    for (int j = 0; j < x.s->nout; j++) {
      const double *in = block(&x, x.s->handle[i], x.s->handle[j]);
      double *out = lwi_mobility_block(&x.out, i, j);
      for (int k = 0; k < 6; k++)
        for (int l = 0; l < 6; l++)
          out[LWI_ROW * k + l] = (in ? in[LWI_ROW * k + l] : 0) - E[6 * i + k] * x.q[6 * j + l];
    }
}

void lwi_dca_sweep_relation(lw_dca *d, int step, double *scratch)
{
  relation x = open_relation(d, step, scratch);
  const double v = deficit(&x, x.e->given[0]);
  x.e->kept[0] = x.e->kept[1] * v;
  for (int j = 0; j < x.s->nout; j++) {
    const double *z = inner_z(&x, x.s->handle[j]);
    for (int l = 0; l < 6; l++)
      x.out.z[LWI_ROW * j + l] = z[l] + x.q[6 * j + l] * v;
  }
}

/* ---- loads ---- */

void lwi_dca_load_relation(lw_dca *d, int step)
{
  const lwi_dca_step *s = &d->step[step];
  const lwi_dca_edge *e = &d->edge[s->edge];
  const double *J = e->kept + 2, *q = J + 6 * e->nlink;
  for (int j = 0; j < s->nout; j++)
    e->kept[0] -= row_dot6(q + 6 * j, d->state[lwi_dca_links_out(s)[j]].F);
  for (int k = 0; k < e->nlink; k++)
    for (int i = 0; i < 6; i++)
      d->state[e->links[k]].F[i] += J[6 * k + i] * e->kept[0];
}

void lwi_dca_gather_relations(lw_dca *d)
{
  const lw_model *m = d->m;
  if (!d->relation_tau) return;
  memset(d->relation_tau, 0, (size_t)m->nu * sizeof(double));
  for (int i = 0; i < d->nedge; i++) {
    const lwi_dca_edge *e = &d->edge[i];
    if (e->kind != LWI_DCA_RELATION) continue;
    const lwi_relation *r = &m->constraint[e->constraint].relation;
    for (int k = 0; k < r->nterm; k++) {
      const lw_joint_info *j = &m->joint[r->term[k].joint].info;
      if (!j->cut)
        d->relation_tau[j->u + r->term[k].dof] += curve_of(d, &r->term[k]).slope * e->kept[0];
    }
  }
}
