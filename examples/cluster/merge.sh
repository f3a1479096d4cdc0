#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Joins the tables cases-1.csv, cases-2.csv, ... of the present folder to cases.csv; exit status 1 if cases are missing.
#
#     examples/cluster/merge.sh MODEL [the options with which they were computed]
set -eu
model=$1
shift
exec "${LINKWORK:-linkwork}" sweep "$model" cases-[0-9]*.csv "$@" --merge -o cases.csv
