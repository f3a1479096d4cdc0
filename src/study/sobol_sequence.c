/* SPDX-License-Identifier: Apache-2.0 */
/* sobol_sequence.c -- Sobol' sequences with the direction numbers of Joe and Kuo, Constructing
   Sobol sequences with better two-dimensional projections, SIAM J. Sci. Comput. 30 (2008), the
   first 40 dimensions of new-joe-kuo-6.

   With m_k the odd numbers that a primitive polynomial x^s + a_1 x^(s-1) + ... + 1 continues,

     m_k = 2 a_1 m_(k-1) ^ 4 a_2 m_(k-2) ^ ... ^ 2^s m_(k-s) ^ m_(k-s)

   and v_k = m_k 2^(32-k), a point is the sum modulo 2 of the v_k of the bits of i's Gray code. */
#include "study/sobol_sequence.h"

typedef struct {
  uint16_t polynomial; /* its coefficients as bits */
  uint8_t m[8];
} direction;

static const direction directions[LWI_SOBOL_DIMENSIONS] = {
    {1, {0}}, /* the first dimension has all m = 1 */
    {3, {1}},
    {7, {1, 3}},
    {11, {1, 3, 1}},
    {13, {1, 1, 1}},
    {19, {1, 1, 3, 3}},
    {25, {1, 3, 5, 13}},
    {37, {1, 1, 5, 5, 17}},
    {41, {1, 1, 5, 5, 5}},
    {47, {1, 1, 7, 11, 19}},
    {55, {1, 1, 5, 1, 1}},
    {59, {1, 1, 1, 3, 11}},
    {61, {1, 3, 5, 5, 31}},
    {67, {1, 3, 3, 9, 7, 49}},
    {91, {1, 1, 1, 15, 21, 21}},
    {97, {1, 3, 1, 13, 27, 49}},
    {103, {1, 1, 1, 15, 7, 5}},
    {109, {1, 3, 1, 15, 13, 25}},
    {115, {1, 1, 5, 5, 19, 61}},
    {131, {1, 3, 7, 11, 23, 15, 103}},
    {137, {1, 3, 7, 13, 13, 15, 69}},
    {143, {1, 1, 3, 13, 7, 35, 63}},
    {145, {1, 3, 5, 9, 1, 25, 53}},
    {157, {1, 3, 1, 13, 9, 35, 107}},
    {167, {1, 3, 1, 5, 27, 61, 31}},
    {171, {1, 1, 5, 11, 19, 41, 61}},
    {185, {1, 3, 5, 3, 3, 13, 69}},
    {191, {1, 1, 7, 13, 1, 19, 1}},
    {193, {1, 3, 7, 5, 13, 19, 59}},
    {203, {1, 1, 3, 9, 25, 29, 41}},
    {211, {1, 3, 5, 13, 23, 1, 55}},
    {213, {1, 3, 7, 3, 13, 59, 17}},
    {229, {1, 3, 1, 3, 5, 53, 69}},
    {239, {1, 1, 5, 5, 23, 33, 13}},
    {241, {1, 1, 7, 7, 1, 61, 123}},
    {247, {1, 1, 7, 9, 13, 61, 49}},
    {253, {1, 3, 3, 5, 3, 55, 33}},
    {285, {1, 3, 1, 15, 31, 13, 49, 245}},
    {299, {1, 3, 5, 15, 31, 59, 63, 97}},
    {301, {1, 3, 1, 11, 11, 11, 77, 249}},
};

static int degree(unsigned polynomial)
{
  int s = 0;
  while (polynomial >> (s + 1))
    s++;
  return s;
}

uint32_t lwi_sobol_point(uint32_t i, int dimension)
{
  const direction *d = &directions[dimension];
  const int s = degree(d->polynomial);
  uint32_t m[32], point = 0;
  for (int k = 0; k < 32; k++) {
    if (s == 0 || k < s) {
      m[k] = s == 0 ? 1 : d->m[k];
    } else {
      m[k] = m[k - s] ^ m[k - s] << s;
      for (int j = 1; j < s; j++)
        if (d->polynomial >> (s - j) & 1) m[k] ^= m[k - j] << j;
    }
    if ((i ^ i >> 1) >> k & 1) point ^= m[k] << (31 - k);
  }
  return point;
}
