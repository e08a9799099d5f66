#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Finds what building and testing need and this machine lacks, says why, and installs it with apt-get.
#
# Usage: scripts/setup.sh [--lint|--clang|--ci|--gpu]     --lint adds what `make lint` needs, --clang what
#        `make fuzz` does, --ci all that some test needs; --gpu: what scripts/gpu_check.sh needs, and nothing is installed
# Looks for programs, headers, libraries and files, not for package names, so what came from elsewhere counts too.
# Status: 0 all is there, 2 something is missing and could not be installed.
set -euo pipefail

# Each may carry arguments, as in CXX="ccache g++"; the first word is the program.
CXX=${CXX:-g++}
MPICXX=${MPICXX:-mpicxx}
MPIRUN=${MPIRUN:-mpirun}
PYTHON=${PYTHON:-/usr/bin/python3}
CHART_JS=${CHART_JS:-/usr/share/javascript/chart.js/chart.min.js}

# libFuzzer's library, whose place has clang's version in it; a name that is no file where there is none.
fuzzer_runtime() {
  local found
  found=$(compgen -G "/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-$(uname -m).a" | head -1)
  echo "${found:-libclang_rt.fuzzer}"
}

# kind | what to look for | Debian package | reason
needs() {
  cat <<END
program|${CXX%% *}|g++|compiles C++20
program|make|make|runs the build
program|ar|binutils|makes the library
program|${MPICXX%% *}|libmpich-dev|compiles and links what calls MPI
program|${MPIRUN%% *}|mpich|starts the ranks
program|${PYTHON%% *}|python3|runs the end-to-end tests
header|CLI/CLI.hpp|libcli11-dev|reads the flags
header|nlohmann/json.hpp|nlohmann-json3-dev|reads and writes result files
header|fmt/format.h|libfmt-dev|formats text
header|hwloc.h|libhwloc-dev|describes the machine in result files
library|libopenblas.so.0|libopenblas0|multiplies matrices on hosts
header|boost/math/distributions/binomial.hpp|libboost-dev|gives the quantiles of intervals
header|gtest/gtest.h|libgtest-dev|runs the unit tests
file|$CHART_JS|libjs-chart.js|draws the charts of reports
END
  if [ "${1:-}" != --gpu ]; then
    cat <<END
program|git|git|names the commit in every result file
header|benchmark/benchmark.h|libbenchmark-dev|times our own code (make bench)
python|jsonschema|python3-jsonschema|validates result files in the tests
END
  fi
  if [ "${1:-}" = --ci ]; then
    echo "program|chromium-headless-shell|chromium-headless-shell|opens reports in the tests"
  fi
  if [ "${1:-}" = --ci ] || [ "${1:-}" = --clang ]; then
    echo "program|clang++|clang|compiles what is fuzzed"
    echo "file|$(fuzzer_runtime)|libclang-rt-dev|fuzzes it"
  fi
  if [ "${1:-}" = --lint ]; then
    cat <<END
program|clang-format|clang-format|checks the formatting
program|shellcheck|shellcheck|checks the shell scripts
END
  fi
}

# Prints the wanted headers that the compiler finds; one run for all of them.
headers_found() {
  local list=$1 header
  if command -v "${CXX%% *}" > /dev/null; then
    while IFS= read -r header; do
      printf '#if __has_include(<%s>)\n"%s"\n#endif\n' "$header" "$header"
    done <<< "$list" | $CXX -E -P -x c++ - 2> /dev/null || true
  fi
}

# Prints the lines of `needs` that this machine lacks.
missing() {
  local all found kind what package reason
  all=$(needs "$@")
  found=$(headers_found "$(sed -n 's/^header|\([^|]*\)|.*/\1/p' <<< "$all")")
  while IFS='|' read -r kind what package reason; do
    case $kind in
      program) command -v "$what" > /dev/null && continue ;;
      header) [[ $found == *"\"$what\""* ]] && continue ;;
      file) [ -r "$what" ] && continue ;;
      library) $PYTHON -c "import ctypes; ctypes.CDLL('$what')" 2> /dev/null && continue ;;
      python) $PYTHON -c "import importlib.util as u, sys; sys.exit(u.find_spec('$what') is None)" \
        2> /dev/null && continue ;;
    esac
    printf '%s|%s|%s|%s\n' "$kind" "$what" "$package" "$reason"
  done <<< "$all"
}

fail() {
  echo "setup: $*" >&2
  exit 2
}

# apt_get ACTION...: quiet, never asks; its last error line is the reason when it fails.
apt_get() {
  local log
  if ! log=$(${SUDO:+$SUDO} env DEBIAN_FRONTEND=noninteractive apt-get -qq \
    -o DPkg::Lock::Timeout=120 "$@" 2>&1 < /dev/null); then
    fail "apt-get $1 failed: $(grep -E '^(E|W|Err)' <<< "$log" | tail -1 || tail -1 <<< "$log")"
  fi
}

main() {
  [ -e /proc/self ] || fail "/proc is not mounted, and ranks find each other there; run: mount -t proc proc /proc"
  local lacking kind what package reason
  lacking=$(missing "$@")
  [ -z "$lacking" ] && return

  while IFS='|' read -r kind what package reason; do
    echo "setup: $what is missing ($reason): package $package"
  done <<< "$lacking"
  [ "${1:-}" != --gpu ] || exit 2
  local packages
  mapfile -t packages < <(cut -d'|' -f3 <<< "$lacking" | sort -u)
  local by_hand="apt-get install -y --no-install-recommends ${packages[*]}"

  command -v apt-get > /dev/null || fail "this machine has no apt-get; install what is named above"
  SUDO=
  if [ "$(id -u)" != 0 ]; then
    if ! sudo -n true 2> /dev/null; then
      fail "not root, and sudo wants a password; run: sudo $by_hand"
    fi
    SUDO=sudo
  fi
  echo "setup: installing ${packages[*]}"
  apt_get update
  apt_get install -y --no-install-recommends "${packages[@]}"

  lacking=$(missing "$@")
  [ -z "$lacking" ] || fail "still missing after the installation: $(cut -d'|' -f2 <<< "$lacking" | tr '\n' ' ')"
}

main "$@"
