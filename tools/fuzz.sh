#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh SOURCE BUILD SECONDS: tests/fuzz/fuzz_deep.c by libFuzzer under the address and undefined-behaviour
# sanitizers, from the corpus of the repository.  What it learns stays in BUILD/corpus-*; an input that fails is kept in
# BUILD and named.  Inputs are short and schedules plain (-entropic=0): both make for more executions per second, as
# does not recording comparisons, which took 70 % of the time: most of them are of numbers.
# Without OpenMP, whose library clang may not have.  Exit 77: there is no clang.
set -eu
source=$1 build=$2 seconds=$3

command -v clang >/dev/null || { echo "no clang"; exit 77; }
cmake -S "$source" -B "$build" -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo -DLINKWORK_OPENMP=OFF \
  -DCMAKE_C_FLAGS=-fno-sanitize-coverage=trace-cmp -DLINKWORK_SANITIZE=address,undefined,fuzzer-no-link >/dev/null
cmake --build "$build" --parallel "$(nproc)" --target fuzz_deep >/dev/null

# Half of the time for short inputs, of which there are many more per second, and half for longer ones, which say more.
cd "$build"
for length in 1000 2400; do
  mkdir -p "corpus-$length"
  for model in "$source"/tests/fuzz/corpus/* "$source"/models/*.yaml; do
    [ "$(wc -c <"$model")" -lt "$length" ] && cp -n "$model" "corpus-$length/" || true
  done
  OPENBLAS_NUM_THREADS=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 ASAN_OPTIONS=malloc_context_size=8:quarantine_size_mb=64 \
    tests/fuzz_deep -dict="$source/tests/fuzz/model.dict" -entropic=0 -max_len="$length" -timeout=300 -rss_limit_mb=3000 \
    -max_total_time=$((seconds / 2)) -print_final_stats=1 -artifact_prefix="$build/" "corpus-$length"
done
