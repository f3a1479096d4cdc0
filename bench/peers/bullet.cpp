// SPDX-License-Identifier: Apache-2.0
// bullet.cpp -- Bullet's btMultiBody, double precision.  Forward dynamics only: Debian does not
// package BulletInverseDynamics, and btMultiBody has neither inverse dynamics nor a mass matrix.
//
// A link's frame lies at its centre of mass along the principal axes.  Gravity is a force on each
// link that stays from call to call.  The accelerations are read from the scratch array where
// computeAccelerationsArticulatedBodyAlgorithmMultiDof leaves them: a step of 0 seconds would not add
// them to the velocities, and taking differences of velocities would lose digits.
#include "../peer.h"
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <memory>
#include <vector>

#ifndef BT_USE_DOUBLE_PRECISION
#error "the adapter is written for the double precision build of Bullet"
#endif

namespace
{

btVector3 vector(const double x[3])
{
  return {x[0], x[1], x[2]};
}
btQuaternion quaternion(const double e[4])
{
  return {e[1], e[2], e[3], e[0]};
}

// of the base: position and velocity of its centre of mass, loads there, ground axes
struct native_base {
  btVector3 position, velocity, omega, force, torque;
  btQuaternion from_ground;
};

struct native_state {
  native_base base;
  std::vector<double> q, u, tau; // [number of links]
};

struct engine {
  const mechanism *mech;
  int first; // body of link 0: a floating body 0 is Bullet's base
  std::unique_ptr<btMultiBody> tree;
  std::vector<native_state> states;
  std::vector<mechanism_state> originals;
  btAlignedObjectArray<btScalar> scratch_r;
  btAlignedObjectArray<btVector3> scratch_v;
  btAlignedObjectArray<btMatrix3x3> scratch_m;
};

engine &of(void *self)
{
  return *static_cast<engine *>(self);
}

void add_link(engine &e, int i)
{
  const mechanism_body &b = e.mech->body[i];
  const mechanism_body *parent = b.parent < 0 ? nullptr : &e.mech->body[b.parent];
  // principal frames of this body and of its parent, in their body frames
  const btQuaternion P = quaternion(b.principal);
  const btQuaternion P_parent = parent ? quaternion(parent->principal) : btQuaternion(0, 0, 0, 1);
  const btVector3 com_parent = parent ? vector(parent->com) : btVector3(0, 0, 0);
  const btQuaternion from_parent = P.inverse() * quaternion(b.quat).inverse() * P_parent;
  e.tree->setupRevolute(i - e.first, b.mass, vector(b.moments), b.parent - e.first, from_parent,
                        quatRotate(P.inverse(), vector(b.axis)),
                        quatRotate(P_parent.inverse(), vector(b.at) - com_parent),
                        quatRotate(P.inverse(), vector(b.com)), true);
}

void *create(const mechanism *m, peer_task task, int nstate)
{
  if (task != FORWARD_DYNAMICS) return nullptr;
  auto e = std::make_unique<engine>();
  e->mech = m;
  e->first = m->floating ? 1 : 0;
  const mechanism_body &b = m->body[0];
  const int nlink = m->nbody - e->first;
  e->tree = std::make_unique<btMultiBody>(nlink, m->floating ? b.mass : 1,
                                          m->floating ? vector(b.moments) : btVector3(1, 1, 1),
                                          !m->floating, false);
  for (int i = e->first; i < m->nbody; i++)
    add_link(*e, i);
  e->tree->finalizeMultiDof();
  e->tree->setLinearDamping(0);
  e->tree->setAngularDamping(0);
  e->tree->setUseGyroTerm(true);
  e->tree->setBasePos(btVector3(0, 0, 0));
  e->tree->setWorldToBaseRot(btQuaternion(0, 0, 0, 1));
  for (int i = e->first; i < m->nbody; i++)
    e->tree->addLinkForce(i - e->first, vector(m->gravity) * m->body[i].mass);
  e->states.resize(std::size_t(nstate));
  e->originals.resize(std::size_t(nstate));
  return e.release();
}

void destroy(void *self)
{
  delete &of(self);
}

native_base base_state(const mechanism *m, const mechanism_state &s)
{
  const mechanism_body &b = m->body[0];
  const btQuaternion R = quaternion(s.q + 3);
  const btVector3 c = vector(b.com), w = vector(s.u), v = vector(s.u + 3);
  const btVector3 torque = vector(s.tau), force = vector(s.tau + 3);
  native_base x;
  x.position = vector(s.q) + quatRotate(R, c);
  x.from_ground = (R * quaternion(b.principal)).inverse();
  x.omega = quatRotate(R, w);
  x.velocity = quatRotate(R, v + w.cross(c));
  x.force = quatRotate(R, force) + vector(m->gravity) * b.mass;
  x.torque = quatRotate(R, torque - c.cross(force));
  return x;
}

void set_state(void *self, int k, const mechanism_state *s)
{
  engine &e = of(self);
  native_state &x = e.states[std::size_t(k)];
  const int nlink = e.mech->nbody - e.first, q = e.mech->nq - nlink, u = e.mech->nu - nlink;
  e.originals[std::size_t(k)] = *s;
  if (e.mech->floating) x.base = base_state(e.mech, *s);
  x.q.assign(s->q + q, s->q + q + nlink);
  x.u.assign(s->u + u, s->u + u + nlink);
  x.tau.assign(s->tau + u, s->tau + u + nlink);
}

void forward_dynamics(void *self, int k)
{
  engine &e = of(self);
  btMultiBody &tree = *e.tree;
  const native_state &x = e.states[std::size_t(k)];
  if (e.mech->floating) {
    tree.setBasePos(x.base.position);
    tree.setWorldToBaseRot(x.base.from_ground);
    tree.setBaseVel(x.base.velocity);
    tree.setBaseOmega(x.base.omega);
    tree.addBaseForce(x.base.force - tree.getBaseForce());
    tree.addBaseTorque(x.base.torque - tree.getBaseTorque());
  }
  const int nlink = tree.getNumLinks();
  for (int i = 0; i < nlink; i++) {
    tree.setJointPos(i, x.q[std::size_t(i)]);
    tree.setJointVel(i, x.u[std::size_t(i)]);
    *tree.getJointTorqueMultiDof(i) = x.tau[std::size_t(i)];
  }
  tree.computeAccelerationsArticulatedBodyAlgorithmMultiDof(0, e.scratch_r, e.scratch_v,
                                                            e.scratch_m, false, false, false);
}

// from the classical acceleration of the centre of mass in ground axes
void get_base_udot(const engine &e, const mechanism_state &s, const double a[6], double udot[6])
{
  const btQuaternion to_body = quaternion(s.q + 3).inverse();
  const btVector3 c = vector(e.mech->body[0].com), w = vector(s.u), v = vector(s.u + 3);
  const btVector3 wdot = quatRotate(to_body, vector(a));
  const btVector3 a_com = quatRotate(to_body, vector(a + 3));
  const btVector3 vdot = a_com - wdot.cross(c) - w.cross(w.cross(c)) - w.cross(v);
  for (int i = 0; i < 3; i++) {
    udot[i] = wdot[i];
    udot[3 + i] = vdot[i];
  }
}

void get_udot(void *self, int k, double out[])
{
  engine &e = of(self);
  const int nlink = e.tree->getNumLinks();
  const btScalar *a = &e.scratch_r[e.tree->getNumDofs()];
  if (e.mech->floating) get_base_udot(e, e.originals[std::size_t(k)], a, out);
  for (int i = 0; i < nlink; i++)
    out[e.mech->nu - nlink + i] = a[6 + i];
}

} // namespace

const peer peer_bullet = {"Bullet 3.24",
                          "btMultiBody in double precision; Debian has no BulletInverseDynamics",
                          create,
                          set_state,
                          {nullptr, nullptr, forward_dynamics},
                          {nullptr, nullptr, get_udot},
                          destroy};
