#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures three collectives on 4 local ranks and a training step on 2, prints their tables and keeps their result files.
#
# Usage: scripts/demo.sh     COLLBENCH_BUILD: the build folder (build). `make demo` builds first.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${COLLBENCH_BUILD:-build}
ranks=4
folder=results/demo-$(date -u +%Y%m%dT%H%M%SZ)

# Open MPI refuses root and more ranks than cores unless told; MPICH ignores these.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
# In a bare chroot UCX and hwloc say on every rank that there is no /sys, in the middle of the table.
[ -e /sys/class/net ] || export UCX_LOG_LEVEL=fatal HWLOC_HIDE_ERRORS=2

# measure RANKS NAME FLAGS...
measure() {
  local number=$1 name=$2 program=$build/$2_perf
  shift 2
  echo
  if ! ${MPIRUN:-mpirun} -n "$number" "$program" "$@" -J "$folder/$name.json" < /dev/null; then
    echo "demo: $program failed on $number ranks (see above); what comes after it was not run" >&2
    exit 1
  fi
}

sweep() {
  measure $ranks "$1" -b 64 -e 4M -f 256
}

mkdir -p "$folder"
sweep all_reduce
sweep all_gather
sweep reduce_scatter
measure 2 data_parallel --model tiny --sequence 512 --micro-batch 2 --steps 10

echo
echo "Next: make, then $build/collbench show $folder/all_reduce.json, or a sweep of your own:" \
  "mpirun -n 2 $build/all_reduce_perf -b 1K -e 64M -f 4 -J my.json"
