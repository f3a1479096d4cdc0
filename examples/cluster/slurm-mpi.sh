#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A sweep as one job of many ranks (Open MPI), with one table; submitting it again computes what is missing.
#
#     sbatch examples/cluster/slurm-mpi.sh MODEL [options of sweep, without -o]
#
#SBATCH --job-name=linkwork-sweep
#SBATCH --ntasks=64
#SBATCH --time=04:00:00
set -eu
model=$1
shift
resume=()
if [ -s cases.csv ]; then resume=(--resume); fi
# shellcheck disable=SC2086 # MPIRUN_OPTIONS is a list
exec mpirun ${MPIRUN_OPTIONS:-} "${LINKWORK:-linkwork}" sweep "$model" "$@" -q -o cases.csv "${resume[@]}"
