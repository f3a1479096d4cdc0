/* SPDX-License-Identifier: Apache-2.0 */
/* curves.h -- models whose numbers depend on a parameter, and smooth curves of states, loads and models along
   which results are differentiated numerically, eighth order. */
#ifndef CURVES_H
#define CURVES_H
#include "lwt_loops.h"

#include "model/compile/compile.h"
#include "model/model.h"
#include "linkwork/loops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 4, POINTS = 2 * SIDE + 1 };

/* ---- models that depend on a parameter p, which is 0 ---- */

/* every number that is not zero becomes x (1 + k p); equal numbers stay equal */
static inline void depend(lw_spec *s, double *x, int n)
{
  char text[96];
  for (int i = 0; i < n; i++) {
    if (x[i] == 0 || isnan(x[i])) continue;
    snprintf(text, sizeof text, "%.17g*(1 + %.17g*p)", x[i], 0.3 * sin(17 * x[i]));
    x[i] = lw_expr(s, text);
  }
}

static inline void depend_place(lw_spec *s, lw_place *p)
{
  depend(s, p->at, 3);
  depend(s, p->orient.value, 4);
}

static inline void depend_forces(lw_spec *s)
{
  for (int i = 0; i < s->springs.n; i++) {
    lw_spring_desc *e = &s->springs.item[i].d;
    depend(s, e->from_at, 3);
    depend(s, e->to_at, 3);
    depend(s, &e->stiffness, 1);
    depend(s, &e->damping, 1);
    depend(s, &e->length, 1);
  }
  for (int i = 0; i < s->joint_springs.n; i++) {
    lw_joint_spring_desc *e = &s->joint_springs.item[i].d;
    depend(s, &e->stiffness, 1);
    depend(s, &e->damping, 1);
    depend(s, &e->rest, 1);
  }
  for (int i = 0; i < s->motors.n; i++)
    depend(s, &s->motors.item[i].d.value, 1);
  for (int i = 0; i < s->loads.n; i++) {
    depend(s, s->loads.item[i].d.at, 3);
    depend(s, s->loads.item[i].d.force, 3);
    depend(s, s->loads.item[i].d.torque, 3);
  }
  for (int i = 0; i < s->bushings.n; i++) {
    lw_bushing_desc *e = &s->bushings.item[i].d;
    depend_place(s, &e->place);
    depend_place(s, &e->child_place);
    depend(s, e->stiffness, 3);
    depend(s, e->damping, 3);
    depend(s, e->angular_stiffness, 3);
    depend(s, e->angular_damping, 3);
  }
}

static inline void depend_on_p(lw_spec *s)
{
  lw_add_parameter(s, &(lw_parameter_desc){.name = "p", .value = 0});
  depend(s, s->gravity, 3);
  for (int i = 0; i < s->bodies.n; i++) {
    depend(s, &s->bodies.item[i].d.mass, 1);
    depend(s, s->bodies.item[i].d.com, 3);
    depend(s, s->bodies.item[i].d.inertia, 3);
  }
  for (int i = 0; i < s->joints.n; i++) {
    lw_joint_desc *j = &s->joints.item[i].d;
    depend_place(s, &j->place);
    depend_place(s, &j->child_place);
    depend(s, j->axis, 3);
    depend(s, j->axis2, 3);
    depend(s, j->axis3, 3);
    depend(s, &j->pitch, 1);
  }
  for (int i = 0; i < s->constraints.n; i++) {
    lw_constraint_desc *k = &s->constraints.item[i].d;
    depend_place(s, &k->place);
    depend_place(s, &k->child_place);
    depend(s, k->axis, 3);
    depend(s, k->axis2, 3);
    depend(s, &k->length, 1);
    depend(s, &k->ratio, 1);
    depend(s, &k->offset, 1);
  }
  depend_forces(s);
}

/* ---- curves ---- */

/* what is known at one point of a curve */
typedef struct {
  lw_model *m;
  lw_work *w;
  double *q, *u, *tau, *udot; /* q and u of all joints */
  double (*load)[6];          /* [njoint + nconstraint + 1] */
} point;

typedef struct {
  lw_spec *s;
  int nq, nu, nq_all, nu_all, nload;
  double t, h;
  bool moves_model;
  point at[POINTS];
} curve;

static inline double *room(int n)
{
  return calloc((size_t)n + 1, sizeof(double));
}

typedef struct {
  unsigned seed;
  double h;
  bool moves_model, random; /* random: at a random state, or at the start */
  bool locked;              /* freedoms of every other joint are, as by events; of cut joints too */
} curve_recipe;

static inline lw_model *compile_at(lw_spec *s, double p)
{
  lw_error err;
  if (lw_set_parameter(s, "p", p) != LW_OK) fail_msg("no parameter");
  lw_model *m = lw_compile(s, &err);
  if (!m) fail_msg("%s", err.text);
  return m;
}

static inline lw_model *compile_locked_at(lw_spec *s, unsigned seed, double p)
{
  lwi_phase phase;
  lw_error err;
  if (lw_set_parameter(s, "p", p) != LW_OK) fail_msg("no parameter");
  if (!lwi_phase_init(&phase, s)) fail_msg("out of memory");
  for (int j = 0; j < phase.njoint; j += 2)
    phase.joint[j].locked = (unsigned char)(1u << (seed + (unsigned)j / 2) % 3);
  lw_model *m = lwi_compile_phase(&phase, NULL, &err);
  if (!m) fail_msg("%s", err.text);
  lwi_phase_close(&phase);
  if (!(m->spec = lwi_spec_copy(s))) fail_msg("out of memory"); /* for derivatives */
  return m;
}

/* the state at a distance x: straight, then closed */
static inline bool find_state(const curve *c, point *p, double x, const double *q, const double *u,
                              const double *direction)
{
  double *rate = room(c->nq);
  lw_coordinate_rates(p->m, q, direction, rate);
  for (int i = 0; i < c->nq; i++)
    p->q[i] = q[i] + x * rate[i];
  for (int i = 0; i < c->nu; i++) {
    p->u[i] = u[i] + x * direction[c->nu + i];
    p->tau[i] = direction[3 * c->nu + i] + x * direction[2 * c->nu + i];
  }
  for (int i = 1; i < p->m->nlink; i++) /* nobody drives what is locked */
    for (int k = 0; k < p->m->link[i].nu; k++)
      if (lwi_is_locked(&p->m->link[i], k)) p->tau[p->m->link[i].u + k] = 0;
  free(rate);
  return lw_normalize(p->m, p->q) == LW_OK && lw_project(p->w, c->t, p->q, p->u) == LW_OK;
}

static inline void curve_free(curve *c)
{
  for (int i = 0; i < POINTS; i++) {
    point *p = &c->at[i];
    free(p->q), free(p->u), free(p->tau), free(p->udot), free(p->load);
    lw_work_free(p->w);
    lw_model_free(p->m);
  }
  lw_spec_free(c->s);
}

/* takes the spec; false: the mechanism cannot follow */
static inline bool curve_make(curve *c, lw_spec *s, const curve_recipe *recipe,
                              bool (*evaluate)(const curve *c, point *p))
{
  const unsigned seed = recipe->seed;
  const double h = recipe->h;
  lwt_random r = lwt_seed(seed + 7);
  bool ok = true;
  *c = (curve){.s = s, .t = 0.3, .h = h, .moves_model = recipe->moves_model};
  depend_on_p(s);
  for (int i = 0; i < POINTS; i++) {
    point *p = &c->at[i];
    const double p_i = recipe->moves_model ? (i - SIDE) * h : 0;
    p->m = recipe->locked ? compile_locked_at(s, seed, p_i) : compile_at(s, p_i);
    p->w = lw_work_new(p->m);
    c->nq = lw_nq(p->m), c->nu = lw_nu(p->m);
    c->nq_all = lw_nq_all(p->m), c->nu_all = lw_nu_all(p->m);
    c->nload = lw_njoint(p->m) + lw_nconstraint(p->m) + 1;
    p->q = room(c->nq_all), p->u = room(c->nu_all), p->tau = room(c->nu), p->udot = room(c->nu);
    p->load = calloc((size_t)c->nload, sizeof *p->load);
  }
  lw_set_parameter(s, "p", 0);
  double *q = room(c->nq), *u = room(c->nu), *direction = room(4 * c->nu);
  const lw_model *m = c->at[SIDE].m;
  lwt_random_state(m, seed, q, u);
  if (!recipe->random) lw_initial_state(m, q, NULL);
  for (int i = 0; i < 4 * c->nu; i++)
    direction[i] = lwt_uniform(&r, -1, 1);
  for (int i = 0; i < POINTS && ok; i++) {
    ok = find_state(c, &c->at[i], (i - SIDE) * h, q, u, direction) && evaluate(c, &c->at[i]);
    if (!ok && i == SIDE) fail_msg("seed %u: no state", seed);
  }
  free(q), free(u), free(direction);
  return ok;
}

/* the derivative of a number of the points */
#define DERIVE(c, out, number)                                                                     \
  do {                                                                                             \
    static const double weight_[SIDE] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};                \
    (out) = 0;                                                                                     \
    for (int s_ = 1; s_ <= SIDE; s_++)                                                             \
      (out) += weight_[s_ - 1] / (c)->h * ((c)->at[SIDE + s_].number - (c)->at[SIDE - s_].number); \
  } while (0)

#endif
