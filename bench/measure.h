/* SPDX-License-Identifier: Apache-2.0 */
/* measure.h -- the clock, the statistics and the description of the machine. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H
#include <stdbool.h>
#include <stdio.h>

/* Processor seconds of this process, all threads: other programs on the machine do not count. */
double measure_now(void);
/* The same of the calling thread alone. */
double measure_thread_now(void);
/* Seconds that have passed: where threads are compared. */
double measure_wall(void);

/* Both sort x. */
double measure_min(double x[], int n);
double measure_median(double x[], int n);

/* Bytes per second of a[i] = b[i] + s c[i] over arrays too large for any cache: 24 bytes an i. */
double measure_bandwidth(size_t bytes_per_array);

/* One JSON line: benchmark, compiler, flags, processor, its vector instructions, commit ("" if not
   known). */
void measure_environment(FILE *out, const char *benchmark, const char *commit);

/* What every benchmark is asked: [--quick] [--json FILE] [--commit ID].  Writes the environment to
   stdout and the file.  False, after a message: wrong usage, exit with 2. */
typedef struct {
  bool quick;
  FILE *json; /* NULL: none */
} measure_run;
bool measure_start(measure_run *r, const char *benchmark, int argc, char **argv);

#endif
