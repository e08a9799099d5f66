// SPDX-License-Identifier: Apache-2.0
// Expert parallelism: ranks divide the experts of a layer among them, and send each token to the
// ranks of the experts that its router chose, and what these make of it back.
//
// Four large all-to-alls for each layer of experts and micro-batch, whose sizes the host waits
// for: docs/patterns/expert-parallel.md.
#include "app/run_pattern.h"

using namespace collbench;

int main(int argc, char** argv) {
  return run_pattern(argc, argv,
                     {.name = "expert_parallel",
                      .summary = "ranks divide experts and send tokens to them and back",
                      .axis = model::Axis::ep,
                      .flag = "--ep"});
}
