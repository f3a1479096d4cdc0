/* SPDX-License-Identifier: Apache-2.0 */
/* tree_terms.c -- positions and velocities of the tree as terms (tree_terms.h): [Jain2012] eq (7) in link axes.

   With A the rotation from link axes to those of the parent and r from the parent's origin to the link's,

     w = A^T w_p + w_J,   v = A^T (v_p + w_p x r) + v_J,   (w_J, v_J) = S u

   and accelerations likewise, with c = [w_p x w_J; w_p x (w_p x r + 2 v_J)] + what the joint itself turns of S. */
#include "io/code/tree_terms.h"

#include <stdlib.h>

static const double rounding = 1e-15; /* relative: numbers that are zero or one but for it */

/* ---- numbers of the model ---- */

static double clean(double x, double scale)
{
  if (fabs(x) < rounding * scale) return 0;
  return fabs(fabs(x) - 1) < rounding ? copysign(1, x) : x;
}

static rot3 clean_rotation(rot3 R)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      R.c[i][j] = clean(R.c[i][j], 1);
  return R;
}

/* Without numbers that are rounding errors beside the largest one. */
lwi_mat lwi_inertia_terms(lwi_tree_terms *x, const lwi_link *L)
{
  rot3 J = L->J;
  double most = 0;
  for (int i = 0; i < 9; i++)
    most = fmax(most, fabs(J.c[i / 3][i % 3]));
  for (int i = 0; i < 9; i++)
    if (fabs(J.c[i / 3][i % 3]) < rounding * most) J.c[i / 3][i % 3] = 0;
  return lwi_mat_symmetric(lwi_mat_of(&x->T, &J));
}

lwi_vec lwi_vector_terms(lwi_tree_terms *x, const double a[3])
{
  const double most = norm3(a);
  double b[3];
  for (int i = 0; i < 3; i++)
    b[i] = fabs(a[i]) < rounding * most ? 0 : a[i];
  return lwi_vec_of(&x->T, b);
}

/* ---- vectors between links ---- */

lwi_vec lwi_link_turn_out(lwi_tree_terms *x, int link, lwi_vec a)
{
  const lwi_link_terms *s = &x->link[link];
  for (int i = s->nturn - 1; i >= 0; i--)
    a = lwi_mat_times(&x->T, s->turn[i], a);
  return a;
}

lwi_vec lwi_link_turn_in(lwi_tree_terms *x, int link, lwi_vec a)
{
  const lwi_link_terms *s = &x->link[link];
  for (int i = 0; i < s->nturn; i++)
    a = lwi_mat_times(&x->T, lwi_mat_transpose(s->turn[i]), a);
  return a;
}

/* A B A^T */
lwi_mat lwi_link_turn_matrix(lwi_tree_terms *x, int link, lwi_mat B)
{
  const lwi_link_terms *s = &x->link[link];
  for (int i = s->nturn - 1; i >= 0; i--)
    B = lwi_mat_mul(&x->T, lwi_mat_mul(&x->T, s->turn[i], B), lwi_mat_transpose(s->turn[i]));
  return B;
}

/* ---- joints, as in tree/recursion/joint_motion.h ---- */

static void add_turn(lwi_link_terms *s, lwi_mat A)
{
  s->turn[s->nturn++] = A;
}

static lwi_mat turn_about_z(lwi_tree_terms *x, lwi_term angle, int sense)
{
  const lwi_term c = lwi_term_operation(&x->T, LWI_OP_COS, angle, 0, 0);
  const lwi_term sine = lwi_term_operation(&x->T, LWI_OP_SIN, angle, 0, 0);
  const lwi_term s = sense > 0 ? sine : lwi_term_neg(&x->T, sine);
  return (lwi_mat){{{c, lwi_term_neg(&x->T, s), 0}, {s, c, 0}, {0, 0, LWI_TERM_ONE}}};
}

/* of a quaternion of any length but zero */
static lwi_mat turn_by_quaternion(lwi_tree_terms *x, const lwi_term e[4])
{
  lwi_terms *T = &x->T;
  lwi_term square = LWI_TERM_ZERO, p[4][4];
  for (int i = 0; i < 4; i++)
    square = lwi_term_add(T, square, lwi_term_mul(T, e[i], e[i]));
  const lwi_term s = lwi_term_div(T, lwi_term_number(T, 2), square);
  for (int i = 0; i < 4; i++)
    for (int j = i; j < 4; j++)
      p[i][j] = p[j][i] = lwi_term_mul(T, e[i], lwi_term_mul(T, e[j], s));
#define ONE_LESS(a, b) lwi_term_sub(T, LWI_TERM_ONE, lwi_term_add(T, a, b))
  return (lwi_mat){{{ONE_LESS(p[2][2], p[3][3]), lwi_term_sub(T, p[1][2], p[0][3]),
                     lwi_term_add(T, p[1][3], p[0][2])},
                    {lwi_term_add(T, p[1][2], p[0][3]), ONE_LESS(p[1][1], p[3][3]),
                     lwi_term_sub(T, p[2][3], p[0][1])},
                    {lwi_term_sub(T, p[1][3], p[0][2]), lwi_term_add(T, p[2][3], p[0][1]),
                     ONE_LESS(p[1][1], p[2][2])}}};
#undef ONE_LESS
}

static lwi_vec unit(int k)
{
  lwi_vec e = {{0}};
  e.x[k] = LWI_TERM_ONE;
  return e;
}

/* With d in link axes from the link's origin to the joint's child: a turn of the link against it. */
static lwi_six turning_back(lwi_tree_terms *x, lwi_vec axis, lwi_vec d)
{
  return (lwi_six){lwi_vec_neg(&x->T, axis), lwi_vec_cross(&x->T, axis, d)};
}

static void place_several_axes(lwi_tree_terms *x, const lwi_link *L, lwi_link_terms *s)
{
  lwi_vec axis[LWI_MOST_AXES];
  int first[LWI_MOST_AXES];
  for (int k = 0; k < L->nu; k++) {
    const rot3 middle = k > 0 ? clean_rotation(x->m->middle[L->middle + k - 1]) : rot_identity();
    if (k > 0) add_turn(s, lwi_mat_of(&x->T, &middle));
    first[k] = s->nturn;
    add_turn(s, turn_about_z(x, x->q[L->q + lwi_kind_angle((lwi_kind)L->kind, L->nu, k)], 1));
  }
  for (int k = 0; k < L->nu; k++) {
    axis[k] = unit(2);
    for (int i = first[k]; i < s->nturn; i++)
      axis[k] = lwi_mat_times(&x->T, lwi_mat_transpose(s->turn[i]), axis[k]);
    s->S[lwi_kind_order((lwi_kind)L->kind, L->nu, k)] = (lwi_six){.w = axis[k]};
  }
}

static void place_with_quaternion(lwi_tree_terms *x, const lwi_link *L, lwi_link_terms *s,
                                  lwi_mat Q)
{
  lwi_terms *T = &x->T;
  const bool reversed = L->kind == LWI_KIND_SPHERICAL_REVERSED || L->kind == LWI_KIND_FREE_REVERSED;
  const bool is_free = L->kind == LWI_KIND_FREE || L->kind == LWI_KIND_FREE_REVERSED;
  const lwi_term *q = x->q + L->q;
  const lwi_mat E = turn_by_quaternion(x, is_free ? q + 3 : q);
  const lwi_vec d = is_free ? (lwi_vec){{q[0], q[1], q[2]}} : (lwi_vec){{0}};
  add_turn(s, reversed ? lwi_mat_transpose(E) : E);
  for (int k = 0; k < 3; k++) {
    const lwi_vec axis = reversed ? lwi_mat_column(E, k) : unit(k); /* in link axes */
    s->S[k] = reversed ? turning_back(x, axis, d)
                       : (lwi_six){.w = L->inertialess ? (lwi_vec){{0}} : axis};
    if (is_free) s->S[3 + k] = (lwi_six){.v = reversed ? lwi_vec_neg(T, axis) : axis};
  }
  if (!is_free) return;
  const lwi_vec shift = reversed ? lwi_vec_neg(T, lwi_mat_times(T, lwi_mat_transpose(E), d)) : d;
  s->r = lwi_vec_add(T, s->r, lwi_mat_times(T, Q, shift));
}

static void place_in_plane(lwi_tree_terms *x, const lwi_link *L, lwi_link_terms *s, lwi_mat Q)
{
  lwi_terms *T = &x->T;
  const bool reversed =
      L->kind == LWI_KIND_PLANAR_REVERSED || L->kind == LWI_KIND_FREE_PLANAR_REVERSED;
  const bool is_free = L->kind == LWI_KIND_FREE_PLANAR || L->kind == LWI_KIND_FREE_PLANAR_REVERSED;
  const lwi_term *q = x->q + L->q;
  const lwi_mat E = turn_about_z(x, q[2], 1);
  const lwi_vec d = {{q[0], q[1], LWI_TERM_ZERO}};
  const lwi_mat turn = reversed ? lwi_mat_transpose(E) : E;
  add_turn(s, turn);
  const lwi_vec shift = reversed ? lwi_vec_neg(T, lwi_mat_times(T, turn, d)) : d;
  s->r = lwi_vec_add(T, s->r, lwi_mat_times(T, Q, shift));
  for (int k = 0; k < 2; k++) { /* axes of the parent's side turn back into link axes */
    const lwi_vec fixed = lwi_mat_column(lwi_mat_transpose(turn), k);
    const lwi_vec axis = is_free == reversed ? fixed : unit(k);
    s->S[is_free + k] = (lwi_six){.v = reversed ? lwi_vec_neg(T, axis) : axis};
  }
  const lwi_six about = reversed ? turning_back(x, unit(2), d) : (lwi_six){.w = unit(2)};
  s->S[is_free ? 0 : 2] = is_free && !reversed && L->inertialess ? (lwi_six){{{0}}, {{0}}} : about;
}

static void place_link(lwi_tree_terms *x, int i)
{
  const lwi_link *L = &x->m->link[i];
  lwi_link_terms *s = &x->link[i];
  lwi_terms *T = &x->T;
  const rot3 R = clean_rotation(L->R);
  const lwi_mat Q = lwi_mat_of(T, &R);
  const lwi_vec z = lwi_mat_column(Q, 2);
  const lwi_term *q = x->q + L->q;
  s->r = lwi_vector_terms(x, L->p);
  add_turn(s, Q);
  switch ((lwi_kind)L->kind) {
  case LWI_KIND_FIXED: return;
  case LWI_KIND_REVOLUTE:
    add_turn(s, turn_about_z(x, q[0], 1));
    s->S[0].w = unit(2);
    return;
  case LWI_KIND_PRISMATIC:
    s->r = lwi_vec_add(T, s->r, lwi_vec_scale(T, q[0], z));
    s->S[0].v = unit(2);
    return;
  case LWI_KIND_HELICAL:
    add_turn(s, turn_about_z(x, q[0], 1));
    s->r = lwi_vec_add(T, s->r, lwi_vec_scale(T, lwi_term_scale(T, L->pitch, q[0]), z));
    s->S[0] = (lwi_six){unit(2), lwi_vec_scale(T, lwi_term_number(T, L->pitch), unit(2))};
    return;
  case LWI_KIND_CYLINDRICAL:
    add_turn(s, turn_about_z(x, q[0], 1));
    s->r = lwi_vec_add(T, s->r, lwi_vec_scale(T, q[1], z));
    s->S[0].w = unit(2);
    s->S[1].v = unit(2);
    return;
  case LWI_KIND_AXES:
  case LWI_KIND_AXES_REVERSED: place_several_axes(x, L, s); return;
  case LWI_KIND_SPHERICAL:
  case LWI_KIND_SPHERICAL_REVERSED:
  case LWI_KIND_FREE:
  case LWI_KIND_FREE_REVERSED: place_with_quaternion(x, L, s, Q); return;
  default: place_in_plane(x, L, s, Q);
  }
}

/* joint_extra_bias of joint_motion.h */
static lwi_six own_bias(lwi_tree_terms *x, int i, lwi_six rel)
{
  const lwi_link *L = &x->m->link[i];
  const lwi_link_terms *s = &x->link[i];
  lwi_terms *T = &x->T;
  lwi_six c = {{{0}}, {{0}}};
  lwi_vec before = {{0}};
  switch ((lwi_kind)L->kind) {
  case LWI_KIND_AXES:
  case LWI_KIND_AXES_REVERSED:
    for (int k = 0; k < L->nu; k++) {
      const int j = lwi_kind_order((lwi_kind)L->kind, L->nu, k);
      const lwi_vec own = lwi_vec_scale(T, x->u[L->u + j], s->S[j].w);
      c.w = lwi_vec_add(T, c.w, lwi_vec_cross(T, before, own));
      before = lwi_vec_add(T, before, own);
    }
    return c;
  case LWI_KIND_FREE:
  case LWI_KIND_FREE_REVERSED:
  case LWI_KIND_FREE_PLANAR:
  case LWI_KIND_FREE_PLANAR_REVERSED: c.v = lwi_vec_cross(T, rel.w, rel.v); return c;
  case LWI_KIND_PLANAR_REVERSED: {
    const lwi_vec d = {{x->q[L->q], x->q[L->q + 1], LWI_TERM_ZERO}};
    const lwi_vec twice = lwi_vec_add(T, rel.v, rel.v);
    c.v = lwi_vec_cross(T, rel.w, lwi_vec_add(T, twice, lwi_vec_cross(T, rel.w, d)));
    return c;
  }
  default: return c;
  }
}

static void move_link(lwi_tree_terms *x, int i)
{
  const lwi_link *L = &x->m->link[i];
  lwi_link_terms *s = &x->link[i];
  const lwi_link_terms *p = &x->link[L->parent];
  lwi_terms *T = &x->T;
  lwi_six rel = {{{0}}, {{0}}};
  for (int j = 0; j < L->nu; j++)
    rel = lwi_six_add(T, rel, lwi_six_scale(T, x->u[L->u + j], s->S[j]));
  const lwi_vec turning = lwi_vec_cross(T, p->V.w, s->r);
  const lwi_vec w = lwi_link_turn_in(x, i, p->V.w);
  const lwi_six own = own_bias(x, i, rel);
  s->V.w = lwi_vec_add(T, w, rel.w);
  s->V.v = lwi_vec_add(T, lwi_link_turn_in(x, i, lwi_vec_add(T, p->V.v, turning)), rel.v);
  s->c.w = lwi_vec_add(T, lwi_vec_cross(T, w, rel.w), own.w);
  const lwi_vec centripetal = lwi_link_turn_in(x, i, lwi_vec_cross(T, p->V.w, turning));
  const lwi_vec coriolis = lwi_vec_cross(T, w, lwi_vec_add(T, rel.v, rel.v));
  s->c.v = lwi_vec_add(T, lwi_vec_add(T, centripetal, coriolis), own.v);
  s->p = lwi_vec_add(T, p->p, lwi_mat_times(T, p->G, s->r));
  s->G = p->G;
  for (int k = 0; k < s->nturn; k++)
    s->G = lwi_mat_mul(T, s->G, s->turn[k]);
}

bool lwi_tree_terms_open(lwi_tree_terms *x, const lw_model *m)
{
  *x = (lwi_tree_terms){.m = m, .ninput = 1 + m->nq + 3 * m->nu};
  lwi_term *input = calloc((size_t)x->ninput + (size_t)m->nu, sizeof *input);
  x->q = input;
  x->link = calloc((size_t)m->nlink, sizeof *x->link);
  if (!input || !x->link || !lwi_terms_open(&x->T)) return false;
  for (int i = 1; i < x->ninput; i++)
    input[i - 1] = lwi_term_input(&x->T, i);
  x->t = lwi_term_input(&x->T, 0);
  x->u = x->q + m->nq;
  x->udot = x->u + m->nu;
  x->tau = x->udot + m->nu;
  x->element_tau = x->tau + m->nu;
  x->link[0].G = (lwi_mat){{{LWI_TERM_ONE, 0, 0}, {0, LWI_TERM_ONE, 0}, {0, 0, LWI_TERM_ONE}}};
  for (int i = 1; i < m->nlink; i++) {
    place_link(x, i);
    move_link(x, i);
  }
  return !x->T.failed;
}

void lwi_tree_terms_close(lwi_tree_terms *x)
{
  free(x->q);
  free(x->link);
  lwi_terms_close(&x->T);
  *x = (lwi_tree_terms){0};
}

/* ---- coordinates and points ---- */

/* qdot = 1/2 (0, w) after e, w in the axes of the child: docs/format.md, section 3 */
static void quaternion_rates(lwi_terms *T, const lwi_term e[4], const lwi_term w[3],
                             lwi_term out[4])
{
  static const int index[4][3] = {{1, 2, 3}, {0, 3, 2}, {3, 0, 1}, {2, 1, 0}};
  static const int sign[4][3] = {{-1, -1, -1}, {1, -1, 1}, {1, 1, -1}, {-1, 1, 1}};
  for (int i = 0; i < 4; i++) {
    lwi_term sum = LWI_TERM_ZERO;
    for (int k = 0; k < 3; k++) {
      const lwi_term product = lwi_term_mul(T, e[index[i][k]], w[k]);
      sum = sign[i][k] > 0 ? lwi_term_add(T, sum, product) : lwi_term_sub(T, sum, product);
    }
    out[i] = lwi_term_scale(T, 0.5, sum);
  }
}

void lwi_trace_rates(lwi_tree_terms *x, const lwi_term u[], lwi_term qdot[])
{
  const lw_model *m = x->m;
  lwi_terms *T = &x->T;
  for (int i = 0; i < m->nq; i++)
    qdot[i] = LWI_TERM_ZERO; /* of inputs */
  for (int i = 1; i < m->nlink; i++) {
    const lwi_link *L = &m->link[i];
    const lwi_term *q = x->q + L->q, *s = u + L->u;
    lwi_term *out = qdot + L->q;
    if (L->joint <= 0) continue;
    switch (lwi_joint_speeds(m->joint[L->joint].info.type, m->planar)) {
    case LWI_SPEEDS_TURN: quaternion_rates(T, q, s, out); break;
    case LWI_SPEEDS_MOVE: {
      const lwi_vec v =
          lwi_mat_times(T, turn_by_quaternion(x, q + 3), (lwi_vec){{s[3], s[4], s[5]}});
      for (int k = 0; k < 3; k++)
        out[k] = v.x[k];
      quaternion_rates(T, q + 3, s, out + 3);
      break;
    }
    case LWI_SPEEDS_MOVE_PLANAR: {
      const lwi_vec v = lwi_mat_times(T, turn_about_z(x, q[2], 1), (lwi_vec){{s[1], s[2], 0}});
      out[0] = v.x[0];
      out[1] = v.x[1];
      out[2] = s[0];
      break;
    }
    default:
      for (int k = 0; k < L->nu; k++)
        out[k] = s[k];
    }
  }
}

void lwi_trace_jacobian(lwi_tree_terms *x, const lwi_body *b, lwi_term J[])
{
  const lw_model *m = x->m;
  lwi_terms *T = &x->T;
  const lwi_link_terms *s = &x->link[b->link];
  const lwi_vec at = lwi_vec_add(T, s->p, lwi_mat_times(T, s->G, lwi_vector_terms(x, b->p)));
  for (int i = 0; i < 6 * m->nu; i++)
    J[i] = LWI_TERM_ZERO;
  for (int i = b->link; i > 0; i = m->link[i].parent) {
    const lwi_link_terms *l = &x->link[i];
    const lwi_vec arm = lwi_vec_sub(T, at, l->p);
    for (int j = 0; j < m->link[i].nu; j++) {
      const lwi_vec w = lwi_mat_times(T, l->G, l->S[j].w), v = lwi_mat_times(T, l->G, l->S[j].v);
      const lwi_vec there = lwi_vec_add(T, v, lwi_vec_cross(T, w, arm));
      for (int k = 0; k < 3; k++) {
        J[k * m->nu + m->link[i].u + j] = w.x[k];
        J[(3 + k) * m->nu + m->link[i].u + j] = there.x[k];
      }
    }
  }
}
