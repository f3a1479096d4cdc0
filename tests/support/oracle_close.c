/* SPDX-License-Identifier: Apache-2.0 */
/* oracle_close.c -- states in which loops and constraints hold: Newton's method for the coordinates of all joints,
   steps of minimum norm. */
#include "oracle_dense.h"
#include "oracle_internal.h"
#include "linkwork/reader.h"

#include <stdlib.h>

/* ---- coordinates after a small motion ---- */

/* e <- e o (1, w/2), of unit length */
static void turn_quaternion(oracle_real e[4], const oracle_real w[3])
{
  const oracle_real v[3] = {w[0] / 2, w[1] / 2, w[2] / 2};
  oracle_real r[4] = {e[0] - dot(e + 1, v), 0, 0, 0};
  add(r + 1, e[0], v);
  add(r + 1, 1, e + 1);
  add_cross(r + 1, 1, e + 1, v);
  const oracle_real n = sqrt(r[0] * r[0] + dot(r + 1, r + 1));
  for (int i = 0; i < 4; i++)
    e[i] = r[i] / n;
}

static void move_joint(const oracle *o, int j, oracle_real *q, const oracle_real *d)
{
  const bool planar = o->parts->planar, is_free = o->joint[j].type == LW_FREE;
  oracle_real R[3][3], v[3];
  if (o->joint[j].type == LW_SPHERICAL) {
    turn_quaternion(q, d);
  } else if (is_free && !planar) {
    rotation_of_quaternion(q + 3, R);
    turn(R, d + 3, v);
    add(q, 1, v);
    turn_quaternion(q + 3, d);
  } else if (is_free) {
    const oracle_real c = cos(q[2]), s = sin(q[2]);
    q[0] += c * d[1] - s * d[2], q[1] += s * d[1] + c * d[2], q[2] += d[0];
  } else {
    for (int i = 0; i < lw_joint_type_nu(o->joint[j].type, planar); i++)
      q[i] += d[i];
  }
}

void oracle_move(const oracle *o, oracle_real q[], const oracle_real motion[])
{
  for (int j = 0; j < o->njoint; j++)
    move_joint(o, j, q + o->q[j], motion + o->u[j]);
}

/* ---- equations ---- */

/* the child's joint frame beside where q says that it is: [small turn; shift] */
static void joint_violation(const oracle *o, int j, oracle_real e[6])
{
  const oracle_frame X =
      oraclei_joint_pose(&o->joint[j], o->parts->planar, o->coordinate + o->q[j]);
  oracle_frame p = compose(oraclei_joint_frame(o, j, false), X),
               c = oraclei_joint_frame(o, j, true), back = invert(p);
  oracle_real R[3][3];
  multiply(c.R, back.R, R);
  e[0] = (R[2][1] - R[1][2]) / 2, e[1] = (R[0][2] - R[2][0]) / 2, e[2] = (R[1][0] - R[0][1]) / 2;
  for (int i = 0; i < 3; i++)
    e[3 + i] = c.p[i] - p.p[i];
}

static void joint_rate(const oracle *o, int j, oracle_real e[6])
{
  oracle_handle h = oraclei_handle(o, j);
  oracle_real V[6], u[6];
  oraclei_velocity_at(&o->body[h.child], h.x, e);
  oraclei_velocity_at(&o->body[h.parent], h.x, V);
  oraclei_times(h.P, h.nu, o->speed + o->u[j], u);
  for (int i = 0; i < 6; i++)
    e[i] -= V[i] + u[i];
}

static int tie_equation(const oracle *o, int k, oracle_real *violation, oracle_real *rate)
{
  const oracle_tie e = oraclei_tie(o, k);
  oracle_real Vc[6], Vp[6];
  oraclei_velocity_at(&o->body[e.child], e.x, Vc);
  oraclei_velocity_at(&o->body[e.parent], e.at, Vp);
  for (int i = 0; i < e.n; i++)
    violation[i] = e.violation[i], rate[i] = dot6(e.D[i], Vc) - dot6(e.D[i], Vp);
  return e.n;
}

/* a gear keeps whatever sum it has */
static int relation_equation(const oracle *o, int k, oracle_real *violation, oracle_real *rate)
{
  const oracle_relation r = oraclei_relation(o, k, 0);
  *rate = *violation = 0;
  for (int i = 0; i < r.n; i++) {
    *rate += r.coefficient[i] * o->speed[o->u[r.joint[i]] + r.dof[i]];
    *violation += r.coefficient[i] * o->coordinate[o->q[r.joint[i]] + r.dof[i]];
  }
  if (o->parts->constraint[k].d.type == LW_GEAR) *violation = 0;
  return 1;
}

/* Violations, and rates for the speeds of the last oracle_kinematics, before what drivers impose. */
static int equations(const oracle *o, const bool *in_tree, oracle_real *violation,
                     oracle_real *rate)
{
  int n = 0;
  for (int j = 0; j < o->njoint; j++) {
    if (in_tree[j]) continue;
    joint_violation(o, j, violation + n);
    joint_rate(o, j, rate + n);
    n += 6;
  }
  for (int k = 0; k < o->parts->nconstraint; k++)
    n += oraclei_is_relation(&o->parts->constraint[k].d)
             ? relation_equation(o, k, violation + n, rate + n)
             : tie_equation(o, k, violation + n, rate + n);
  return n;
}

/* ---- Newton's method ---- */

typedef struct {
  int n, nu;
  oracle_real *J, *violation, *rate, *unit, *step;
} closing;

static closing closing_new(const oracle *o)
{
  const size_t n = (size_t)(6 * o->njoint + 2 * o->parts->nconstraint) + 1, nu = (size_t)o->nu + 1;
  return (closing){.nu = o->nu,
                   .J = calloc(n * nu, sizeof(oracle_real)),
                   .violation = calloc(n, sizeof(oracle_real)),
                   .rate = calloc(n, sizeof(oracle_real)),
                   .unit = calloc(nu, sizeof(oracle_real)),
                   .step = calloc(nu, sizeof(oracle_real))};
}

static void closing_free(closing *c)
{
  free(c->J);
  free(c->violation);
  free(c->rate);
  free(c->unit);
  free(c->step);
}

/* rates of all equations for every speed alone */
static void find_jacobian(oracle *o, closing *c, const bool *in_tree, const oracle_real q[])
{
  oracle_kinematics(o, q, c->unit);
  for (int k = 0; k < c->nu; k++) {
    memset(c->unit, 0, (size_t)c->nu * sizeof *c->unit);
    c->unit[k] = 1;
    oraclei_velocities(o, c->unit);
    c->n = equations(o, in_tree, c->violation, c->rate);
    memcpy(c->J + (size_t)k * (size_t)c->n, c->rate, (size_t)c->n * sizeof *c->rate);
  }
}

/* what drivers impose on violations (order 0) or on rates (order 1) */
static void impose(const oracle *o, int n, int order, oracle_real t, oracle_real *x)
{
  for (int k = o->parts->nconstraint - 1; k >= 0; k--) {
    const lw_constraint_desc *d = &o->parts->constraint[k].d;
    n -= oraclei_nequation(d);
    if (oraclei_is_relation(d)) x[n] -= oraclei_relation(o, k, t).value[order];
  }
}

static oracle_real largest(const oracle_real *x, int n)
{
  oracle_real most = 0;
  for (int i = 0; i < n; i++)
    most = fabs(x[i]) <= most ? most : fabs(x[i]);
  return most;
}

static bool is_open(const oracle *o, const bool *in_tree)
{
  for (int j = 0; j < o->njoint; j++)
    if (!in_tree[j]) return false;
  return o->parts->nconstraint == 0;
}

bool oracle_close(oracle *o, oracle_real t, oracle_real q[], oracle_real u[])
{
  closing c = closing_new(o);
  bool *in_tree = oraclei_tree(o), closed = false;
  const bool open = is_open(o, in_tree);
  for (int again = 0; again < 20 && !closed && !open; again++) {
    find_jacobian(o, &c, in_tree, q);
    impose(o, c.n, 0, t, c.violation);
    oraclei_solve_min_norm(c.n, c.nu, c.J, c.violation, c.step);
    for (int i = 0; i < c.nu; i++)
      c.step[i] = -c.step[i];
    oracle_move(o, q, c.step);
    closed = largest(c.violation, c.n) < (sizeof *q > sizeof(double) ? 1e-14L : 1e-10L);
  }
  if (!open) find_jacobian(o, &c, in_tree, q);
  for (int again = 0; again < 2 && !open; again++) {
    oracle_kinematics(o, q, u);
    equations(o, in_tree, c.violation, c.rate);
    impose(o, c.n, 1, t, c.rate);
    oraclei_solve_min_norm(c.n, c.nu, c.J, c.rate, c.step);
    for (int i = 0; i < c.nu; i++)
      u[i] -= c.step[i];
  }
  oracle_kinematics(o, q, u);
  equations(o, in_tree, c.violation, c.rate);
  impose(o, c.n, 0, t, c.violation);
  impose(o, c.n, 1, t, c.rate);
  const oracle_real rest = fmax(largest(c.violation, c.n), largest(c.rate, c.n));
  closing_free(&c);
  free(in_tree);
  return rest < (sizeof *q > sizeof(double) ? 1e-16L : 1e-12L);
}
