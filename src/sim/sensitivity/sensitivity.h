/* SPDX-License-Identifier: Apache-2.0 */
/* sensitivity.h -- sensitivities: functions for the rest of the layer. */
#ifndef LWI_SIM_SENSITIVITY_SENSITIVITY_H
#define LWI_SIM_SENSITIVITY_SENSITIVITY_H
#include "linkwork/sensitivity.h"

/* A run with objectives and without derivatives. */
lw_sensitivity *lwi_sensitivity_new_plain(const lw_model *m, const lw_sensitivity_options *options,
                                          lw_error *err);

#endif
