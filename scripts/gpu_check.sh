#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and checks collbench on a machine with GPUs, offline, within 8 minutes, and says first what is missing.
#
# Usage: [DEPS=DIR] [NCCL_HOME=DIR] scripts/gpu_check.sh [PART...] [FLAGS]     -h names parts and flags; docs/gpu.md
#   DEPS        a folder of .deb files, which are unpacked into the build folder and not installed
#   CUDA_HOME   the toolkit (/usr/local/cuda, or where nvcc is found)
#   NCCL_HOME   where include/nccl.h is: also the folder of a Python wheel, .../site-packages/nvidia/nccl, which is
#               found where python3 finds it
#   COLLBENCH_BUILD   the build folder (build/gpu)
# Status: 0 all is well; 1 a part has failed or was out of time; 2 it cannot begin.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${COLLBENCH_BUILD:-}" ]; then
  export COLLBENCH_BUILD=build/gpu CXXFLAGS=${CXXFLAGS:--O2}
fi

fail() {
  echo "gpu_check: $*" >&2
  exit 2
}

# prepend VARIABLE FOLDER...: these before those that it has.
prepend() {
  local variable=$1 folders
  folders=$(IFS=:; echo "${*:2}")
  export "$variable=$folders${!variable:+:${!variable}}"
}

# MPICH's own wrapper has the folders of an installed package in it.
write_mpicxx() {
  local root=$1 lib=$2
  cat > "$root/usr/bin/mpicxx" << END
#!/bin/sh
exec \${MPICH_CXX:-g++} "\$@" -isystem $root/usr/include/${lib##*/}/mpich -L$lib -Wl,-rpath-link,$lib -lmpich
END
  chmod +x "$root/usr/bin/mpicxx"
}

# Unpacks what DEPS has, and lets compiler, loader and Python find it.
unpack() {
  local root=$PWD/$COLLBENCH_BUILD/deps lib deb
  [[ $COLLBENCH_BUILD != /* ]] || root=$COLLBENCH_BUILD/deps
  lib=$root/usr/lib/$(uname -m)-linux-gnu
  [ -d "$DEPS" ] || fail "DEPS=$DEPS is no folder"
  compgen -G "$DEPS/*.deb" > /dev/null || fail "DEPS=$DEPS has no .deb file"
  command -v dpkg-deb > /dev/null || fail "dpkg-deb is missing (unpacks what DEPS has)"
  mkdir -p "$root/usr/bin"
  for deb in "$DEPS"/*.deb; do
    dpkg-deb -x "$deb" "$root" || fail "$deb cannot be unpacked"
  done
  prepend PATH "$root/usr/bin"
  prepend CPLUS_INCLUDE_PATH "$root/usr/include" "$root/usr/include/${lib##*/}"
  prepend LIBRARY_PATH "$lib"
  prepend LD_LIBRARY_PATH "$lib" "$lib/openblas-pthread"
  if [ -e "$lib/libmpich.so" ]; then
    write_mpicxx "$root" "$lib"
    [ -e "$root/usr/bin/mpirun" ] || ln -s mpiexec.hydra "$root/usr/bin/mpirun"
  fi
  local chart=$root/usr/share/javascript/chart.js/chart.min.js
  if [ -r "$chart" ]; then export CHART_JS=${CHART_JS:-$chart}; fi
}

# The folder of NCCL's wheel, or nothing.
nccl_wheel() {
  "$1" -c 'import importlib.util as u
found = u.find_spec("nvidia") and u.find_spec("nvidia.nccl")
print(next(iter(found.submodule_search_locations)) if found else "")' 2> /dev/null || true
}

find_nvidia() {
  local nvcc folder python
  nvcc=$(command -v nvcc || true)
  if [ -z "${CUDA_HOME:-}" ]; then
    CUDA_HOME=/usr/local/cuda
    if [ ! -e "$CUDA_HOME/bin/nvcc" ] && [ -n "$nvcc" ]; then
      CUDA_HOME=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
    fi
  fi
  export CUDA_HOME
  if [ -z "${NCCL_HOME:-}" ] && [ ! -e "$CUDA_HOME/include/nccl.h" ]; then
    for python in python3 "$PYTHON"; do
      folder=$(nccl_wheel "$python")
      if [ -e "$folder/include/nccl.h" ]; then
        export NCCL_HOME=$folder
        break
      fi
    done
  fi
}

if [ -z "${PYTHON:-}" ]; then
  PYTHON=/usr/bin/python3
  [ -x "$PYTHON" ] || PYTHON=$(command -v python3 || echo /usr/bin/python3)
fi
export PYTHON
if [ -n "${DEPS:-}" ]; then unpack; fi
find_nvidia

# What is built here is not the business of a make that called this.
unset MAKEFLAGS MAKELEVEL

# All that is missing, before anything is done.
lacking=0
scripts/setup.sh --gpu || lacking=1
if [ "$lacking" = 0 ]; then
  note=$(make -s BUILD="$COLLBENCH_BUILD" nccl-note)
  if [[ $note == *"left out"* ]]; then
    echo "gpu_check:${note#*nccl }"
    lacking=1
  fi
fi
[ "$lacking" = 0 ] || fail "cannot begin: something is missing, see above; DEPS names a folder of .deb files (docs/gpu.md)"

exec "$PYTHON" tests/gpu_check.py "$@" < /dev/null
