/* SPDX-License-Identifier: Apache-2.0 */
#include "tree/closure.h"
#include "tree/embedding.h"
#include "tree/work.h"

#include <string.h>

lwi_rank_rule lwi_closed_rule(const lw_model *m)
{
  return (lwi_rank_rule){.dependent = 1e-10, .zero = 1e-14, .unit = m->mobility};
}

lwi_rank_rule lwi_embedded_rule(const lw_model *m)
{
  const double lever = 1e-3 * m->length;
  return (lwi_rank_rule){.dependent = 1e-10, .zero = 1e-14, .unit = lever * lever};
}

/* of the compliance of any set of ties */
static size_t most_values(const lw_model *m)
{
  const lwi_ties *x[2] = {&m->ties, &m->assembly};
  size_t most = 0;
  for (int i = 0; i < 2; i++) {
    const size_t n = x[i]->net ? x[i]->net->envelope.nvalue : x[i]->envelope.nvalue;
    most = n > most ? n : most;
  }
  return most;
}

static lwi_rank carve_rank(lwi_carver *c, int n)
{
  return (lwi_rank){.order = LWI_CARVE(c, n, int),
                    .kept = LWI_CARVE(c, n, bool),
                    .pivot = LWI_CARVE(c, n, double),
                    .rhs = LWI_CARVE(c, n, double)};
}

lwi_closure *lwi_closure_carve(const lw_model *m, lwi_carver *c)
{
  if (!lwi_is_tied(m)) return NULL;
  const lwi_ties *x = &m->assembly; /* has all ties and more */
  const int n = x->nrow, nu = m->nu;
  const int net = x->net ? x->net->nrow : 0;
  lwi_closure *at = LWI_CARVE(c, 1, lwi_closure);
  const lwi_closure k = {
      .pair = LWI_CARVE(c, m->npair, lwi_pair_state),
      .J = LWI_CARVE(c, x->nJ, double),
      .scale = LWI_CARVE(c, n, double),
      .gamma = LWI_CARVE(c, n, double),
      .rhs = LWI_CARVE(c, n, double),
      .lambda = LWI_CARVE(c, n, double),
      .eps = LWI_CARVE(c, x->neps, double),
      .value = (double *)lwi_carve_bytes(c, most_values(m), sizeof(double)),
      .Dinv = LWI_CARVE(c, nu, double),
      .sum = LWI_CARVE(c, nu, double),
      .room_rows = LWI_CARVE(c, 7 * n, double),
      .other = LWI_CARVE(c, n, double),
      .total = LWI_CARVE(c, n, double),
      .room = LWI_CARVE(c, 5 * m->nq + 7 * nu, double),
      .all = LWI_CARVE(c, nu, bool),
      .rank = carve_rank(c, n),
      .start = LWI_CARVE(c, m->nconstraint + 1, double),
      .target = LWI_CARVE(c, 3 * (m->nconstraint + 1), double),
      .embedding = lwi_embedding_carve(m, c),
      .tau = LWI_CARVE(c, nu, double),
      .net_J = (double *)lwi_carve_bytes(c, net ? x->net->nJ : 0, sizeof(double)),
      .net_lambda = LWI_CARVE(c, 5 * net, double),
      .net_X = lwi_carve_bytes(c, net ? (size_t)m->nlink : 0, sizeof *at->net_X),
      .net_rank = carve_rank(c, net),
  };
  if (at) *at = k;
  return at;
}

/* ---- where everything is ---- */

/* Does anything depend on the speeds of cut joints?  Nobody else is told of them but who asks. */
static bool reads_cut_speeds(const lw_model *m)
{
  return m->nconstraint + m->nmotor + m->njoint_spring > 0 || m->nslot > m->nparameter;
}

void lwi_closure_place_pair(const lw_model *m, lw_work *w, int pair, int joint)
{
  lwi_pair_state *s = &w->closure->pair[pair];
  w->kernels->place_pair(m, w->tree, pair, s);
  if (joint == 0) return;
  const lwi_joint *j = &m->joint[joint];
  double *q = w->kernels->cut_part(w->tree, LWI_CUT_Q) + (j->info.q_all - m->nq);
  double *u = w->kernels->cut_part(w->tree, LWI_CUT_U) + (j->info.u_all - m->nu);
  lwi_joint_q(&j->shape, &s->frame[0], &s->frame[1], q, q);
  if (reads_cut_speeds(m)) lwi_joint_u(&j->shape, &s->frame[0], &s->frame[1], s->V[0], s->V[1], u);
}

void lwi_closure_aim(const lw_model *m, lw_work *w, double t)
{
  for (int i = 1; i <= m->nconstraint; i++)
    if (m->constraint[i].pair < 0)
      lwi_relation_target(&m->constraint[i].relation, m->parameter, m->nparameter,
                          w->closure->start[i], t, w->closure->target + 3 * i);
}

void lwi_closure_place(const lw_model *m, lw_work *w, double t)
{
  for (int i = 1; i <= m->njoint; i++)
    if (m->joint[i].info.cut) lwi_closure_place_pair(m, w, m->joint[i].pair, i);
  for (int i = 1; i <= m->nconstraint; i++)
    if (m->constraint[i].pair >= 0) lwi_closure_place_pair(m, w, m->constraint[i].pair, 0);
  lwi_closure_aim(m, w, t);
}

/* ---- loads on links ---- */

/* a load J on a frame of a pair, about the link's origin */
static void about_link(const double arm[3], const double J[6], double scale, double out[6])
{
  double moment[3];
  cross3(arm, J + 3, moment);
  for (int i = 0; i < 3; i++) {
    out[i] = scale * (J[i] + moment[i]);
    out[3 + i] = scale * J[3 + i];
  }
}

void lwi_closure_push_motors(const lw_model *m, lw_work *w)
{
  if (m->nmotor + m->njoint_spring == 0) return;
  const double *tau = w->kernels->cut_part(w->tree, LWI_CUT_TAU);
  for (int i = 1; i <= m->njoint; i++) {
    const lwi_joint *j = &m->joint[i];
    if (!j->info.cut) continue;
    const lwi_pair_state *s = &w->closure->pair[j->pair];
    double J[2][6][6], load[6];
    lwi_joint_speed_rows(&j->shape, &s->frame[0], &s->frame[1], J[0], J[1]);
    for (int k = 0; k < 2 * j->info.nu; k++) {
      about_link(s->arm[k % 2], J[k % 2][k / 2], tau[j->info.u_all - m->nu + k / 2], load);
      w->kernels->push(w->tree, m->pair[j->pair].link[k % 2], load);
    }
  }
}

/* ---- rows ---- */

void lwi_tie_pick(const lwi_tie *t, int size, double *x)
{
  int n = 0;
  for (int i = 0; i < 6; i++)
    if (t->dofs >> i & 1) memmove(x + size * n++, x + size * i, (size_t)size * sizeof(double));
}

/* what a row would be worth in metres, squared */
static double row_size(const lw_model *m, const double J[6])
{
  return dot3(J + 3, J + 3) + dot3(J, J) / (m->length * m->length);
}

/* what makes a row worth a metre; rows of unit length, as most are, need no root */
static double row_scale(const lw_model *m, const double J[6])
{
  const double size = row_size(m, J), radian = size * (m->length * m->length);
  if (fabs(size - 1) < 1e-14) return 1;
  return fabs(radian - 1) < 1e-14 ? m->length : 1 / sqrt(size);
}

/* a row J on the child's frame, and what it is on the parent's, both about the links' origins */
static inline void both_about_links(double lever[2][3], const double J[6], double scale,
                                    double parent[6], double child[6])
{
  double moment[2][3];
  cross3(lever[0], J + 3, moment[0]);
  cross3(lever[1], J + 3, moment[1]);
  for (int i = 0; i < 3; i++) {
    parent[i] = -scale * (J[i] + moment[0][i]);
    parent[3 + i] = -scale * J[3 + i];
    child[i] = scale * (J[i] + moment[1][i]);
    child[3 + i] = scale * J[3 + i];
  }
}

static void equation_rows(const lw_model *m, lw_work *w, const lwi_ties *x, const lwi_tie *t)
{
  lwi_closure *c = w->closure;
  const lwi_pair_state *s = &c->pair[x->pair[t->pair].pair];
  double J[6][6], JA[6][6], gamma[6] = {0}, *out = c->J + t->J;
  if (t->dofs) {
    const lwi_joint_shape *shape = &m->joint[t->id].shape;
    lwi_joint_speed_rows(shape, &s->frame[0], &s->frame[1], JA, J);
    lwi_joint_speed_gamma(shape, &s->frame[0], &s->frame[1], s->V[0], s->V[1], gamma);
    lwi_tie_pick(t, 6, J[0]);
    lwi_tie_pick(t, 1, gamma);
  } else
    lwi_equations_rows(t->kind == LWI_TIE_JOINT ? &m->joint[t->id].equations
                                                : &m->constraint[t->id].equations,
                       &s->frame[0], &s->frame[1], s->V[0], s->V[1], J, gamma);
  double lever[2][3];
  for (int i = 0; i < 3; i++) {
    lever[0][i] = s->frame[1].p[i] - s->frame[0].p[i] + s->arm[0][i];
    lever[1][i] = s->arm[1][i];
  }
  for (int r = 0; r < t->n; r++) {
    const double scale = row_scale(m, J[r]);
    c->scale[t->row + r] = scale;
    c->gamma[t->row + r] = scale * gamma[r];
    both_about_links(lever, J[r], scale, out + 6 * r, out + 6 * (t->n + r));
  }
}

static double term_size(const lw_model *m, const lw_work *w, const lwi_tie_term *k)
{
  double S[6];
  w->kernels->get_column(m, w->tree, k->column, S);
  const double turns = dot3(S, S) > 0 ? 1 / (m->length * m->length) : 1;
  return k->coefficient * k->coefficient * turns;
}

static void relation_row(const lw_model *m, lw_work *w, const lwi_ties *x, const lwi_tie *t)
{
  lwi_closure *c = w->closure;
  double *out = c->J + t->J, size = 0, gamma = c->target[3 * t->id + 2];
  for (int i = 0; i < t->nterm; i++)
    size += term_size(m, w, &x->term[t->term + i]);
  for (int i = 0; i < t->npair; i++) {
    const lwi_tie_pair *p = &x->pair[t->pair + i];
    const lwi_pair_state *s = &c->pair[p->pair];
    double J[2][6][6], own[6];
    const lwi_joint_shape *shape = &m->joint[p->joint].shape;
    lwi_joint_speed_rows(shape, &s->frame[0], &s->frame[1], J[0], J[1]);
    lwi_joint_speed_gamma(shape, &s->frame[0], &s->frame[1], s->V[0], s->V[1], own);
    gamma += p->coefficient * own[p->dof];
    for (int side = 0; side < 2; side++)
      about_link(s->arm[side], J[side][p->dof], p->coefficient, out + 6 * (2 * i + side));
    size += p->coefficient * p->coefficient * row_size(m, J[1][p->dof]);
  }
  const double scale = c->scale[t->row] = size > 0 ? 1 / sqrt(size) : 1;
  c->gamma[t->row] = scale * gamma;
  for (int i = 0; i < 12 * t->npair; i++)
    out[i] *= scale;
}

void lwi_closure_rows(const lw_model *m, lw_work *w, const lwi_ties *x)
{
  for (int i = 0; i < x->ntie; i++)
    if (x->tie[i].kind == LWI_TIE_RELATION)
      relation_row(m, w, x, &x->tie[i]);
    else
      equation_rows(m, w, x, &x->tie[i]);
}

/* ---- compliance ---- */

/* W += eps_a d eps_b' for two ties that share a column, b <= a */
static void couple(lwi_closure *c, const lwi_ties *x, const lwi_touch *a, const lwi_touch *b,
                   double d)
{
  const lwi_tie *s = &x->tie[a->tie], *t = &x->tie[b->tie];
  for (int i = 0; i < s->n; i++) {
    const double e = d * c->eps[a->eps + (size_t)i];
    double *row = lwi_envelope_at(&x->envelope, c->value, a->tie, s->row + i, t->row);
    for (int j = 0; j < t->n; j++)
      row[j] += e * c->eps[b->eps + (size_t)j];
  }
}

static void add_to_diagonal(lwi_closure *c, const lwi_ties *x, double part)
{
  double largest = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int t = 0; t < x->ntie; t++)
      for (int i = x->tie[t].row; i < x->tie[t].row + x->tie[t].n; i++) {
        double *d = lwi_envelope_at(&x->envelope, c->value, t, i, i);
        if (pass == 0)
          largest = fmax(largest, *d);
        else
          *d += part * largest;
      }
}

void lwi_closure_sweep(const lw_model *m, lw_work *w, const lwi_ties *x)
{
  lwi_closure *c = w->closure;
  for (int t = 0; t < x->ntie; t++)
    w->kernels->innovations(m, w->tree, x, t, c->J + x->tie[t].J, c->scale[x->tie[t].row],
                            c->eps + x->tie[t].eps);
}

/* ---- metric ---- */

/* a metre is as much as a turn by a typical lever arm */
static double mobility_of(const lw_model *m, const lw_work *w, int column)
{
  double S[6];
  w->kernels->get_column(m, w->tree, column, S);
  if (dot3(S, S) > 0) return 1 / (m->length * m->length);
  return dot3(S + 3, S + 3) > 0 ? 1 : 0;
}

void lwi_closure_plain_metric(const lw_model *m, lw_work *w, const bool *locked)
{
  lwi_closure *c = w->closure;
  c->plain = true;
  memset(c->all, 1, (size_t)m->nu * sizeof(bool));
  w->kernels->factor(m, w->tree, c->all);
  for (int k = 0; k < m->nu; k++)
    c->Dinv[k] = locked && locked[k] ? 0 : mobility_of(m, w, k);
}

void lwi_closure_metric(const lw_model *m, lw_work *w, const lwi_ties *x, const bool *locked)
{
  w->closure->plain = false;
  if (x->net) return;
  if (x->local || m->uneven || !w->kernels->factor(m, w->tree, locked))
    lwi_closure_plain_metric(m, w, locked);
}

void lwi_closure_move(const lw_model *m, lw_work *w, double x[])
{
  const lwi_closure *c = w->closure;
  if (c->net)
    lwi_net_move(m, w, x);
  else if (!c->plain)
    w->kernels->respond(m, w->tree, c->sum, x);
  else
    for (int k = 0; k < m->nu; k++)
      x[m->column_u[k]] += c->Dinv[k] * c->sum[k];
}

void lwi_closure_couple(const lw_model *m, lw_work *w, const lwi_ties *x, double more,
                        const lwi_rank_rule *rule)
{
  lwi_closure *c = w->closure;
  c->reduced = c->forward = false;
  memset(c->value, 0, x->envelope.nvalue * sizeof(double));
  for (int k = 0; k < m->nu; k++)
    for (int a = x->touch_start[k]; a < x->touch_start[k + 1]; a++)
      for (int b = x->touch_start[k]; b <= a; b++)
        couple(c, x, &x->touch[a], &x->touch[b], c->Dinv[k]);
  if (more > 0) add_to_diagonal(c, x, more);
  lwi_envelope_factor(&x->envelope, c->value, &c->rank, rule);
}

void lwi_closure_compliance(const lw_model *m, lw_work *w, const lwi_ties *x, double more,
                            const lwi_rank_rule *rule)
{
  lwi_rank_rule plain = rule ? *rule : (lwi_rank_rule){0};
  if (x->net) {
    lwi_net_couple(m, w, x, more, rule);
    return;
  }
  plain.unit = 1e-6;
  lwi_closure_sweep(m, w, x);
  if (!w->closure->plain) w->kernels->pivots(m, w->tree, w->closure->Dinv);
  lwi_closure_couple(m, w, x, more, rule && w->closure->plain ? &plain : rule);
}

void lwi_closure_gather(const lw_model *m, lw_work *w, const lwi_ties *x, const double lambda[])
{
  lwi_closure *c = w->closure;
  for (int k = 0; k < m->nu; k++) {
    double s = 0;
    for (int a = x->touch_start[k]; a < x->touch_start[k + 1]; a++) {
      const lwi_tie *t = &x->tie[x->touch[a].tie];
      for (int i = 0; i < t->n; i++)
        s += c->eps[x->touch[a].eps + (size_t)i] * lambda[t->row + i];
    }
    c->sum[k] = s;
  }
}

void lwi_closure_solve(const lw_model *m, lw_work *w, const lwi_ties *x)
{
  lwi_closure *c = w->closure;
  if (x->net) {
    lwi_net_solve(m, w, x);
    return;
  }
  memcpy(c->lambda, c->rhs, (size_t)x->nrow * sizeof(double));
  lwi_envelope_solve(&x->envelope, c->value, &c->rank, c->lambda);
  lwi_closure_gather(m, w, x, c->lambda);
}
