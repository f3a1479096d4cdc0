/* SPDX-License-Identifier: Apache-2.0 */
/* displacement.h -- displacement of tree coordinates q from others q0, such as those written.

   Half the squared distance of one joint is

     1/2 c |q - q0|^2       of angles and distances
     2 c |v|^2              of a rotation, with e0* e = (s, v): about 1/2 c angle^2

   and x is its gradient along the speeds for c = 1: q - q0, 2 s v, and for the translation of a
   free joint p - p0 in the axes of its speeds. */
#ifndef LWI_TREE_LOOPS_DISPLACEMENT_H
#define LWI_TREE_LOOPS_DISPLACEMENT_H
#include "model/model.h"

/* x [nu] */
void lwi_displacement(const lw_model *m, const double q[], const double q0[], double x[]);
/* its derivative where q moves with speeds xi and q0 with rates q01 (NULL: constant) */
void lwi_displacement_rate(const lw_model *m, const double q[], const double xi[],
                           const double q0[], const double q01[], double x1[]);
/* Half the squared distance for weights c [nu], with x as above. */
double lwi_half_square_distance(const lw_model *m, const double weight[], const double q[],
                                const double q0[], const double x[]);

#endif
