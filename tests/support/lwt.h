/* SPDX-License-Identifier: Apache-2.0 */
/* lwt.h -- what tests share: random models of every kind, tolerant comparison, readable failures. */
#ifndef LWT_H
#define LWT_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "linkwork/dynamics.h"

/* ---- random numbers: the same on every machine ---- */

typedef struct {
  uint64_t state;
} lwt_random;
lwt_random lwt_seed(unsigned seed);
double lwt_uniform(lwt_random *r, double low, double high);
int lwt_pick(lwt_random *r, int n); /* 0 ... n-1 */
/* The third axis of a joint, and the second one if it is a gimbal: perpendicular to both others, so
   that the gimbal has angles for every rotation; it is far from gimbal lock where its middle angle is
   small. */
void lwt_gimbal_axes(lw_joint_type type, const double a[3], double b[3], double c[3]);
/* A joint type from number first to last of: fixed, revolute, prismatic, helical, cylindrical,
   universal or gimbal, spherical, planar, free (8). */
lw_joint_type lwt_joint_type(lwt_random *r, int first, int last);
/* Which of universal and gimbal the random joints are, from now on: as drawn, or the other one each
   time.  Other mechanisms from the same seeds. */
void lwt_swap_gimbals(bool swap);
void lwt_unit_vector(lwt_random *r, double v[3]);

/* ---- random models ---- */

typedef struct {
  unsigned seed;
  int nbody;
  double branching; /* 0: a chain; 1: parents anywhere */
  unsigned joints;  /* bit 1 << lw_joint_type; 0: every type */
  bool floating;    /* the first body floats: its joint is free */
  bool loose;       /* the first body floats without any joint written */
  bool planar;
  bool forces;         /* springs, joint springs, motors, loads, bushings too */
  bool measured;       /* and loads that see what they act on; not in lwt_parts */
  bool keep_direction; /* joints never run against the tree */
  bool no_gravity;
} lwt_recipe;
#define LWT_EVERY_JOINT 0u

lw_model *lwt_random_model(const lwt_recipe *r); /* fails the test if it cannot be compiled */
/* the spec only and without forces, for tests that change or compile it themselves */
lw_spec *lwt_random_spec(const lwt_recipe *r);

/* ---- the same as plain data, for tests that compute from the description itself ---- */

/* constant + amplitude sin(rate t + phase) + gain_q q.J.1 + gain_u u.J.1: a number of a force that a
   test can evaluate as well as linkwork; joint counts from 1, 0: none */
typedef struct {
  double constant, amplitude, rate, phase;
  int joint;
  double gain_q, gain_u;
} lwt_signal;
typedef struct {
  lw_motor_desc d;
  lwt_signal value; /* instead of d.value */
} lwt_motor;
typedef struct {
  lw_load_desc d;
  lwt_signal force[3], torque[3]; /* instead of d.force, d.torque */
} lwt_load;

/* d.terms and d.value are unused: */
typedef struct {
  lw_constraint_desc d;
  lw_term term[2];
  lwt_signal value; /* of a driver: depends on t alone */
} lwt_constraint;

/* numbers are plain, bodies have mass, com and inertia; parts without a name get b1, j1, f1, ... */
typedef struct {
  bool planar;
  double gravity[3];
  int nbody, njoint, nspring, njoint_spring, nmotor, nload, nbushing, nconstraint;
  lw_body_desc *body;   /* [nbody] element i is body i + 1 */
  lw_joint_desc *joint; /* [njoint] element i is joint i + 1 */
  lw_spring_desc *spring;
  lw_joint_spring_desc *joint_spring;
  lwt_motor *motor;
  lwt_load *load;
  lw_bushing_desc *bushing;
  lwt_constraint *constraint;
} lwt_parts;
lwt_parts *lwt_random_parts(const lwt_recipe *r); /* forces only if r->forces */
lwt_parts *lwt_parts_new(int nbody, int njoint);  /* all zero, no forces */
void lwt_parts_free(lwt_parts *p);
lw_spec *lwt_parts_spec(const lwt_parts *p);
lw_model *lwt_parts_compile(const lwt_parts *p); /* fails the test if it cannot be compiled */

/* a random model with a random state and room for results */
typedef struct {
  lw_model *m;
  lw_work *w;
  int nq, nu;
  double t, *q, *u, *tau, *udot, *x, *y; /* x, y: [nu] scratch */
} lwt_case;
lwt_case lwt_case_new(const lwt_recipe *r);
lwt_case lwt_case_of(lw_model *m, unsigned seed); /* takes the model */
void lwt_case_free(lwt_case *c);
/* random state: angles and positions of order 1, unit quaternions */
void lwt_random_state(const lw_model *m, unsigned seed, double q[], double u[]);

/* ---- comparison ---- */

/* the largest magnitude, at least 1e-300 */
double lwt_scale(const double *a, int n);
/* |a - b| <= rtol * scale for all, else fails with the worst index and the message */
void lwt_close(const double *a, const double *b, int n, double rtol, double scale,
               const char *message, ...) __attribute__((format(printf, 6, 7)));
void lwt_near(double a, double b, double tolerance, const char *message, ...)
    __attribute__((format(printf, 4, 5)));
#define lwt_ok(status) assert_string_equal(lw_status_text(status), lw_status_text(LW_OK))

#endif
