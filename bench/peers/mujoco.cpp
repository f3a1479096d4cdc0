// SPDX-License-Identifier: Apache-2.0
// mujoco.cpp -- MuJoCo, from an MJCF text.  No geoms, no contacts, no constraints: of the pipeline
// only the stages that the quantity needs.  MuJoCo has no articulated-body algorithm: forward
// dynamics factorises the (sparse) mass matrix.
//
// Its free joint: velocity of the origin in ground axes, then angular velocity in body axes.
#include "../peer.h"
#include "free_base.hpp"
#include <cstdio>
#include <cstring>
#include <memory>
#include <mujoco/mujoco.h>
#include <string>
#include <vector>

namespace
{

const free_base base{false, true, true};

// ---- the model ----

// tinyxml2 refuses more than 100 nested elements, so every 50 levels continue in another file
constexpr int levels_per_file = 50;

std::string numbers(const char *name, const double *x, int n)
{
  std::string text = std::string(" ") + name + "=\"";
  char buffer[32];
  for (int i = 0; i < n; i++) {
    std::snprintf(buffer, sizeof buffer, i ? " %.17g" : "%.17g", x[i]);
    text += buffer;
  }
  return text + "\"";
}

class writer
{
public:
  explicit writer(const mechanism *mech) : m(mech), children(std::size_t(mech->nbody))
  {
    for (int i = 0; i < m->nbody; i++)
      if (m->body[i].parent >= 0) children[std::size_t(m->body[i].parent)].push_back(i);
    std::string text = "<mujoco><compiler angle=\"radian\"/><option" +
                       numbers("gravity", m->gravity, 3) + "/><worldbody>";
    for (int i = 0; i < m->nbody; i++)
      if (m->body[i].parent < 0) write_body(text, i, 1);
    files.insert(files.begin(), text + "</worldbody></mujoco>");
  }

  mjModel *compile() const
  {
    auto vfs = std::make_unique<mjVFS>();
    mj_defaultVFS(vfs.get());
    for (std::size_t k = 0; k < files.size(); k++) {
      // the first one is the model, the others are numbered from 1 in the order they were finished
      const std::string name = k ? file_name(k) : "model.xml";
      mj_makeEmptyFileVFS(vfs.get(), name.c_str(), int(files[k].size()));
      std::memcpy(vfs->filedata[vfs->nfile - 1], files[k].data(), files[k].size());
    }
    char error[500] = "";
    mjModel *model = mj_loadXML("model.xml", vfs.get(), error, sizeof error);
    if (!model) std::fprintf(stderr, "MuJoCo: %s: %s\n", m->name, error);
    mj_deleteVFS(vfs.get());
    return model;
  }

private:
  static std::string file_name(std::size_t k)
  {
    return "part" + std::to_string(k) + ".xml";
  }

  void write_body(std::string &text, int i, int level)
  {
    const mechanism_body &b = m->body[i];
    text += "<body" + numbers("pos", b.at, 3) + numbers("quat", b.quat, 4) + "><inertial" +
            numbers("pos", b.com, 3) + numbers("quat", b.principal, 4) +
            numbers("mass", &b.mass, 1) + numbers("diaginertia", b.moments, 3) + "/>";
    const std::string name = " name=\"j" + std::to_string(i) + "\"";
    if (m->floating && i == 0)
      text += "<freejoint" + name + "/>";
    else
      text += "<joint" + name + " type=\"hinge\"" + numbers("axis", b.axis, 3) + "/>";
    for (int child : children[std::size_t(i)]) {
      if (level % levels_per_file) {
        write_body(text, child, level + 1);
      } else {
        std::string part = "<mujocoinclude>";
        write_body(part, child, level + 1);
        files.push_back(part + "</mujocoinclude>");
        text += "<include file=\"" + file_name(files.size()) + "\"/>";
      }
    }
    text += "</body>";
  }

  const mechanism *m;
  std::vector<std::vector<int>> children;
  std::vector<std::string> files;
};

// ---- the peer ----

struct native_state {
  std::vector<double> q, u, udot, tau;
};

struct engine {
  const mechanism *mech;
  mjModel *m = nullptr;
  mjData *d = nullptr;
  std::vector<int> q_at, u_at; // [nbody]: MuJoCo numbers depth first
  std::vector<native_state> states;
  std::vector<mechanism_state> originals;
  std::vector<double> result, dense;

  ~engine()
  {
    mj_deleteData(d);
    mj_deleteModel(m);
  }
};

engine &of(void *self)
{
  return *static_cast<engine *>(self);
}

void *create(const mechanism *mech, peer_task task, int nstate)
{
  auto e = std::make_unique<engine>();
  e->mech = mech;
  e->m = writer(mech).compile();
  if (!e->m || e->m->nv != mech->nu) return nullptr;
  e->d = mj_makeData(e->m);
  for (int i = 0; i < mech->nbody; i++) {
    const int j = mj_name2id(e->m, mjOBJ_JOINT, ("j" + std::to_string(i)).c_str());
    e->q_at.push_back(e->m->jnt_qposadr[j]);
    e->u_at.push_back(e->m->jnt_dofadr[j]);
  }
  e->states.resize(std::size_t(nstate));
  e->originals.resize(std::size_t(nstate));
  e->result.resize(std::size_t(mech->nu));
  if (task == MASS_MATRIX) e->dense.resize(std::size_t(mech->nu) * std::size_t(mech->nu));
  return e.release();
}

void *create_dense(const mechanism *mech, peer_task task, int nstate)
{
  return task == MASS_MATRIX ? create(mech, task, nstate) : nullptr;
}

void destroy(void *self)
{
  delete &of(self);
}

// number in the mechanism of the first speed of body i
int speed(const engine &e, int i)
{
  return e.mech->floating && i > 0 ? i + 5 : i;
}

void set_state(void *self, int k, const mechanism_state *s)
{
  engine &e = of(self);
  native_state &x = e.states[std::size_t(k)];
  e.originals[std::size_t(k)] = *s;
  x.q.resize(std::size_t(e.mech->nq));
  for (auto *v : {&x.u, &x.udot, &x.tau})
    v->resize(std::size_t(e.mech->nu));
  for (int i = 0; i < e.mech->nbody; i++) {
    const int at = e.u_at[std::size_t(i)], from = speed(e, i);
    if (e.mech->floating && i == 0) {
      std::memcpy(&x.q[std::size_t(e.q_at[0])], s->q, 7 * sizeof(double));
      base.to_peer(*s, s->u, &x.u[std::size_t(at)]);
      base.to_peer(*s, s->tau, &x.tau[std::size_t(at)]);
      base.acceleration_to_peer(*s, s->udot, &x.udot[std::size_t(at)]);
    } else {
      x.q[std::size_t(e.q_at[std::size_t(i)])] = s->q[e.mech->floating ? i + 6 : i];
      x.u[std::size_t(at)] = s->u[from];
      x.tau[std::size_t(at)] = s->tau[from];
      x.udot[std::size_t(at)] = s->udot[from];
    }
  }
}

template <class T> void copy_in(mjtNum *to, const T &from)
{
  std::memcpy(to, from.data(), from.size() * sizeof(double));
}

void inverse_dynamics(void *self, int k)
{
  engine &e = of(self);
  const native_state &x = e.states[std::size_t(k)];
  copy_in(e.d->qpos, x.q);
  copy_in(e.d->qvel, x.u);
  copy_in(e.d->qacc, x.udot);
  mj_kinematics(e.m, e.d);
  mj_comPos(e.m, e.d);
  mj_comVel(e.m, e.d);
  mj_rne(e.m, e.d, 1, e.result.data());
}

void mass_matrix(void *self, int k)
{
  engine &e = of(self);
  copy_in(e.d->qpos, e.states[std::size_t(k)].q);
  mj_kinematics(e.m, e.d);
  mj_comPos(e.m, e.d);
  mj_crb(e.m, e.d);
}

void dense_mass_matrix(void *self, int k)
{
  engine &e = of(self);
  mass_matrix(self, k);
  mj_fullM(e.m, e.dense.data(), e.d->qM);
}

void forward_dynamics(void *self, int k)
{
  engine &e = of(self);
  const native_state &x = e.states[std::size_t(k)];
  copy_in(e.d->qpos, x.q);
  copy_in(e.d->qvel, x.u);
  mj_kinematics(e.m, e.d);
  mj_comPos(e.m, e.d);
  mj_crb(e.m, e.d);
  mj_factorM(e.m, e.d);
  mj_comVel(e.m, e.d);
  mj_rne(e.m, e.d, 0, e.d->qfrc_bias);
  mju_sub(e.d->qfrc_smooth, x.tau.data(), e.d->qfrc_bias, e.m->nv);
  mj_solveM(e.m, e.d, e.result.data(), e.d->qfrc_smooth, 1);
}

// ---- results ----

void get_vector(const engine &e, double out[])
{
  for (int i = 0; i < e.mech->nbody; i++) {
    const int n = e.mech->floating && i == 0 ? 6 : 1;
    std::memcpy(out + speed(e, i), &e.result[std::size_t(e.u_at[std::size_t(i)])],
                std::size_t(n) * sizeof(double));
  }
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

void get_dense_mass_matrix(void *self, int k, double M[])
{
  engine &e = of(self);
  const int nu = e.mech->nu;
  std::vector<int> at; // of each speed in MuJoCo
  for (int i = 0; i < e.mech->nbody; i++)
    for (int j = 0; j < (e.mech->floating && i == 0 ? 6 : 1); j++)
      at.push_back(e.u_at[std::size_t(i)] + j);
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++)
      M[i * nu + j] = e.dense[std::size_t(at[std::size_t(i)] * nu + at[std::size_t(j)])];
  if (e.mech->floating) base.matrix_from_peer(e.originals[std::size_t(k)], nu, M);
}

void get_mass_matrix(void *self, int k, double M[])
{
  engine &e = of(self);
  mj_fullM(e.m, e.dense.data(), e.d->qM);
  get_dense_mass_matrix(self, k, M);
}

} // namespace

const peer peer_mujoco = {"MuJoCo 2.2.2",
                          "mj_kinematics + comPos [+ comVel + rne] [+ crb + factorM + solveM]; "
                          "mass matrix in MuJoCo's sparse form",
                          create,
                          set_state,
                          {inverse_dynamics, mass_matrix, forward_dynamics},
                          {get_tau, get_mass_matrix, get_udot},
                          destroy};

const peer peer_mujoco_dense = {"MuJoCo dense",
                                "the same, and mj_fullM: nu x nu as linkwork gives it",
                                create_dense,
                                set_state,
                                {nullptr, dense_mass_matrix, nullptr},
                                {nullptr, get_dense_mass_matrix, nullptr},
                                destroy};
