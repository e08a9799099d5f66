// SPDX-License-Identifier: Apache-2.0
// One program for all targets under libFuzzer: FUZZ_TARGET names the one.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "targets.h"

namespace {

const collbench::fuzz::Target& chosen() {
  const char* name = std::getenv("FUZZ_TARGET");
  for (const auto& target : collbench::fuzz::kTargets) {
    if (name != nullptr && target.name == name) return target;
  }
  std::fputs("fuzz: FUZZ_TARGET names no target\n", stderr);
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto& target = chosen();
  target.run({reinterpret_cast<const char*>(data), size});
  return 0;
}
