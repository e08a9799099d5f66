// SPDX-License-Identifier: Apache-2.0
// How fast host memory is filled and checked, beside plain memcpy of as many bytes.
//
// Aim: fill at least as fast as memcpy, check at least 0.8 times as fast.
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "comm/host_pattern.h"

namespace collbench {
namespace {

constexpr Bytes kBytes = 256ULL << 20;

Pattern float_pattern() {
  Pattern pattern{DataType::float32, {}};
  for (Count v = 0; v < kPatternValues; ++v) {
    const auto value = static_cast<float>(v);
    std::memcpy(pattern.values.data() + v * sizeof value, &value, sizeof value);
  }
  return pattern;
}

void copy(benchmark::State& state) {
  const std::vector<std::byte> from(kBytes, std::byte{1});
  std::vector<std::byte> to(kBytes);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), kBytes);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kBytes));
}
BENCHMARK(copy)->Name("memcpy")->Unit(benchmark::kMillisecond);

void fill_floats(benchmark::State& state) {
  const Pattern pattern = float_pattern();
  std::vector<std::byte> data(kBytes);
  for (auto _ : state) {
    fill(data.data(), kBytes / sizeof(float), pattern, 0);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kBytes));
}
BENCHMARK(fill_floats)->Name("fill")->Unit(benchmark::kMillisecond);

void check_floats(benchmark::State& state) {
  const Pattern pattern = float_pattern();
  std::vector<std::byte> data(kBytes);
  fill(data.data(), kBytes / sizeof(float), pattern, 0);
  for (auto _ : state) {
    const CheckResult result = check(data.data(), kBytes / sizeof(float), pattern, 0);
    if (result.wrong != 0) state.SkipWithError("the data is wrong");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kBytes));
}
BENCHMARK(check_floats)->Name("check")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace collbench
