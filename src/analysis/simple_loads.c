/* SPDX-License-Identifier: Apache-2.0 */
/* simple_loads.c -- loads as an engineer would say them: the reduced echelon form of their span,
   forces before torques, finds pure torques, and forces and torques along axes. */
#include "linkwork/redundancy.h"

#include <math.h>
#include <string.h>

static const double negligible = 1e-7;

/* Eliminates the largest entry of rows `from` ... in columns first ... first + 2; -1: all zero. */
static int pivot_on(int n, double x[][6], int from, int first)
{
  int row = from, column = first;
  for (int i = from; i < n; i++)
    for (int j = first; j < first + 3; j++)
      if (fabs(x[i][j]) > fabs(x[row][column])) row = i, column = j;
  if (from >= n || !(fabs(x[row][column]) > negligible)) return -1;
  for (int j = 0; j < 6; j++) {
    const double y = x[row][j];
    x[row][j] = x[from][j];
    x[from][j] = y;
  }
  const double pivot = x[from][column];
  for (int j = 0; j < 6; j++)
    x[from][j] /= pivot;
  for (int i = 0; i < n; i++) {
    const double factor = x[i][column];
    for (int j = 0; j < 6 && i != from; j++)
      x[i][j] -= factor * x[from][j];
  }
  return column;
}

static void clean(double x[6])
{
  double most = 0;
  for (int j = 0; j < 6; j++)
    most = fmax(most, fabs(x[j]));
  for (int j = 0; j < 6; j++)
    if (fabs(x[j]) <= negligible * most) x[j] = 0;
}

int lw_simplify_loads(int n, double direction[][6], double length)
{
  int rank = 0, column, pivots[6];
  if (n < 1 || !direction || !(length > 0)) return 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 3; j++)
      direction[i][j] /= length;
  for (int first = 3; first >= 0; first -= 3)
    while (rank < 6 && (column = pivot_on(n, direction, rank, first)) >= 0)
      pivots[rank++] = (column + 3) % 6;
  /* in the order x, y, z */
  for (int i = 1; i < rank; i++)
    for (int k = i; k > 0 && pivots[k] < pivots[k - 1]; k--) {
      double kept[6];
      const int p = pivots[k];
      memcpy(kept, direction[k], sizeof kept);
      memcpy(direction[k], direction[k - 1], sizeof kept);
      memcpy(direction[k - 1], kept, sizeof kept);
      pivots[k] = pivots[k - 1];
      pivots[k - 1] = p;
    }
  for (int i = 0; i < rank; i++) {
    clean(direction[i]);
    for (int j = 0; j < 3; j++)
      direction[i][j] *= pivots[i] < 3 ? length : 1; /* a torque is 1, a force has its moment */
  }
  return rank;
}
