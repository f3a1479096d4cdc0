/* SPDX-License-Identifier: Apache-2.0 */
/* tree_impulse.h -- forward dynamics in impulse form, for sudden changes of motion.

   With momenta p on the links, those before an event and the impulses applied in it, the speeds
   after it are

     M u = J^T p + G^T lambda,   G u = nu

   that is, velocities V = J u are the M-orthogonal projection of M^-1 p on those that the mechanism
   allows (docs/theory/events.md).  Nothing allocates. */
#ifndef LWI_TREE_LOOPS_TREE_IMPULSE_H
#define LWI_TREE_LOOPS_TREE_IMPULSE_H
#include "model/exchange.h"
#include "model/model.h"

struct lw_work;

/* Momenta of the links about their origins from velocities of the bodies' origins [w; v], in ground
   axes; after kinematics.  Returns the kinetic energy. */
double lwi_link_momenta(const lw_model *m, const struct lw_work *w, double (*V)[6], double (*p)[6]);
/* Momentum of one link with motion V. */
void lwi_link_momentum(const lw_model *m, const struct lw_work *w, int link, const double V[6],
                       double p[6]);
/* Their sum: [angular about the ground origin; linear]. */
void lwi_total_momentum(const lw_model *m, const struct lw_work *w, double (*p)[6], double h[6]);
/* A load [torque; force] at a point, as one about the origin of a link. */
void lwi_link_load_at(const lw_model *m, const struct lw_work *w, int link, const double point[3],
                      const double load[6], double out[6]);

/* The inverse: a load about the origin of a link, as one at a point. */
void lwi_load_from_link(const lw_model *m, const struct lw_work *w, int link, const double point[3],
                        const double load[6], double out[6]);

/* u from momenta p[nlink], at q and time t; out may be NULL.  Leaves kinematics of q, u in w.
   LW_E_UNSUPPORTED: there are too many loops in series (m->tree_constraints.local); divide and
   conquer can be used instead. */
lw_status lwi_tree_impulse(const lw_model *m, struct lw_work *w, double t, const double q[],
                           double (*p)[6], double u[], lwi_impulses *out);

#endif
