/* SPDX-License-Identifier: Apache-2.0 */
/* lwt_measures.h -- forces that see what they act on, for random models. */
#ifndef LWT_MEASURES_H
#define LWT_MEASURES_H
#include "linkwork/signals.h"

/* Adds points, a spring, loads and a motor with expressions of random measures.  Once per spec. */
void lwt_add_measured_forces(lw_spec *s, unsigned seed);

#endif
