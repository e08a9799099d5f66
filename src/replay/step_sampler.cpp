// SPDX-License-Identifier: Apache-2.0
#include "replay/step_sampler.h"

#include <fmt/format.h>

#include <algorithm>

namespace collbench::replay {
namespace {

class StepSampler {
 public:
  StepSampler(const StepBench& bench, std::span<const Replay> replays, const StepSampling& sampling)
      : bench_(bench),
        replays_(replays),
        sampling_(sampling),
        samples_(replays.size()),
        slowest_s_(sampling.estimate_s) {}

  std::vector<StepSamples> sample() {
    for (std::uint64_t i = 0; i < sampling_.warmup; ++i) time_round();
    const double start_s = bench_.device.now_s();
    while (const std::uint64_t more = samples_needed(bench_.device.now_s() - start_s)) add(more);
    return std::move(samples_);
  }

 private:
  // Of each replay, this rank's time.
  std::vector<double> time_round() {
    std::vector<double> times_s;
    for (const Replay& replay : replays_) {
      const TimedStep step =
          time_step(bench_, replay, step_limit_s(sampling_.deadline_s, slowest_s_));
      times_s.push_back(step.end_s - step.start_s);
      slowest_s_ = std::max(slowest_s_, times_s.back());
    }
    return times_s;
  }

  std::uint64_t samples_needed(double elapsed_s) const {
    std::uint64_t more = 0;
    if (bench_.control.rank() == 0) {
      more = decide(sampling_.stop, samples_.front().values_s, elapsed_s).more_samples;
    }
    return bench_.control.broadcast(more);
  }

  void add(std::uint64_t rounds) {
    std::vector<double> mine_s;
    for (std::uint64_t i = 0; i < rounds; ++i) {
      const std::vector<double> round_s = time_round();
      mine_s.insert(mine_s.end(), round_s.begin(), round_s.end());
    }
    const auto ranks = static_cast<std::size_t>(bench_.control.size());
    std::vector<double> all_s(mine_s.size() * ranks);
    bench_.control.all_gather_bytes(mine_s.data(), mine_s.size() * sizeof(double), all_s.data());
    // A rank without a part in the plan waits as long as the others take.
    slowest_s_ = std::max(slowest_s_, *std::max_element(all_s.begin(), all_s.end()));
    for (std::size_t i = 0; i < mine_s.size(); ++i) {
      std::vector<double> by_rank_s;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        by_rank_s.push_back(all_s[rank * mine_s.size() + i]);
      }
      StepSamples& of_replay = samples_[i % replays_.size()];
      of_replay.values_s.push_back(*std::max_element(by_rank_s.begin(), by_rank_s.end()));
      of_replay.by_sample_s.push_back(std::move(by_rank_s));
    }
  }

  const StepBench& bench_;
  std::span<const Replay> replays_;
  const StepSampling& sampling_;
  std::vector<StepSamples> samples_;
  double slowest_s_;  // of any step so far, or of what they were thought to take
};

}  // namespace

TimedStep time_step(const StepBench& bench, const Replay& replay, double limit_s) {
  bench.progress.enter(replay.what, limit_s);
  bench.alignment.align(bench.stream);
  TimedStep step;
  step.start_s = bench.device.now_s();
  if (replay.executor != nullptr) replay.executor->run(*replay.computation);
  step.end_s = bench.device.now_s();
  return step;
}

std::vector<StepSamples> sample_steps(const StepBench& bench, std::span<const Replay> replays,
                                      const StepSampling& sampling) {
  return StepSampler(bench, replays, sampling).sample();
}

}  // namespace collbench::replay
