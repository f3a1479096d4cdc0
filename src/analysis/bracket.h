/* SPDX-License-Identifier: Apache-2.0 */
/* bracket.h -- speeds that are not rates of coordinates.

   A small displacement x of the tree is measured like a speed: dq = E(q) x with qdot = E(q) u.
   Where u are rates of q, derivatives along two displacements commute.  Angular velocities of
   spherical and free joints are not: derivatives D_x, D_y along constant x and y of any function of
   q satisfy

     D_x D_y - D_y D_x = D_[x,y]

   with the bracket of rotations, x x y, and of rigid motions. */
#ifndef LWI_ANALYSIS_BRACKET_H
#define LWI_ANALYSIS_BRACKET_H
#include "model/model.h"

/* out[nu] = [x, y] */
void lwi_bracket(const lw_model *m, const double x[], const double y[], double out[]);
/* Returns true if the bracket of some joint is not zero. */
bool lwi_has_bracket(const lw_model *m);

#endif
