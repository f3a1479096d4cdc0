/* SPDX-License-Identifier: Apache-2.0 */
/* results_phases.c -- the models of a run that a file of results holds: those that its events made (sim/run/transitions.h). */
#include "base/fail.h"
#include "io/results/results_data.h"
#include "linkwork/simulate.h"
#include "sim/run/transitions.h"

lw_status lw_results_phases(const lw_results *r, const lw_model *m, lw_phase_callback each,
                            void *context, lw_error *err)
{
  lw_error unused;
  if (!err) err = &unused;
  *err = (lw_error){.status = LW_OK};
  if (!r || !m || !each)
    return lwi_fail(err, LW_E_ARG, "lw_results_phases: an argument is missing");
  const lwi_record_list *l = &r->record[LWI_RECORD_TRANSITION];
  if (l->n == 0) return LW_OK;
  lw_simulation *sim = lw_simulation_new(m, NULL, err);
  if (!sim) return err->status;
  const lw_status status = lwi_transitions_visit(
      sim, (const double *)l->item, (size_t)l->n * LWI_TRANSITION_BLOCK, each, context, err);
  lw_simulation_free(sim);
  return status;
}
