#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-all.sh SOURCE BUILD: what `make test` has no time for.  Each part says what it does and ends with "ok", "FAILED"
# or "skipped"; the exit status is that of the worst.
#   memory    every allocation of every verb fails once (tests/cli/test_memory.py, all of them)
#   fuzz      100,000 inputs of the deep fuzz target under the sanitizers
#   mutants   formulations against each other on 2,000 mutated models
#   threads   ThreadSanitizer: divide and conquer, and one spec compiled by several threads
#   valgrind  the portable build: tests of the core
#   analyzer  gcc -fanalyzer on all sources;  tidy  clang-tidy
set -u
source=$(cd "$1" && pwd) build=$2
worst=0
jobs=$(nproc)
export OPENBLAS_NUM_THREADS=1
mkdir -p "$build"
build=$(cd "$build" && pwd)

part() { # NAME COMMAND...
  name=$1
  shift
  echo "== $name"
  "$@" >"$build/$name.log" 2>&1
  status=$?
  case $status in
    0) echo "   ok" ;;
    77) echo "   skipped: $(tail -n 1 "$build/$name.log")" ;;
    *) echo "   FAILED, exit $status: see $build/$name.log"; worst=1 ;;
  esac
}

sanitized() {
  cmake -S "$source" -B "$build/dev" --preset dev >/dev/null && cmake --build "$build/dev" --parallel "$jobs"
}
memory() { LINKWORK_MEMORY_STRIDE=1 ctest --test-dir "$build/dev" -R cli/memory --output-on-failure --timeout 7200; }
fuzz() {
  set -- "$source"/tests/fuzz/corpus/*.yaml "$source"/models/four-bar.yaml "$source"/models/latch.yaml
  (cd "$build" && dev/tests/fuzz_driver "$source/tests/fuzz/model.dict" 1000000 100000 "$@")
}
mutants() { LINKWORK_MUTANTS=2000 ctest --test-dir "$build/dev" -R identity/mutants --output-on-failure --timeout 7200; }
threads() { "$source/tools/check-threads.sh" "$source" "$build/threads"; }
valgrind_core() {
  command -v valgrind >/dev/null || { echo "no valgrind"; return 77; }
  cmake -S "$source" -B "$build/valgrind" --preset dev -DLINKWORK_SANITIZE= -DLINKWORK_PORTABLE=ON >/dev/null &&
    cmake --build "$build/valgrind" --parallel "$jobs" || return 1
  for test in unit_simulate unit_expr unit_model_reader failure_events failure_call_errors closed_form_modes; do
    valgrind -q --error-exitcode=9 --leak-check=full "$build/valgrind/tests/test_$test" || return 1
  done
}
analyzer() {
  status=0
  for file in $(find "$source/src" "$source/cli" -name '*.c'); do
    gcc -std=c17 -O1 -fanalyzer -Wno-analyzer-too-complex -I"$source/include" -I"$source/src" -I"$source/cli" \
      -D_GNU_SOURCE -DLW_LANES=1 -DLINKWORK_VERSION='"x"' -c -o /dev/null -Wno-all "$file" 2>&1 | tee -a "$build/analyzer.txt" |
      grep -q 'Wanalyzer-\(null-dereference\|use-after-free\|double-free\|malloc-leak\|use-of-uninitialized\)' && status=1
  done
  return $status
}
tidy() {
  command -v clang-tidy >/dev/null || { echo "no clang-tidy"; return 77; }
  cmake -S "$source" -B "$build/dev" --preset dev -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
  find "$source/src" "$source/cli" -name '*.c' ! -name 'kernels*.c' -print0 |
    xargs -0 -P "$jobs" -n 8 clang-tidy -quiet -p "$build/dev" --warnings-as-errors='*' \
      --checks='-*,clang-analyzer-core.*,clang-analyzer-unix.*,-clang-analyzer-core.UndefinedBinaryOperatorResult,bugprone-sizeof-expression,bugprone-suspicious-memset-usage,bugprone-macro-parentheses,bugprone-infinite-loop'
}

part build sanitized
part memory memory
part fuzz fuzz
part mutants mutants
part threads threads
part valgrind valgrind_core
part analyzer analyzer
part tidy tidy
exit $worst
