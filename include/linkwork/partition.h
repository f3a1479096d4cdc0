/* SPDX-License-Identifier: Apache-2.0 */
/* partition.h -- coordinate partitioning of a Cartesian run in numbers: displacements of bodies are
   divided into independent ones, which are integrated, and dependent ones, which Newton's method
   finds ([Negrut2010]; docs/theory/cartesian.md). */
#ifndef LINKWORK_PARTITION_H
#define LINKWORK_PARTITION_H
#include "linkwork/simulate.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Why independent displacements were chosen. */
typedef enum {
  LW_CHOSEN_AT_START,
  LW_CHOSEN_FOR_PIVOTS, /* the weakest pivot had become much smaller than when they were chosen */
  LW_CHOSEN_FOR_RANK    /* other equations are independent now, or Newton's method failed */
} lw_partition_reason;
LW_API const char *lw_partition_reason_name(lw_partition_reason reason); /* "start", ... */

typedef struct {
  int displacements; /* of all bodies: 3 or 6 per body */
  int independent, rank;
  double weakest, chosen_with; /* smallest pivot relative to its row, 1 at best: of the last
                                  factors, and when the present ones were chosen */
  long choices[3];             /* by reason */
  double last_time;            /* of the last choice ... */
  lw_partition_reason last_reason;
  long newton_iterations, factors; /* so far; iterations beyond the factors reuse them */
} lw_partition_info;

/* A displacement of a body: 0, 1, 2 turns about x, y, z, and 3, 4, 5 shifts of the centre of mass
   along them, in ground axes; in planar models 2, 3 and 4 only. */
typedef struct {
  lw_body body;
  int direction;
} lw_displacement;

/* Of the present model.  LW_E_UNSUPPORTED: the formulation is not cartesian, or there are no
   constraints.  list: the first `most` independent displacements; may be NULL. */
LW_API lw_status lw_simulation_partition(const lw_simulation *sim, lw_partition_info *info,
                                         lw_displacement list[], int most);

#ifdef __cplusplus
}
#endif
#endif
