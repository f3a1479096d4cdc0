#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-threads.sh SOURCE BUILD: divide and conquer on several threads, one model and one spec used by several
# threads, under ThreadSanitizer.  It needs clang,
# and of its OpenMP the library archer, which tells the sanitizer what OpenMP's barriers order; gcc's
# OpenMP tells nobody.  Exit 77: something of that is missing.
#
# The sanitizer must not be told to ignore libraries that are not instrumented: it then sees no race in
# parallel regions at all, since these are called from such a library.
set -eu
source=$1 build=$2

command -v clang >/dev/null || { echo "no clang"; exit 77; }
version=$(clang -dumpversion | cut -d. -f1)
libraries=/usr/lib/llvm-$version/lib
[ -e "$libraries/libarcher.so" ] && [ -e "$libraries/libomp.so" ] ||
  { echo "no libarcher.so, libomp.so in $libraries: install libomp-$version-dev"; exit 77; }

tests="test_identity_dca test_identity_dca_impulse test_identity_dca_models test_identity_dca_vary
  test_identity_threads test_identity_compile_threads"
cmake -S "$source" -B "$build" -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DLINKWORK_SANITIZE=thread -DCMAKE_EXE_LINKER_FLAGS="-L$libraries" \
  -DCMAKE_SHARED_LINKER_FLAGS="-L$libraries" >/dev/null
# shellcheck disable=SC2086 # names are meant to be split
cmake --build "$build" --parallel 2 --target $tests >/dev/null

# a lock inside the OpenMP library itself, which linkwork never takes
echo "race:pthread_mutex_lock" >"$build/suppressions"
for test in $tests; do
  OMP_TOOL_LIBRARIES=$libraries/libarcher.so \
    TSAN_OPTIONS="suppressions=$build/suppressions exitcode=66" "$build/tests/$test"
done
