#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Measures a step of a model by every scheme of parallelism that so many ranks allow, and puts them side by side.
#
# Usage: scripts/schemes.sh --model MODEL -np RANKS [--memory 80G] [--global-batch N] [--launcher 'mpirun -np {n}']
#                           [--output FOLDER] [--format text|markdown|json] [-- FLAGS of all patterns...]
#   --model         a preset, or a file for --model-file where its name ends in .json
#   --memory        what a rank has: schemes that need more are named and never chosen
#   --global-batch  sequences of a step, the same for all schemes (twice the ranks)
#   --launcher      what starts a command, {n} being the number of ranks
#   --output        where files go (schemes-results); those that are there and whole are kept, and not measured again
# COLLBENCH_BUILD is the folder of the binaries (build). What a layout cannot do is left out with its reason. Ends with
# 2 for flags that cannot be meant, with the status of the first launch that fails otherwise, or with that of the tool.
set -euo pipefail

refuse() { echo "schemes.sh: $*; see --help" >&2; exit 2; }
help() { sed -n '3,/^set /{/^set /d; s/^# \{0,1\}//; p}' "$0"; exit 0; }

model='' ranks='' memory='' batch='' launcher='mpirun -np {n}' folder=schemes-results format=text
while [[ $# -gt 0 && $1 != -- ]]; do
  [[ $1 == --help || $1 == -h ]] && help
  [[ $# -gt 1 ]] || refuse "'$1' has no value, or is no flag"
  case $1 in
    --model) model=$2 ;;
    -np | -n) ranks=$2 ;;
    --memory) memory=$2 ;;
    --global-batch) batch=$2 ;;
    --launcher) launcher=$2 ;;
    --output) folder=$2 ;;
    --format) format=$2 ;;
    *) refuse "'$1' is no flag; those of the patterns stand after --" ;;
  esac
  shift 2
done
[[ $# -gt 0 ]] && shift
[[ -n $model ]] || refuse "--model is missing"
[[ $ranks =~ ^[1-9][0-9]{0,5}$ && $ranks -gt 1 ]] || refuse "-np '$ranks' is no number of ranks from 2 on"
[[ $launcher == *'{n}'* ]] || refuse "--launcher has no {n}, where the number of ranks goes"
build=${COLLBENCH_BUILD:-$(dirname "$0")/../build}
collbench=$build/collbench
of_model=(--model "$model")
[[ $model != *.json ]] || of_model=(--model-file "$model")
common=("${of_model[@]}" --global-batch "${batch:-$((2 * ranks))}" "$@")

# What no scheme would take is no reason to try them all.
"$build/data_parallel_perf" "${common[@]}" --ranks "$ranks" --dry-run > /dev/null || exit 2
judge=(schemes --format "$format")
[[ -z $memory ]] || judge+=(--memory "$memory")
flaw=$("$collbench" "${judge[@]}" /dev/null 2>&1 > /dev/null || true)
[[ $flaw != *--format* && $flaw != *--memory* ]] || { echo "$flaw" >&2; exit 2; }

# measure COMMAND...: one file; a layout that cannot be is left out
files=()
measure() {
  local name file status
  name=$(basename "$1")-$(printf '%s\n' "$launcher" "$ranks" "$@" | cksum | cut -d' ' -f1)
  file=$folder/$name.json
  if [[ -e $file ]] && "$collbench" validate "$file" 2> /dev/null | grep -q 'status complete$'; then
    files+=("$file")
    return
  fi
  echo "measuring: ${*##*/}" >&2
  status=0
  # shellcheck disable=SC2086 # the launcher is words
  ${launcher//'{n}'/$ranks} "$@" -J "$file" --force > "${file%.json}.txt" 2> "${file%.json}.err" < /dev/null || status=$?
  case $status in
    0 | 4) files+=("$file") ;;
    2)
      echo "  left out: $(tail -n 1 "${file%.json}.err")" >&2
      rm -f "$file"
      ;;
    *)
      cat "${file%.json}.err" >&2
      exit "$status"
      ;;
  esac
}

# layout T C P E: tensor, context, pipeline and expert parallelism, data parallelism on what is left
layout() {
  local flags=() several=0 degree name=hybrid_parallel_perf quiet=()
  local -A degrees=([tp]=$1 [cp]=$2 [pp]=$3 [dp]=$((ranks / ($1 * $2 * $3))))
  for degree in tp cp pp dp; do
    [[ ${degrees[$degree]} -gt 1 ]] || continue
    several=$((several + 1))
    [[ $degree == dp ]] || flags+=("--$degree" "${degrees[$degree]}")
  done
  if [[ $4 -gt 1 ]]; then
    flags+=(--ep "$4" --etp 1)
    [[ $several -gt 1 || $1 -gt 1 || $2 -gt 1 ]] || name=expert_parallel_perf
  fi
  if [[ $several -eq 1 ]]; then
    [[ $1 -eq 1 ]] || name=tensor_parallel_perf
    [[ $2 -eq 1 ]] || name=context_parallel_perf
    [[ $3 -eq 1 ]] || name=pipeline_parallel_perf
    [[ $name != hybrid_parallel_perf ]] || return 0 # data parallelism alone has its own binaries
  fi
  if [[ $name == hybrid_parallel_perf && " ${common[*]} " != *" --interference "* ]]; then
    quiet=(--interference 0)
  fi
  measure "$build/$name" "${common[@]}" "${flags[@]}" ${quiet[@]+"${quiet[@]}"}
}

mkdir -p "$folder"
measure "$build/data_parallel_perf" "${common[@]}"
for zero in deepspeed1 deepspeed2 deepspeed3 megatron fsdp2; do
  measure "$build/zero_perf" "${common[@]}" --zero "$zero"
done
measure "$build/zero_perf" "${common[@]}" --zero fsdp2 --no-reshard
[[ $((ranks % 2)) -ne 0 || $ranks -eq 2 ]] || measure "$build/zero_perf" "${common[@]}" --zero fsdp2 --replicas 2
# degrees T C P: of expert parallelism; experts are carved out of the ranks of one stage, and beside tensor and context
# parallelism all of these share them. A model that has experts uses fewer parameters for a token than it has.
has_experts=$("$collbench" models "${of_model[@]}" | awk 'NR == 2 { print ($2 != $3) }')
degrees() {
  local e stage=$((ranks / $3))
  echo 1
  [[ $has_experts -eq 1 ]] || return 0
  for ((e = 2; e <= stage; e++)); do
    [[ $((stage % e)) -eq 0 ]] || continue
    [[ $e -eq $stage || $(($1 * $2)) -eq 1 ]] && echo "$e"
  done
  return 0
}

for ((t = 1; t <= ranks; t++)); do
  for ((c = 1; t * c <= ranks; c++)); do
    for ((p = 1; t * c * p <= ranks; p++)); do
      [[ $((ranks % (t * c * p))) -eq 0 ]] || continue
      for e in $(degrees "$t" "$c" "$p"); do layout "$t" "$c" "$p" "$e"; done
    done
  done
done
[[ ${#files[@]} -gt 0 ]] || { echo "schemes.sh: no scheme could be measured" >&2; exit 2; }
"$collbench" "${judge[@]}" "${files[@]}"
