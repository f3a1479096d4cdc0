/* SPDX-License-Identifier: Apache-2.0 */
/* linkwork.h -- rigid multibody dynamics of any topology: the everyday header.

   spec.h      describe bodies, joints, forces       lw_spec
   model.h     compile it and ask                    lw_model, immutable, shareable
   dynamics.h  compute                               lw_work, one per thread
   dca.h       the same in parallel, with loops      lw_dca, one per caller's thread
   formulation.h  accelerations and loads by any formulation      lw_dynamics
   simulate.h  integrate, name the results           lw_simulation, lw_columns
   sensitivity.h  derivatives of whole runs by parameters         lw_sensitivity
   analysis.h  equilibrium, linearisation, modes     lw_linearization, lw_modes
   file.h      read models, write results
   core.h has the first three and, beside them, graph.h (graphs without mechanics) and sko.h (spatial
   kernel operators).

   SI units, radians.  Spatial vectors are angular first.  Quaternions are (w, x, y, z).  X_PB is the
   pose of frame B in frame P.  A descriptor field left zero takes its default. */
#ifndef LINKWORK_LINKWORK_H
#define LINKWORK_LINKWORK_H
#include "linkwork/analysis.h"
#include "linkwork/cartesian.h"
#include "linkwork/dca.h"
#include "linkwork/file.h"
#include "linkwork/formulation.h"
#include "linkwork/sensitivity.h"
#endif
