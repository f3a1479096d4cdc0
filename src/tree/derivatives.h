/* SPDX-License-Identifier: Apache-2.0 */
/* derivatives.h -- what lw_derivatives holds. */
#ifndef LWI_TREE_DERIVATIVES_H
#define LWI_TREE_DERIVATIVES_H
#include "linkwork/derivatives.h"
#include "tree/work.h"

struct lw_derivatives {
  lw_work *work;
  lwi_derivative_work *tree;
  double *udot, *tau; /* [nu] */
  void *block;        /* to free */
};

#endif
