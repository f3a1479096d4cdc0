/* SPDX-License-Identifier: Apache-2.0 */
/* run_partition.c -- the report of a run: which coordinates of a Cartesian run were independent. */
#include "linkwork/partition.h"
#include "run_summary.h"

enum { MOST = 200 }; /* displacements that are listed */
static const char *const directions[] = {"turn x", "turn y", "turn z", "x", "y", "z"};

void run_partition_print(const run_result *r)
{
  lw_partition_info p;
  if (lw_simulation_partition(r->sim, &p, NULL, 0) != LW_OK) return;
  printf("partition         %d of %d displacements independent, rank %d; weakest pivot %.3g, %.3g "
         "when chosen\n",
         p.independent, p.displacements, p.rank, p.weakest, p.chosen_with);
  printf("                  chosen %ld time%s: %ld at the start, %ld for its pivots, %ld for its "
         "rank; last at t = %.6g (%s)\n",
         p.choices[0] + p.choices[1] + p.choices[2],
         plural(p.choices[0] + p.choices[1] + p.choices[2]), p.choices[0], p.choices[1],
         p.choices[2], p.last_time, lw_partition_reason_name(p.last_reason));
  printf("                  %ld Newton iterations, %ld factors\n", p.newton_iterations, p.factors);
}

void run_partition_json(json *j, const run_result *r)
{
  lw_partition_info p;
  lw_displacement list[MOST];
  if (lw_simulation_partition(r->sim, &p, list, MOST) != LW_OK) return;
  json_object(j, "partition");
  json_integer(j, "displacements", p.displacements);
  json_integer(j, "rank", p.rank);
  json_integer(j, "freedoms", p.independent);
  json_list(j, "independent");
  for (int i = 0; i < p.independent && i < MOST; i++) {
    json_object(j, NULL);
    json_text(j, "body", lw_body_name(lw_simulation_model(r->sim), list[i].body));
    json_text(j, "direction", directions[list[i].direction]);
    json_object_end(j);
  }
  json_list_end(j);
  json_number(j, "weakest_pivot", p.weakest);
  json_number(j, "chosen_with", p.chosen_with);
  json_object(j, "choices");
  for (int i = 0; i < 3; i++)
    json_integer(j, lw_partition_reason_name((lw_partition_reason)i), p.choices[i]);
  json_object_end(j);
  json_number(j, "last_time", p.last_time);
  json_text(j, "last_reason", lw_partition_reason_name(p.last_reason));
  json_integer(j, "newton_iterations", p.newton_iterations);
  json_integer(j, "factors", p.factors);
  json_object_end(j);
}
