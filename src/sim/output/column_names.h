/* SPDX-License-Identifier: Apache-2.0 */
/* column_names.h -- the result columns of a model, in order, and their names. */
#ifndef LWI_SIM_OUTPUT_COLUMN_NAMES_H
#define LWI_SIM_OUTPUT_COLUMN_NAMES_H
#include "linkwork/model.h"
#include "model/measure.h"

typedef enum {
  LWI_COLUMN_TIME,
  LWI_COLUMN_Q,
  LWI_COLUMN_U,
  LWI_COLUMN_UDOT,
  LWI_COLUMN_POSE,            /* of a body: x y z e0 ... e3 */
  LWI_COLUMN_VELOCITY,        /* of a body: [w; v] */
  LWI_COLUMN_MEASURE,         /* model/measure.h */
  LWI_COLUMN_ACCELERATION,    /* of a body or point: [angular; linear] */
  LWI_COLUMN_MOTOR,           /* load, power; id: 1 + motor */
  LWI_COLUMN_APPLIED,         /* of a force: [torque; force]; id: 1 + load */
  LWI_COLUMN_ELEMENT,         /* of a joint spring, torsion or bushing: its load; id: 1 + number */
  LWI_COLUMN_LOAD,            /* of a joint: [torque; force] */
  LWI_COLUMN_CONSTRAINT_LOAD, /* of a geometric constraint: [torque; force] */
  LWI_COLUMN_RELATION_LOAD,   /* of a gear, coupler or driver */
  LWI_COLUMN_FREEDOM, /* where a freedom with limits or friction is: lwi_freedom_state; id: 1 + the
                                 number of its first event */
  LWI_COLUMN_ENERGY,  /* kinetic, potential, total */
  LWI_COLUMN_ENERGY_ERROR, /* of the energy balance: balance.h */
  LWI_COLUMN_DRIFT,
  LWI_COLUMN_STATE,  /* component: its place in q */
  LWI_COLUMN_OUTPUT, /* id: 1 + its number */
  LWI_COLUMN_KINDS,
  LWI_COLUMN_NOTHING = LWI_COLUMN_KINDS /* does not exist at present */
} lwi_column_kind;

typedef struct {
  lwi_column_kind kind;
  int id;        /* of the body, joint or constraint; measures and accelerations: 1 + frame */
  int component; /* q, u, udot: index in the array of all joints; else index within the quantity
                    named above */
  lwi_measure measure;
} lwi_column;

/* column_measures.c: a column that exists but is not listed: a measure other than those of points,
   the acceleration of a body.  False: there is no such column. */
bool lwi_column_find(const lw_model *m, const char *name, lwi_column *out);

/* Calls visit for every column of the model; a status other than LW_OK ends the walk.  The name is
   valid during the call only. */
typedef lw_status lwi_column_visit(void *context, lwi_column column, const char *name);
lw_status lwi_columns_walk(const lw_model *m, lwi_column_visit *visit, void *context);
/* The same for all columns that may exist in the course of the events; those of inactive joints
   have id 0. */
lw_status lwi_columns_walk_all(const lw_model *m, lwi_column_visit *visit, void *context);

#endif
