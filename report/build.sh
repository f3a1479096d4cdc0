#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build.sh PACKAGES OUT.c: bundles the page that shows runs, as C source for the command line.  PACKAGES: where npm
# packages of package-lock.json go, once for all build folders.  Without npm, or without its registry, the source holds
# the reason instead, which `linkwork run --report` then says.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
packages=$1
out=$2

without() {
  printf '%s\n' '#include "page.h"' \
    "const page_program page_text = {\"\", \"\", \"$1\"};" >"$out"
  echo "The report page is left out: $1" >&2
  exit 0
}

command -v npm >/dev/null && command -v node >/dev/null ||
  without "install nodejs and npm (make packages does it) and build again"
node -e 'process.exit(+process.versions.node.split(".")[0] >= 18 ? 0 : 1)' ||
  without "node 18 or later is needed: install it and build again"

# Several build folders may do this at once: whoever is second waits.
mkdir -p "$packages"
tries=0
until mkdir "$packages/lock" 2>/dev/null; do
  tries=$((tries + 1))
  [ $tries -lt 120 ] || break
  sleep 1
done
trap 'rmdir "$packages/lock" 2>/dev/null || true' EXIT
if ! cmp -s "$here/package-lock.json" "$packages/done"; then
  cp "$here/package.json" "$here/package-lock.json" "$packages"
  (cd "$packages" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1) ||
    without "npm could not install three, uplot and esbuild: see npm ci in report/, and build again"
  cp "$here/package-lock.json" "$packages/done"
fi
NODE_PATH="$packages/node_modules" node "$here/build.mjs" "$out" "$packages"
