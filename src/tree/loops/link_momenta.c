/* SPDX-License-Identifier: Apache-2.0 */
/* link_momenta.c -- momenta of links whose bodies move with given velocities.  Compiled twice
   (at_state.h). */
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
  return energy;
}

#endif
