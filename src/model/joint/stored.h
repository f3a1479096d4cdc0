/* SPDX-License-Identifier: Apache-2.0 */
/* stored.h -- numbers into and out of models.  A model keeps doubles; a model that holds
   derivatives has the same records.  What is put there is a value, or with LW_DERIVATIVE its
   derivative (math/num.h); what is read comes from both, and with values alone from where it is,
   without a copy. */
#ifndef LWI_MODEL_JOINT_STORED_H
#define LWI_MODEL_JOINT_STORED_H
#include "model/joint/equations.h"

/* ---- put ---- */

static inline void lwi_keep(const num x[], int n, double out[])
{
  for (int i = 0; i < n; i++)
    out[i] = kept_of(x[i]);
}
static inline void lwi_keep_rot(const num_rot *R, rot3 *out)
{
  lwi_keep(&R->c[0][0], 12, &out->c[0][0]);
}
static inline void lwi_keep_frame(const num_frame *X, lwi_frame *out)
{
  lwi_keep_rot(&X->R, &out->R);
  lwi_keep(X->p, 3, out->p);
}
static inline void lwi_keep_shape(const num_joint_shape *j, lwi_joint_shape *out)
{
  *out = (lwi_joint_shape){.type = j->type, .planar = j->planar, .nq = j->nq, .nu = j->nu};
  lwi_keep(j->axis[0], 3 * LWI_MOST_AXES, out->axis[0]);
  out->pitch = kept_of(j->pitch);
}
static inline void lwi_keep_equations(const num_equations *e, lwi_equations *out)
{
  *out = (lwi_equations){.n = e->n, .number = kept_of(e->number), .sine = kept_of(e->sine)};
  memcpy(out->row, e->row, sizeof out->row);
  lwi_keep_rot(&e->E, &out->E);
  lwi_keep(e->b, 3, out->b);
}

/* ---- read; x_p: the derivatives of x, not read for values; NULL: zeros ---- */

static inline num lwi_number(const double x[], const double x_p[], int i)
{
  return num_of(x[i], LW_DERIVATIVE && x_p ? x_p[i] : 0);
}
static inline void lwi_get(const double x[], const double x_p[], int n, num out[])
{
  for (int i = 0; i < n; i++)
    out[i] = lwi_number(x, x_p, i);
}
static inline num_frame lwi_get_frame(const lwi_frame *X, const lwi_frame *X_p)
{
  num_frame out;
  lwi_get(&X->R.c[0][0], X_p ? &X_p->R.c[0][0] : NULL, 12, &out.R.c[0][0]);
  lwi_get(X->p, X_p ? X_p->p : NULL, 4, out.p);
  return out;
}
static inline num_joint_shape lwi_get_shape(const lwi_joint_shape *j, const lwi_joint_shape *j_p)
{
  num_joint_shape out = {.type = j->type, .planar = j->planar, .nq = j->nq, .nu = j->nu};
  lwi_get(j->axis[0], j_p ? j_p->axis[0] : NULL, 3 * LWI_MOST_AXES, out.axis[0]);
  out.pitch = lwi_number(&j->pitch, j_p ? &j_p->pitch : NULL, 0);
  return out;
}
static inline num_equations lwi_get_equations(const lwi_equations *e, const lwi_equations *e_p)
{
  num_equations out = {.n = e->n};
  memcpy(out.row, e->row, sizeof out.row);
  lwi_get(&e->E.c[0][0], e_p ? &e_p->E.c[0][0] : NULL, 12, &out.E.c[0][0]);
  lwi_get(e->b, e_p ? e_p->b : NULL, 4, out.b);
  out.number = lwi_number(&e->number, e_p ? &e_p->number : NULL, 0);
  out.sine = lwi_number(&e->sine, e_p ? &e_p->sine : NULL, 0);
  return out;
}

/* ---- read in place: own is where a copy goes if there has to be one ---- */

#if LW_DERIVATIVE
#define LWI_IN_PLACE(get, x, x_p, own) (*(own) = get(x, x_p), own)
#else
#define LWI_IN_PLACE(get, x, x_p, own) ((void)(x_p), (void)(own), x)
#endif
static inline const num_joint_shape *lwi_shape_in(const lwi_joint_shape *j,
                                                  const lwi_joint_shape *j_p, num_joint_shape *own)
{
  return LWI_IN_PLACE(lwi_get_shape, j, j_p, own);
}
static inline const num_equations *lwi_equations_in(const lwi_equations *e,
                                                    const lwi_equations *e_p, num_equations *own)
{
  return LWI_IN_PLACE(lwi_get_equations, e, e_p, own);
}
#undef LWI_IN_PLACE

#endif
