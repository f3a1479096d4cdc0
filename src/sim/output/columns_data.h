/* SPDX-License-Identifier: Apache-2.0 */
/* columns_data.h -- the data of lw_columns: a selection of result columns and what they are
   computed with. */
#ifndef LWI_SIM_OUTPUT_COLUMNS_DATA_H
#define LWI_SIM_OUTPUT_COLUMNS_DATA_H
#include "base/name_index.h"
#include "linkwork/formulation.h"
#include "model/expression/expr.h"
#include "sim/output/columns.h"

enum { LWI_UNIT_SIZE = 48 };

/* an output among the columns */
typedef struct {
  int column, number; /* of the column, of the output */
  lwi_expr expr;      /* of parameters and all columns */
  char unit[LWI_UNIT_SIZE];
} lwi_output_column;

/* what the selected columns need */
typedef struct {
  bool joints; /* coordinates, speeds or accelerations of joints */
  bool bodies; /* more than those of the state */
  bool forces; /* what forces are, which an evaluation of the dynamics leaves in the work */
  bool loads;
  bool all;  /* they depend on all bodies */
  bool more; /* more than one evaluation has */
} lwi_column_uses;

struct lw_columns {
  const lw_model *m;
  int n, capacity;    /* all of them */
  int shown;          /* the first ones; the others are what outputs are made of */
  lwi_column *column; /* [n] */
  size_t *name;       /* [n] where the name begins in text */
  char *text;         /* the names, each terminated */
  size_t length, text_capacity;

  int noutput;
  lwi_output_column *output; /* [noutput] */
  double *slot, *slot_p;     /* [nparameter + n] values and derivatives, if there are outputs */

  bool needs[LWI_COLUMN_KINDS];
  lwi_column_uses uses; /* the same, summed up: rows of triggers are computed in each step */
  int first_link;       /* the first link whose joint's load is needed */
  lw_dynamics *dynamics;
  lw_work *work; /* owned */
  const lw_simulation
      *followed;            /* the simulation whose angles of cut joints are continuous; or NULL */
  double *q, *u, *udot;     /* of all joints, with the signs of quaternions as output */
  double (*orientation)[4]; /* [nbody + 1] as last output; NULL: not requested */
  int phase;                /* phase of the simulation that m belongs to */
  lwi_name_index index;     /* names of the columns; made after the first event */
  double pose[7], velocity[6], load[6], constraint_load[6], relation_load;
  double energy[3], energy_error, drift, measure, acceleration[6], motor[2], applied[6];
};

/* column_selection.c: one more column; an index of all names so far, which further ones then
   join */
lw_status lwi_columns_add(lw_columns *c, lwi_column column, const char *name);
bool lwi_columns_index(lw_columns *c);
/* column_units.c: "" where it is not known */
void lwi_output_unit(const lw_columns *c, int output, char unit[LWI_UNIT_SIZE]);
/* column_selection.c: switches to the model of the present phase of the simulation that is
   followed. */
lw_status lwi_columns_follow_phase(lw_columns *c);

#endif
