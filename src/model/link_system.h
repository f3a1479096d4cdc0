/* SPDX-License-Identifier: Apache-2.0 */
/* link_system.h -- all joints and constraints of a model as blocks of rows on its links, for loops
   that are too long to be followed along the tree.

   A ladder whose tree runs up both rails has loops as long as the ladder: their rows in the
   freedoms of the tree are full.  On the links themselves every row is short, if the joints of the
   tree have rows, too: with their motions X,

     J X = r,   W = J M^-1 J^T,   X = M^-1 J^T W^-1 r      (r = 0 for the joints of the tree)

   two blocks meet in W where they share a link.  Blocks are numbered by reverse Cuthill-McKee, and
   W is factored in its envelope: O(n) for whatever is long and thin.  docs/theory/loops.md. */
#ifndef LWI_MODEL_LINK_SYSTEM_H
#define LWI_MODEL_LINK_SYSTEM_H
#include "linalg/envelope.h"

/* the joint that carries a link, or a constraint */
typedef struct {
  int link, constraint; /* the other one is 0, -1 */
  int row, n;           /* its rows */
  int first, nend;      /* its ends: links that it acts on, without the ground */
} lwi_link_system_block;

typedef struct {
  int block, link;
  size_t J; /* n times six numbers */
} lwi_link_system_end;

typedef struct {
  int nblock, nrow, nend;
  int ntree;                    /* rows of joints of the tree, which are independent */
  lwi_link_system_block *block; /* [nblock] */
  lwi_link_system_end *end;     /* [nend] by block, rising */
  int *start, *at; /* [nlink + 1], [nend]: ends on link i are at[start[i]] ..., rising */
  size_t nJ;
  lwi_envelope envelope;
} lwi_link_system;

#endif
