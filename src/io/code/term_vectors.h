/* SPDX-License-Identifier: Apache-2.0 */
/* term_vectors.h -- 3-vectors and matrices of terms. */
#ifndef LWI_IO_CODE_TERM_VECTORS_H
#define LWI_IO_CODE_TERM_VECTORS_H
#include "io/code/terms.h"
#include "math/rotation.h"

typedef struct {
  lwi_term x[3];
} lwi_vec;
typedef struct {
  lwi_term x[3][3]; /* [row][column] */
} lwi_mat;
typedef struct {
  lwi_vec w, v; /* of a motion; of a load: moment, force */
} lwi_six;

static inline lwi_vec lwi_vec_of(lwi_terms *T, const double x[3])
{
  return (lwi_vec){{lwi_term_number(T, x[0]), lwi_term_number(T, x[1]), lwi_term_number(T, x[2])}};
}
static inline lwi_vec lwi_vec_add(lwi_terms *T, lwi_vec a, lwi_vec b)
{
  lwi_vec c;
  for (int i = 0; i < 3; i++)
    c.x[i] = lwi_term_add(T, a.x[i], b.x[i]);
  return c;
}
static inline lwi_vec lwi_vec_sub(lwi_terms *T, lwi_vec a, lwi_vec b)
{
  lwi_vec c;
  for (int i = 0; i < 3; i++)
    c.x[i] = lwi_term_sub(T, a.x[i], b.x[i]);
  return c;
}
static inline lwi_vec lwi_vec_scale(lwi_terms *T, lwi_term s, lwi_vec a)
{
  lwi_vec c;
  for (int i = 0; i < 3; i++)
    c.x[i] = lwi_term_mul(T, s, a.x[i]);
  return c;
}
static inline lwi_vec lwi_vec_neg(lwi_terms *T, lwi_vec a)
{
  return lwi_vec_sub(T, (lwi_vec){{0}}, a);
}
static inline lwi_term lwi_vec_dot(lwi_terms *T, lwi_vec a, lwi_vec b)
{
  lwi_term sum = LWI_TERM_ZERO;
  for (int i = 0; i < 3; i++)
    sum = lwi_term_add(T, sum, lwi_term_mul(T, a.x[i], b.x[i]));
  return sum;
}
static inline lwi_vec lwi_vec_cross(lwi_terms *T, lwi_vec a, lwi_vec b)
{
  lwi_vec c;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    c.x[i] = lwi_term_sub(T, lwi_term_mul(T, a.x[j], b.x[k]), lwi_term_mul(T, a.x[k], b.x[j]));
  }
  return c;
}

static inline lwi_mat lwi_mat_of(lwi_terms *T, const rot3 *R)
{
  lwi_mat A;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      A.x[i][j] = lwi_term_number(T, R->c[j][i]);
  return A;
}
static inline lwi_mat lwi_mat_transpose(lwi_mat A)
{
  lwi_mat B;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      B.x[i][j] = A.x[j][i];
  return B;
}
static inline lwi_vec lwi_mat_column(lwi_mat A, int k)
{
  return (lwi_vec){{A.x[0][k], A.x[1][k], A.x[2][k]}};
}
static inline lwi_vec lwi_mat_times(lwi_terms *T, lwi_mat A, lwi_vec b)
{
  lwi_vec c;
  for (int i = 0; i < 3; i++)
    c.x[i] = lwi_vec_dot(T, (lwi_vec){{A.x[i][0], A.x[i][1], A.x[i][2]}}, b);
  return c;
}
static inline lwi_mat lwi_mat_add(lwi_terms *T, lwi_mat A, lwi_mat B)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      A.x[i][j] = lwi_term_add(T, A.x[i][j], B.x[i][j]);
  return A;
}
static inline lwi_mat lwi_mat_sub(lwi_terms *T, lwi_mat A, lwi_mat B)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      A.x[i][j] = lwi_term_sub(T, A.x[i][j], B.x[i][j]);
  return A;
}
static inline lwi_mat lwi_mat_mul(lwi_terms *T, lwi_mat A, lwi_mat B)
{
  lwi_mat C;
  for (int j = 0; j < 3; j++) {
    const lwi_vec c = lwi_mat_times(T, A, lwi_mat_column(B, j));
    for (int i = 0; i < 3; i++)
      C.x[i][j] = c.x[i];
  }
  return C;
}
/* a x, as a matrix */
static inline lwi_mat lwi_mat_cross(lwi_terms *T, lwi_vec a)
{
  return (lwi_mat){{{LWI_TERM_ZERO, lwi_term_neg(T, a.x[2]), a.x[1]},
                    {a.x[2], LWI_TERM_ZERO, lwi_term_neg(T, a.x[0])},
                    {lwi_term_neg(T, a.x[1]), a.x[0], LWI_TERM_ZERO}}};
}
/* The upper triangle, for what is symmetric. */
static inline lwi_mat lwi_mat_symmetric(lwi_mat A)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++)
      A.x[i][j] = A.x[j][i];
  return A;
}

static inline lwi_six lwi_six_add(lwi_terms *T, lwi_six a, lwi_six b)
{
  return (lwi_six){lwi_vec_add(T, a.w, b.w), lwi_vec_add(T, a.v, b.v)};
}
static inline lwi_six lwi_six_scale(lwi_terms *T, lwi_term s, lwi_six a)
{
  return (lwi_six){lwi_vec_scale(T, s, a.w), lwi_vec_scale(T, s, a.v)};
}
static inline lwi_term lwi_six_dot(lwi_terms *T, lwi_six a, lwi_six b)
{
  return lwi_term_add(T, lwi_vec_dot(T, a.w, b.w), lwi_vec_dot(T, a.v, b.v));
}

#endif
