/* SPDX-License-Identifier: Apache-2.0 */
/* variation.h -- derivatives by one parameter, behind one face: exactly (exact_variation.c), or from
   neighbours, models with nearby values of the parameter (neighbours.c).

   y is that of a system (system.h), y1 its derivative; a prime is d/dp at fixed time. */
#ifndef LWI_SIM_VARIATION_H
#define LWI_SIM_VARIATION_H
#include "linkwork/simulate.h"
#include "sim/system.h"

typedef struct lwi_variation lwi_variation;
struct lwi_variation {
  int parameter;      /* its index in the model */
  lwi_system *system; /* of the model itself: last asked for the rate at the y given below */

  /* Derivatives of all parameters by this one: [nparameter]. */
  const double *parameters;

  /* Of the initial state, loops closed. */
  lw_status (*start)(lwi_variation *v, double t, const double y[], double y1[]);
  /* Of the rate f at y, with y1. */
  lw_status (*rate)(lwi_variation *v, double t, const double y[], const double f[],
                    const double y1[], double f1[]);
  /* Makes y1 satisfy the differentiated constraints; y does satisfy them. */
  lw_status (*show)(lwi_variation *v, double t, const double y[], double y1[]);
  /* As of the system. */
  lw_status (*settle)(lwi_variation *v, double t, const double y[], const double y1[], double h);
  void (*be_careful)(lwi_variation *v, bool careful);
  /* Of the columns of set `set`, which watch has announced, at a shown state. */
  lw_status (*watch)(lwi_variation *v, int set, const char *patterns, lw_error *err);
  lw_status (*row)(lwi_variation *v, int set, lw_columns *columns, double t, const double y[],
                   const double y1[], double row1[]);
  void (*free)(lwi_variation *v);
};

enum { LWI_VARIATION_SETS = 2 }; /* of columns: those of objectives, those of results */

/* NULL: see err.  The model must keep its spec. */
lwi_variation *lwi_neighbours_new(const lw_model *m, const lw_simulation_options *options,
                                  int parameter, lw_error *err);

#endif
