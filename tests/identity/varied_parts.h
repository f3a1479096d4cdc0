/* SPDX-License-Identifier: Apache-2.0 */
/* varied_parts.h -- random mechanisms as plain data, and numbers of them that move with a parameter p: in the data, for
   the oracle, and as expressions of a spec.

   Numbers are multiples of 2^-30 and move by multiples of 2^-20 times p, so that for p = s 2^-10 ... s 2^-14 none
   of them is rounded. */
#ifndef VARIED_PARTS_H
#define VARIED_PARTS_H
#include "oracle_internal.h"

#include "model/spec/spec_data.h"
#include "linkwork/reader.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- numbers that move ---- */

typedef struct {
  double p;     /* how far */
  int only;     /* which number moves; negative: all */
  int count;    /* of numbers met so far */
  bool rounded; /* numbers are rounded, none moves */
  lw_spec *s;   /* not NULL: numbers become expressions of p */
} varying;

static inline double grid(double x, int bits)
{
  return ldexp(rint(ldexp(x, bits)), -bits);
}

/* how x moves; equal numbers move alike, so that equal joints stay equal */
static inline double slope_of(varying *v, double x)
{
  const bool moves = x != 0 && !isnan(x) && (v->only < 0 || v->count == v->only);
  v->count += x != 0;
  return moves && !v->rounded ? grid(0.3 * x * sin(17 * x), 20) : 0;
}

static inline void derivative_number(varying *v, double *x)
{
  char text[96];
  const double slope = slope_of(v, *x);
  if (v->rounded) *x = grid(*x, 30);
  if (slope == 0) return;
  snprintf(text, sizeof text, "%.17g + (%.17g)*p", *x, slope);
  *x = v->s ? lw_expr(v->s, text) : *x + slope * v->p;
}

static inline void derivative_numbers(varying *v, double *x, int n)
{
  for (int i = 0; i < n; i++)
    derivative_number(v, &x[i]);
}

static inline void derivative_place(varying *v, lw_place *p)
{
  derivative_numbers(v, p->at, 3);
  derivative_numbers(v, p->orient.value, 4);
}

/* to: the number of the spec that the signal gives */
static inline void derivative_signal(varying *v, const lwt_parts *p, lwt_signal *x, double *to)
{
  double *number[] = {&x->constant, &x->amplitude, &x->rate, &x->phase, &x->gain_q, &x->gain_u};
  char term[6][80], text[600], name[2][32] = {"0", "0"};
  if (!to) {
    for (int i = 0; i < 6; i++)
      derivative_number(v, number[i]);
    return;
  }
  if (*to == 0) return;
  for (int i = 0; i < 6; i++)
    snprintf(term[i], sizeof term[i], "(%.17g + (%.17g)*p)", *number[i], slope_of(v, *number[i]));
  if (x->joint) {
    const lw_joint_type type = p->joint[x->joint - 1].type;
    snprintf(name[0], 32, "q.j%d%s", x->joint, lw_joint_type_nq(type, p->planar) > 1 ? ".1" : "");
    snprintf(name[1], 32, "u.j%d%s", x->joint, lw_joint_type_nu(type, p->planar) > 1 ? ".1" : "");
  }
  snprintf(text, sizeof text, "%s + %s*sin(%s*t + %s) + %s*%s + %s*%s", term[0], term[1], term[2],
           term[3], term[4], name[0], term[5], name[1]);
  *to = lw_expr(v->s, text);
}

/* element i of a list of the spec if there is one, else of the parts */
#define OF(list, array) (v->s ? &v->s->list.item[i].d : &(array)[i])

static inline void derivative_mechanism(varying *v, lwt_parts *p)
{
  derivative_numbers(v, v->s ? v->s->gravity : p->gravity, 3);
  for (int i = 0; i < p->nbody; i++) {
    lw_body_desc *b = OF(bodies, p->body);
    derivative_number(v, &b->mass);
    derivative_numbers(v, b->com, 3);
    derivative_numbers(v, b->inertia, 6);
  }
  for (int i = 0; i < p->njoint; i++) {
    lw_joint_desc *j = OF(joints, p->joint);
    derivative_place(v, &j->place);
    derivative_place(v, &j->child_place);
    derivative_numbers(v, j->axis, 3);
    derivative_numbers(v, j->axis2, 3);
    derivative_numbers(v, j->axis3, 3);
    derivative_number(v, &j->pitch);
  }
  for (int i = 0; i < p->nconstraint; i++) {
    lw_constraint_desc *k = v->s ? &v->s->constraints.item[i].d : &p->constraint[i].d;
    derivative_place(v, &k->place);
    derivative_place(v, &k->child_place);
    derivative_numbers(v, k->axis, 3);
    derivative_numbers(v, k->axis2, 3);
    derivative_number(v, &k->length);
    derivative_number(v, &k->ratio);
    derivative_number(v, &k->offset);
    if (k->type == LW_DRIVER)
      derivative_signal(v, p, &p->constraint[i].value, v->s ? &k->value : NULL);
  }
}

static inline void derivative_forces(varying *v, lwt_parts *p)
{
  for (int i = 0; i < p->nspring; i++) {
    lw_spring_desc *e = OF(springs, p->spring);
    derivative_numbers(v, e->from_at, 3);
    derivative_numbers(v, e->to_at, 3);
    derivative_number(v, &e->stiffness);
    derivative_number(v, &e->damping);
    derivative_number(v, &e->length);
  }
  for (int i = 0; i < p->nbushing; i++) {
    lw_bushing_desc *e = OF(bushings, p->bushing);
    derivative_place(v, &e->place);
    derivative_place(v, &e->child_place);
    derivative_numbers(v, e->stiffness, 3);
    derivative_numbers(v, e->damping, 3);
    derivative_numbers(v, e->angular_stiffness, 3);
    derivative_numbers(v, e->angular_damping, 3);
  }
  for (int i = 0; i < p->njoint_spring; i++) {
    lw_joint_spring_desc *e = OF(joint_springs, p->joint_spring);
    derivative_number(v, &e->stiffness);
    derivative_number(v, &e->damping);
    derivative_number(v, &e->rest);
  }
  for (int i = 0; i < p->nmotor; i++)
    derivative_signal(v, p, &p->motor[i].value, v->s ? &v->s->motors.item[i].d.value : NULL);
  for (int i = 0; i < p->nload; i++) {
    lw_load_desc *e = v->s ? &v->s->loads.item[i].d : &p->load[i].d;
    derivative_numbers(v, e->at, 3);
    for (int k = 0; k < 3; k++) {
      derivative_signal(v, p, &p->load[i].force[k], v->s ? &e->force[k] : NULL);
      derivative_signal(v, p, &p->load[i].torque[k], v->s ? &e->torque[k] : NULL);
    }
  }
}

/* how many numbers there are */
static inline int derivative_parts(varying v, lwt_parts *p)
{
  derivative_mechanism(&v, p);
  derivative_forces(&v, p);
  return v.count;
}

#define COPY(field, n) memcpy(c->field, p->field, (size_t)(n) * sizeof *c->field)
static inline lwt_parts *copy_parts(const lwt_parts *p)
{
  lwt_parts *c = lwt_parts_new(p->nbody, p->njoint);
  lwt_parts kept = *c;
  *c = *p;
  c->body = kept.body, c->joint = kept.joint, c->spring = kept.spring, c->motor = kept.motor;
  c->joint_spring = kept.joint_spring, c->load = kept.load, c->bushing = kept.bushing;
  c->constraint = kept.constraint;
  COPY(body, p->nbody);
  COPY(joint, p->njoint);
  COPY(spring, p->nspring);
  COPY(joint_spring, p->njoint_spring);
  COPY(motor, p->nmotor);
  COPY(load, p->nload);
  COPY(bushing, p->nbushing);
  COPY(constraint, p->nconstraint);
  return c;
}

/* ---- mechanisms with loops, closed near where they are made ---- */

typedef struct {
  lwt_recipe tree;
  int loops, constraints, relations;
  bool twice; /* every loop is closed by two equal joints */
} varied_recipe;

static inline lw_place place_of_frame(oracle_frame F, bool planar)
{
  lw_place p = {.orient = {.type = LW_ORIENT_AXIS_ANGLE, .value = {0, 0, 1}}};
  const double skew[3] = {(double)(F.R[2][1] - F.R[1][2]) / 2, (double)(F.R[0][2] - F.R[2][0]) / 2,
                          (double)(F.R[1][0] - F.R[0][1]) / 2};
  const double s = sqrt(skew[0] * skew[0] + skew[1] * skew[1] + skew[2] * skew[2]);
  const double c = ((double)(F.R[0][0] + F.R[1][1] + F.R[2][2]) - 1) / 2;
  for (int i = 0; i < 3; i++) {
    p.at[i] = planar && i == 2 ? 0 : (double)F.p[i];
    if (!planar && s > 0) p.orient.value[i] = skew[i] / s;
  }
  p.orient.value[3] = planar ? (double)atan2(F.R[1][0], F.R[0][0]) : atan2(s, c);
  return p;
}

static inline lw_place random_spot(lwt_random *r, bool planar)
{
  lw_place p = {.orient = {.type = LW_ORIENT_AXIS_ANGLE, .value = {0, 0, 1}}};
  for (int i = 0; i < (planar ? 2 : 3); i++)
    p.at[i] = lwt_uniform(r, -0.5, 0.5);
  if (!planar) lwt_unit_vector(r, p.orient.value);
  p.orient.value[3] = lwt_uniform(r, -2, 2);
  return p;
}

/* coordinates of all joints, those of a base that floats without a joint at the origin */
static inline oracle_real *coordinates_of(const oracle *o, oracle_real (*q)[7])
{
  oracle_real *all = calloc((size_t)o->nq + 1, sizeof *all);
  for (int j = 0; j < o->njoint; j++) {
    const size_t n = (size_t)lw_joint_type_nq(o->joint[j].type, o->parts->planar);
    if (j < o->parts->njoint)
      memcpy(all + o->q[j], q[j], n * sizeof *all);
    else if (!o->parts->planar)
      all[o->q[j] + 3] = 1;
  }
  return all;
}

/* two bodies, and frames of both at one place: the child's moved by X on the parent's */
static inline void join(lwt_random *r, const oracle *o, oracle_frame X, lw_body *parent,
                        lw_body *child, lw_place *place, lw_place *child_place)
{
  const int n = o->parts->nbody + 1;
  parent->id = lwt_pick(r, n);
  child->id = (parent->id + 1 + lwt_pick(r, n - 1)) % n;
  *place = random_spot(r, o->parts->planar);
  const oracle_frame there = compose(compose(o->body[parent->id].X, frame_of_place(place)), X);
  *child_place = place_of_frame(compose(invert(o->body[child->id].X), there), o->parts->planar);
}

/* random coordinates of one joint, quaternions of unit length */
static inline void random_coordinates(lwt_random *r, const lw_joint_desc *j, bool planar,
                                      oracle_real *q)
{
  const int n = lw_joint_type_nq(j->type, planar);
  oracle_real *e = q + (j->type == LW_FREE ? 3 : 0), size = 0;
  for (int i = 0; i < n; i++)
    q[i] = lwt_uniform(r, -1, 1);
  if (planar || (j->type != LW_SPHERICAL && j->type != LW_FREE)) return;
  for (int i = 0; i < 4; i++)
    size += e[i] * e[i];
  for (int i = 0; i < 4; i++)
    e[i] /= sqrt(size);
}

/* a motor on the joint written last and, where there can be one, a spring */
static inline void add_joint_forces(lwt_parts *p)
{
  const int j = p->njoint;
  const lw_joint_type type = p->joint[j - 1].type;
  p->motor[p->nmotor++] =
      (lwt_motor){.d = {.joint = {j}, .dof = 1},
                  .value = {.amplitude = 2, .rate = 1, .joint = j, .gain_u = -0.3}};
  if (type != LW_SPHERICAL)
    p->joint_spring[p->njoint_spring++] =
        (lw_joint_spring_desc){.joint = {j}, .stiffness = 3, .damping = 0.2, .rest = 0.4};
}

static inline void add_loop(lwt_random *r, const oracle *o, const varied_recipe *d, lwt_parts *p,
                            oracle_real (*q)[7])
{
  static const lw_joint_type in_plane[] = {LW_REVOLUTE, LW_PRISMATIC, LW_PLANAR};
  const bool planar = d->tree.planar;
  lw_joint_desc j = {.cut = true, .pitch = 0.2};
  j.type = planar ? in_plane[lwt_pick(r, 3)] : lwt_joint_type(r, 1, 7);
  lwt_unit_vector(r, j.axis);
  lwt_unit_vector(r, j.axis2);
  lwt_gimbal_axes(j.type, j.axis, j.axis2, j.axis3);
  if (planar) {
    j.axis[0] = j.type == LW_PRISMATIC, j.axis[2] = j.type != LW_PRISMATIC;
    j.axis[1] = 0;
  }
  random_coordinates(r, &j, planar, q[p->njoint]);
  join(r, o, oraclei_joint_pose(&j, planar, q[p->njoint]), &j.parent, &j.child, &j.place,
       &j.child_place);
  for (int again = 0; again <= d->twice; again++) {
    memcpy(q[p->njoint], q[p->njoint - again], sizeof q[0]);
    p->joint[p->njoint++] = j;
  }
  if (d->tree.forces) add_joint_forces(p);
}

static inline void add_constraint(lwt_random *r, const oracle *o, lwt_parts *p)
{
  static const lw_constraint_type type[] = {LW_DISTANCE, LW_POINT_ON_LINE, LW_POINT_ON_PLANE,
                                            LW_PARALLEL, LW_PERPENDICULAR};
  lw_constraint_desc *c = &p->constraint[p->nconstraint++].d;
  oracle_frame X = {.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  c->type = type[lwt_pick(r, 5)];
  if (c->type == LW_DISTANCE) X.p[0] = c->length = 0.75;
  join(r, o, X, &c->parent, &c->child, &c->place, &c->child_place);
}

/* false: no joint has a coordinate for it */
static inline bool random_term(lwt_random *r, const lwt_parts *p, lw_term *term)
{
  for (int tries = 0; tries < 100; tries++) {
    const int j = lwt_pick(r, p->njoint), nu = lw_joint_type_nu(p->joint[j].type, p->planar);
    const lw_joint_type type = p->joint[j].type;
    if (nu == 0 || type == LW_SPHERICAL || type == LW_FREE) continue;
    *term = (lw_term){
        .joint = {j + 1}, .dof = 1 + lwt_pick(r, nu), .coefficient = lwt_uniform(r, 0.5, 2)};
    return true;
  }
  return false;
}

/* where the coordinates are now it holds, but for a little */
static inline void add_relation(lwt_random *r, lwt_parts *p, oracle_real (*q)[7])
{
  static const lw_constraint_type type[] = {LW_GEAR, LW_COUPLER, LW_DRIVER};
  lwt_constraint c = {.d = {.type = type[lwt_pick(r, 3)], .nterm = 2, .ratio = -1.75}};
  if (c.d.type == LW_DRIVER) c.d.nterm = 1;
  if (!random_term(r, p, &c.term[0]) || !random_term(r, p, &c.term[1])) return;
  if (c.term[0].joint.id == c.term[1].joint.id && c.d.nterm > 1) return;
  double at[2], sum = 0;
  for (int i = 0; i < c.d.nterm; i++) {
    at[i] = (double)q[c.term[i].joint.id - 1][c.term[i].dof - 1];
    c.term[i].coefficient = grid(c.term[i].coefficient, 30);
    sum += c.term[i].coefficient * at[i];
  }
  if (c.d.type == LW_COUPLER) c.d.offset = sum;
  if (c.d.type == LW_DRIVER)
    c.value = (lwt_signal){.constant = at[0], .amplitude = 0.1, .rate = 2, .phase = 0.5};
  p->constraint[p->nconstraint++] = c;
}

/* q: coordinates of every joint that is written */
static inline lwt_parts *varied_parts(const varied_recipe *d, oracle_real (*q)[7])
{
  lwt_random r = lwt_seed(d->tree.seed + 31);
  lwt_parts *p = lwt_random_parts(&d->tree); /* has room for as many joints again */
  derivative_parts((varying){.rounded = true}, p);
  for (int j = 0; j < p->njoint; j++)
    random_coordinates(&r, &p->joint[j], p->planar, q[j]);
  oracle *o = oracle_new(p);
  oracle_real *all = coordinates_of(o, q), *none = calloc((size_t)o->nu + 1, sizeof *none);
  oracle_kinematics(o, all, none);
  for (int i = 0; i < d->loops; i++)
    add_loop(&r, o, d, p, q);
  for (int i = 0; i < d->constraints; i++)
    add_constraint(&r, o, p);
  for (int i = 0; i < d->relations; i++)
    add_relation(&r, p, q);
  derivative_parts((varying){.rounded = true}, p);
  oracle_free(o);
  free(all);
  free(none);
  return p;
}

#endif
