#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every benchmark: of our own code in one process, then the scripts that start ranks.
#
# Usage: scripts/bench.sh     COLLBENCH_BUILD: the build folder (build). `make bench` builds first.
# PYTHON: what runs the scripts (/usr/bin/python3)
set -euo pipefail
cd "$(dirname "$0")/.."

export COLLBENCH_BUILD=${COLLBENCH_BUILD:-build}
status=0

if [ -x "$COLLBENCH_BUILD/microbench" ]; then
  "$COLLBENCH_BUILD/microbench" || status=1
fi
for script in tests/bench/*_bench.py; do
  [ -e "$script" ] || continue
  echo "== $script"
  ${PYTHON:-/usr/bin/python3} "$script" < /dev/null || status=1
done
exit $status
