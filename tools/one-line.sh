#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# one-line.sh COMMAND...: runs a build and shows how far it is, in one line; if it fails, all that it said.
log=$(mktemp)
trap 'rm -f "$log" "$log.failed"' EXIT
rm -f "$log.failed"
show() {
  if [ -t 1 ]; then printf '\r\033[K%s' "$1"; fi
}
{ "$@" 2>&1 || : >"$log.failed"; } | while IFS= read -r line; do
  printf '%s\n' "$line" >>"$log"
  case $line in
    \[*/*\]*|\[*%\]*) show "building ${line%%\]*}]" ;;
  esac
done
if [ -t 1 ]; then printf '\r\033[K'; fi
if [ -e "$log.failed" ]; then cat "$log" >&2; exit 1; fi
