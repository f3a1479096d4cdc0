#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles each public header alone (and twice, for its guard), as C17 and as C++11, with each
# compiler that there is.
set -eu
cd "$(dirname "$0")/.."
failed=0

check() { # compiler, language, standard
  if ! command -v "$1" >/dev/null; then
    echo "$1: not installed, skipped"
    return
  fi
  for header in include/linkwork/*.h; do
    name=${header#include/}
    if ! printf '#include <%s>\n#include <%s>\ntypedef int checked;\n' "$name" "$name" |
        "$1" -x "$2" -std="$3" -pedantic -Wall -Wextra -Werror -Iinclude -fsyntax-only -; then
      echo "$name: does not compile alone as $3 with $1" >&2
      failed=1
    fi
  done
  echo "$1 $3: checked"
}

check gcc c c17
check clang c c17
check g++ c++ c++11
check clang++ c++ c++11
exit $failed
