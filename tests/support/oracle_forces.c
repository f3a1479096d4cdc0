/* SPDX-License-Identifier: Apache-2.0 */
/* oracle_forces.c -- all loads but those of constraints, on each body about its centre of mass:
   docs/format.md sections 5.5 and 6. */
#include "oracle_internal.h"
#include "linkwork/reader.h"

/* ---- forces ---- */

/* a load [torque; force] at x, on body b */
static void apply(oracle *o, int b, oracle_real s, const oracle_real x[3],
                  const oracle_real load[6])
{
  if (b == 0) return;
  oracle_real c[3], r[3];
  oraclei_center(o, b, c);
  for (int i = 0; i < 3; i++)
    r[i] = x[i] - c[i];
  for (int i = 0; i < 6; i++)
    o->applied[b][i] += s * load[i];
  add_cross(o->applied[b], s, r, load + 3);
}

/* A motor: its power is value * u_dof for every motion that the joint allows.  A pure torque on a
   helical joint, else within the span of P (docs/format.md 5.5). */
void oraclei_motor_load(const oracle *o, int joint, int dof, oracle_real load[6])
{
  oracle_handle h = oraclei_handle(o, joint);
  oracle_real rhs[6] = {0}, x[6];
  rhs[dof] = 1;
  memset(load, 0, 6 * sizeof *load);
  if (o->joint[joint].type == LW_HELICAL) {
    add(load, 1, h.P[0]);
    return;
  }
  oraclei_solve_gram(h.P, h.nu, rhs, x);
  oraclei_times(h.P, h.nu, x, load);
}

static void apply_generalized(oracle *o, int joint, int dof, oracle_real value)
{
  oracle_handle h = oraclei_handle(o, joint);
  oracle_real load[6];
  oraclei_motor_load(o, joint, dof, load);
  apply(o, h.child, value, h.x, load);
  apply(o, h.parent, -value, h.x, load);
}

static oracle_real signal(const oracle *o, const lwt_signal *x, oracle_real t)
{
  oracle_real value = x->constant + x->amplitude * sin(x->rate * t + x->phase);
  if (x->joint)
    value +=
        x->gain_q * o->coordinate[o->q[x->joint - 1]] + x->gain_u * o->speed[o->u[x->joint - 1]];
  return value;
}

/* length of a spring, its rate, and the unit vector from its first to its second end */
static oracle_real spring_length(const oracle *o, const lw_spring_desc *d, oracle_real *rate,
                                 oracle_real from[3], oracle_real to[3], oracle_real unit[3])
{
  oracle_real Vf[6], Vt[6], v[3];
  given(d->from_at, from);
  given(d->to_at, to);
  oraclei_to_ground(&o->body[d->from.id], from, from);
  oraclei_to_ground(&o->body[d->to.id], to, to);
  oraclei_velocity_at(&o->body[d->from.id], from, Vf);
  oraclei_velocity_at(&o->body[d->to.id], to, Vt);
  for (int i = 0; i < 3; i++)
    unit[i] = to[i] - from[i], v[i] = Vt[3 + i] - Vf[3 + i];
  const oracle_real length = sqrt(dot(unit, unit));
  for (int i = 0; i < 3; i++)
    unit[i] = length > 0 ? unit[i] / length : 0;
  *rate = dot(unit, v);
  return length;
}

static void apply_spring(oracle *o, const lw_spring_desc *d)
{
  oracle_real rate, from[3], to[3], unit[3], load[6] = {0};
  const oracle_real l = spring_length(o, d, &rate, from, to, unit);
  add(load + 3, d->stiffness * (l - d->length) + d->damping * rate, unit);
  apply(o, d->from.id, 1, from, load);
  apply(o, d->to.id, -1, to, load);
}

static void apply_load(oracle *o, const lwt_load *d, oracle_real t)
{
  oracle_real x[3], load[6];
  oracle_body *b = &o->body[d->d.body.id];
  for (int i = 0; i < 3; i++) {
    load[i] = signal(o, &d->torque[i], t);
    load[3 + i] = signal(o, &d->force[i], t);
  }
  if (d->d.body_axes) turn(b->X.R, load, load), turn(b->X.R, load + 3, load + 3);
  given(d->d.at, x);
  oraclei_to_ground(b, x, x);
  apply(o, d->d.body.id, 1, x, load);
}

/* rotation vector of R: angle from trace and skew part, axis from the skew part.  Not near half a
   turn. */
static void rotation_vector(oracle_real R[3][3], oracle_real phi[3])
{
  const oracle_real skew[3] = {(R[2][1] - R[1][2]) / 2, (R[0][2] - R[2][0]) / 2,
                               (R[1][0] - R[0][1]) / 2};
  const oracle_real s = sqrt(dot(skew, skew)), c = (R[0][0] + R[1][1] + R[2][2] - 1) / 2;
  const oracle_real angle = atan2(s, c);
  for (int i = 0; i < 3; i++)
    phi[i] = s > 0 ? skew[i] * angle / s : skew[i];
}

/* what a bushing sees: frames of both sides, position and rotation vector in the parent's axes */
typedef struct {
  oracle_frame parent, child;
  oracle_real p[3], phi[3];
} bushing_state;

static bushing_state find_bushing(const oracle *o, const lw_bushing_desc *d)
{
  bushing_state b = {.parent = compose(o->body[d->parent.id].X, frame_of_place(&d->place)),
                     .child = compose(o->body[d->child.id].X, frame_of_place(&d->child_place))};
  const oracle_frame X = compose(invert(b.parent), b.child);
  oracle_real R[3][3];
  memcpy(R, X.R, sizeof R);
  memcpy(b.p, X.p, sizeof X.p);
  rotation_vector(R, b.phi);
  return b;
}

/* Minus the gradient of 1/2 sum k phi^2 with respect to a small turn d of the child, in parent axes:
   phi changes by d - phi x d / 2 + k phi x (phi x d), k = 1/phi^2 - (1 + cos)/(2 phi sin). */
static void restoring_torque(const oracle_real phi[3], const double stiffness[3],
                             oracle_real torque[3])
{
  const oracle_real a2 = dot(phi, phi), a = sqrt(a2);
  const oracle_real k = a < 1e-4 ? 1.0 / 12 : 1 / a2 - (1 + cos(a)) / (2 * a * sin(a));
  oracle_real g[3], once[3];
  for (int i = 0; i < 3; i++)
    g[i] = -stiffness[i] * phi[i];
  memcpy(torque, g, sizeof g);
  cross(phi, g, once);
  add(torque, 0.5, once); /* the transpose of -phi~/2 is phi~/2 */
  add_cross(torque, k, phi, once);
}

static void apply_bushing(oracle *o, const lw_bushing_desc *d)
{
  bushing_state b = find_bushing(o, d);
  oracle_real Vp[6], V[6], w[3], v[3], load[6];
  oraclei_velocity_at(&o->body[d->parent.id], b.child.p, Vp);
  oraclei_velocity_at(&o->body[d->child.id], b.child.p, V);
  for (int i = 0; i < 6; i++)
    V[i] -= Vp[i];
  turn_back(b.parent.R, V, w);
  turn_back(b.parent.R, V + 3, v);
  restoring_torque(b.phi, d->angular_stiffness, load);
  for (int i = 0; i < 3; i++) {
    load[i] -= d->angular_damping[i] * w[i];
    load[3 + i] = -d->stiffness[i] * b.p[i] - d->damping[i] * v[i];
  }
  turn(b.parent.R, load, load);
  turn(b.parent.R, load + 3, load + 3);
  apply(o, d->child.id, 1, b.child.p, load);
  apply(o, d->parent.id, -1, b.child.p, load);
}

static void apply_joint_spring(oracle *o, const lw_joint_spring_desc *d)
{
  const int j = d->joint.id - 1, i = d->dof > 0 ? d->dof - 1 : 0;
  const oracle_real q = o->coordinate[o->q[j] + i], u = o->speed[o->u[j] + i];
  apply_generalized(o, j, i, -d->stiffness * (q - d->rest) - d->damping * u);
}

void oraclei_apply_all(oracle *o, oracle_real t, const oracle_real tau[])
{
  const lwt_parts *p = o->parts;
  oracle_real gravity[3];
  given(p->gravity, gravity);
  memset(o->applied, 0, ((size_t)p->nbody + 1) * sizeof *o->applied);
  for (int b = 1; b <= p->nbody; b++)
    add(o->applied[b] + 3, p->body[b - 1].mass, gravity);
  for (int i = 0; i < p->nspring; i++)
    apply_spring(o, &p->spring[i]);
  for (int i = 0; i < p->nbushing; i++)
    apply_bushing(o, &p->bushing[i]);
  for (int i = 0; i < p->nload; i++)
    apply_load(o, &p->load[i], t);
  for (int i = 0; i < p->njoint_spring; i++)
    apply_joint_spring(o, &p->joint_spring[i]);
  for (int i = 0; i < p->nmotor; i++)
    apply_generalized(o, p->motor[i].d.joint.id - 1,
                      p->motor[i].d.dof > 0 ? p->motor[i].d.dof - 1 : 0,
                      signal(o, &p->motor[i].value, t));
  for (int j = 0; tau && j < o->njoint; j++)
    for (int k = 0; k < lw_joint_type_nu(o->joint[j].type, p->planar); k++)
      apply_generalized(o, j, k, tau[o->u[j] + k]);
}

/* of springs, joint springs and bushings */
oracle_real oraclei_potential(const oracle *o)
{
  const lwt_parts *p = o->parts;
  oracle_real sum = 0, rate, from[3], to[3], unit[3];
  for (int i = 0; i < p->nspring; i++) {
    const oracle_real x =
        spring_length(o, &p->spring[i], &rate, from, to, unit) - p->spring[i].length;
    sum += 0.5 * p->spring[i].stiffness * x * x;
  }
  for (int i = 0; i < p->njoint_spring; i++) {
    const lw_joint_spring_desc *d = &p->joint_spring[i];
    const oracle_real x =
        o->coordinate[o->q[d->joint.id - 1] + (d->dof > 0 ? d->dof - 1 : 0)] - d->rest;
    sum += 0.5 * d->stiffness * x * x;
  }
  for (int i = 0; i < p->nbushing; i++) {
    const bushing_state b = find_bushing(o, &p->bushing[i]);
    for (int k = 0; k < 3; k++)
      sum += 0.5 * p->bushing[i].stiffness[k] * b.p[k] * b.p[k] +
             0.5 * p->bushing[i].angular_stiffness[k] * b.phi[k] * b.phi[k];
  }
  return sum;
}
