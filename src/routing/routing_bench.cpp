// SPDX-License-Identifier: Apache-2.0
// What it costs to draw and count one layer of a large run: 64 ranks of 32,768 tokens, 8 of 256
// experts each.
#include <benchmark/benchmark.h>

#include "routing/rows.h"

namespace collbench::routing {
namespace {

void draw(benchmark::State& state, const char* words) {
  const RoutingSpec spec = parse_routing_spec(words, "routing");
  const Shape shape = {.ranks = 64,
                       .experts = 256,
                       .per_token = 8,
                       .tokens = 32768,
                       .groups = spec.groups.value_or(GroupLimit{}),
                       .ranks_per_node = 8};
  std::uint64_t layer = 0;
  for (auto _ : state) benchmark::DoNotOptimize(drawn_rows(spec, shape, layer++, 0));
}

void Routing_Balanced(benchmark::State& state) { draw(state, "balanced"); }
BENCHMARK(Routing_Balanced)->Unit(benchmark::kMillisecond);

void Routing_Uniform(benchmark::State& state) { draw(state, "uniform"); }
BENCHMARK(Routing_Uniform)->Unit(benchmark::kMillisecond);

void Routing_Zipf(benchmark::State& state) { draw(state, "zipf:1.2"); }
BENCHMARK(Routing_Zipf)->Unit(benchmark::kMillisecond);

void Routing_ZipfOfGroups(benchmark::State& state) { draw(state, "zipf:1.2,groups:8/4"); }
BENCHMARK(Routing_ZipfOfGroups)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace collbench::routing
