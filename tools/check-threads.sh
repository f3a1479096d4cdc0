#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-threads.sh SOURCE BUILD: divide and conquer on several threads, one model and one spec used by several
# threads, under ThreadSanitizer.
set -eu
source=$1 build=$2

tests="test_identity_dca test_identity_dca_impulse test_identity_dca_models test_identity_dca_derivatives
  test_identity_threads test_identity_compile_threads test_unit_team"
cmake -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DLINKWORK_SANITIZE=thread >/dev/null
# shellcheck disable=SC2086 # names are meant to be split
cmake --build "$build" --parallel 2 --target $tests >/dev/null
for test in $tests; do
  TSAN_OPTIONS=exitcode=66 "$build/tests/$test"
done
