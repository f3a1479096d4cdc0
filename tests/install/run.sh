#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD: installs this build into a temporary folder and uses it as a stranger would: through
# pkg-config and through find_package, shared and static.
set -euo pipefail
build=$1
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
CC=${CC:-cc}

cmake --install "$build" --prefix "$tmp/first" >/dev/null
mv "$tmp/first" "$tmp/moved" # nothing installed may depend on where it was installed
prefix=$tmp/moved
libdir=$(dirname "$(find "$prefix" -name liblinkwork.so)")
export PKG_CONFIG_PATH=$libdir/pkgconfig
export LD_LIBRARY_PATH=$libdir # also for programs outside: the loader does not know our prefix

echo "-- the program"
"$prefix/bin/linkwork" --help >/dev/null || fail "linkwork --help"

echo "-- no trace of this machine"
if grep -rIlF -e "$tmp" -e "$build" "$prefix"; then fail "installed text files name build paths"; fi

echo "-- pkg-config"
for name in linkwork-core linkwork; do
  program=$here/use-$name.c
  cflags=$(pkg-config --cflags $name)
  # shellcheck disable=SC2046,SC2086 # lists of flags
  $CC -std=c17 $cflags "$program" -o "$tmp/shared" $(pkg-config --libs $name)
  "$tmp/shared" || fail "$name, shared"
  readelf -d "$tmp/shared" | grep -q "lib$name\.so\.0" || fail "$name, shared: wrong soname"

  # -l:NAME.a since -lNAME would take the shared library beside it
  libs=$(pkg-config --static --libs $name | sed "s/-l$name\b/-l:lib$name.a/g")
  # shellcheck disable=SC2046,SC2086 # lists of flags
  $CC -std=c17 $cflags "$program" -o "$tmp/static" $libs
  env -u LD_LIBRARY_PATH "$tmp/static" || fail "$name, static"
done

echo "-- find_package"
cmake -S "$here" -B "$tmp/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" >/dev/null
cmake --build "$tmp/build" >/dev/null
for name in core core-static linkwork linkwork-static; do
  "$tmp/build/use-$name" || fail "find_package, $name"
done

echo "-- exported symbols"
for name in linkwork-core linkwork; do
  symbols=$(nm -D --defined-only "$libdir/lib$name.so" | awk '{print $3}')
  grep -q '^lw_' <<<"$symbols" || fail "lib$name.so exports nothing"
  ! grep -v '^lw_' <<<"$symbols" || fail "lib$name.so exports names that do not begin with lw_"
done

echo "-- what linkwork-core needs"
needed=$(readelf -d "$libdir/liblinkwork-core.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p')
! grep -vE '^(libc|libm|ld-linux.*)\.so' <<<"$needed" || fail "linkwork-core needs too much"
