#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check-format.sh: are all C files in the project's format?  Skipped (77) without clang-format 14,
# since other versions format differently.
set -eu
cd "$(dirname "$0")/.."
case $(clang-format --version 2>/dev/null || true) in
  *'version 14.'*) ;;
  *) echo "no clang-format 14"; exit 77 ;;
esac
find include src cli tests examples bench -name '*.[ch]' -exec clang-format --dry-run --Werror {} +
