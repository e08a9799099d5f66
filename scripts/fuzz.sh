#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzes each reader, as many at a time as there are cores, and ends with a line `failed: TARGET`
# for each that failed, and `N passed, N failed`.
#
# Usage: scripts/fuzz.sh BUILD SECONDS [TARGET...]    BUILD: the folder of `fuzzers`, which `make fuzz` builds
# What makes a reader fail is left in BUILD/findings/; put it into tests/fuzz/corpus/TARGET/ with the repair.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

build=$1
seconds=$2
shift 2
wanted=" $* "
mkdir -p "$build/findings"

# fuzz TARGET SEEDS: one line of its outcome.
fuzz() {
  local target=$1 seeds=$2 log=$build/$1.log
  mkdir -p "$build/corpus/$target"
  if FUZZ_TARGET=$target "$build/fuzzers" -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=100 \
    -max_len=16384 -print_final_stats=1 -artifact_prefix="$build/findings/$target-" \
    "$build/corpus/$target" "tests/fuzz/corpus/$target" "$seeds" > "$log" 2>&1; then
    echo "fuzz: $target ok, $(sed -n 's/stat::number_of_executed_units: *//p' "$log") executions"
  else
    echo "fuzz: $target FAILED, see $log"
    grep -E 'ERROR|what\(\)|Test unit written' "$log"
  fi
}

outcomes=$(mktemp)
trap 'rm -f "$outcomes"' EXIT
while read -r target seeds; do
  [[ $wanted == "  " || $wanted == *" $target "* ]] || continue
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
  fuzz "$target" "$seeds" | tee -a "$outcomes" &
done < <(sed -n 's/.*Target{"\([^"]*\)", "\([^"]*\)",.*/\1 \2/p' tests/fuzz/targets.h)
wait

sed -n 's/^fuzz: \([a-z_]*\) FAILED.*/failed: \1/p' "$outcomes"
failed=$(grep -c '^fuzz: [a-z_]* FAILED' "$outcomes")
echo "$(grep -c '^fuzz: [a-z_]* ok' "$outcomes") passed, $failed failed"
[ "$failed" = 0 ]
