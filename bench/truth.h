/* SPDX-License-Identifier: Apache-2.0 */
/* truth.h -- the dynamics of a mechanism in quadruple precision, to judge every engine by, linkwork
   included.  Written for clarity and digits, not for speed; shares no code with linkwork.
   Each returns false when out of memory. */
#ifndef BENCH_TRUTH_H
#define BENCH_TRUTH_H
#include "mechanism.h"
#ifdef __cplusplus
extern "C" {
#endif

bool truth_inverse_dynamics(const mechanism *m, const mechanism_state *s, double tau[]);
bool truth_mass_matrix(const mechanism *m, const mechanism_state *s, double M[]); /* [nu*nu] */
bool truth_forward_dynamics(const mechanism *m, const mechanism_state *s, double udot[]);

#ifdef __cplusplus
}
#endif
#endif
