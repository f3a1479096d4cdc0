/* SPDX-License-Identifier: Apache-2.0 */
/* column_measures.h -- values of the columns that are measures. */
#ifndef LWI_SIM_OUTPUT_COLUMN_MEASURES_H
#define LWI_SIM_OUTPUT_COLUMN_MEASURES_H
#include "linkwork/dynamics.h"
#include "sim/output/column_names.h"

/* After kinematics. */
double lwi_measure_value(const lw_model *m, const lw_work *w, const lwi_measure *e);
/* The largest component of the vector that it belongs to. */
double lwi_measure_scale(const lw_model *m, const lw_work *w, const lwi_measure *e);

#endif
