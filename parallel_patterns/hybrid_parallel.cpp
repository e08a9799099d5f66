// SPDX-License-Identifier: Apache-2.0
// Hybrid parallelism: a whole training step on several axes at once, and what they cost each other:
// how much longer tensor parallelism communicates while gradients are reduced, and so on.
//
// Any of --tp, --cp, --pp and --ep, with dp on the ranks that are left; parameters by the flags of
// ZeRO: docs/patterns/hybrid-parallel.md.
#include "app/run_pattern.h"

using namespace collbench;

int main(int argc, char** argv) {
  return run_pattern(argc, argv,
                     {.name = "hybrid_parallel",
                      .summary = "several axes at once, and what they cost each other",
                      .axis = model::Axis::world,
                      .flag = "two of --tp, --cp, --pp and --ep, or one beside dp",
                      .scheme = {.parameters = plan::ZeroOptions{.scheme = plan::Zero::megatron}},
                      .mixes = true});
}
