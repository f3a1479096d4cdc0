// SPDX-License-Identifier: Apache-2.0
// simbody.cpp -- Simbody.  Inverse dynamics: realize to Velocity, then
// calcResidualForceIgnoringConstraints with the gravity element's body forces.  Mass matrix: realize
// to Position, calcM.  Forward dynamics: realize to Dynamics, calcAccelerationIgnoringConstraints
// (realize to Acceleration, with tau as discrete forces, takes 1 to 10 % more).
//
// Compile without NDEBUG, as Debian's library is: NDEBUG changes the layout of Simbody's State.
//
// Its Pin turns about z, so frames are realigned here.  Its free mobilizer: [w; v] in ground axes,
// coordinates quaternion, then position.
#include "../peer.h"
#include "free_base.hpp"
#include <Simbody.h>
#include <cstring>
#include <memory>
#include <vector>

namespace
{

using namespace SimTK;

const free_base base{true, true, false};

Vec3 vector(const double x[3])
{
  return {x[0], x[1], x[2]};
}

Rotation rotation(const double e[4])
{
  return Rotation(SimTK::Quaternion(Vec4(e[0], e[1], e[2], e[3])));
}

MassProperties mass_properties(const mechanism_body &b)
{
  const double *I = b.inertia;
  const Inertia central(Vec3(I[0], I[1], I[2]), Vec3(I[3], I[4], I[5]));
  const Vec3 com = vector(b.com);
  return {b.mass, com, central.shiftFromMassCenter(com, b.mass)};
}

struct native_state {
  Vector q, u, udot, tau;
};

struct engine {
  const mechanism *mech;
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  std::unique_ptr<Force::Gravity> gravity;
  State state;
  std::vector<MobilizedBody> bodies;
  std::vector<int> q_at, u_at; // [nbody]
  std::vector<native_state> states;
  std::vector<mechanism_state> originals;
  Vector no_forces, result;
  Vector_<SpatialVec> accelerations;
  Matrix M;
};

engine &of(void *self)
{
  return *static_cast<engine *>(self);
}

void add_bodies(engine &e)
{
  for (int i = 0; i < e.mech->nbody; i++) {
    const mechanism_body &b = e.mech->body[i];
    MobilizedBody &parent = b.parent < 0 ? static_cast<MobilizedBody &>(e.matter.Ground())
                                         : e.bodies[std::size_t(b.parent)];
    const Body::Rigid body(mass_properties(b));
    if (e.mech->floating && i == 0) {
      e.bodies.push_back(MobilizedBody::Free(parent, body));
      continue;
    }
    const Rotation align(UnitVec3(vector(b.axis)), ZAxis);
    e.bodies.push_back(MobilizedBody::Pin(parent, Transform(rotation(b.quat) * align, vector(b.at)),
                                          body, Transform(align)));
  }
}

void *create(const mechanism *m, peer_task task, int nstate)
{
  auto e = std::make_unique<engine>();
  e->mech = m;
  e->bodies.reserve(std::size_t(m->nbody));
  add_bodies(*e);
  e->gravity = std::make_unique<Force::Gravity>(e->forces, e->matter, vector(m->gravity));
  e->state = e->system.realizeTopology();
  e->system.realizeModel(e->state);
  for (const MobilizedBody &b : e->bodies) {
    e->q_at.push_back(b.getFirstQIndex(e->state));
    e->u_at.push_back(b.getFirstUIndex(e->state));
  }
  e->states.resize(std::size_t(nstate));
  e->originals.resize(std::size_t(nstate));
  e->result.resize(m->nu);
  e->no_forces = Vector(m->nu, 0.0);
  if (task == MASS_MATRIX) e->M.resize(m->nu, m->nu);
  return e.release();
}

void destroy(void *self)
{
  delete &of(self);
}

int speed(const engine &e, int i)
{
  return e.mech->floating && i > 0 ? i + 5 : i;
}

void set_free_joint(const mechanism_state &s, native_state &x, int q_at, int at)
{
  for (int i = 0; i < 4; i++)
    x.q[q_at + i] = s.q[3 + i];
  for (int i = 0; i < 3; i++)
    x.q[q_at + 4 + i] = s.q[i];
  base.to_peer(s, s.u, &x.u[at]);
  base.to_peer(s, s.tau, &x.tau[at]);
  base.acceleration_to_peer(s, s.udot, &x.udot[at]);
}

void set_state(void *self, int k, const mechanism_state *s)
{
  engine &e = of(self);
  native_state &x = e.states[std::size_t(k)];
  e.originals[std::size_t(k)] = *s;
  x.q.resize(e.state.getNQ());
  for (auto *v : {&x.u, &x.udot, &x.tau})
    v->resize(e.mech->nu);
  for (int i = 0; i < e.mech->nbody; i++) {
    const int q_at = e.q_at[std::size_t(i)], at = e.u_at[std::size_t(i)], from = speed(e, i);
    if (e.mech->floating && i == 0) {
      set_free_joint(*s, x, q_at, at);
    } else {
      x.q[q_at] = s->q[e.mech->floating ? i + 6 : i];
      x.u[at] = s->u[from];
      x.udot[at] = s->udot[from];
      x.tau[at] = s->tau[from];
    }
  }
}

void inverse_dynamics(void *self, int k)
{
  engine &e = of(self);
  const native_state &x = e.states[std::size_t(k)];
  e.state.updQ() = x.q;
  e.state.updU() = x.u;
  e.system.realize(e.state, Stage::Velocity);
  e.matter.calcResidualForceIgnoringConstraints(
      e.state, e.no_forces, e.gravity->getBodyForces(e.state), x.udot, e.result);
}

void mass_matrix(void *self, int k)
{
  engine &e = of(self);
  e.state.updQ() = e.states[std::size_t(k)].q;
  e.system.realize(e.state, Stage::Position);
  e.matter.calcM(e.state, e.M);
}

void forward_dynamics(void *self, int k)
{
  engine &e = of(self);
  const native_state &x = e.states[std::size_t(k)];
  e.state.updQ() = x.q;
  e.state.updU() = x.u;
  e.system.realize(e.state, Stage::Dynamics);
  e.matter.calcAccelerationIgnoringConstraints(e.state, x.tau, e.gravity->getBodyForces(e.state),
                                               e.result, e.accelerations);
}

void get_vector(const engine &e, double out[])
{
  for (int i = 0; i < e.mech->nbody; i++)
    for (int j = 0; j < (e.mech->floating && i == 0 ? 6 : 1); j++)
      out[speed(e, i) + j] = e.result[e.u_at[std::size_t(i)] + j];
}

void get_tau(void *self, int k, double out[])
{
  engine &e = of(self);
  get_vector(e, out);
  if (e.mech->floating) {
    double y[6];
    std::memcpy(y, out, sizeof y);
    base.from_peer(e.originals[std::size_t(k)], y, out);
  }
}

void get_udot(void *self, int k, double out[])
{
  engine &e = of(self);
  get_vector(e, out);
  if (e.mech->floating) {
    double y[6];
    std::memcpy(y, out, sizeof y);
    base.acceleration_from_peer(e.originals[std::size_t(k)], y, out);
  }
}

void get_mass_matrix(void *self, int k, double M[])
{
  engine &e = of(self);
  const int nu = e.mech->nu;
  std::vector<int> at;
  for (int i = 0; i < e.mech->nbody; i++)
    for (int j = 0; j < (e.mech->floating && i == 0 ? 6 : 1); j++)
      at.push_back(e.u_at[std::size_t(i)] + j);
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++)
      M[i * nu + j] = e.M(at[std::size_t(i)], at[std::size_t(j)]);
  if (e.mech->floating) base.matrix_from_peer(e.originals[std::size_t(k)], nu, M);
}

} // namespace

const peer peer_simbody = {"Simbody 3.7",
                           "realize(Velocity) + calcResidualForceIgnoringConstraints; "
                           "realize(Position) + calcM; realize(Dynamics) + "
                           "calcAccelerationIgnoringConstraints; Debian builds it with assertions",
                           create,
                           set_state,
                           {inverse_dynamics, mass_matrix, forward_dynamics},
                           {get_tau, get_mass_matrix, get_udot},
                           destroy};
