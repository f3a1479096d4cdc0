/* SPDX-License-Identifier: Apache-2.0 */
/* bench_models.h -- the models that `linkwork bench` measures, as text that the build embeds. */
#ifndef CLI_BENCH_MODELS_H
#define CLI_BENCH_MODELS_H
#include <stddef.h>

typedef struct {
  const char *text;
  size_t length;
} bench_model;
extern const bench_model bench_squeezer, bench_hmmwv;

#endif
