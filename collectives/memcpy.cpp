// SPDX-License-Identifier: Apache-2.0
// memcpy_perf: no collective, but what a rank does alone: copies within its memory, to the host and
// back, and to the other GPUs of its host. A slow one explains a slow collective.
#include "app/run_memcpy.h"

int main(int argc, char** argv) { return collbench::run_memcpy(argc, argv); }
