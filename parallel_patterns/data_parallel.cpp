// SPDX-License-Identifier: Apache-2.0
// Data parallelism: every rank trains on sequences of its own and holds all parameters; gradients
// are summed over the ranks before the optimizer uses them.
//
// One all-reduce per bucket of gradients, while the backward pass goes on. A rank sends
// 2 (n-1)/n Psi times the size of a gradient, once per step: docs/patterns/data-parallel.md.
#include "app/run_pattern.h"

using namespace collbench;

int main(int argc, char** argv) {
  return run_pattern(argc, argv,
                     {.name = "data_parallel",
                      .summary = "ranks hold all parameters and all-reduce their gradients",
                      .axis = model::Axis::dp_cp,
                      .flag = "--dp",
                      .scheme = {.parameters = plan::DataParallelOptions{}}});
}
