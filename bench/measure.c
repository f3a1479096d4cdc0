/* SPDX-License-Identifier: Apache-2.0 */
/* measure.c -- see measure.h. */
#define _POSIX_C_SOURCE 200809L
#include "measure.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef BENCH_FLAGS
#define BENCH_FLAGS ""
#endif

static double seconds_of(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double measure_now(void)
{
  return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

double measure_thread_now(void)
{
  return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double measure_wall(void)
{
  return seconds_of(CLOCK_MONOTONIC);
}

static int compare_double(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double measure_min(double x[], int n)
{
  qsort(x, (size_t)n, sizeof *x, compare_double);
  return x[0];
}

double measure_median(double x[], int n)
{
  qsort(x, (size_t)n, sizeof *x, compare_double);
  return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

static double triad(size_t n, double *a, const double *b, const double *c, double s)
{
  const double start = measure_now();
  for (size_t i = 0; i < n; i++)
    a[i] = b[i] + s * c[i];
  return measure_now() - start;
}

double measure_bandwidth(size_t bytes_per_array)
{
  const size_t n = bytes_per_array / sizeof(double);
  double *x = malloc(3 * n * sizeof *x), best = 0;
  if (!x) return 0;
  for (size_t i = 0; i < 3 * n; i++)
    x[i] = (double)i;
  for (int pass = 0; pass < 5; pass++) {
    const double rate = 24 * (double)n / triad(n, x, x + n, x + 2 * n, 0.5 + x[n - 1] * 1e-300);
    best = rate > best ? rate : best;
  }
  free(x);
  return best;
}

/* ---- the machine, from /proc/cpuinfo where there is one ---- */

static void print_string(FILE *out, const char *key, const char *value)
{
  fprintf(out, ",\"%s\":\"", key);
  for (const char *c = value; *c; c++)
    if (*c == '"' || *c == '\\')
      fprintf(out, "\\%c", *c);
    else if (*c >= ' ')
      fputc(*c, out);
  fputc('"', out);
}

/* the value of the first line that starts with key, or "" */
static void find_cpuinfo(const char *key, char value[], size_t size)
{
  char line[8192];
  FILE *f = fopen("/proc/cpuinfo", "r");
  value[0] = '\0';
  while (f && !value[0] && fgets(line, sizeof line, f)) {
    const char *colon = strchr(line, ':');
    if (colon && strncmp(line, key, strlen(key)) == 0) snprintf(value, size, "%s", colon + 2);
  }
  value[strcspn(value, "\n")] = '\0';
  if (f) fclose(f);
}

static void print_vector_instructions(FILE *out)
{
  static const char *const known[] = {"sse2", "avx", "fma", "avx2", "avx512f", "avx512dq"};
  char flags[8192], found[100] = "";
  find_cpuinfo("flags", flags, sizeof flags);
  for (char *word = strtok(flags, " "); word; word = strtok(NULL, " "))
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
      if (strcmp(word, known[k]) == 0) {
        strcat(found, found[0] ? " " : "");
        strcat(found, word);
      }
  print_string(out, "features", found);
}

void measure_environment(FILE *out, const char *benchmark, const char *commit)
{
  char cpu[200], date[40] = "";
  const time_t now = time(NULL);
  struct tm utc;
  if (gmtime_r(&now, &utc)) strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
  find_cpuinfo("model name", cpu, sizeof cpu);
  fprintf(out, "{\"environment\":\"%s\"", benchmark);
  print_string(out, "date", date);
  print_string(out, "commit", commit);
#ifdef __clang__
  print_string(out, "compiler", __VERSION__);
#else
  print_string(out, "compiler", "gcc " __VERSION__);
#endif
  print_string(out, "flags", BENCH_FLAGS);
  print_string(out, "cpu", cpu);
  print_vector_instructions(out);
  fprintf(out, "}\n");
}

static bool read_run(measure_run *r, const char **commit, int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(argv[i], "--quick") == 0) {
      r->quick = true;
    } else if (strcmp(argv[i], "--commit") == 0 && value) {
      *commit = argv[++i];
    } else if (strcmp(argv[i], "--json") == 0 && value) {
      if (!(r->json = fopen(argv[++i], "w"))) return false;
    } else {
      return false;
    }
  }
  return true;
}

bool measure_start(measure_run *r, const char *benchmark, int argc, char **argv)
{
  const char *commit = "";
  *r = (measure_run){.quick = false};
  if (!read_run(r, &commit, argc, argv)) {
    fprintf(stderr, "usage: %s [--quick] [--json FILE] [--commit ID]\n", benchmark);
    return false;
  }
  measure_environment(stdout, benchmark, commit);
  if (r->json) measure_environment(r->json, benchmark, commit);
  return true;
}
