/* SPDX-License-Identifier: Apache-2.0 */
/* hash.h -- numbers that look random and follow from what they are for: the mixing function of
   SplitMix64 (Steele, Lea, Flood, Fast splittable pseudorandom number generators, 2014). */
#ifndef LWI_STUDY_HASH_H
#define LWI_STUDY_HASH_H
#include <stdint.h>

static inline uint64_t lwi_hash(uint64_t key, uint64_t x)
{
  uint64_t z = (key ^ (x + 1) * 0x9e3779b97f4a7c15u) + 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* in the middle of a cell of 2^-53: neither 0 nor 1 */
static inline double lwi_hash_fraction(uint64_t h)
{
  return ((double)(h >> 11) + 0.5) / 9007199254740992.0;
}

#endif
