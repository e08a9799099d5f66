// SPDX-License-Identifier: Apache-2.0
// An all_reduce_perf whose results are wrong once the file named by FAULTY_FROM exists: for tests
// of what a run does about wrong data, and about such that comes late.
#include <cstdlib>
#include <filesystem>

#include "app/run_collective.h"

using namespace collbench;  // NOLINT: a test program

namespace {

bool is_faulty() {
  const char* file = std::getenv("FAULTY_FROM");
  return file != nullptr && std::filesystem::exists(file);
}

// The maximum in place of the sum, for example.
CallGroups calls(const Setting& s, const Buffers& b) {
  const ReduceOp wrong = s.op == ReduceOp::max ? ReduceOp::min : ReduceOp::max;
  return {{all_reduce(b, s.count, s.type, is_faulty() ? wrong : s.op)}};
}

std::vector<ExpectedBlock> expected(const Setting&) {
  return {{.source = Source::reduction_of_all}};
}

}  // namespace

int main(int argc, char** argv) {
  return run_collective(argc, argv, {traffic::all_reduce, calls, expected});
}
