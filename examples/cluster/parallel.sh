#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A sweep on several machines by GNU parallel, over ssh; a second call computes what is missing.
#
#     SHARDS=16 HOSTS=node1,node2,: examples/cluster/parallel.sh MODEL [options of sweep, without -o]
#     examples/cluster/merge.sh MODEL [the same options]        afterwards: cases.csv
#
# All machines see the present folder (`:` is this one); each computes one shard at a time, on all of its processors.
set -eu
model=$1
shift
shards=${SHARDS:-4}
export model here=$PWD linkwork=${LINKWORK:-linkwork} options
options=$(printf '%q ' "$@")
one() {
  cd "$here"
  resume=
  if [ -s "cases-$1.csv" ]; then resume=--resume; fi
  eval "'$linkwork' sweep '$model' $options --shard '$1/$2' -q -o 'cases-$1.csv' $resume"
}
export -f one
seq "$shards" | parallel --jobs 1 --sshlogin "${HOSTS:-:}" --env one --env model --env here --env linkwork --env options one {} "$shards"
