// SPDX-License-Identifier: Apache-2.0
// dart.cpp -- DART.  setPositions, setVelocities, setAccelerations + computeInverseDynamics;
// setPositions + getMassMatrix; setPositions, setVelocities, setForces + computeForwardDynamics.
//
// Its free joint has the speeds used here; its coordinates are a rotation vector, then the position.
#include "../peer.h"
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <memory>
#include <string>
#include <vector>

namespace
{

using namespace dart::dynamics;

Eigen::Vector3d vector(const double x[3])
{
  return {x[0], x[1], x[2]};
}

Eigen::Isometry3d pose(const double p[3], const double e[4])
{
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.linear() = Eigen::Quaterniond(e[0], e[1], e[2], e[3]).toRotationMatrix();
  X.translation() = vector(p);
  return X;
}

BodyNode::Properties body_properties(const mechanism_body &b, int i)
{
  const double *I = b.inertia;
  Eigen::Matrix3d moment;
  moment << I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2];
  return BodyNode::Properties(
      BodyNode::AspectProperties("b" + std::to_string(i), Inertia(b.mass, vector(b.com), moment)));
}

struct native_state {
  Eigen::VectorXd q, u, udot, tau;
};

struct engine {
  const mechanism *mech;
  SkeletonPtr skeleton = Skeleton::create();
  std::vector<int> at; // [nu]: number of each speed in DART
  std::vector<native_state> states;
  const Eigen::MatrixXd *M = nullptr;
};

engine &of(void *self)
{
  return *static_cast<engine *>(self);
}

Joint *add_body(engine &e, int i, BodyNode *parent)
{
  const mechanism_body &b = e.mech->body[i];
  if (e.mech->floating && i == 0) {
    FreeJoint::Properties joint;
    return e.skeleton->createJointAndBodyNodePair<FreeJoint>(parent, joint, body_properties(b, i))
        .first;
  }
  RevoluteJoint::Properties joint;
  joint.mName = "j" + std::to_string(i);
  joint.mT_ParentBodyToJoint = pose(b.at, b.quat);
  joint.mAxis = vector(b.axis);
  return e.skeleton->createJointAndBodyNodePair<RevoluteJoint>(parent, joint, body_properties(b, i))
      .first;
}

void *create(const mechanism *m, peer_task, int nstate)
{
  auto e = std::make_unique<engine>();
  e->mech = m;
  std::vector<BodyNode *> bodies;
  for (int i = 0; i < m->nbody; i++) {
    const int p = m->body[i].parent;
    bodies.push_back(add_body(*e, i, p < 0 ? nullptr : bodies[std::size_t(p)])->getChildBodyNode());
  }
  for (BodyNode *body : bodies)
    for (std::size_t j = 0; j < body->getParentJoint()->getNumDofs(); j++)
      e->at.push_back(int(body->getParentJoint()->getIndexInSkeleton(j)));
  e->skeleton->setGravity(vector(m->gravity));
  e->states.resize(std::size_t(nstate));
  return e.release();
}

void destroy(void *self)
{
  delete &of(self);
}

void set_state(void *self, int k, const mechanism_state *s)
{
  engine &e = of(self);
  native_state &x = e.states[std::size_t(k)];
  const int nu = e.mech->nu;
  for (auto *v : {&x.q, &x.u, &x.udot, &x.tau})
    v->resize(nu);
  for (int i = 0; i < nu; i++) {
    const int j = e.at[std::size_t(i)];
    x.u[j] = s->u[i];
    x.udot[j] = s->udot[i];
    x.tau[j] = s->tau[i];
    if (!e.mech->floating || i >= 6) x.q[j] = s->q[e.mech->floating ? i + 1 : i];
  }
  if (e.mech->floating)
    x.q.segment<6>(e.at[0]) = FreeJoint::convertToPositions(pose(s->q, s->q + 3));
}

void inverse_dynamics(void *self, int k)
{
  engine &e = of(self);
  const native_state &x = e.states[std::size_t(k)];
  e.skeleton->setPositions(x.q);
  e.skeleton->setVelocities(x.u);
  e.skeleton->setAccelerations(x.udot);
  e.skeleton->computeInverseDynamics();
}

void mass_matrix(void *self, int k)
{
  engine &e = of(self);
  e.skeleton->setPositions(e.states[std::size_t(k)].q);
  e.M = &e.skeleton->getMassMatrix();
}

void forward_dynamics(void *self, int k)
{
  engine &e = of(self);
  const native_state &x = e.states[std::size_t(k)];
  e.skeleton->setPositions(x.q);
  e.skeleton->setVelocities(x.u);
  e.skeleton->setForces(x.tau);
  e.skeleton->computeForwardDynamics();
}

void get_vector(const engine &e, const Eigen::VectorXd &x, double out[])
{
  for (int i = 0; i < e.mech->nu; i++)
    out[i] = x[e.at[std::size_t(i)]];
}

void get_tau(void *self, int, double out[])
{
  get_vector(of(self), of(self).skeleton->getForces(), out);
}

void get_udot(void *self, int, double out[])
{
  get_vector(of(self), of(self).skeleton->getAccelerations(), out);
}

void get_mass_matrix(void *self, int, double M[])
{
  engine &e = of(self);
  const int nu = e.mech->nu;
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++)
      M[i * nu + j] = (*e.M)(e.at[std::size_t(i)], e.at[std::size_t(j)]);
}

} // namespace

const peer peer_dart = {"DART 6.12.1",
                        "computeInverseDynamics, getMassMatrix, computeForwardDynamics",
                        create,
                        set_state,
                        {inverse_dynamics, mass_matrix, forward_dynamics},
                        {get_tau, get_mass_matrix, get_udot},
                        destroy};
