/* SPDX-License-Identifier: Apache-2.0 */
/* core.h -- all of linkwork-core: describe, compile, compute.  Needs libc and libm only. */
#ifndef LINKWORK_CORE_H
#define LINKWORK_CORE_H
#include "linkwork/batch.h"
#include "linkwork/cartesian.h"
#include "linkwork/dca.h"
#include "linkwork/dca_derivatives.h"
#include "linkwork/derivatives.h"
#include "linkwork/dynamics.h"
#include "linkwork/graph.h"
#include "linkwork/inspect.h"
#include "linkwork/loops.h"
#include "linkwork/order.h"
#include "linkwork/quantities.h"
#include "linkwork/query.h"
#include "linkwork/reader.h"
#include "linkwork/realtime.h"
#include "linkwork/sko.h"
#endif
