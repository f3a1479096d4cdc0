/* SPDX-License-Identifier: Apache-2.0 */
/* columns_data.h -- the data of lw_columns: a selection of result columns and what they are
   computed with. */
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
  int first_link; /* the first link whose joint's load is needed */
  lw_dynamics *dynamics;
  lw_work *work; /* owned */
  const lw_simulation
      *followed;            /* the simulation whose angles of cut joints are continuous; or NULL */
  double *q, *u, *udot;     /* of all joints, with the signs of quaternions as output */
  double (*orientation)[4]; /* [nbody + 1] as last output; NULL: not requested */
  int phase;                /* phase of the simulation that m belongs to */
  lwi_name_index index;     /* names of the columns; made after the first event */
  double pose[7], velocity[6], load[6], constraint_load[6], relation_load;
  double energy[3], energy_error, drift;
};

#endif
