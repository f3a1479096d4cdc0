/* SPDX-License-Identifier: Apache-2.0 */
/* link_momenta.c -- momenta of links whose bodies move with given velocities, and of the rotors
   between them.  Compiled twice (at_state.h). */
#include "tree/loops/at_state.h"
#include "tree/loops/tree_impulse.h"

#include <string.h>

/* [J w + h x v; m v + w x h] about the link's origin, in ground axes */
static void momentum(const lw_model *m, const lwi_state *at, int link, num_rot R, const num V[6],
                     num out[6])
{
  const lw_model *m_p = model_p(at);
  const lwi_link *L = &m->link[link], *L_p = m_p ? &m_p->link[link] : NULL;
  num_rot J;
  num h[3], w[3], Jw[3], a[3];
  lwi_get(&L->J.c[0][0], L_p ? &L_p->J.c[0][0] : NULL, 12, &J.c[0][0]);
  lwi_get(L->h, L_p ? L_p->h : NULL, 3, h);
  const num mass = lwi_number(&L->mass, L_p ? &L_p->mass : NULL, 0);
  rot_mulv(R, h, h);
  rot_tmulv(R, V, w);
  rot_mulv(J, w, Jw);
  rot_mulv(R, Jw, Jw);
  cross3(h, V + 3, a);
  for (int i = 0; i < 3; i++)
    out[i] = Jw[i] + a[i];
  cross3(V, h, a);
  for (int i = 0; i < 3; i++)
    out[3 + i] = mass * V[3 + i] + a[i];
}

/* of the link that carries a body with velocity V; returns its kinetic energy */
static num body_momentum(const lw_model *m, const lwi_state *at, int body, const num V[6],
                         double out[6])
{
  const lw_model *m_p = model_p(at);
  const lwi_body *b = &m->body[body];
  const num_frame link = link_frame_at(m, at, b->link);
  num arm[3], turn[3], own[6], p[6];
  lwi_get(b->p, m_p ? m_p->body[body].p : NULL, 3, arm);
  rot_mulv(link.R, arm, arm);
  cross3(V, arm, turn);
  for (int i = 0; i < 3; i++) {
    own[i] = V[i];
    own[3 + i] = V[3 + i] - turn[i];
  }
  momentum(m, at, b->link, link.R, own, p);
  lwi_keep(p, 6, out);
  return 0.5 * (dot3(own, p) + dot3(own + 3, p + 3));
}

/* one side of a joint: its frame, the origin of its link, and its motion, where the body's origin
   moves with V */
typedef struct {
  int link;
  num_frame X;
  num origin[3], V[6];
} joint_side;

static joint_side side_of(const lw_model *m, const lwi_state *at, int joint, bool child,
                          const num V[6])
{
  const lw_model *m_p = model_p(at);
  const lwi_joint *j = &m->joint[joint], *j_p = m_p ? &m_p->joint[joint] : NULL;
  const int body = child ? j->info.child.id : j->info.parent.id;
  const lwi_body *b = &m->body[body], *b_p = m_p ? &m_p->body[body] : NULL;
  const num_frame link = link_frame_at(m, at, b->link);
  num_frame in_link = lwi_frame_identity();
  lwi_get(&b->R.c[0][0], b_p ? &b_p->R.c[0][0] : NULL, 12, &in_link.R.c[0][0]);
  lwi_get(b->p, b_p ? b_p->p : NULL, 3, in_link.p);
  const num_frame own = lwi_frame_mul(link, in_link);
  joint_side s = {
      .link = b->link,
      .X = lwi_frame_mul(own, child ? lwi_get_frame(&j->child_place, j_p ? &j_p->child_place : NULL)
                                    : lwi_get_frame(&j->place, j_p ? &j_p->place : NULL))};
  num arm[3], turn[3];
  for (int i = 0; i < 3; i++) {
    arm[i] = s.X.p[i] - own.p[i];
    s.origin[i] = link.p[i];
  }
  cross3(V, arm, turn);
  for (int i = 0; i < 3; i++) {
    s.V[i] = V[i];
    s.V[3 + i] = V[3 + i] + turn[i];
  }
  return s;
}

static void push_side(const joint_side *s, num by, const num J[6], double (*p)[6])
{
  num arm[3], moment[3];
  for (int i = 0; i < 3; i++)
    arm[i] = s->X.p[i] - s->origin[i];
  cross3(arm, J + 3, moment);
  for (int i = 0; i < 3 && s->link > 0; i++) {
    p[s->link][i] += kept_of(by * (J[i] + moment[i]));
    p[s->link][3 + i] += kept_of(by * J[3 + i]);
  }
}

/* Adds the momenta of the rotors of a joint as the loads by which they act on its two links;
   returns their kinetic energy.  V: of its bodies' origins. */
static num rotor_momenta(const lw_model *m, const lwi_state *at, int joint, num V[2][6],
                         double (*p)[6])
{
  const lw_model *m_p = model_p(at);
  const lwi_joint *j = &m->joint[joint];
  const joint_side side[2] = {side_of(m, at, joint, false, V[0]),
                              side_of(m, at, joint, true, V[1])};
  num_joint_shape shape;
  num G[2][6][6], energy = 0;
  double near[7];
  lwi_tree_near(m, work_at(at)->kernels, work_at(at)->tree, joint, near);
  const num_joint_at here = {shape_at(m, at, joint, &shape), &side[0].X, &side[1].X, near};
  lwi_joint_speed_rows(&here, G[0], G[1]);
  for (int k = 0; k < LW_RATE_PAIRS && k < j->info.nu; k++) {
    const num a = lwi_number(j->armature, m_p ? m_p->joint[joint].armature : NULL, k);
    const num u = dot6(G[0][k], side[0].V) + dot6(G[1][k], side[1].V);
    push_side(&side[0], a * u, G[0][k], p);
    push_side(&side[1], a * u, G[1][k], p);
    energy += 0.5 * a * u * u;
  }
  return energy;
}

#if LW_DERIVATIVE

void lwi_derivative_link_momenta(const lw_model *m, const lw_derivatives *d, double (*V)[6],
                                 double (*V_p)[6], double (*p_p)[6])
{
  memset(p_p, 0, (size_t)m->nlink * sizeof *p_p);
  for (int b = 1; b <= m->nbody; b++) {
    num own[6];
    lwi_get(V[b], V_p[b], 6, own);
    body_momentum(m, d, b, own, p_p[m->body[b].link]);
  }
  for (int i = 1; i < m->nlink && m->has_armature; i++) {
    const lw_joint_info *j = &m->joint[m->link[i].joint].info;
    const int body[2] = {j->parent.id, j->child.id};
    num own[2][6] = {{0}};
    if (!m->link[i].has_armature) continue;
    for (int k = 0; k < 2; k++)
      if (body[k] > 0) lwi_get(V[body[k]], V_p[body[k]], 6, own[k]);
    rotor_momenta(m, d, m->link[i].joint, own, p_p);
  }
}

#else

void lwi_link_momentum(const lw_model *m, const lw_work *w, int link, const double V[6],
                       double p[6])
{
  momentum(m, w, link, link_frame_at(m, w, link).R, V, p);
}

double lwi_link_momenta(const lw_model *m, const lw_work *w, double (*V)[6], double (*p)[6])
{
  double energy = 0;
  memset(p[0], 0, sizeof p[0]);
  for (int b = 1; b <= m->nbody; b++)
    energy += body_momentum(m, w, b, V[b], p[m->body[b].link]);
  for (int i = 1; i < m->nlink && m->has_armature; i++) {
    const lw_joint_info *j = &m->joint[m->link[i].joint].info;
    const int body[2] = {j->parent.id, j->child.id};
    double own[2][6] = {{0}};
    if (!m->link[i].has_armature) continue;
    for (int k = 0; k < 2; k++)
      if (body[k] > 0) memcpy(own[k], V[body[k]], sizeof own[k]);
    energy += rotor_momenta(m, w, m->link[i].joint, own, p);
  }
  return energy;
}

#endif
