#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures three collectives on 4 local ranks, prints their tables and keeps their result files.
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

sweep() {
  local program=$build/$1_perf
  echo
  if ! ${MPIRUN:-mpirun} -n $ranks "$program" -b 64 -e 4M -f 256 -J "$folder/$1.json" < /dev/null; then
    echo "demo: $program failed on $ranks ranks (see above); the other sweeps were not run" >&2
    exit 1
  fi
}

mkdir -p "$folder"
sweep all_reduce
sweep all_gather
sweep reduce_scatter

echo
echo "Next: make, then $build/collbench show $folder/all_reduce.json, or a sweep of your own:" \
  "mpirun -n 2 $build/all_reduce_perf -b 1K -e 64M -f 4 -J my.json"
