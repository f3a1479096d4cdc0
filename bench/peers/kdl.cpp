// SPDX-License-Identifier: Apache-2.0
// kdl.cpp -- Orocos KDL.  Chains: ChainIdSolver_RNE, ChainDynParam::JntToMass, and for forward
// dynamics ChainHdSolver_Vereshchagin without constraints, which is KDL's articulated-body algorithm
// (its documentation says so; ChainFdSolver_RNE, through the mass matrix, is slower).  Trees: only
// TreeIdSolver_RNE.  KDL has no floating base.
#include "../peer.h"
#include <kdl/chaindynparam.hpp>
#include <kdl/chainhdsolver_vereshchagin.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/tree.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <memory>
#include <string>
#include <vector>

namespace
{

KDL::Vector vector(const double x[3])
{
  return {x[0], x[1], x[2]};
}

// The segment's frame is the body's; the joint sits in the parent's frame.
KDL::Segment segment(const mechanism_body &b, int i)
{
  const auto R = KDL::Rotation::Quaternion(b.quat[1], b.quat[2], b.quat[3], b.quat[0]);
  const KDL::Vector p = vector(b.at);
  const std::string name = std::to_string(i);
  const KDL::Joint joint("j" + name, p, R * vector(b.axis), KDL::Joint::RotAxis);
  const KDL::RotationalInertia I(b.inertia[0], b.inertia[1], b.inertia[2], b.inertia[3],
                                 b.inertia[4], b.inertia[5]);
  return KDL::Segment("b" + name, joint, KDL::Frame(R, p),
                      KDL::RigidBodyInertia(b.mass, vector(b.com), I));
}

struct native_state {
  KDL::JntArray q, u, udot, tau;
};

struct engine {
  const mechanism *mech = nullptr;
  KDL::Chain chain;
  KDL::Tree tree{"ground"};
  std::unique_ptr<KDL::ChainIdSolver_RNE> inverse;
  std::unique_ptr<KDL::TreeIdSolver_RNE> tree_inverse;
  std::unique_ptr<KDL::ChainDynParam> mass;
  std::unique_ptr<KDL::ChainHdSolver_Vereshchagin> forward;
  KDL::Wrenches no_forces;
  KDL::WrenchMap no_tree_forces;
  KDL::Jacobian alpha; // no constraint
  KDL::JntArray beta, no_torque;
  std::vector<int> at; // [nbody]: number of the joint in KDL
  std::vector<native_state> states;
  KDL::JntArray result;
  KDL::JntSpaceInertiaMatrix M;
  int status = 0;
};

engine &of(void *self)
{
  return *static_cast<engine *>(self);
}

void build_tree(engine &e)
{
  for (int i = 0; i < e.mech->nbody; i++) {
    const int p = e.mech->body[i].parent;
    e.tree.addSegment(segment(e.mech->body[i], i), p < 0 ? "ground" : "b" + std::to_string(p));
  }
  for (int i = 0; i < e.mech->nbody; i++)
    e.at.push_back(int(e.tree.getSegment("b" + std::to_string(i))->second.q_nr));
  e.tree_inverse = std::make_unique<KDL::TreeIdSolver_RNE>(e.tree, vector(e.mech->gravity));
}

void build_chain(engine &e, peer_task task)
{
  for (int i = 0; i < e.mech->nbody; i++) {
    e.chain.addSegment(segment(e.mech->body[i], i));
    e.at.push_back(i);
  }
  const KDL::Vector g = vector(e.mech->gravity);
  if (task == INVERSE_DYNAMICS) e.inverse = std::make_unique<KDL::ChainIdSolver_RNE>(e.chain, g);
  if (task == MASS_MATRIX) e.mass = std::make_unique<KDL::ChainDynParam>(e.chain, g);
  if (task == FORWARD_DYNAMICS) {
    constexpr unsigned nconstraint = 1; // its direction stays zero
    e.forward = std::make_unique<KDL::ChainHdSolver_Vereshchagin>(
        e.chain, KDL::Twist(-g, KDL::Vector::Zero()), nconstraint);
    e.alpha.resize(nconstraint);
    KDL::SetToZero(e.alpha);
    e.beta.resize(nconstraint);
  }
}

void *create(const mechanism *m, peer_task task, int nstate)
{
  const bool is_chain = mechanism_is_chain(m);
  if (m->floating || (!is_chain && task != INVERSE_DYNAMICS)) return nullptr;
  auto e = std::make_unique<engine>();
  const unsigned n = unsigned(m->nbody);
  e->mech = m;
  if (is_chain)
    build_chain(*e, task);
  else
    build_tree(*e);
  e->no_forces.assign(n, KDL::Wrench::Zero());
  e->no_torque.resize(n);
  e->result.resize(n);
  if (task == MASS_MATRIX) e->M.resize(n);
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
  for (auto *v : {&x.q, &x.u, &x.udot, &x.tau})
    v->resize(unsigned(e.mech->nbody));
  for (int i = 0; i < e.mech->nbody; i++) {
    const unsigned j = unsigned(e.at[std::size_t(i)]);
    x.q(j) = s->q[i];
    x.u(j) = s->u[i];
    x.udot(j) = s->udot[i];
    x.tau(j) = s->tau[i];
  }
}

void inverse_dynamics(void *self, int k)
{
  engine &e = of(self);
  const native_state &x = e.states[std::size_t(k)];
  if (e.inverse)
    e.status |= e.inverse->CartToJnt(x.q, x.u, x.udot, e.no_forces, e.result);
  else
    e.status |= e.tree_inverse->CartToJnt(x.q, x.u, x.udot, e.no_tree_forces, e.result);
}

void mass_matrix(void *self, int k)
{
  engine &e = of(self);
  e.status |= e.mass->JntToMass(e.states[std::size_t(k)].q, e.M);
}

void forward_dynamics(void *self, int k)
{
  engine &e = of(self);
  const native_state &x = e.states[std::size_t(k)];
  e.status |=
      e.forward->CartToJnt(x.q, x.u, e.result, e.alpha, e.beta, e.no_forces, x.tau, e.no_torque);
}

void get_vector(void *self, int, double out[])
{
  engine &e = of(self);
  for (int i = 0; i < e.mech->nbody; i++)
    out[i] = e.status ? 0 : e.result(unsigned(e.at[std::size_t(i)]));
}

void get_mass_matrix(void *self, int, double M[])
{
  engine &e = of(self);
  const int n = e.mech->nu;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      M[i * n + j] = e.status ? 0 : e.M(unsigned(i), unsigned(j));
}

} // namespace

const peer peer_kdl = {"KDL 1.5.1",
                       "ChainIdSolver_RNE, ChainDynParam, ChainHdSolver_Vereshchagin without "
                       "constraints; trees: TreeIdSolver_RNE; no floating base",
                       create,
                       set_state,
                       {inverse_dynamics, mass_matrix, forward_dynamics},
                       {get_vector, get_mass_matrix, get_vector},
                       destroy};
