// SPDX-License-Identifier: Apache-2.0
// Context parallelism: ranks share each sequence, and exchange keys and values, or tokens for
// heads, so that every token can attend to all before it.
//
// A ring of sends and receives beside attention, all-gathers and reduce-scatters, or all-to-alls
// (Ulysses): docs/patterns/context-parallel.md.
#include "app/run_pattern.h"

using namespace collbench;

int main(int argc, char** argv) {
  return run_pattern(argc, argv,
                     {.name = "context_parallel",
                      .summary = "ranks share each sequence and exchange keys and values",
                      .axis = model::Axis::cp,
                      .flag = "--cp"});
}
