/* SPDX-License-Identifier: Apache-2.0 */
/* sobol_sequence.h -- points that fill a cube evenly. */
#ifndef LWI_STUDY_SOBOL_SEQUENCE_H
#define LWI_STUDY_SOBOL_SEQUENCE_H
#include <stdint.h>

enum { LWI_SOBOL_DIMENSIONS = 40 };

/* Coordinate `dimension` (from 0) of point i, as a fraction of 2^32. */
uint32_t lwi_sobol_point(uint32_t i, int dimension);

#endif
