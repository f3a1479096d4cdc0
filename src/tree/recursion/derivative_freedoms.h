/* SPDX-License-Identifier: Apache-2.0 */
/* derivative_freedoms.h -- derivatives of the motion of all links by the position and speed of one
   freedom.

   Spatial vectors are about a fixed point; x and x* are the cross products of motions and of
   loads.  A motion along freedom k moves its subtree rigidly by S_k.  Relative to the subtree only
   the parent moves, by -S_k, and with it those columns of the same joint that are fixed in the
   parent:
     d_k S_l = S_k x S_l + E_kl,   E_kl = 0 or -S_k x S_l
   The velocities and accelerations of the subtree, in its own axes, change by
     dv = Y_k,  da = X_k - v x Y_k
     Y_k = v_p x S_k + e_k,                     e_k = sum_l E_kl u_l
     X_k = a_p x S_k + v_p x (v_p x S_k) + (v_k + v_p) x e_k + sum_l E_kl udot_l + d_k s
   and by a change of speed k
     dv = S_k,  da = P_k - v x S_k,             P_k = (v_p + v_k) x S_k + ds/du_k
   where s = sum_k u_k e_k.  After [Carpentier2018] and [Singh2022], for joints of any freedoms;
   docs/theory/derivatives.md. */
#ifndef LWI_TREE_RECURSION_DERIVATIVE_FREEDOMS_H
#define LWI_TREE_RECURSION_DERIVATIVE_FREEDOMS_H
#include "tree/recursion/joint_motion_derivative.h"
#include "tree/recursion/derivative_work.h"

static inline motion motion_cross(motion a, motion b)
{
  return (motion){v3_cross(a.w, b.w), v3_add_cross(v3_cross(a.w, b.v), a.v, b.w)};
}
/* a + b x c */
static inline motion motion_add_cross(motion a, motion b, motion c)
{
  return (motion){v3_add_cross(a.w, b.w, c.w), v3_add_cross(v3_add_cross(a.v, b.w, c.v), b.v, c.w)};
}
/* a + b x* c */
static inline force force_add_cross(force a, motion b, force c)
{
  return (force){v3_add_cross(v3_add_cross(a.t, b.w, c.t), b.v, c.f), v3_add_cross(a.f, b.w, c.f)};
}
/* classical acceleration of the origin to spatial acceleration */
static inline motion spatial_acceleration(const link_state *s)
{
  return (motion){s->A.w, v3_add_cross(s->A.v, s->V.v, s->V.w)};
}

/* ---- columns that are fixed in the parent ---- */

/* E_kl */
static inline motion column_stay(lwi_kind kind, const freedom *fr, int k, int l)
{
  return column_stays(kind, k, l) ? motion_cross(fr[l].S, fr[k].S) : motion_zero();
}

/* e_k, what E adds to da, and ds/du_k */
typedef struct {
  motion e, a, s;
} joint_stay;

static joint_stay find_stay(const lwi_link *L, const freedom *fr, int k, const real *u,
                            const real *udot)
{
  const lwi_kind kind = (lwi_kind)L->kind;
  joint_stay out = {motion_zero(), motion_zero(), motion_zero()};
  for (int l = 0; l < L->nu; l++) {
    const motion E = column_stay(kind, fr, k, l);
    out.e = motion_fma(out.e, E, u[l]);
    if (udot) out.a = motion_fma(out.a, E, udot[l]);
  }
  if (joint_keeping(kind) == KEEPS_ALL) return out; /* s is zero, whatever u */
  /* d_k s = - sum over columns l that are fixed under i of u_i u_l (E_ki x S_l + S_i x E_kl) */
  out.s = out.e;
  for (int i = 0; i < L->nu; i++) {
    out.s = motion_fma(out.s, column_stay(kind, fr, i, k), u[i]);
    for (int l = 0; l < L->nu; l++) {
      if (!column_stays(kind, i, l)) continue;
      const motion turned = motion_add_cross(motion_cross(column_stay(kind, fr, k, i), fr[l].S),
                                             fr[i].S, column_stay(kind, fr, k, l));
      out.a = motion_fma(out.a, turned, -u[i] * u[l]);
    }
  }
  return out;
}

/* ---- X, Y, P of the freedoms of a link, about its origin ---- */

/* the parent's motion as seen at the link's origin */
typedef struct {
  motion v, a;
} parent_motion;

static inline parent_motion find_parent(const lw_model *m, const lwi_tree_work *w, int i)
{
  const link_state *parent = &w->link[m->link[i].parent];
  const vec3 r = w->link[i].r;
  return (parent_motion){motion_at(parent->V, r), motion_at(spatial_acceleration(parent), r)};
}

static inline freedom_response find_response(const lwi_link *L, const freedom *fr, int k,
                                             const parent_motion *p, motion v, const real *u,
                                             const real *udot)
{
  const motion S = fr[k].S, sum = motion_add(p->v, v);
  freedom_response o;
  o.Y = motion_cross(p->v, S);
  o.X = motion_add_cross(motion_cross(p->a, S), p->v, o.Y);
  o.P = motion_cross(sum, S);
  if (joint_keeping((lwi_kind)L->kind) == KEEPS_NONE) return o;
  const joint_stay stay = find_stay(L, fr, k, u + L->u, udot ? udot + L->u : NULL);
  o.Y = motion_add(o.Y, stay.e);
  o.X = motion_add(motion_add_cross(o.X, sum, stay.e), stay.a);
  o.P = motion_add(o.P, stay.s);
  return o;
}

#endif
