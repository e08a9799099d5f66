// SPDX-License-Identifier: Apache-2.0
// Building, checking and predicting one step of Llama 3 405B on 16,384 ranks.
#include <benchmark/benchmark.h>

#include "plan/checker.h"
#include "plan/example_plans.h"
#include "plan/predict.h"

namespace collbench::plan {
namespace {

void Plan_Build405B(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(llama3_405b_step());
}
BENCHMARK(Plan_Build405B)->Unit(benchmark::kMillisecond);

void Plan_Check405B(benchmark::State& state) {
  const Plan plan = llama3_405b_step();
  for (auto _ : state) benchmark::DoNotOptimize(check(plan));
}
BENCHMARK(Plan_Check405B)->Unit(benchmark::kMillisecond);

void Plan_Predict405B(benchmark::State& state) {
  const Plan plan = llama3_405b_step();
  for (auto _ : state) benchmark::DoNotOptimize(predict_step(plan, {}));
}
BENCHMARK(Plan_Predict405B)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace collbench::plan
