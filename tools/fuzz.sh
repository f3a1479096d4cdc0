#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh SOURCE BUILD SECONDS: tests/fuzz/fuzz_deep.c and fuzz_verbs.c by libFuzzer under the address and
# undefined-behaviour sanitizers, from the corpus of the repository.  What they learn stays in BUILD/corpus-*; an input that
# fails is kept in BUILD and named.  Inputs are short and schedules plain (-entropic=0): both make for more executions per second, as
# does not recording comparisons, which took 70 % of the time: most of them are of numbers.
# Exit 77: there is no clang.
set -eu
source=$1 build=$2 seconds=$3
export LSAN_OPTIONS="suppressions=$source/tests/support/leaks-accepted.txt:print_suppressions=0"

command -v clang >/dev/null || { echo "no clang"; exit 77; }
cmake -S "$source" -B "$build" -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_C_FLAGS=-fno-sanitize-coverage=trace-cmp -DLINKWORK_SANITIZE=address,undefined,fuzzer-no-link >/dev/null
cmake --build "$build" --parallel "$(nproc)" --target fuzz_deep fuzz_verbs >/dev/null

# fuzz TARGET LENGTH: a third of the time; inputs of at most LENGTH bytes, and those of the corpus that are longer are left out
fuzz() {
  target=$1 length=$2 learned=corpus-$1-$2
  mkdir -p "$learned"
  for model in "$source"/tests/fuzz/corpus/* "$source"/models/*.yaml; do
    [ "$(wc -c <"$model")" -lt "$length" ] && cp -n "$model" "$learned/" || true
  done
  OPENBLAS_NUM_THREADS=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 ASAN_OPTIONS=malloc_context_size=8:quarantine_size_mb=64 \
    "tests/fuzz_$target" -dict="$source/tests/fuzz/model.dict" -entropic=0 -max_len="$length" -timeout=300 -rss_limit_mb=3000 \
    -max_total_time=$((seconds / 3)) -print_final_stats=1 -artifact_prefix="$build/" "$learned"
}

# Short inputs, of which there are many more per second, and longer ones, which say more.
cd "$build"
fuzz deep 1000
fuzz deep 2400
fuzz verbs 2400
