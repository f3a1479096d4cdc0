/* SPDX-License-Identifier: Apache-2.0 */
/* oracle_dense.h -- dense matrices of the oracle, by columns: by LAPACK, or by Householder reflections where
   LAPACK has no such numbers. */
#ifndef ORACLE_DENSE_H
#define ORACLE_DENSE_H
#include "oracle.h"

/* a x = b, n x n; false: singular */
bool oraclei_solve_regular(int n, const oracle_real *a, const oracle_real *b, oracle_real *x);
/* The x of minimum norm among those with the smallest residual; a: rows x columns.  Returns the rank. */
int oraclei_solve_min_norm(int rows, int columns, const oracle_real *a, const oracle_real *b,
                           oracle_real *x);
/* Orthonormal rows i = rank, rank + 1, ... of vt [columns x columns], by columns: a x = 0 for each.
   Returns the rank. */
int oraclei_null_space(int rows, int columns, const oracle_real *a, oracle_real *vt);
/* The first n unknowns of [M .; G .] x = b, by columns, n + rows of them: oracle_null_space.c.  length: what a radian
   is worth.  The others are set to zero.  Returns the rank of G. */
int oraclei_solve_null_space(int n, int rows, const oracle_real *a, const oracle_real *b,
                             oracle_real length, oracle_real *x);

#endif
