// SPDX-License-Identifier: Apache-2.0
// COLLBENCH_VECTOR_LOOP: a function of plain loops, compiled for vector units of three widths; the
// loader takes the widest that the machine has. -O2 vectorises no loop of unknown length, hence O3.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define COLLBENCH_VECTOR_LOOP \
  __attribute__((optimize("O3"), target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define COLLBENCH_VECTOR_LOOP
#endif
