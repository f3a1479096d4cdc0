/* SPDX-License-Identifier: Apache-2.0 */
/* mjcf_gain.h -- gain, bias and dynamics of an actuator: with the length l and its rate of what it
   acts on and the control c, its force is gain(l, l') c + bias(l, l'). */
#ifndef LWI_IO_MJCF_MJCF_GAIN_H
#define LWI_IO_MJCF_MJCF_GAIN_H
#include "io/mjcf/mjcf.h"

enum {
  LWI_MJCF_GENERAL,
  LWI_MJCF_MOTOR,
  LWI_MJCF_POSITION,
  LWI_MJCF_VELOCITY,
  LWI_MJCF_DAMPER,
  LWI_MJCF_INTVELOCITY,
  LWI_MJCF_CYLINDER
};
/* -1: none of them */
int lwi_mjcf_actuator_kind(const char *name);

typedef struct {
  double gain[3], bias[3]; /* 1, l, l' */
  double time;             /* of the filter */
  double dampratio;        /* sets bias[2], if not 0 */
  const char *gaintype, *biastype, *dyntype;
} lwi_mjcf_gain;

bool lwi_mjcf_read_gain(const lwi_mjcf *x, const lwi_mjcf_item *item, lwi_mjcf_gain *out);
/* An attribute that all kinds share, of any of their default elements; NULL: none. */
const char *lwi_mjcf_actuator_get(const lwi_mjcf *x, const lwi_mjcf_item *item, const char *name);

#endif
