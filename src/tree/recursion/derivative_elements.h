/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_elements.h -- contributions of force elements to the derivative matrices of a tree.

   The matrices already contain loads on links as if these moved with their links; this adds the
   changes of the loads relative to their links.  Motors and joint springs act on single
   freedoms. */
#ifndef LWI_TREE_RECURSION_DERIVATIVE_ELEMENTS_H
#define LWI_TREE_RECURSION_DERIVATIVE_ELEMENTS_H
#include "tree/recursion/derivative_matrices.h"

/* does a motion of link i carry link b along? */
static inline bool carries(const lwi_derivative_work *d, int i, int b)
{
  return i <= b && b < d->link_end[i];
}

/* Change of link b by a motion of a freedom of link i inward of it, or by a change of its speed.
   In spatial terms dv = Y - v x S; the origin of b moves along. */
static inline link_change change_by_motion(const lwi_tree_work *w, const lwi_derivative_work *d,
                                           int i, int column, int b)
{
  const vec3 away = v3_sub(d->arm[b], d->arm[i]);
  const motion S = motion_at(w->freedom[column].S, away);
  const motion Y = motion_at(d->response[column].Y, away);
  const motion V = w->link[b].V;
  return (link_change){S.w, S.v, v3_add_cross(Y.w, S.w, V.w), v3_add_cross(Y.v, S.w, V.v)};
}
static inline link_change change_by_speed(const lwi_tree_work *w, const lwi_derivative_work *d,
                                          int i, int column, int b)
{
  const motion S = motion_at(w->freedom[column].S, v3_sub(d->arm[b], d->arm[i]));
  return (link_change){v3_zero(), v3_zero(), S.w, S.v};
}

static inline link_change change_by_freedom(const lwi_tree_work *w, const lwi_derivative_work *d,
                                            int i, int column, int b, bool speed)
{
  if (!carries(d, i, b)) return change_none();
  return speed ? change_by_speed(w, d, i, column, b) : change_by_motion(w, d, i, column, b);
}

/* T(., column) -= S^T load for all freedoms inward of the link that the load acts on; at: 0 or
   ld */
static void subtract_load(const lw_model *m, lwi_derivative_work *d, int link, force load,
                          size_t at)
{
  double f[6];
  put_load(load, d->arm[link], f);
  for (int i = link; i > 0; i = m->link[i].parent)
    for (int j = m->link[i].column; j < m->link[i].column + m->link[i].nu; j++)
      d->T[(size_t)j * 2 * (size_t)d->ld + at] -= dot_table(d->table.S, j, f);
}

/* ---- elements between two links ---- */

/* the element whose derivative is taken; the others are NULL */
typedef struct {
#define POINTER(item, ...) const lwi_##item *item;
  LWI_FORCE_LIST(POINTER)
#undef POINTER
  const lw_model *m; /* of a load that is the law of an element */
} element;

static load_change change_element(const lwi_tree_work *w, const element *e, const link_change *a,
                                  const link_change *b)
{
#define TRY(item, items, name, on, kind)                                                           \
  static const lwi_##item no_##item;                                                               \
  if (e->item) return change_##item(w, e->item, &no_##item, a, b);
#define ELASTIC_LINKS(item, items, name, on, kind)                                                 \
  LWI_IF(LINKS, on, LWI_IF(ELASTIC, kind, TRY(item, items, name, on, kind)))
  static const lwi_load no_load;
  LWI_FORCE_LIST(ELASTIC_LINKS)
#undef ELASTIC_LINKS
#undef TRY
  if (e->load->carrier) {
    const vec3 value[2] = {expr3(w, e->load->force), expr3(w, e->load->torque)},
               held[2] = {v3_zero(), v3_zero()};
    return change_carried(e->m, NULL, w, e->load, value, held, a, b);
  }
  return change_load(w, e->load, &no_load, v3_zero(), v3_zero(), a);
}

/* one freedom of link i; link[1] may be the ground, which has no freedoms */
static void add_element_column(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                               const element *e, const int link[2], int i, int column)
{
  for (int speeds = 0; speeds < 2; speeds++) {
    link_change c[2];
    for (int side = 0; side < 2; side++)
      c[side] = change_by_freedom(w, d, i, column, link[side], speeds);
    const load_change l = change_element(w, e, &c[0], &c[1]);
    for (int side = 0; side < 2; side++) {
      const vec3 t = l.load[side].t, f = l.load[side].f, turn = c[side].turn;
      const force seen = {v3_add_cross(l.rate[side].t, t, turn),
                          v3_add_cross(l.rate[side].f, f, turn)};
      if (link[side] > 0)
        subtract_load(m, d, link[side], seen, (size_t)column + (speeds ? (size_t)d->ld : 0));
    }
  }
}

static void add_element(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                        const element *e, int a, int b)
{
  const int link[2] = {a, b};
  for (int side = 0; side < 2; side++)
    for (int i = link[side]; i > 0; i = m->link[i].parent)
      for (int k = 0; k < m->link[i].nu && (side == 0 || !carries(d, i, a)); k++)
        add_element_column(m, w, d, e, link, i, m->link[i].column + k);
}

/* ---- expressions of the state ---- */

/* derivative of coordinate c of a joint by its speeds: a row of qdot = N(q) u */
static void coordinate_row(const lw_model *m, const lwi_link *L, const double *q, int c,
                           double row[6])
{
  const lwi_speeds speeds = lwi_joint_speeds(m->joint[L->joint].info.type, m->planar);
  const bool moves = speeds == LWI_SPEEDS_MOVE;
  const double *e = q + L->q + (moves ? 3 : 0);
  const int first = moves ? c - 3 : c;
  memset(row, 0, 6 * sizeof(double));
  if (speeds == LWI_SPEEDS_MOVE_PLANAR) {
    const double cosine = cos(q[L->q + 2]), sine = sin(q[L->q + 2]);
    row[0] = c == 2;
    row[1] = c == 0 ? cosine : c == 1 ? sine : 0;
    row[2] = c == 0 ? -sine : c == 1 ? cosine : 0;
  } else if (moves && c < 3) { /* row c of the rotation matrix */
    const double n = 2 / (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    const int i = (c + 1) % 3, j = (c + 2) % 3;
    row[3 + c] = 1 - n * (e[1 + i] * e[1 + i] + e[1 + j] * e[1 + j]);
    row[3 + i] = n * (e[1 + c] * e[1 + i] - e[0] * e[1 + j]);
    row[3 + j] = n * (e[1 + c] * e[1 + j] + e[0] * e[1 + i]);
  } else if (speeds != LWI_SPEEDS_ARE_RATES) { /* half the quaternion product */
    const double rows[4][3] = {
        {-e[1], -e[2], -e[3]}, {e[0], -e[3], e[2]}, {e[3], e[0], -e[1]}, {-e[2], e[1], e[0]}};
    for (int k = 0; k < 3; k++)
      row[k] = 0.5 * rows[first][k];
  } else {
    row[c] = 1;
  }
}

/* of the expression on the branch on which load_value has it */
static double expr_rate(const lwi_tree_work *w, const lwi_derivative_work *d, const lwi_expr *e)
{
  const lwi_expr *held = held_expr(w, e);
  double value, slope;
  lwi_expr_dual(held, (const double *)w->slot, 1, d->slot_row, &value, &slope);
  if (held != e &&
      !(isfinite(value) && isfinite(slope))) /* at the end of its branch: sqrt(abs(x)) */
    lwi_expr_dual(e, (const double *)w->slot, 1, d->slot_row, &value, &slope);
  return slope;
}

/* d(expression)/d(slot) */
static double slope_of(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                       const lwi_expr *e, int slot)
{
  memset(d->slot_row, 0, (size_t)m->nslot * sizeof(double));
  d->slot_row[slot] = 1;
  return expr_rate(w, d, e);
}

/* freedoms of one joint that move a slot of an expression: columns at ... at + n - 1 of a row of
   T */
typedef struct {
  int n;
  size_t at;
  double row[6];
} slot_motion;

/* walks all of them: a coordinate or speed belongs to one joint, a measure follows all freedoms
   inward of its links, by their positions and by their speeds */
typedef struct {
  const lw_model *m;
  const lwi_tree_work *w;
  const lwi_derivative_work *d;
  const double *q;
  const lwi_slot *slot; /* NULL: a parameter */
  int step;             /* of a coordinate or speed: 1 when done */
  int side, link;       /* of a measure: where the walk is */
} slot_walk;

static slot_walk walk_slot(const lw_model *m, const lwi_tree_work *w, const lwi_derivative_work *d,
                           const double *q, int slot)
{
  slot_walk k = {m, w, d, q, slot < m->nparameter ? NULL : &m->slot[slot - m->nparameter], 0, 0, 0};
  if (k.slot && k.slot->kind == LWI_SLOT_MEASURE) {
    int link[2];
    measure_links(m, &k.slot->measure, link);
    k.link = link[0];
  }
  return k;
}

static bool next_coordinate(slot_walk *k, slot_motion *s)
{
  const lw_model *m = k->m;
  const int i = k->d->slot_link[k->slot - m->slot];
  if (k->step++ > 0 || i == 0) return false;
  const lwi_link *L = &m->link[i];
  *s = (slot_motion){
      .n = L->nu, .at = (size_t)L->column + (k->slot->kind == LWI_SLOT_U ? (size_t)k->d->ld : 0)};
  if (k->slot->kind == LWI_SLOT_Q)
    coordinate_row(m, L, k->q, k->slot->index - L->q, s->row);
  else
    s->row[k->slot->index - L->u] = 1;
  return true;
}

/* derivatives of a measure by positions or by speeds of the freedoms of link i */
static void measure_row(const slot_walk *k, const int link[2], bool speeds, slot_motion *s)
{
  const lwi_link *L = &k->m->link[k->link];
  *s = (slot_motion){.n = L->nu, .at = (size_t)L->column + (speeds ? (size_t)k->d->ld : 0)};
  for (int j = 0; j < L->nu; j++) {
    link_change c[2];
    for (int side = 0; side < 2; side++)
      c[side] = change_by_freedom(k->w, k->d, k->link, L->column + j, link[side], speeds);
    s->row[j] = measure_rate(k->m, NULL, k->w, &k->slot->measure, &c[0], &c[1]);
  }
}

/* up from the link of one side, then from that of the other where the first walk did not pass */
static bool next_measure(slot_walk *k, slot_motion *s)
{
  int link[2];
  measure_links(k->m, &k->slot->measure, link);
  while (k->link == 0 || (k->side == 1 && carries(k->d, k->link, link[0]))) {
    if (k->side == 1) return false;
    k->side = 1;
    k->link = link[1];
  }
  measure_row(k, link, k->step == 1, s);
  if (k->step == 1) k->link = k->m->link[k->link].parent;
  k->step = 1 - k->step;
  return true;
}

static bool next_motion(slot_walk *k, slot_motion *s)
{
  if (!k->slot) return false;
  return k->slot->kind == LWI_SLOT_MEASURE ? next_measure(k, s) : next_coordinate(k, s);
}

static void add_motor(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                      const double *q, const double *u, const lwi_motor *e)
{
  (void)u;
  double *row = d->T + (size_t)d->u_column[e->u] * 2 * (size_t)d->ld;
  for (int n = 0; n < e->value.nname; n++) {
    const int slot = e->value.name[n].slot;
    slot_walk walk = walk_slot(m, w, d, q, slot);
    const double slope = walk.slot ? slope_of(m, w, d, &e->value, slot) : 0;
    for (slot_motion s; next_motion(&walk, &s);)
      for (int k = 0; k < s.n; k++)
        row[s.at + (size_t)k] -= slope * s.row[k];
  }
}

/* one of the six expressions of a load: direction 0 ... 2 force, 3 ... 5 torque */
static void add_load_expr(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                          const double *q, const lwi_load *e, int direction)
{
  const lwi_expr *value = direction < 3 ? &e->force[direction] : &e->torque[direction - 3];
  const link_state *s = &w->link[e->point.link];
  mat3 axes = m3_identity();
  if (e->body_axes) axes = m3_mulparam(s->R, &e->R);
  const vec3 a = direction % 3 == 0 ? axes.x : direction % 3 == 1 ? axes.y : axes.z;
  const vec3 o = m3_mulp(s->R, e->point.p);
  const force unit = direction < 3 ? (force){v3_cross(o, a), a} : (force){a, v3_zero()};
  for (int n = 0; n < value->nname; n++) {
    const int slot = value->name[n].slot;
    slot_walk walk = walk_slot(m, w, d, q, slot);
    const double slope = walk.slot ? slope_of(m, w, d, value, slot) : 0;
    for (slot_motion by; next_motion(&walk, &by);)
      for (int k = 0; k < by.n; k++)
        if (slope * by.row[k] != 0)
          subtract_load(m, d, e->point.link, force_scale(unit, real_set(slope * by.row[k])),
                        by.at + (size_t)k);
  }
}

/* one expression of the law of an element: unit loads on both ends, times its slope */
static void add_carried_expr(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                             const double *q, const lwi_load *e, int direction)
{
  const lwi_expr *value = law_expr(e, direction);
  double unit[6] = {0};
  unit[direction] = 1;
  const pair_load l =
      carried_load(m, w, e, v3(real_set(unit[0]), real_set(unit[1]), real_set(unit[2])),
                   v3(real_set(unit[3]), real_set(unit[4]), real_set(unit[5])));
  for (int n = 0; n < value->nname; n++) {
    const int slot = value->name[n].slot;
    slot_walk walk = walk_slot(m, w, d, q, slot);
    const double slope = walk.slot ? slope_of(m, w, d, value, slot) : 0;
    for (slot_motion by; next_motion(&walk, &by);)
      for (int j = 0; j < by.n; j++)
        for (int side = 0; side < 2 && slope * by.row[j] != 0; side++)
          subtract_load(m, d, l.link[side], force_scale(l.load[side], real_set(slope * by.row[j])),
                        by.at + (size_t)j);
  }
}

static void add_carried(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                        const double *q, const lwi_load *e)
{
  int link[2];
  carried_links(m, e, link);
  add_element(m, w, d, &(element){.load = e, .m = m}, link[0], link[1]);
  for (int k = 0; k < 6; k++)
    add_carried_expr(m, w, d, q, e, k);
}

/* ---- all elements ---- */

static void add_load(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                     const double *q, const double *u, const lwi_load *e)
{
  (void)u;
  if (e->carrier) {
    add_carried(m, w, d, q, e);
    return;
  }
  add_element(m, w, d, &(element){.load = e}, e->point.link, 0);
  for (int k = 0; k < 6; k++)
    add_load_expr(m, w, d, q, e, k);
}

static void add_joint_spring(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                             const double *q, const double *u, const lwi_joint_spring *e)
{
  const force_state x = {m, (const real *)q, (const real *)u};
  const joint_spring_state s = find_joint_spring(&x, w, e);
  const size_t k = (size_t)d->u_column[e->u], ld = (size_t)d->ld;
  const double v = real_lane(speed(m, w, x.u, e->u), 0);
  d->T[k * 2 * ld + k] +=
      e->stiffness * real_lane(s.slope, 0) + e->damping * v * real_lane(s.h_slope, 0);
  d->T[k * 2 * ld + ld + k] += e->damping * real_lane(s.h, 0);
}

static void add_elements(const lw_model *m, const lwi_tree_work *w, lwi_derivative_work *d,
                         const double *q, const double *u)
{
#define ADD(item) add_##item(m, w, d, q, u, e)
#define ADD_LINKS(item)                                                                            \
  add_element(m, w, d, &(element){.item = e}, item##_link(e, 0), item##_link(e, 1))
#define ADD_FREEDOM(item) ADD(item)
#define ELASTIC(item, items, name, on, kind) LWI_IF(ELASTIC, kind, EACH(item, ADD_##on(item)))
#define APPLIED(item, items, name, on, kind) LWI_IF(APPLIED, kind, EACH(item, ADD(item)))
  LWI_FORCE_LIST(ELASTIC)
  LWI_FORCE_LIST(APPLIED)
#undef APPLIED
#undef ELASTIC
#undef ADD_FREEDOM
#undef ADD_LINKS
#undef ADD
}

#endif
