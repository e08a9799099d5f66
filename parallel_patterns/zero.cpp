// SPDX-License-Identifier: Apache-2.0
// ZeRO: data parallelism that divides optimizer state, gradients and parameters among the ranks.
//
// Reduce-scatters of gradients and all-gathers of parameters, in the forms that DeepSpeed,
// Megatron, PyTorch (FSDP2, HSDP) and ZeRO++ send them: docs/patterns/zero.md.
#include "app/run_pattern.h"

using namespace collbench;

int main(int argc, char** argv) {
  return run_pattern(argc, argv,
                     {.name = "zero",
                      .summary = "ranks hold shards: gather parameters, reduce-scatter gradients",
                      .axis = model::Axis::dp_cp,
                      .flag = "--dp",
                      .scheme = {.parameters = plan::ZeroOptions{}}});
}
