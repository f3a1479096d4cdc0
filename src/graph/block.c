/* SPDX-License-Identifier: Apache-2.0 */
/* block.c -- where the memory of graphs and trees comes from. */
#include "graph/block.h"

#include <stdlib.h>

void *lwi_graph_alloc(size_t size)
{
  return calloc(1, size);
}
