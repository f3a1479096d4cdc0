#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-all.sh SOURCE BUILD: checks that are too slow for `make test`, in the folders ci and dev of BUILD that it uses, too.
# Each part says what it does and ends with "ok", "FAILED" or "skipped"; the exit status is that of the worst.
#   numbers   tests of numbers that take long and are not in `make test`: as released, and under the sanitizers
#   memory    every allocation of every verb fails once (tests/cli/test_memory.py, all of them), under the sanitizers
#   fuzz      100,000 inputs of the deep fuzz target and 20,000 of that of the verbs under the sanitizers
#   mutants   formulations against each other on 2,000 mutated models: accelerations, and runs with events; optimised, since
#             numbers are compared: the sanitizers see the first of them in `make test`
#   kills     runs with events are killed at 20 random instants each and resumed: the same bits
#   python    the Python package with a library under the sanitizers: models, states, runs, batches, specs
#   durations no test takes more than 60 s of the processor under the sanitizers (tools/test-times.py); the others are numbers
#   threads   ThreadSanitizer: divide and conquer, and one spec compiled by several threads
#   valgrind  the portable build: tests of the core
#   analyzer  gcc -fanalyzer on all sources: what is not in tools/analyzer-accepted.txt fails
#   tidy      clang-tidy on all sources but kernels: what is not in tools/tidy-accepted.txt fails
# check-all.sh SOURCE BUILD PART...: these parts alone.
set -u
source=$(cd "$1" && pwd) build=$2
shift 2
worst=0
jobs=${JOBS:-$(nproc)}
export OPENBLAS_NUM_THREADS=1 LSAN_OPTIONS="suppressions=$source/tests/support/leaks-accepted.txt:print_suppressions=0"
mkdir -p "$build/check-all"
build=$(cd "$build" && pwd)
logs=$build/check-all

part() { # NAME COMMAND...
  name=$1
  shift
  echo "== $name"
  "$@" >"$logs/$name.log" 2>&1
  status=$?
  case $status in
    0) echo "   ok" ;;
    77) echo "   skipped: $(tail -n 1 "$logs/$name.log")" ;;
    *) echo "   FAILED, exit $status: see $logs/$name.log"; worst=1 ;;
  esac
}

both() { # as released, and under the sanitizers
  for preset in ci dev; do
    cmake -S "$source" -B "$build/$preset" --preset $preset >/dev/null && cmake --build "$build/$preset" --parallel "$jobs" ||
      return 1
  done
}
numbers() {
  ctest --test-dir "$build/ci" -L '^long$' --output-on-failure --parallel "$jobs" &&
    ctest --test-dir "$build/dev" -L long_sanitized --output-on-failure --parallel "$jobs"
}
memory() { LINKWORK_MEMORY_STRIDE=1 ctest --test-dir "$build/dev" -R cli/memory --output-on-failure --timeout 7200; }
fuzz() {
  set -- "$source"/tests/fuzz/corpus/* "$source"/models/four-bar.yaml "$source"/models/latch.yaml
  (cd "$logs" && "$build/dev/tests/fuzz_deep_driver" "$source/tests/fuzz/model.dict" 1000000 100000 "$@" &&
    "$build/dev/tests/fuzz_verbs_driver" "$source/tests/fuzz/model.dict" 1000000 20000 "$@")
}
mutants() {
  LINKWORK_MUTANTS=2000 ctest --test-dir "$build/ci" -R identity/mutant --output-on-failure --timeout 14400 --parallel "$jobs"
}
kills() { ctest --test-dir "$build/dev" -R '^cli/kills$' --output-on-failure --timeout 7200; }
python_package() { # the interpreter has no sanitizers: their library is loaded first, and its own leaks are not looked for
  python=""
  for candidate in python3 /usr/bin/python3; do
    [ -n "$python" ] || ! "$candidate" -c "import cffi, numpy, pytest, setuptools" 2>/dev/null || python=$candidate
  done
  [ -n "$python" ] || { echo "no python3 with cffi, numpy, setuptools and pytest"; return 77; }
  package=$logs/python
  rm -rf "$package"
  mkdir -p "$package"
  LINKWORK_BUILD=$build/dev CC=cc LDSHARED="cc -shared" CFLAGS="-fsanitize=address,undefined" LDFLAGS="-fsanitize=address,undefined" \
    "$python" -B "$source/python/setup.py" -q egg_info --egg-base "$package" build --build-base "$package/build" --build-lib "$package/lib" || return 1
  for test in library model spec run sweep batch; do
    LD_PRELOAD="$(cc -print-file-name=libasan.so) $(cc -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
      LINKWORK="$build/dev/cli/linkwork" LINKWORK_SOURCE=$source LINKWORK_BUILD=$build/dev PYTHONPATH=$package/lib MPLBACKEND=Agg \
      "$python" -B -m pytest -q -p no:cacheprovider "$source/python/tests/test_$test.py" || return 1
  done
}
durations() { "$source/tools/test-times.py" "$build/dev" -LE long --most 60; }
threads() { "$source/tools/check-threads.sh" "$source" "$build/threads"; }
valgrind_core() {
  command -v valgrind >/dev/null || { echo "no valgrind"; return 77; }
  tests="unit_simulate unit_expr unit_model_reader failure_events failure_call_errors closed_form_modes"
  # shellcheck disable=SC2046,SC2086 # names are meant to be split
  cmake -S "$source" -B "$build/valgrind" --preset dev -DLINKWORK_SANITIZE= -DLINKWORK_PORTABLE=ON >/dev/null &&
    cmake --build "$build/valgrind" --parallel "$jobs" --target $(printf 'test_%s ' $tests) || return 1
  for test in $tests; do
    LINKWORK_SOURCE="$source" valgrind -q --error-exitcode=9 --leak-check=full "$build/valgrind/tests/test_$test" || return 1
  done
}
analyzer() {
  cmake -S "$source" -B "$build/dev" --preset dev -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null &&
    JOBS=$jobs "$source/tools/check-warnings.py" analyzer "$build/dev"
}
tidy() {
  command -v clang-tidy >/dev/null || { echo "no clang-tidy"; return 77; }
  # configured for clang, since clang-tidy refuses options that only gcc has
  cmake -S "$source" -B "$build/tidy" --preset dev -DCMAKE_C_COMPILER=clang \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null || return 1
  JOBS=$jobs "$source/tools/check-warnings.py" tidy "$build/tidy"
}

[ $# -gt 0 ] || set -- build numbers memory fuzz mutants kills python durations threads valgrind analyzer tidy
for wanted in "$@"; do
  case $wanted in
    build) part build both ;;
    valgrind) part valgrind valgrind_core ;;
    python) part python python_package ;;
    numbers | memory | fuzz | mutants | kills | durations | threads | analyzer | tidy) part "$wanted" "$wanted" ;;
    *) echo "no such part: $wanted"; worst=2 ;;
  esac
done
exit $worst
