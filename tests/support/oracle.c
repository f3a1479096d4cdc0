/* SPDX-License-Identifier: Apache-2.0 */
/* oracle.c -- bodies, poses, velocities and accelerations along a spanning tree. */
#include "oracle_internal.h"
#include "linkwork/reader.h"

#include <stdlib.h>

/* ---- bodies ---- */

void oraclei_to_ground(const oracle_body *b, const oracle_real p_B[3], oracle_real out[3])
{
  oracle_frame X = b->X;
  turn(X.R, p_B, out);
  add(out, 1, X.p);
}

/* velocity of the body's point that is now at x */
void oraclei_velocity_at(const oracle_body *b, const oracle_real x[3], oracle_real V[6])
{
  const oracle_real r[3] = {x[0] - b->X.p[0], x[1] - b->X.p[1], x[2] - b->X.p[2]};
  memcpy(V, b->V, sizeof b->V);
  add_cross(V + 3, 1, b->V, r);
}

/* [0; w x (w x r)] for the body's point at r from the point that r counts from */
void oraclei_add_centripetal(const oracle_real w[3], oracle_real s, const oracle_real r[3],
                             oracle_real A[6])
{
  oracle_real once[3];
  cross(w, r, once);
  add_cross(A + 3, s, w, once);
}

void oraclei_acceleration_at(const oracle_body *b, const oracle_real x[3], oracle_real A[6])
{
  const oracle_real r[3] = {x[0] - b->X.p[0], x[1] - b->X.p[1], x[2] - b->X.p[2]};
  memcpy(A, b->A, sizeof b->A);
  add_cross(A + 3, 1, b->A, r);
  oraclei_add_centripetal(b->V, 1, r, A);
}

/* Sets V (or A) of the whole body from that of its point at x. */
static void set_velocity(oracle_body *b, const oracle_real x[3], const oracle_real V[6])
{
  const oracle_real r[3] = {b->X.p[0] - x[0], b->X.p[1] - x[1], b->X.p[2] - x[2]};
  memcpy(b->V, V, sizeof b->V);
  add_cross(b->V + 3, 1, V, r);
}
void oraclei_set_acceleration(oracle_body *b, const oracle_real x[3], const oracle_real A[6])
{
  const oracle_real r[3] = {b->X.p[0] - x[0], b->X.p[1] - x[1], b->X.p[2] - x[2]};
  memcpy(b->A, A, sizeof b->A);
  add_cross(b->A + 3, 1, A, r);
  oraclei_add_centripetal(b->V, 1, r, b->A);
}

void oraclei_center(const oracle *o, int b, oracle_real c[3])
{
  oracle_real com[3];
  given(o->parts->body[b - 1].com, com);
  oraclei_to_ground(&o->body[b], com, c);
}

/* inertia about the com, ground axes */
void oraclei_inertia(const oracle *o, int b, oracle_real J[3][3])
{
  const double *d = o->parts->body[b - 1].inertia;
  oracle_real own[3][3] = {{d[0], d[3], d[4]}, {d[3], d[1], d[5]}, {d[4], d[5], d[2]}};
  oracle_frame X = o->body[b].X, back = invert(X);
  multiply(X.R, own, own);
  multiply(own, back.R, J);
}

/* ---- make ---- */

/* groups by joints: the smallest body number reached, 0 for what hangs on the ground */
static void find_groups(const lwt_parts *p, int *group)
{
  for (int i = 0; i <= p->nbody; i++)
    group[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < p->njoint; i++) {
      int *a = &group[p->joint[i].parent.id], *b = &group[p->joint[i].child.id];
      if (*a == *b) continue;
      *a = *b = *a < *b ? *a : *b;
      changed = true;
    }
  }
}

/* the base of each floating group gets a free joint: the first with a start, else the first */
static void add_free_joints(oracle *o)
{
  const lwt_parts *p = o->parts;
  int *group = calloc((size_t)p->nbody + 1, sizeof *group);
  find_groups(p, group);
  for (int b = 1; b <= p->nbody; b++) {
    if (group[b] == 0) continue;
    int base = 0;
    for (int i = p->nbody; i >= 1; i--)
      if (group[i] == group[b] && (base == 0 || !p->body[base - 1].start || p->body[i - 1].start))
        base = i;
    if (base == b) o->joint[o->njoint++] = (lw_joint_desc){.type = LW_FREE, .child = {b}};
  }
  free(group);
}

oracle *oracle_new(const lwt_parts *p)
{
  const size_t njoint = (size_t)(p->njoint + p->nbody) + 1, nbody = (size_t)p->nbody + 1;
  oracle *o = calloc(1, sizeof *o);
  assert_non_null(o);
  o->parts = p;
  o->joint = calloc(njoint, sizeof *o->joint);
  o->q = calloc(njoint, sizeof *o->q);
  o->u = calloc(njoint, sizeof *o->u);
  o->load = calloc(njoint + (size_t)p->nconstraint, sizeof *o->load);
  o->body = calloc(nbody, sizeof *o->body);
  o->applied = calloc(nbody, sizeof *o->applied);
  o->njoint = p->njoint;
  if (p->njoint) memcpy(o->joint, p->joint, (size_t)p->njoint * sizeof *o->joint);
  add_free_joints(o);
  for (int j = 0; j < o->njoint; j++) {
    o->q[j] = o->nq, o->u[j] = o->nu;
    o->nq += lw_joint_type_nq(o->joint[j].type, p->planar);
    o->nu += lw_joint_type_nu(o->joint[j].type, p->planar);
  }
  o->coordinate = calloc((size_t)o->nq + 1, sizeof(oracle_real));
  o->speed = calloc((size_t)o->nu + 1, sizeof(oracle_real));
  o->udot = calloc((size_t)o->nu + 1, sizeof(oracle_real));
  return o;
}

void oracle_free(oracle *o)
{
  if (!o) return;
  free(o->joint);
  free(o->q);
  free(o->u);
  free(o->load);
  free(o->body);
  free(o->applied);
  free(o->coordinate);
  free(o->speed);
  free(o->udot);
  free(o);
}

/* ---- kinematics ---- */

/* Goes through all joints from the ground outward and calls `carry` for each that reaches a new
   body; `inward` says that the new body is the joint's parent. */
static void walk(oracle *o, void (*carry)(oracle *, int joint, bool inward, const oracle_real *x),
                 const oracle_real *x)
{
  bool *known = calloc((size_t)o->parts->nbody + 1, sizeof *known);
  known[0] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (int j = 0; j < o->njoint; j++) {
      const int p = o->joint[j].parent.id, c = o->joint[j].child.id;
      if (known[p] == known[c]) continue;
      carry(o, j, known[c], x);
      known[p] = known[c] = changed = true;
    }
  }
  free(known);
}

bool *oraclei_tree(const oracle *o)
{
  bool *in_tree = calloc((size_t)o->njoint + 1, sizeof *in_tree);
  bool *known = calloc((size_t)o->parts->nbody + 1, sizeof *known);
  known[0] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (int j = 0; j < o->njoint; j++) {
      const int p = o->joint[j].parent.id, c = o->joint[j].child.id;
      if (known[p] == known[c]) continue;
      in_tree[j] = known[p] = known[c] = changed = true;
    }
  }
  free(known);
  return in_tree;
}

static void carry_pose(oracle *o, int joint, bool inward, const oracle_real *q)
{
  const lw_joint_desc *j = &o->joint[joint];
  const oracle_frame X = oraclei_joint_pose(j, o->parts->planar, q + o->q[joint]);
  const oracle_frame p = frame_of_place(&j->place), c = frame_of_place(&j->child_place);
  const oracle_frame child_in_parent = compose(compose(p, X), invert(c));
  oracle_frame *of_parent = &o->body[j->parent.id].X, *of_child = &o->body[j->child.id].X;
  if (inward)
    *of_parent = compose(*of_child, invert(child_in_parent));
  else
    *of_child = compose(*of_parent, child_in_parent);
}

/* V_b - V_a = P u */
static void carry_velocity(oracle *o, int joint, bool inward, const oracle_real *u)
{
  oracle_handle h = oraclei_handle(o, joint);
  oracle_real V[6], jump[6];
  oraclei_times(h.P, h.nu, u + o->u[joint], jump);
  oraclei_velocity_at(&o->body[inward ? h.child : h.parent], h.x, V);
  for (int i = 0; i < 6; i++)
    V[i] += inward ? -jump[i] : jump[i];
  set_velocity(&o->body[inward ? h.parent : h.child], h.x, V);
}

void oraclei_velocities(oracle *o, const oracle_real u[])
{
  memcpy(o->speed, u, (size_t)o->nu * sizeof(oracle_real));
  walk(o, carry_velocity, u);
}

void oracle_kinematics(oracle *o, const oracle_real q[], const oracle_real u[])
{
  oracle_frame identity = {.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  memset(o->body, 0, ((size_t)o->parts->nbody + 1) * sizeof *o->body);
  o->body[0].X = identity;
  memcpy(o->coordinate, q, (size_t)o->nq * sizeof(oracle_real));
  walk(o, carry_pose, q);
  oraclei_velocities(o, u);
}

/* V_b - V_a, both at the child's joint origin */
static void relative_velocity(const oracle *o, const oracle_handle *h, oracle_real V[6])
{
  oracle_real Va[6];
  oraclei_velocity_at(&o->body[h->parent], h->x, Va);
  oraclei_velocity_at(&o->body[h->child], h->x, V);
  for (int i = 0; i < 6; i++)
    V[i] -= Va[i];
}

oracle_real oracle_gap(const oracle *o)
{
  oracle_real gap = 0;
  for (int j = 0; j < o->njoint; j++) {
    oracle_handle h = oraclei_handle(o, j);
    const oracle_frame X =
        oraclei_joint_pose(&o->joint[j], o->parts->planar, o->coordinate + o->q[j]);
    const oracle_frame p = compose(oraclei_joint_frame(o, j, false), X),
                       c = oraclei_joint_frame(o, j, true);
    oracle_real V[6], want[6];
    relative_velocity(o, &h, V);
    oraclei_times(h.P, h.nu, o->speed + o->u[j], want);
    for (int i = 0; i < 3; i++) {
      gap = fmax(gap, fabs(p.p[i] - c.p[i]));
      for (int k = 0; k < 3; k++)
        gap = fmax(gap, fabs(p.R[i][k] - c.R[i][k]));
    }
    for (int i = 0; i < 6; i++)
      gap = fmax(gap, fabs(V[i] - want[i]));
  }
  return gap;
}

/* c of A_b - A_a = P udot + c:  Pdot u + [0; w_a x v_rel] */
void oraclei_bias(const oracle *o, oracle_handle *h, const oracle_real u[], oracle_real c[6])
{
  oracle_real jump[6];
  oraclei_times(h->rate, h->nu, u, c);
  oraclei_times(h->P, h->nu, u, jump);
  add_cross(c + 3, 1, o->body[h->parent].V, jump + 3);
}

static void carry_acceleration(oracle *o, int joint, bool inward, const oracle_real *udot)
{
  oracle_handle h = oraclei_handle(o, joint);
  oracle_real A[6], jump[6], c[6];
  oraclei_times(h.P, h.nu, udot + o->u[joint], jump);
  oraclei_bias(o, &h, o->speed + o->u[joint], c);
  oraclei_acceleration_at(&o->body[inward ? h.child : h.parent], h.x, A);
  for (int i = 0; i < 6; i++)
    A[i] += inward ? -jump[i] - c[i] : jump[i] + c[i];
  oraclei_set_acceleration(&o->body[inward ? h.parent : h.child], h.x, A);
}

void oracle_accelerations(oracle *o, const oracle_real udot[])
{
  memcpy(o->udot, udot, (size_t)o->nu * sizeof(oracle_real));
  walk(o, carry_acceleration, udot);
}

void oracle_point_velocity(const oracle *o, int b, const oracle_real p_B[3], oracle_real V[6])
{
  oracle_real x[3];
  oraclei_to_ground(&o->body[b], p_B, x);
  oraclei_velocity_at(&o->body[b], x, V);
}

/* ---- energy and momentum ---- */

void oracle_energy(const oracle *o, oracle_real *kinetic, oracle_real *potential)
{
  oracle_real gravity[3];
  given(o->parts->gravity, gravity);
  *kinetic = 0;
  *potential = oraclei_potential(o);
  for (int b = 1; b <= o->parts->nbody; b++) {
    oracle_real c[3], V[6], J[3][3], Iw[3];
    const oracle_real mass = o->parts->body[b - 1].mass;
    oraclei_center(o, b, c);
    oraclei_velocity_at(&o->body[b], c, V);
    oraclei_inertia(o, b, J);
    turn(J, V, Iw);
    *kinetic += 0.5 * mass * dot(V + 3, V + 3) + 0.5 * dot(V, Iw);
    *potential -= mass * dot(gravity, c);
  }
}

void oracle_momentum(const oracle *o, oracle_real h[6], oracle_real *mass, oracle_real center[3])
{
  memset(h, 0, 6 * sizeof(oracle_real));
  memset(center, 0, 3 * sizeof(oracle_real));
  *mass = 0;
  for (int b = 1; b <= o->parts->nbody; b++) {
    oracle_real c[3], V[6], J[3][3], Iw[3];
    const oracle_real m = o->parts->body[b - 1].mass;
    oraclei_center(o, b, c);
    oraclei_velocity_at(&o->body[b], c, V);
    oraclei_inertia(o, b, J);
    turn(J, V, Iw);
    add(h, 1, Iw);
    add_cross(h, m, c, V + 3);
    add(h + 3, m, V + 3);
    add(center, m, c);
    *mass += m;
  }
  for (int i = 0; i < 3; i++)
    center[i] /= *mass;
}
