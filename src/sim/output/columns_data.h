/* SPDX-License-Identifier: Apache-2.0 */
/* columns_data.h -- a selection of result columns and what they are computed with. */
#ifndef LWI_SIM_OUTPUT_COLUMNS_DATA_H
#define LWI_SIM_OUTPUT_COLUMNS_DATA_H
#include "base/name_index.h"
#include "linkwork/formulation.h"
#include "sim/output/columns.h"

struct lw_columns {
  const lw_model *m;
  int n, capacity;
  lwi_column *column; /* [n] */
  size_t *name;       /* [n] where the name begins in text */
  char *text;         /* the names, each terminated */
  size_t length, text_capacity;

  bool needs[LWI_COLUMN_KINDS];
  lw_dynamics *dynamics;
  lw_work *work;                 /* its own */
  const lw_simulation *followed; /* its angles of cut joints are continuous; or NULL */
  double *q, *u, *udot;          /* of all joints, quaternions as results show them */
  double (*orientation)[4];      /* [nbody + 1] as last shown; NULL: nobody asks */
  int phase;                     /* of the simulation, that m is the model of */
  lwi_name_index index;          /* names of the columns, after the first event */
  double pose[7], velocity[6], load[6], constraint_load[6], relation_load;
  double energy[3], energy_error, drift;
};

#endif
