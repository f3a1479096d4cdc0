/* SPDX-License-Identifier: Apache-2.0 */
/* tree_calls.c -- the public computing functions of a tree: check the arguments, pick the kernels,
   keep the stage, never leave half-written outputs. */
#include "math/finite.h"
#include "math/rotation.h"
#include "model/model.h"
#include "tree/loops/force_balance.h"
#include "tree/loops/closure.h"
#include "tree/loops/work.h"
#include "linkwork/loops.h"
#include "linkwork/quantities.h"

/* ---- kinematics ---- */

lw_status lw_kinematics(lw_work *w, const double q[], const double u[])
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w) || (m->nq && !q) || (m->nu && !u)) return LW_E_ARG;
  w->stage = LWI_STAGE_NOTHING;
  if (!lwi_all_finite(q, m->nq) || !lwi_all_finite(u, m->nu)) return LW_E_NUMBER;
  w->kernels->kinematics(m, w->tree, q, u);
  if (w->closure) lwi_closure_place(m, w, 0);
  w->stage = LWI_STAGE_KINEMATICS;
  return LW_OK;
}

lw_status lw_accelerations(lw_work *w, const double udot[])
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w) || (m->nu && !udot)) return LW_E_ARG;
  if (w->stage < LWI_STAGE_KINEMATICS) return LW_E_STAGE;
  if (!lwi_all_finite(udot, m->nu)) return LW_E_NUMBER;
  w->kernels->accelerations(m, w->tree, udot);
  w->stage = LWI_STAGE_ACCELERATIONS;
  return LW_OK;
}

lw_status lw_get_cut_joints(const lw_work *w, double q[], double u[], double udot[])
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w)) return LW_E_ARG;
  if (w->stage < (udot ? LWI_STAGE_ACCELERATIONS : LWI_STAGE_KINEMATICS)) return LW_E_STAGE;
  if (w->closure) lwi_closure_cut_joints(m, w, q, u, udot);
  return LW_OK;
}

/* a body's axes, and its origin's place and offset from its link's origin */
typedef struct {
  rot3 R;
  double p[3], o[3];
} body_frame;

/* of a body or point: lwi_frame_at */
static lw_status find_frame(const lw_model *m, const lw_work *w, int frame, lwi_stage stage,
                            body_frame *f)
{
  if (!lwi_is_single(m, w) || frame < 0 || frame > m->nbody + m->npoint) return LW_E_ARG;
  if (w->stage < stage) return LW_E_STAGE;
  const lwi_body *body = lwi_frame_at(m, frame);
  double C[9];
  w->kernels->get_frame(m, w->tree, body->link, C, f->p);
  const rot3 R = rot_columns(C);
  rot_mulv(R, body->p, f->o);
  for (int i = 0; i < 3; i++)
    f->p[i] += f->o[i];
  f->R = rot_mul(R, body->R);
  return LW_OK;
}

static lw_status find_body_frame(const lw_model *m, const lw_work *w, lw_body b, lwi_stage stage,
                                 body_frame *f)
{
  return m && b.id > m->nbody ? LW_E_ARG : find_frame(m, w, b.id, stage, f);
}

lw_status lw_get_pose(const lw_work *w, lw_body b, lw_pose *X_WB)
{
  const lw_model *m = lwi_work_model(w);
  body_frame f;
  const lw_status st = find_body_frame(m, w, b, LWI_STAGE_KINEMATICS, &f);
  if (st != LW_OK || !X_WB) return st != LW_OK ? st : LW_E_ARG;
  memcpy(X_WB->p, f.p, sizeof f.p);
  quat_from_rot(f.R, X_WB->quat);
  return LW_OK;
}

lw_status lwi_get_position(const lw_work *w, lw_body b, double p[3])
{
  body_frame f;
  const lw_status st = find_body_frame(lwi_work_model(w), w, b, LWI_STAGE_KINEMATICS, &f);
  if (st == LW_OK) memcpy(p, f.p, sizeof f.p);
  return st;
}

lw_status lw_get_velocity(const lw_work *w, lw_body b, double V[6])
{
  const lw_model *m = lwi_work_model(w);
  body_frame f;
  double A[6], turn[3];
  const lw_status st = find_body_frame(m, w, b, LWI_STAGE_KINEMATICS, &f);
  if (st != LW_OK || !V) return st != LW_OK ? st : LW_E_ARG;
  w->kernels->get_motion(m, w->tree, m->body[b.id].link, V, A);
  cross3(V, f.o, turn);
  for (int i = 0; i < 3; i++)
    V[3 + i] += turn[i];
  return LW_OK;
}

lw_status lw_get_acceleration(const lw_work *w, lw_body b, double A[6])
{
  const lw_model *m = lwi_work_model(w);
  return m && b.id > m->nbody ? LW_E_ARG : lwi_get_frame_acceleration(w, b.id, A);
}

lw_status lwi_get_frame_acceleration(const lw_work *w, int frame, double A[6])
{
  const lw_model *m = lwi_work_model(w);
  body_frame f;
  double V[6], turn[3], swing[3];
  const lw_status st = find_frame(m, w, frame, LWI_STAGE_ACCELERATIONS, &f);
  if (st != LW_OK || !A) return st != LW_OK ? st : LW_E_ARG;
  const int link = lwi_frame_at(m, frame)->link;
  w->kernels->get_motion(m, w->tree, link, V, A);
  if (link == 0) return memset(A, 0, 6 * sizeof(double)), LW_OK;
  cross3(V, f.o, turn);
  cross3(V, turn, swing);
  cross3(A, f.o, turn);
  for (int i = 0; i < 3; i++)
    A[3 + i] += turn[i] + swing[i];
  return LW_OK;
}

/* of the point x of a link; poses and freedoms of the link and of all inward of it are known */
static void fill_jacobian(const lw_model *m, const lw_work *w, int link, const double x[3],
                          double J[])
{
  const size_t nu = (size_t)m->nu;
  memset(J, 0, 6 * nu * sizeof(double));
  for (int i = link; i > 0; i = m->link[i].parent) {
    double R[9], p[3], S[6], arm[3], v[3];
    w->kernels->get_frame(m, w->tree, i, R, p);
    for (int k = 0; k < 3; k++)
      arm[k] = x[k] - p[k];
    for (int j = 0; j < m->link[i].nu; j++) {
      double *column = J + m->link[i].u + j;
      w->kernels->get_column(m, w->tree, m->link[i].column + j, S);
      cross3(S, arm, v);
      for (size_t k = 0; k < 3; k++)
        column[k * nu] = S[k], column[(k + 3) * nu] = S[k + 3] + v[k];
    }
  }
}

static void place_point(const body_frame *f, const double p_B[3], double x[3])
{
  memset(x, 0, 3 * sizeof(double));
  if (p_B) rot_mulv(f->R, p_B, x);
  for (int i = 0; i < 3; i++)
    x[i] += f->p[i];
}

lw_status lw_jacobian(const lw_work *w, lw_body b, const double p_B[3], double J[])
{
  const lw_model *m = lwi_work_model(w);
  body_frame f;
  double x[3];
  const lw_status st = find_body_frame(m, w, b, LWI_STAGE_KINEMATICS, &f);
  if (st != LW_OK || !J) return st != LW_OK ? st : LW_E_ARG;
  place_point(&f, p_B, x);
  fill_jacobian(m, w, m->body[b.id].link, x, J);
  return LW_OK;
}

/* are the coordinates of a link's joint and of all inward of it numbers? */
static bool path_is_finite(const lw_model *m, int link, const double q[])
{
  for (int i = link; i > 0; i = m->link[i].parent)
    if (!lwi_all_finite(q + m->link[i].q, m->joint[m->link[i].joint].info.nq)) return false;
  return true;
}

lw_status lw_point_jacobian(lw_work *w, const double q[], lw_body b, const double p_B[3],
                            double J[])
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w) || b.id < 0 || b.id > m->nbody || (m->nq && !q) || (m->nu && !J))
    return LW_E_ARG;
  const int link = m->body[b.id].link;
  if (!path_is_finite(m, link, q)) return LW_E_NUMBER;
  body_frame f;
  double x[3];
  w->kernels->place_path(m, w->tree, q, link);
  w->stage = LWI_STAGE_KINEMATICS;
  find_body_frame(m, w, b, LWI_STAGE_KINEMATICS, &f);
  place_point(&f, p_B, x);
  fill_jacobian(m, w, link, x, J);
  w->stage = LWI_STAGE_NOTHING; /* no velocities, and no poses of other links */
  return LW_OK;
}

/* ---- dynamics ---- */

/* accelerations of the tree, or of the mechanism that constraints make of it */
static bool solve_forward(const lw_model *m, lw_work *w, double t, const double q[],
                          const double u[], const double tau[])
{
  if (!w->closure)
    return w->kernels->forward(m, w->tree, t, q, u, tau, w->out) &&
           (!lwi_balance_is_due(w) || !lwi_all_finite(w->out, m->nu) ||
            lwi_balance_tree(m, w, tau));
  w->kernels->kinematics(m, w->tree, q, u);
  return lwi_closure_forward(m, w, t, q, u, tau, w->out);
}

lw_status lw_forward_dynamics(lw_work *w, double t, const double q[], const double u[],
                              const double tau[], double udot[])
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w) || (m->nq && !q) || (m->nu && (!u || !udot))) return LW_E_ARG;
  w->stage = LWI_STAGE_NOTHING;
  w->unsolved = (lwi_unsolved){0};
  if (!lwi_closure_is_available(m, w)) return LW_E_UNSUPPORTED;
  const size_t nu = (size_t)m->nu;
  const bool regular = solve_forward(m, w, t, q, u, tau);
  if (!regular || !lwi_all_finite(w->out, m->nu)) {
    const bool given = lwi_all_finite(q, m->nq) && lwi_all_finite(u, m->nu) && isfinite(t) &&
                       (!tau || lwi_all_finite(tau, m->nu));
    return given && !regular ? LW_E_SINGULAR : LW_E_NUMBER;
  }
  if (nu) memcpy(udot, w->out, nu * sizeof(double));
  w->stage = LWI_STAGE_DYNAMICS;
  return LW_OK;
}

/* of the spanning tree alone: what constraints carry is not known from the motion */
static lw_status inverse_of_tree(const lw_model *m, lw_work *w, double t, const double q[],
                                 const double u[], const double udot[], double tau[])
{
  w->stage = LWI_STAGE_NOTHING;
  const size_t nu = (size_t)m->nu;
  if (w->closure)
    lwi_closure_required_tau(m, w, t, q, u, udot, w->out);
  else
    w->kernels->inverse(m, w->tree, t, q, u, udot, w->out);
  if (!lwi_all_finite(w->out, m->nu)) return LW_E_NUMBER;
  if (nu) memcpy(tau, w->out, nu * sizeof(double));
  w->stage = w->closure ? LWI_STAGE_ACCELERATIONS : LWI_STAGE_LOADS;
  return LW_OK;
}

static lw_status inverse_of_mechanism(const lw_model *m, lw_work *w, double t, const double q[],
                                      const double u[], const double udot[], double tau[])
{
  const size_t nu = (size_t)m->nu;
  w->stage = LWI_STAGE_NOTHING;
  if (m->tree_constraints.link_system) return LW_E_UNSUPPORTED;
  if (!udot && nu) memset(w->in, 0, nu * sizeof(double));
  if (!lwi_all_finite(q, m->nq) || !lwi_all_finite(u, m->nu) ||
      (udot && !lwi_all_finite(udot, m->nu)))
    return LW_E_NUMBER;
  if (!lwi_closure_inverse(m, w, t, q, u, udot ? udot : w->in, w->out)) return LW_E_ARG;
  if (!lwi_all_finite(w->out, m->nu)) return LW_E_NUMBER;
  if (nu) memcpy(tau, w->out, nu * sizeof(double));
  w->stage = LWI_STAGE_DYNAMICS;
  return LW_OK;
}

lw_status lw_inverse_dynamics(lw_work *w, double t, const double q[], const double u[],
                              const double udot[], double tau[])
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w) || (m->nq && !q) || (m->nu && (!u || !tau))) return LW_E_ARG;
  return lwi_is_constrained(m) ? inverse_of_mechanism(m, w, t, q, u, udot, tau)
                               : inverse_of_tree(m, w, t, q, u, udot, tau);
}

lw_status lw_bias(lw_work *w, double t, const double q[], const double u[], double bias[])
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w) || (m->nq && !q) || (m->nu && (!u || !bias))) return LW_E_ARG;
  return inverse_of_tree(m, w, t, q, u, NULL, bias);
}

lw_status lw_mass_matrix(lw_work *w, const double q[], double M[])
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w) || (m->nq && !q) || (m->nu && !M)) return LW_E_ARG;
  w->stage = LWI_STAGE_NOTHING;
  if (!lwi_all_finite(q, m->nq)) return LW_E_NUMBER;
  w->kernels->mass_matrix(m, w->tree, q, M, 1, 1);
  return LW_OK;
}

lw_status lw_skip_zeros(lw_work *w, bool skip)
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_work(m, w)) return LW_E_ARG;
  w->kernels->skip_zeros(w->tree, skip);
  return LW_OK;
}

size_t lw_mass_row_entries(const lw_model *m)
{
  return m ? m->nentry : 0;
}

lw_status lw_mass_rows(lw_work *w, const double q[], double rows[])
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w) || (m->nq && !q) || (m->nu && !rows)) return LW_E_ARG;
  w->stage = LWI_STAGE_NOTHING;
  if (!lwi_all_finite(q, m->nq)) return LW_E_NUMBER;
  w->kernels->mass_rows(m, w->tree, q, rows, 1, 1);
  return LW_OK;
}

/* det Mass is the product of the pivots D of the articulated-body recursion; a rotation that a
   particle does not have counts as 1 */
lw_status lw_mass_determinant(lw_work *w, const double q[], double *logdet, int *sign)
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w) || (m->nq && !q) || !logdet || !sign) return LW_E_ARG;
  w->stage = LWI_STAGE_NOTHING;
  if (!lwi_all_finite(q, m->nq)) return LW_E_NUMBER;
  if (m->nu) memset(w->u, 0, (size_t)m->nu * sizeof(double));
  const bool regular = w->kernels->forward(m, w->tree, 0, q, w->u, NULL, w->out);
  *logdet = regular ? 0 : -HUGE_VAL;
  *sign = regular ? 1 : 0;
  for (int i = 1; i < m->nlink && regular; i++)
    for (int j = 0; j < m->link[i].nu; j++)
      if (!lwi_is_locked(&m->link[i], j))
        *logdet += log(w->kernels->get_pivot(m, w->tree, m->link[i].column + j));
  return LW_OK;
}

lw_status lwi_energy_there(const lw_model *m, const lw_work *w, const double q[], double *kinetic,
                           double *potential)
{
  double T, U;
  if (w->stage < LWI_STAGE_KINEMATICS) return LW_E_STAGE;
  w->kernels->energy(m, w->tree, q, &T, &U);
  if (!isfinite(T) || !isfinite(U)) return LW_E_NUMBER;
  *kinetic = T;
  *potential = U;
  return LW_OK;
}

lw_status lw_energy(lw_work *w, const double q[], const double u[], double *kinetic,
                    double *potential)
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w) || (m->nq && !q) || (m->nu && !u) || !kinetic || !potential)
    return LW_E_ARG;
  w->kernels->kinematics(m, w->tree, q, u);
  if (w->closure) lwi_closure_place(m, w, 0);
  w->stage = LWI_STAGE_KINEMATICS;
  const lw_status status = lwi_energy_there(m, w, q, kinetic, potential);
  if (status != LW_OK) w->stage = LWI_STAGE_NOTHING;
  return status;
}

lw_status lw_power(lw_work *w, double t, const double q[], const double u[], double *power)
{
  const lw_model *m = lwi_work_model(w);
  if (!lwi_is_single(m, w) || (m->nq && !q) || (m->nu && !u) || !power) return LW_E_ARG;
  double P;
  w->stage = LWI_STAGE_NOTHING;
  w->kernels->kinematics(m, w->tree, q, u);
  if (w->closure) lwi_closure_place(m, w, 0);
  w->kernels->applied_power(m, w->tree, t, q, u, &P);
  if (!isfinite(P)) return LW_E_NUMBER;
  *power = P;
  w->stage = LWI_STAGE_KINEMATICS;
  return LW_OK;
}

lw_status lw_momentum(const lw_work *w, double h[6])
{
  const lw_model *m = lwi_work_model(w);
  double mass, moment[3];
  if (!lwi_is_single(m, w) || !h) return LW_E_ARG;
  if (w->stage < LWI_STAGE_KINEMATICS) return LW_E_STAGE;
  w->kernels->get_momentum(m, w->tree, h, &mass, moment);
  return LW_OK;
}

lw_status lw_mass_center(const lw_work *w, double *mass, double p[3])
{
  const lw_model *m = lwi_work_model(w);
  double h[6];
  if (!lwi_is_single(m, w) || !mass || !p) return LW_E_ARG;
  if (w->stage < LWI_STAGE_KINEMATICS) return LW_E_STAGE;
  w->kernels->get_momentum(m, w->tree, h, mass, p);
  for (int i = 0; i < 3 && *mass > 0.0; i++)
    p[i] /= *mass;
  return LW_OK;
}
