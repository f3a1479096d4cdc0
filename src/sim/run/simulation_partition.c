/* SPDX-License-Identifier: Apache-2.0 */
/* simulation_partition.c -- coordinate partitioning of a Cartesian run, as numbers. */
#include "cartesian/form/coordinate_partition.h"
#include "linkwork/partition.h"
#include "sim/formulation/cartesian_partition.h"
#include "sim/run/simulation_data.h"

const char *lw_partition_reason_name(lw_partition_reason reason)
{
  static const char *const names[] = {"start", "pivots", "rank"};
  return (unsigned)reason < 3 ? names[reason] : NULL;
}

/* In planar models a body turns about z and shifts along x and y. */
static lw_displacement read_column(const lwi_partition *p, int column)
{
  const int width = p->c->width, k = column % width;
  return (lw_displacement){{column / width + 1}, width == 3 ? k + 2 : k};
}

lw_status lw_simulation_partition(const lw_simulation *sim, lw_partition_info *info,
                                  lw_displacement list[], int most)
{
  if (!sim || !info || most < 0) return LW_E_ARG;
  const lwi_partition *p = lwi_cartesian_partition(sim->system->dynamics);
  if (!p) return LW_E_UNSUPPORTED;
  int columns = 0;
  for (int j = 0; j < p->n; j++)
    columns += p->column_weight[j] > 0;
  *info = (lw_partition_info){.displacements = columns,
                              .independent = p->nindependent,
                              .rank = columns - p->nindependent,
                              .weakest = lwi_pivoted_weakest(p->lu),
                              .chosen_with = p->best,
                              .choices = {p->choices[0], p->choices[1], p->choices[2]},
                              .last_time = p->last_time,
                              .last_reason = (lw_partition_reason)p->last_reason,
                              .newton_iterations = p->newton,
                              .factors = p->factors};
  for (int i = 0; i < p->nindependent && i < most && list; i++)
    list[i] = read_column(p, p->independent[i]);
  return LW_OK;
}
