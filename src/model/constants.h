/* SPDX-License-Identifier: Apache-2.0 */
/* constants.h -- from written numbers to the numbers of a model.  All that is declared here is compiled
   twice (twice.h): for the numbers, while a model is compiled, and for their derivatives, when it is there.
   It reads the spec and the structure of c->m and puts numbers into c->out: c->m itself, or a model that
   holds derivatives. */
#ifndef LWI_MODEL_CONSTANTS_H
#define LWI_MODEL_CONSTANTS_H
#include "model/compile.h"

/* ---- into and out of models ---- */

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
static inline void lwi_get(const double x[], const double change[], int n, num out[])
{
  for (int i = 0; i < n; i++)
    out[i] = num_of(x[i], change ? change[i] : 0);
}
/* change is not read for values; NULL: zeros */
static inline num_frame lwi_get_frame(const lwi_frame *X, const lwi_frame *change)
{
  num_frame out;
  lwi_get(&X->R.c[0][0], change ? &change->R.c[0][0] : NULL, 12, &out.R.c[0][0]);
  lwi_get(X->p, change ? change->p : NULL, 4, out.p);
  return out;
}
static inline num_joint_shape lwi_get_shape(const lwi_joint_shape *j, const lwi_joint_shape *change)
{
  num_joint_shape out = {.type = j->type, .planar = j->planar, .nq = j->nq, .nu = j->nu};
  lwi_get(j->axis, change->axis, 3, out.axis);
  lwi_get(j->axis2, change->axis2, 3, out.axis2);
  out.pitch = num_of(j->pitch, change->pitch);
  return out;
}
static inline void lwi_keep_shape(const num_joint_shape *j, lwi_joint_shape *out)
{
  *out = (lwi_joint_shape){.type = j->type, .planar = j->planar, .nq = j->nq, .nu = j->nu};
  lwi_keep(j->axis, 3, out->axis);
  lwi_keep(j->axis2, 3, out->axis2);
  out->pitch = kept_of(j->pitch);
}
static inline void lwi_keep_equations(const num_equations *e, lwi_equations *out)
{
  *out = (lwi_equations){.n = e->n, .number = kept_of(e->number), .sine = kept_of(e->sine)};
  memcpy(out->row, e->row, sizeof out->row);
  lwi_keep_rot(&e->E, &out->E);
  lwi_keep(e->b, 3, out->b);
}
/* the frame of a body in its link's */
num_frame lwi_body_in_link(const lwi_compiler *c, int body);

/* ---- read: frames.c ---- */

/* The values of n written numbers, or of the expressions they stand for; all must be finite. */
bool lwi_read(lwi_compiler *c, const double written[], int n, const char *field, num out[]);
/* A unit quaternion from the numbers of an orientation. */
bool lwi_orientation(lwi_compiler *c, lw_orient_type type, const double value[4], const char *field,
                     num quat[4]);
bool lwi_place(lwi_compiler *c, const lw_place *place, const char *field, num_frame *out);
/* A unit vector; fallback: of zeros. */
bool lwi_axis(lwi_compiler *c, const double written[3], const num fallback[3], const char *field,
              num out[3]);

/* ---- the parts; errors come in the order of the fields ---- */

bool lwi_gravity_numbers(lwi_compiler *c);                                 /* frames.c */
bool lwi_solid_of(lwi_compiler *c, const lw_body_desc *d, num_solid *out); /* solids.c */
/* hinges.c: initial coordinates and speeds, of written joints and of bodies that float; then frames and
   axes, by number of the joint */
bool lwi_hinge_of(lwi_compiler *c, const lw_joint_desc *d, lwi_hinge *out);
bool lwi_float_hinge(lwi_compiler *c, int body, lwi_hinge *out);
bool lwi_joint_numbers(lwi_compiler *c, int joint);
bool lwi_free_numbers(lwi_compiler *c, int joint);
/* link_numbers.c: of the link that the joint carries, and of its body; joints of inward links are known */
void lwi_link_numbers(lwi_compiler *c, int joint);

/* constraint_numbers.c, by number in the spec, from 1 */
bool lwi_geometric_numbers(lwi_compiler *c, int id);
bool lwi_relation_numbers(lwi_compiler *c, int id);
bool lwi_start_driver(lwi_compiler *c, int id);
/* docs/format.md 4.8: which way parallel axes point is that of the start, where the bodies have these poses */
void lwi_choose_senses(lwi_compiler *c, const num_frame pose[]);

bool lwi_compile_start(lwi_compiler *c); /* start.c: the written state, by joints of the tree */
/* tie_numbers.c: frames of what closes loops, and the typical length */
void lwi_pair_numbers(lwi_compiler *c);

/* force_numbers.c, by index in the spec, from 0 */
bool lwi_spring_numbers(lwi_compiler *c, int i);
bool lwi_joint_spring_numbers(lwi_compiler *c, int i);
bool lwi_load_numbers(lwi_compiler *c, int i);
bool lwi_bushing_numbers(lwi_compiler *c, int i);

/* event_numbers.c: times, impulses and places of an event */
bool lwi_event_numbers(lwi_compiler *c, const lw_event_desc *d, lwi_event *out);

#endif
