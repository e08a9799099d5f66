// SPDX-License-Identifier: Apache-2.0
// Pipeline parallelism: each rank holds some of the layers, and micro-batches pass through the
// ranks one after the other.
//
// Activations go forward and their gradients back, by send and receive, in the order of a schedule
// (GPipe, 1F1B, interleaved 1F1B, ZB-H1): docs/patterns/pipeline-parallel.md.
#include "app/run_pattern.h"

using namespace collbench;

int main(int argc, char** argv) {
  return run_pattern(argc, argv,
                     {.name = "pipeline_parallel",
                      .summary = "ranks hold stages of layers and pass micro-batches on",
                      .axis = model::Axis::pp,
                      .flag = "--pp"});
}
