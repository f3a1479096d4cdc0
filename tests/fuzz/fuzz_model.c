/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_model.c -- libFuzzer target: any bytes give a model or an error with a text.  Not one of the
   tests.  Needs clang: compile the sources of base, graph, model and io (but csv.c) with
   -fsanitize=fuzzer-no-link,address,undefined and this file with -fsanitize=fuzzer,address,undefined,
   link with -lyaml -lm, and run it on a folder of model files: fuzz_model -max_len=4096 FOLDER */
#include "linkwork/file.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  lw_error err;
  lw_spec *s = lw_spec_parse((const char *)data, size, "fuzz.yaml", &err);
  lw_model *m = s ? lw_compile(s, &err) : NULL;
  if (!m && (err.status == LW_OK || err.text[0] == '\0')) abort();
  lw_model_free(m);
  lw_spec_free(s);
  return 0;
}
