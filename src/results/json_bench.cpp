// SPDX-License-Identifier: Apache-2.0
// Micro-benchmark: a document of 10,000 rows with 100 samples each, as JSON text.
#include <benchmark/benchmark.h>

#include "results/example_document.h"
#include "results/json.h"

namespace collbench {
namespace {

Document large_document() {
  constexpr int kRows = 10'000;
  constexpr int kSamples = 100;
  Record row = example::measured(false);
  row.timing->samples_s.clear();
  for (int i = 0; i < kSamples; ++i) {
    row.timing->samples_s.push_back(285e-6 + 1e-9 * (i * 37 % 101));
  }
  row.timing->mean_over_ranks_s = row.timing->samples_s;
  Document document = example::ended();
  document.rows.assign(kRows, row);
  return document;
}

void write_document(benchmark::State& state) {
  const Document document = large_document();
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(to_json(document));
}
BENCHMARK(write_document)->Unit(benchmark::kMillisecond);

void read_document(benchmark::State& state) {
  const std::string text = to_json(large_document());
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(document_from_json(text, "FILE"));
  }
}
BENCHMARK(read_document)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace collbench
