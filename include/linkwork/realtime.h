/* SPDX-License-Identifier: Apache-2.0 */
/* realtime.h -- for programs that must not allocate: a work in memory of the caller, and fixed
   steps. */
#ifndef LINKWORK_REALTIME_H
#define LINKWORK_REALTIME_H
#include "linkwork/dynamics.h"
#ifdef __cplusplus
extern "C" {
#endif

/* A work in `size` bytes of the caller, at least lw_work_size(m) and aligned to 64 bytes; it need
   not be freed. */
LW_API size_t lw_work_size(const lw_model *m);
LW_API lw_work *lw_work_init(const lw_model *m, void *mem, size_t size);

/* One step of size dt with LW_INTEGRATOR_RK4 or LW_INTEGRATOR_EULER; tau is constant during the
   step. */
LW_API lw_status lw_step(lw_work *w, lw_integrator method, double dt, const double tau[], double *t,
                         double q[], double u[]);

#ifdef __cplusplus
}
#endif
#endif
