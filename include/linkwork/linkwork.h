/* SPDX-License-Identifier: Apache-2.0 */
/* linkwork.h -- rigid multibody dynamics of any topology: the everyday headers.

   spec.h      describe bodies, joints, forces, events   lw_spec
   model.h     compile it and query                      lw_model, immutable, shareable
   dynamics.h  compute at a state                        lw_work, one per thread
   simulate.h  integrate, write tables of results        lw_simulation
   file.h      read models, write tables

   all.h has everything, one header per topic.  docs/api.md lists all functions.

   SI units, radians.  Spatial vectors are [angular; linear]: velocity [w; v], load [torque;
   force].  Quaternions are (w, x, y, z).  Arguments: the object first, then inputs, then
   outputs, last an lw_error.  What an object was made for must outlive it, and is not passed
   again.  A descriptor field left zero takes its default. Functions return an lw_status, or NULL
   where they make something; an lw_error, which may be NULL, says more. */
#ifndef LINKWORK_LINKWORK_H
#define LINKWORK_LINKWORK_H
#include "linkwork/dynamics.h"
#include "linkwork/file.h"
#include "linkwork/model.h"
#include "linkwork/simulate.h"
#include "linkwork/spec.h"
#endif
