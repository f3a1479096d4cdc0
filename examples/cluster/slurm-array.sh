#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A sweep as an array of Slurm jobs, each with a table of its own; submitting it again computes what is missing.
#
#     sbatch examples/cluster/slurm-array.sh MODEL [options of sweep, without -o]
#     examples/cluster/merge.sh MODEL [the same options]        when all jobs are done: cases.csv
#
# The tables are cases-1.csv, cases-2.csv, ... in the folder from which it is submitted.
#SBATCH --job-name=linkwork-sweep
#SBATCH --array=1-16
#SBATCH --cpus-per-task=4
#SBATCH --time=04:00:00
set -eu
model=$1
shift
shard=${SLURM_ARRAY_TASK_ID:?submit this with sbatch} of=${SLURM_ARRAY_TASK_COUNT:?}
table=cases-$shard.csv
resume=()
if [ -s "$table" ]; then resume=(--resume); fi
exec "${LINKWORK:-linkwork}" sweep "$model" "$@" --shard "$shard/$of" --threads "${SLURM_CPUS_PER_TASK:-1}" -q -o "$table" "${resume[@]}"
