// SPDX-License-Identifier: Apache-2.0
// Tensor parallelism: each layer's matrices are divided among the ranks, by columns and then by
// rows, so that they communicate twice per layer and pass.
//
// All-reduces, or all-gathers and reduce-scatters where norms are divided by tokens (sequence
// parallelism): docs/patterns/tensor-parallel.md.
#include "app/run_pattern.h"

using namespace collbench;

int main(int argc, char** argv) {
  return run_pattern(argc, argv,
                     {.name = "tensor_parallel",
                      .summary = "ranks share the matrices of every layer",
                      .axis = model::Axis::tp,
                      .flag = "--tp"});
}
