/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_closure.c -- derivatives along a direction of what closure.c and tie_equations.c compute:
   frames of pairs, rows of ties, what they lack. */
#include "tree/derivatives.h"

#include <string.h>

lwi_closure_change lwi_closure_change_carve(const lw_model *m, lwi_carver *c)
{
  if (!lwi_is_tied(m)) return (lwi_closure_change){.pair = NULL};
  const lwi_ties *x = &m->assembly; /* has all ties and more */
  const int n = x->nrow;
  return (lwi_closure_change){
      .pair = lwi_carve_bytes(c, (size_t)m->npair, 2 * sizeof(lwi_moving_frame)),
      .arm1 = lwi_carve_bytes(c, (size_t)m->npair, 6 * sizeof(double)),
      .J1 = LWI_CARVE(c, x->nJ, double),
      .scale1 = LWI_CARVE(c, n, double),
      .phi1 = LWI_CARVE(c, n, double),
      .rate1 = LWI_CARVE(c, n, double),
      .gamma1 = LWI_CARVE(c, n, double),
      .row = LWI_CARVE(c, n, double),
      .lambda1 = LWI_CARVE(c, n, double),
      .target1 = LWI_CARVE(c, 3 * (m->nconstraint + 1), double),
  };
}

static double dot6(const double a[6], const double b[6])
{
  return dot3(a, b) + dot3(a + 3, b + 3);
}
static void add_cross(double x[3], const double a[3], const double b[3])
{
  double c[3];
  cross3(a, b, c);
  for (int i = 0; i < 3; i++)
    x[i] += c[i];
}

/* ---- frames ---- */

lwi_moving_frame lwi_vary_link(const lw_model *m, const lw_derivatives *d, int link)
{
  const lw_work *w = d->work;
  lwi_moving_frame f = {.frame = lwi_frame_identity()};
  double C[9], pose[6], A[6];
  w->kernels->get_frame(m, w->tree, link, C, f.frame.p);
  f.frame.R = rot_columns(C);
  w->kernels->get_motion(m, w->tree, link, f.V, A);
  w->kernels->get_change(m, d->change, d->tree, link, pose, f.V1, A);
  memcpy(f.turn, pose, sizeof f.turn);
  memcpy(f.shift, pose + 3, sizeof f.shift);
  return f;
}

lwi_moving_frame lwi_vary_body(const lw_model *m, const lw_derivatives *d, int body)
{
  const lwi_body *b = &m->body[body], *db = d->change ? &d->change->body[body] : NULL;
  const lwi_moving_frame link = lwi_vary_link(m, d, b->link);
  const lwi_frame in = {.R = b->R, .p = {b->p[0], b->p[1], b->p[2]}};
  lwi_frame din = {.p = {0}};
  if (db) din = (lwi_frame){.R = db->R, .p = {db->p[0], db->p[1], db->p[2]}};
  return lwi_moving_frame_on(&link, &in, db ? &din : NULL);
}

static void vary_frame(const lw_model *m, lw_derivatives *d, int pair, int side)
{
  const lw_work *w = d->work;
  const lwi_pair_state *s = &w->closure->pair[pair];
  const int link = m->pair[pair].link[side];
  lwi_moving_frame *f = &d->closure.pair[pair][side];
  double *arm1 = d->closure.arm1[pair][side], pose[6], V1[6], A1[6], C[9], p[3], turn[3] = {0},
         shift[3] = {0};
  f->frame = s->frame[side];
  memcpy(f->V, s->V[side], sizeof f->V);
  w->kernels->get_change(m, d->change, d->tree, link, pose, V1, A1);
  w->kernels->get_frame(m, w->tree, link, C, p);
  const rot3 R = rot_columns(C);
  if (d->change) {
    lwi_turn_of(&m->pair[pair].place[side].R, &d->change->pair[pair].place[side].R, turn);
    rot_mulv(R, turn, turn);
    rot_mulv(R, d->change->pair[pair].place[side].p, shift);
  }
  memcpy(arm1, shift, sizeof shift);
  add_cross(arm1, pose, s->arm[side]);
  for (int i = 0; i < 3; i++) {
    f->turn[i] = pose[i] + turn[i];
    f->shift[i] = pose[3 + i] + arm1[i];
    f->V1[i] = V1[i];
    f->V1[3 + i] = V1[3 + i];
  }
  add_cross(f->V1 + 3, V1, s->arm[side]);
  add_cross(f->V1 + 3, f->V, arm1);
}

void lwi_vary_pairs(const lw_model *m, lw_derivatives *d)
{
  const double *q = d->work->kernels->cut_part(d->work->tree, LWI_CUT_Q);
  for (int i = 0; i < 2 * m->npair; i++)
    vary_frame(m, d, i / 2, i % 2);
  for (int i = 1; i <= m->njoint; i++) {
    const lwi_joint *j = &m->joint[i];
    if (!j->info.cut) continue;
    const lwi_joint_shape *dj = d->change ? &d->change->joint[i].shape : NULL;
    const lwi_moving_frame *A = &d->closure.pair[j->pair][0], *B = &d->closure.pair[j->pair][1];
    dual u[6];
    lwi_joint_q_change(&j->shape, dj, A, B, q + (j->info.q_all - m->nq), d->q1 + j->info.q_all);
    lwi_joint_speed_change(&j->shape, dj, A, B, u, NULL, NULL, NULL);
    for (int k = 0; k < j->info.nu; k++)
      d->u1[j->info.u_all + k] = u[k].d;
  }
}

/* ---- rows ---- */

/* a load on a frame of a pair, about the link's origin, times scale */
static void about_link(const double arm[3], const double arm1[3], const lwi_dual6 *J, dual scale,
                       double out[6], double out1[6])
{
  const dual3 moment = dual3_cross(dual3_of(arm, arm1), J->v);
  const dual3 t = dual3_scale(dual3_add(J->w, moment), scale), f = dual3_scale(J->v, scale);
  memcpy(out, t.x, sizeof t.x);
  memcpy(out + 3, f.x, sizeof f.x);
  memcpy(out1, t.d, sizeof t.d);
  memcpy(out1 + 3, f.d, sizeof f.d);
}

static dual length_of(const lw_model *m, const lw_model *change)
{
  return (dual){m->length, change ? change->length : 0};
}

/* what a row would be worth in metres, squared */
static dual row_size(const lw_model *m, const lw_model *change, const lwi_dual6 *J)
{
  const dual length = length_of(m, change);
  return dual_add(dual3_dot(J->v, J->v), dual_div(dual3_dot(J->w, J->w), dual_mul(length, length)));
}

static dual scale_of(dual size)
{
  const double s = 1 / sqrt(size.x);
  return (dual){s, -0.5 * s * size.d / size.x};
}

/* those of the freedoms that are held or locked */
static void freedom_rows(const lwi_tie *t, const lwi_joint_shape *j, const lwi_joint_shape *dj,
                         const lwi_moving_frame *A, const lwi_moving_frame *B, lwi_dual6 J[2][6],
                         dual gamma[6])
{
  int n = 0;
  lwi_joint_speed_change(j, dj, A, B, NULL, J[0], J[1], gamma);
  for (int i = 0; i < 6; i++) {
    if (!(t->dofs >> i & 1)) continue;
    J[0][n] = J[0][i];
    J[1][n] = J[1][i];
    gamma[n++] = gamma[i];
  }
}

/* Of a held or locked cut joint: by its speeds, how its coordinates leave those written.  Of a rotation that
   is locked in part only speeds are known. */
static void hold_violation(const lw_model *m, const lw_derivatives *d, const lwi_tie *t,
                           dual phi[6])
{
  const lwi_joint *j = &m->joint[t->id];
  const double *q = d->work->kernels->cut_part(d->work->tree, LWI_CUT_Q) + (j->info.q_all - m->nq);
  double moved[6], written[6] = {0};
  int n = 0;
  if (lwi_count_still(t->dofs) < j->info.nu && !lwi_joint_has_rate_pair(j->info.type)) return;
  lwi_joint_speeds_of(j->info.type, m->planar, j->info.nu, q, d->q1 + j->info.q_all, moved);
  if (d->change)
    lwi_joint_speeds_of(j->info.type, m->planar, j->info.nu, j->q, d->change->joint[t->id].q,
                        written);
  for (int i = 0; i < j->info.nu; i++)
    if (t->dofs >> i & 1) phi[n++].d = moved[i] - written[i];
}

static void equation_rows(const lw_model *m, lw_derivatives *d, const lwi_ties *x, const lwi_tie *t)
{
  lwi_closure_change *k = &d->closure;
  const lw_model *dm = d->change;
  const int pair = x->pair[t->pair].pair;
  const lwi_pair_state *s = &d->work->closure->pair[pair];
  const lwi_moving_frame *A = &k->pair[pair][0], *B = &k->pair[pair][1];
  lwi_dual6 J[2][6];
  dual phi[6] = {{0}}, gamma[6] = {{0}};
  if (t->dofs) {
    freedom_rows(t, &m->joint[t->id].shape, dm ? &dm->joint[t->id].shape : NULL, A, B, J, gamma);
    hold_violation(m, d, t, phi);
  } else if (t->kind == LWI_TIE_JOINT)
    lwi_equations_change(&m->joint[t->id].equations, dm ? &dm->joint[t->id].equations : NULL, A, B,
                         phi, J[0], J[1], gamma);
  else
    lwi_equations_change(&m->constraint[t->id].equations,
                         dm ? &dm->constraint[t->id].equations : NULL, A, B, phi, J[0], J[1],
                         gamma);
  for (int r = 0; r < t->n; r++) {
    const dual scale = scale_of(row_size(m, dm, &J[1][r]));
    k->scale1[t->row + r] = scale.d;
    k->phi1[t->row + r] = phi[r].d;
    k->gamma1[t->row + r] = gamma[r].d;
    for (int side = 0; side < 2; side++) {
      double same[6];
      about_link(s->arm[side], k->arm1[pair][side], &J[side][r], scale, same,
                 k->J1 + t->J + 6 * (side * t->n + r));
    }
  }
}

/* of a term or pair of a relation */
static dual coefficient_of(const lwi_ties *x, const lwi_ties *dx, int i, bool pair)
{
  const double c = pair ? x->pair[i].coefficient : x->term[i].coefficient;
  return (dual){c, !dx ? 0 : pair ? dx->pair[i].coefficient : dx->term[i].coefficient};
}

/* the ties of the change that go with x */
static const lwi_ties *ties_change(const lw_model *m, const lw_model *change, const lwi_ties *x)
{
  if (!change) return NULL;
  return x == &m->ties ? &change->ties : &change->assembly;
}

static dual term_size(const lw_model *m, const lw_derivatives *d, const lwi_tie_term *k, dual c)
{
  double S[6];
  const dual length = length_of(m, d->change), one = {1, 0};
  d->work->kernels->get_column(m, d->work->tree, k->column, S);
  const dual turns = dot3(S, S) > 0 ? dual_div(one, dual_mul(length, length)) : one;
  return dual_mul(dual_mul(c, c), turns);
}

static void relation_row(const lw_model *m, lw_derivatives *d, const lwi_ties *x, const lwi_tie *t)
{
  lwi_closure_change *k = &d->closure;
  const lwi_ties *dx = ties_change(m, d->change, x);
  lwi_dual6 J[2][6];
  dual size = {0, 0}, gamma[6] = {{0}};
  for (int i = t->term; i < t->term + t->nterm; i++)
    size = dual_add(size, term_size(m, d, &x->term[i], coefficient_of(x, dx, i, false)));
  for (int pass = 0; pass < 2; pass++) /* the scale is known after all pairs */
    for (int i = 0; i < t->npair; i++) {
      const lwi_tie_pair *p = &x->pair[t->pair + i];
      const lwi_pair_state *s = &d->work->closure->pair[p->pair];
      const lwi_moving_frame *A = &k->pair[p->pair][0], *B = &k->pair[p->pair][1];
      const dual c = coefficient_of(x, dx, t->pair + i, true);
      lwi_joint_speed_change(&m->joint[p->joint].shape,
                             d->change ? &d->change->joint[p->joint].shape : NULL, A, B, NULL, J[0],
                             J[1], gamma);
      if (pass == 0)
        size = dual_add(size, dual_mul(dual_mul(c, c), row_size(m, d->change, &J[1][p->dof])));
      for (int side = 0; side < 2 && pass == 1; side++) {
        double same[6];
        about_link(s->arm[side], k->arm1[p->pair][side], &J[side][p->dof],
                   dual_mul(c, scale_of(size)), same, k->J1 + t->J + 6 * (2 * i + side));
      }
      if (pass == 1) k->gamma1[t->row] += dual_mul(c, gamma[p->dof]).d;
    }
  k->scale1[t->row] = size.x > 0 ? scale_of(size).d : 0;
}

/* the sum of a relation, differentiated */
static double relation_rate(const lw_model *m, const lw_derivatives *d, const lwi_ties *x,
                            const lwi_tie *t, bool speeds)
{
  const lwi_ties *dx = ties_change(m, d->change, x);
  const double *tree = speeds ? d->u : d->q, *tree1 = speeds ? d->u1 : d->q1;
  const double *cut = d->work->kernels->cut_part(d->work->tree, speeds ? LWI_CUT_U : LWI_CUT_Q);
  double sum = 0;
  for (int i = t->term; i < t->term + t->nterm; i++) {
    const int at = speeds ? x->term[i].u : x->term[i].q;
    sum += dual_mul(coefficient_of(x, dx, i, false), dual_of(tree[at], tree1[at])).d;
  }
  for (int i = t->pair; i < t->pair + t->npair; i++) {
    const lw_joint_info *j = &m->joint[x->pair[i].joint].info;
    const int n = speeds ? m->nu : m->nq, at = (speeds ? j->u_all : j->q_all) + x->pair[i].dof;
    sum += dual_mul(coefficient_of(x, dx, i, true), dual_of(cut[at - n], tree1[at])).d;
  }
  return sum;
}

/* targets of relations by the parameters */
static void vary_target(const lw_model *m, lw_derivatives *d, int id)
{
  const lwi_relation *r = &m->constraint[id].relation;
  double *out = d->closure.target1 + 3 * id;
  memset(out, 0, 3 * sizeof(double));
  if (!d->change) return;
  if (r->type == LW_COUPLER) out[0] = d->change->constraint[id].relation.offset;
  if (r->type == LW_DRIVER)
    lwi_expr_taylor2_change(&r->value, m->parameter, d->change->parameter, m->nparameter, d->t,
                            out);
}

void lwi_vary_rows(const lw_model *m, lw_derivatives *d, const lwi_ties *x)
{
  lwi_closure_change *k = &d->closure;
  for (int i = 0; i < x->ntie; i++) {
    const lwi_tie *t = &x->tie[i];
    if (t->kind != LWI_TIE_RELATION) {
      equation_rows(m, d, x, t);
      continue;
    }
    vary_target(m, d, t->id);
    k->gamma1[t->row] = k->target1[3 * t->id + 2];
    k->phi1[t->row] = relation_rate(m, d, x, t, false) - k->target1[3 * t->id];
    relation_row(m, d, x, t);
  }
}

/* ---- loads ---- */

void lwi_vary_push_motors(const lw_model *m, lw_derivatives *d)
{
  if (m->nmotor + m->njoint_spring == 0) return;
  const double *tau = d->work->kernels->cut_part(d->work->tree, LWI_CUT_TAU);
  for (int i = 1; i <= m->njoint; i++) {
    const lwi_joint *j = &m->joint[i];
    if (!j->info.cut) continue;
    const lwi_pair_state *s = &d->work->closure->pair[j->pair];
    lwi_dual6 J[2][6];
    lwi_joint_speed_change(&j->shape, d->change ? &d->change->joint[i].shape : NULL,
                           &d->closure.pair[j->pair][0], &d->closure.pair[j->pair][1], NULL, J[0],
                           J[1], NULL);
    for (int k = 0; k < 2 * j->info.nu; k++) {
      const int at = j->info.u_all - m->nu + k / 2;
      double load[6], load1[6];
      about_link(s->arm[k % 2], d->closure.arm1[j->pair][k % 2], &J[k % 2][k / 2],
                 dual_of(tau[at], d->cut_tau1[at]), load, load1);
      d->work->kernels->vary_push(d->tree, m->pair[j->pair].link[k % 2], load1);
    }
  }
}

/* loads lambda of rows (scaled, laid out as closure.h says) on their links */
static void push_rows(const lw_model *m, lw_derivatives *d, const lwi_ties *x, const double rows[],
                      const double lambda[])
{
  for (int i = 0; i < x->ntie; i++) {
    const lwi_tie *t = &x->tie[i];
    for (int p = 0; p < 2 * t->npair; p++) {
      double load[6] = {0};
      for (int r = 0; r < t->n; r++)
        for (int k = 0; k < 6; k++)
          load[k] += lambda[t->row + r] * rows[t->J + (size_t)(6 * (p * t->n + r) + k)];
      d->work->kernels->vary_push(d->tree, m->pair[x->pair[t->pair + p / 2].pair].link[p % 2],
                                  load);
    }
  }
}

void lwi_vary_push_rows(const lw_model *m, lw_derivatives *d, const lwi_ties *x,
                        const double lambda[])
{
  push_rows(m, d, x, lambda == d->closure.lambda1 ? d->work->closure->J : d->closure.J1, lambda);
}

void lwi_vary_terms(const lw_model *m, lw_derivatives *d, const lwi_ties *x, const double lambda[],
                    double residual[])
{
  const lwi_ties *dx = ties_change(m, d->change, x);
  for (int i = 0; i < x->ntie; i++) {
    const lwi_tie *t = &x->tie[i];
    const dual scale = {d->work->closure->scale[t->row], d->closure.scale1[t->row]};
    for (int k = t->term; k < t->term + t->nterm; k++)
      residual[x->term[k].u] -= lambda[t->row] * dual_mul(scale, coefficient_of(x, dx, k, false)).d;
  }
}

/* ---- what the rows lack ---- */

/* of the terms of a relation, times scale: (coefficient x)' */
static double terms_rate(const lw_model *m, const lw_derivatives *d, const lwi_ties *x,
                         const lwi_tie *t, const double z[], const double z1[])
{
  const lwi_ties *dx = ties_change(m, d->change, x);
  const dual scale = {d->work->closure->scale[t->row], d->closure.scale1[t->row]};
  double sum = 0;
  for (int k = t->term; k < t->term + t->nterm; k++) {
    const int u = x->term[k].u;
    const dual c = dual_mul(scale, coefficient_of(x, dx, k, false));
    sum += dual_mul(c, dual_of(z[u], z1 ? z1[u] : 0)).d;
  }
  return sum;
}

/* (J times the acceleration of the frame that moves with the link)' */
static double frame_acceleration(const lw_model *m, const lw_derivatives *d, int pair, int side,
                                 const double J[6], const double J1[6])
{
  const lw_work *w = d->work;
  const int link = m->pair[pair].link[side];
  if (link == 0) return 0;
  double V[6], A[6], pose[6], V1[6], A1[6];
  w->kernels->get_motion(m, w->tree, link, V, A);
  w->kernels->get_change(m, d->change, d->tree, link, pose, V1, A1);
  const dual3 spin = dual3_of(V, V1),
              arm = dual3_of(w->closure->pair[pair].arm[side], d->closure.arm1[pair][side]);
  const dual3 swing = dual3_cross(spin, dual3_cross(spin, arm));
  return dot6(J1, A) + dot6(J, A1) + dual3_dot(dual3_of(J + 3, J1 + 3), swing).d;
}

void lwi_vary_deficit(const lw_model *m, lw_derivatives *d, const lwi_ties *x, double row[])
{
  const lwi_closure *c = d->work->closure;
  const lwi_closure_change *k = &d->closure;
  for (int i = 0; i < x->ntie; i++) {
    const lwi_tie *t = &x->tie[i];
    for (int r = 0; r < t->n; r++) {
      /* gamma = G udot holds, so that changes of the scale cancel: it is taken as constant here */
      double sum = c->scale[t->row + r] * k->gamma1[t->row + r];
      for (int p = 0; p < 2 * t->npair; p++) {
        const size_t at = t->J + (size_t)(6 * (p * t->n + r));
        double J1[6];
        for (int n = 0; n < 6; n++)
          J1[n] = k->J1[at + (size_t)n] -
                  k->scale1[t->row + r] / c->scale[t->row + r] * c->J[at + (size_t)n];
        sum -= frame_acceleration(m, d, x->pair[t->pair + p / 2].pair, p % 2, c->J + at, J1);
      }
      if (t->kind == LWI_TIE_RELATION) {
        double held = 0;
        for (int n = t->term; n < t->term + t->nterm; n++)
          held += x->term[n].coefficient * d->udot[x->term[n].u];
        sum -= terms_rate(m, d, x, t, d->udot, d->udot1) - k->scale1[t->row] * held;
      }
      row[t->row + r] = sum;
    }
  }
}

void lwi_vary_rate(const lw_model *m, lw_derivatives *d, const lwi_ties *x, double row[])
{
  const lwi_closure *c = d->work->closure;
  const lwi_closure_change *k = &d->closure;
  for (int i = 0; i < x->ntie; i++) {
    const lwi_tie *t = &x->tie[i];
    if (t->kind == LWI_TIE_RELATION) {
      row[t->row] =
          c->scale[t->row] * (relation_rate(m, d, x, t, true) - k->target1[3 * t->id + 1]);
      continue;
    }
    for (int r = 0; r < t->n; r++) {
      const double scale = c->scale[t->row + r];
      double sum = 0, held = 0, held1 = 0;
      for (int side = 0; side < 2; side++) {
        const size_t at = t->J + (size_t)(6 * (side * t->n + r));
        double V[6], A[6], pose[6], V1[6];
        const int link = m->pair[x->pair[t->pair].pair].link[side];
        d->work->kernels->get_motion(m, d->work->tree, link, V, A);
        d->work->kernels->get_change(m, d->change, d->tree, link, pose, V1, A);
        sum += dot6(k->J1 + at, V) + dot6(c->J + at, V1);
      }
      if (t->kind == LWI_TIE_HOLD) {
        held = m->joint[t->id].u[r];
        held1 = d->change ? d->change->joint[t->id].u[r] : 0;
      }
      row[t->row + r] = sum - k->scale1[t->row + r] * held - scale * held1;
    }
  }
}

/* ---- accelerations of cut joints ---- */

/* of the origin of a frame: [alpha; a + alpha x arm + w x (w x arm)] */
static lwi_dual6 origin_acceleration(const lw_model *m, const lw_derivatives *d, int pair, int side)
{
  const lw_work *w = d->work;
  const int link = m->pair[pair].link[side];
  double V[6], A[6], pose[6], V1[6], A1[6];
  const double zero[3] = {0};
  if (link == 0) return (lwi_dual6){dual3_const(zero), dual3_const(zero)};
  w->kernels->get_motion(m, w->tree, link, V, A);
  w->kernels->get_change(m, d->change, d->tree, link, pose, V1, A1);
  const dual3 spin = dual3_of(V, V1), turn = dual3_of(A, A1),
              arm = dual3_of(w->closure->pair[pair].arm[side], d->closure.arm1[pair][side]);
  const dual3 swing = dual3_cross(spin, dual3_cross(spin, arm));
  const dual3 a = dual3_add(dual3_of(A + 3, A1 + 3), dual3_add(dual3_cross(turn, arm), swing));
  return (lwi_dual6){turn, a};
}

void lwi_vary_cut_accelerations(const lw_model *m, const lw_derivatives *d, double udot1[])
{
  for (int i = 1; i <= m->njoint; i++) {
    const lwi_joint *j = &m->joint[i];
    if (!j->info.cut) continue;
    const lwi_dual6 A = origin_acceleration(m, d, j->pair, 0),
                    B = origin_acceleration(m, d, j->pair, 1);
    lwi_dual6 J[2][6];
    dual gamma[6];
    lwi_joint_speed_change(&j->shape, d->change ? &d->change->joint[i].shape : NULL,
                           &d->closure.pair[j->pair][0], &d->closure.pair[j->pair][1], NULL, J[0],
                           J[1], gamma);
    for (int k = 0; k < j->info.nu; k++)
      udot1[j->info.u_all + k] =
          lwi_dual6_dot(&J[0][k], &A).d + lwi_dual6_dot(&J[1][k], &B).d - gamma[k].d;
  }
}

void lwi_vary_product(const lw_model *m, lw_derivatives *d, const lwi_ties *x, const double z[],
                      double row[])
{
  const lwi_closure *c = d->work->closure;
  d->work->kernels->vary_speeds(m, d->work->tree, d->tree, z);
  for (int i = 0; i < x->ntie; i++) {
    const lwi_tie *t = &x->tie[i];
    for (int r = 0; r < t->n; r++) {
      double sum = terms_rate(m, d, x, t, z, NULL);
      for (int p = 0; p < 2 * t->npair; p++) {
        const size_t at = t->J + (size_t)(6 * (p * t->n + r));
        double V[6], V1[6];
        d->work->kernels->get_speeds(d->tree, m->pair[x->pair[t->pair + p / 2].pair].link[p % 2], V,
                                     V1);
        sum += dot6(d->closure.J1 + at, V) + dot6(c->J + at, V1);
      }
      row[t->row + r] = sum;
    }
  }
}
