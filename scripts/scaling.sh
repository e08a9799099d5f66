#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs benchmarks on several numbers of ranks, keeps their files, and says how they scale.
#
# Usage: scripts/scaling.sh -n 2,4,8 [-l LAUNCHER] [-o FOLDER] [-k LAUNCHES] -- COMMAND... [-- COMMAND...]
#   -n  numbers of ranks
#   -l  what starts a command, {n} being the number of ranks (mpirun -np {n})
#   -o  where files go (scaling-results); those that are there and whole are kept, and not measured again
#   -k  launches of each command on each number, whose median counts (1)
# COLLBENCH names the tool (build/collbench). Ends with the status of the first launch that fails, or of the tool.
set -euo pipefail

usage() { sed -n '3,/^set /{/^set /d; s/^# \{0,1\}//; p}' "$0" >&2; exit 2; }

launcher='mpirun -np {n}' folder=scaling-results launches=1 ranks=
while getopts n:l:o:k: flag; do
  case $flag in
    n) ranks=$OPTARG ;;
    l) launcher=$OPTARG ;;
    o) folder=$OPTARG ;;
    k) launches=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[[ $ranks =~ ^[1-9][0-9]*(,[1-9][0-9]*)*$ && $launches =~ ^[1-9][0-9]*$ && $launcher == *'{n}'* && $# -gt 0 ]] || usage
[[ " $* -- " != *" -- -- "* ]] || usage  # an empty command
collbench=${COLLBENCH:-$(dirname "$0")/../build/collbench}

# measure N COMMAND...: all launches on N ranks
measure() {
  local n=$1 name command file status
  shift
  name=$(basename "$1")
  command=$(printf '%s\n' "$launcher" "$@" | cksum | cut -d' ' -f1)  # another command is another measurement
  for ((k = 1; k <= launches; k++)); do
    file=$folder/${name%_perf}.$command.$n.$k.json
    if [[ -e $file ]] && "$collbench" validate "$file" 2> /dev/null | grep -q 'status complete$'; then
      echo "$file: kept" >&2
      continue
    fi
    echo "$file: measuring on $n ranks" >&2
    # shellcheck disable=SC2086 # the launcher is words
    ${launcher//'{n}'/$n} "$@" -J "$file" --force > "${file%.json}.txt" < /dev/null && continue
    status=$?
    echo "$file: ended with status $status; what it printed is in ${file%.json}.txt" >&2
    exit "$status"
  done
}

# A command ends at "--" or at the end.
mkdir -p "$folder"
command=()
for word in "$@" --; do
  if [[ $word != -- ]]; then
    command+=("$word")
    continue
  fi
  for n in ${ranks//,/ }; do measure "$n" "${command[@]}"; done
  command=()
done
"$collbench" scaling "$folder"
