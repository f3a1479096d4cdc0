/* SPDX-License-Identifier: Apache-2.0 */
/* tree_layout.h -- where the nodes of a tree are placed in a picture that grows from left to right.

   A column holds the nodes of one depth.  Every leaf has a row of its own, free of other nodes
   to the right of it, so that lines can leave there.  A node is placed in the middle of its
   children; hence a serial chain is in one row.  Ports are leaves that have a row but do not
   move their parents. */
#ifndef LWI_IO_PICTURE_TREE_LAYOUT_H
#define LWI_IO_PICTURE_TREE_LAYOUT_H
#include "base/arena.h"
#include "linkwork/graph.h"

typedef struct {
  const double *width, *height; /* [nnode] of the node; of its row, where it has one */
  const double *gap;            /* [nnode] free space to the left of the node */
  const unsigned char *port;    /* [nnode] or NULL: none */
} lwi_tree_sizes;

typedef struct {
  double *x, *y; /* [nnode] left border, middle */
  double *left;  /* [nnode] right border of the column to the left of the node's */
  double width, height;
} lwi_tree_layout;

/* The arrays of the result are taken from the arena.  Returns false if out of memory. */
bool lwi_tree_lay_out(const lw_tree *t, const lwi_tree_sizes *sizes, lwi_arena *arena,
                      lwi_tree_layout *layout);

#endif
