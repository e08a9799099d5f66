#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every check that needs no execution, and ends with a line `failed: CHECK` for each that failed, and
# `N passed, N failed`.
#
# Usage: scripts/lint.sh [BUILD]     BUILD: where to compile with warnings as errors (build/werror)
# PYTHON: what runs the checkers (/usr/bin/python3)
set -uo pipefail
cd "$(dirname "$0")/.." || exit

build=${1:-build/werror}
read -ra python <<< "${PYTHON:-/usr/bin/python3}"
passed=0
failed=()

# Existing files of the checkout that match, new ones included; everything where there is no git.
files() {
  if [ -e .git ]; then
    git ls-files --cached --others --exclude-standard -- "$@" | sort -u
  else
    local pattern
    for pattern in "$@"; do
      find . -name "$pattern" -not -path './build/*' | sed 's|^\./||'
    done
  fi | while IFS= read -r file; do [ -f "$file" ] && echo "$file"; done
}

formatting() {
  local version file status=0
  version=$(clang-format --version)
  if [[ $version != *" 14."* ]]; then
    echo "clang-format: version 14 decides here, and this is: $version"
    return 1
  fi
  while IFS= read -r file; do
    echo "$file: not formatted; run: clang-format -i $file"
    status=1
  done < <(files '*.cpp' '*.h' '*.cu' '*.cuh' | xargs -d '\n' -P "$(nproc)" -n 32 clang-format --dry-run -Werror 2>&1 \
    | sed -n 's/^\([^:]*\):[0-9]*:.*/\1/p' | sort -u)
  return $status
}

shell_scripts() {
  local scripts
  mapfile -t scripts < <({ files '*.sh'; files '*' | xargs -d '\n' grep -lE '^#!.*\b(ba)?sh$' /dev/null; } | sort -u)
  shellcheck --format=gcc "${scripts[@]}"
}

# Every source, also what no program needs.
warnings() {
  ${MAKE:-make} -k --no-print-directory WERROR=1 BUILD="$build" all tests benches > "$build/warnings.log" 2>&1 && return
  grep -E ': (fatal )?error: |^make: \*\*\*|undefined reference' "$build/warnings.log"
  return 1
}

# check NAME COMMAND...: one line when it passes; else its findings, each naming the file.
check() {
  local name=$1 findings
  shift
  if findings=$("$@"); then
    passed=$((passed + 1))
    echo "lint: $name ok"
  else
    failed+=("$name")
    echo "lint: $name FAILED"
    [ -z "$findings" ] || echo "  ${findings//$'\n'/$'\n'  }"
  fi
}

mkdir -p "$build"
check formatting formatting
check includes "${python[@]}" scripts/check_includes
check files "${python[@]}" scripts/check_files
check "shell scripts" shell_scripts
check warnings warnings

[ ${#failed[@]} = 0 ] || printf 'failed: %s\n' "${failed[@]}"
echo "$passed passed, ${#failed[@]} failed"
[ ${#failed[@]} = 0 ]
