/* SPDX-License-Identifier: Apache-2.0 */
/* self_stress.h -- what a state of self-stress, given by its multipliers, does at every joint. */
#ifndef LWI_SIM_FORMULATION_SELF_STRESS_H
#define LWI_SIM_FORMULATION_SELF_STRESS_H
#include "tree/loops/work.h"

typedef struct {
  const lw_model *m;
  lw_work *w;
  double *lambda;    /* [nrow] given, for the rows of the closure */
  double (*link)[6]; /* [nlink] scratch */
  double (
      *joint)[6]; /* [njoint + 1] [torque; force] on the child at its joint frame, ground axes */
  double (*constraint)[6]; /* [nconstraint + 1] the same; of a relation its multiplier first */
  double scale;            /* the largest load of a row */
} lwi_stress;

bool lwi_stress_new(lwi_stress *s, const lw_model *m, lw_work *w); /* false: out of memory */
void lwi_stress_free(lwi_stress *s);
/* Loads of lambda; after forward dynamics or lwi_closure_balance. */
void lwi_stress_loads(lwi_stress *s);

#endif
