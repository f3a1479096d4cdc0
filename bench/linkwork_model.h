/* SPDX-License-Identifier: Apache-2.0 */
/* linkwork_model.h -- a mechanism as linkwork sees it: same bodies, same order of q and u. */
#ifndef BENCH_LINKWORK_MODEL_H
#define BENCH_LINKWORK_MODEL_H
#include "mechanism.h"
#include "linkwork/spec.h"

lw_spec *linkwork_spec(const mechanism *m); /* NULL: out of memory */
/* Prints what is wrong to stderr and returns NULL. */
lw_model *linkwork_model(const mechanism *m);

#endif
