/* SPDX-License-Identifier: Apache-2.0 */
/* all.h -- everything: linkwork.h, and in addition

   query.h            further queries of a model
   loops.h            closed loops and constraints
   quantities.h       the mass matrix without zeros, its determinant, power
   batch.h            many states at once
   realtime.h         without allocation: work in memory of the caller, fixed steps
   derivatives.h      exact derivatives of dynamics.h               lw_derivatives
   formulation.h      motion and loads by any formulation           lw_dynamics
   dca.h              divide and conquer, in parallel               lw_dca
   dca_derivatives.h  its derivatives                               lw_dca_derivatives
   cartesian.h        the Cartesian descriptor form                 lw_cartesian
   solvers.h          solvers of its linear systems                 lw_solver
   events.h           callbacks and events of a simulation, singular configurations
   columns.h          results by name                               lw_columns
   contacts.h         contacts of bodies
   signals.h          points, states, inputs, sampled values, servos, outputs
   shapes.h           what bodies look like
   sensitivity.h      derivatives of whole runs by parameters       lw_sensitivity
   analysis.h         equilibrium, linearisation, modes             lw_linearization, lw_modes
   design.h           which cases a study computes
   study.h            many cases of one model                       lw_study
   ranks.h            the same on many machines, by MPI
   fit.h              parameters from measurements                  lw_fit
   optimize.h         least objectives between bounds               lw_optimization
   partition.h        independent coordinates of Cartesian runs
   redundancy.h       dependent equations, and how to release them  lw_redundancy
   inspect.h          the topology of a model                       lw_topology
   sko.h              spatial kernel operators                      lw_sko
   graph.h, order.h   graphs and numberings, without mechanics
   reader.h           for programs that build specs
   code.h             a model as C without dependencies
   output.h           texts and pictures in files
   scene.h            what a picture of a mechanism shows
   results.h          files of results                              lw_results */
#ifndef LINKWORK_ALL_H
#define LINKWORK_ALL_H
#include "linkwork/analysis.h"
#include "linkwork/batch.h"
#include "linkwork/cartesian.h"
#include "linkwork/code.h"
#include "linkwork/columns.h"
#include "linkwork/contacts.h"
#include "linkwork/core.h"
#include "linkwork/design.h"
#include "linkwork/events.h"
#include "linkwork/fit.h"
#include "linkwork/formulation.h"
#include "linkwork/linkwork.h"
#include "linkwork/optimize.h"
#include "linkwork/order.h"
#include "linkwork/output.h"
#include "linkwork/results.h"
#include "linkwork/partition.h"
#include "linkwork/ranks.h"
#include "linkwork/realtime.h"
#include "linkwork/redundancy.h"
#include "linkwork/scene.h"
#include "linkwork/sensitivity.h"
#include "linkwork/shapes.h"
#include "linkwork/signals.h"
#include "linkwork/solvers.h"
#include "linkwork/study.h"
#endif
