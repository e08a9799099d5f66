// SPDX-License-Identifier: Apache-2.0
#include "replay/turn_times.h"

#include <algorithm>

namespace collbench::replay {
namespace {

/// Of this rank, by turn; 0 where it has none.
std::vector<double> times_of(const TurnsReplay& turns, double start_s) {
  std::vector<double> of_turn_s(turns.distinct_of_turn.size());
  if (turns.replay.executor == nullptr) return of_turn_s;
  const std::vector<plan::OpTime> times = turns.replay.executor->times(start_s);
  std::size_t begun = 0;
  for (std::size_t op = 0; op < times.size(); ++op) {
    if (!turns.distinct_of_op[op]) {
      ++begun;
    } else {
      double& longest_s = of_turn_s[begun - 1];
      longest_s = std::max(longest_s, times[op].end_s - times[op].start_s);
    }
  }
  return of_turn_s;
}

/// By distinct exchange.
std::vector<double> means_of(const TurnsReplay& turns, const std::vector<double>& of_turn_s) {
  std::vector<double> sums_s(turns.distinct);
  std::vector<double> counts(turns.distinct);
  for (std::size_t turn = 0; turn < turns.distinct_of_turn.size(); ++turn) {
    sums_s[turns.distinct_of_turn[turn]] += of_turn_s[turn];
    ++counts[turns.distinct_of_turn[turn]];
  }
  for (std::size_t k = 0; k < sums_s.size(); ++k) sums_s[k] /= std::max(counts[k], 1.0);
  return sums_s;
}

class TurnSampler {
 public:
  TurnSampler(const StepBench& bench, const TurnsReplay& turns, const StepSampling& sampling)
      : bench_(bench),
        turns_(turns),
        sampling_(sampling),
        samples_(turns.distinct),
        slowest_s_(sampling.estimate_s) {}

  std::vector<std::vector<double>> sample() {
    for (std::uint64_t i = 0; i < sampling_.warmup; ++i) round();
    const double start_s = bench_.device.now_s();
    while (const std::uint64_t more = samples_needed(bench_.device.now_s() - start_s)) {
      for (std::uint64_t i = 0; i < more; ++i) add(round());
    }
    return std::move(samples_);
  }

 private:
  // By distinct exchange, and last of the whole round: the longest of any rank.
  std::vector<double> round() {
    const TimedStep step =
        time_step(bench_, turns_.replay, step_limit_s(sampling_.deadline_s, slowest_s_));
    std::vector<double> mine_s = times_of(turns_, step.start_s);
    mine_s.push_back(step.end_s - step.start_s);
    const std::size_t ranks = static_cast<std::size_t>(bench_.control.size());
    std::vector<double> all_s(mine_s.size() * ranks);
    bench_.control.all_gather_bytes(mine_s.data(), mine_s.size() * sizeof(double), all_s.data());
    for (std::size_t i = 0; i < all_s.size(); ++i) {
      double& longest_s = mine_s[i % mine_s.size()];
      longest_s = std::max(longest_s, all_s[i]);
    }
    const double round_s = mine_s.back();
    slowest_s_ = std::max(slowest_s_, round_s);
    std::vector<double> means_s = means_of(turns_, mine_s);
    means_s.push_back(round_s);
    return means_s;
  }

  void add(const std::vector<double>& round_s) {
    for (std::size_t k = 0; k < samples_.size(); ++k) samples_[k].push_back(round_s[k]);
    rounds_s_.push_back(round_s.back());
  }

  std::uint64_t samples_needed(double elapsed_s) const {
    std::uint64_t more = 0;
    if (bench_.control.rank() == 0) {
      more = decide(sampling_.stop, rounds_s_, elapsed_s).more_samples;
    }
    return bench_.control.broadcast(more);
  }

  const StepBench& bench_;
  const TurnsReplay& turns_;
  const StepSampling& sampling_;
  std::vector<std::vector<double>> samples_;
  std::vector<double> rounds_s_;
  double slowest_s_;  // of any round so far, or of what they were thought to take
};

}  // namespace

std::vector<std::vector<double>> time_turns(const StepBench& bench, const TurnsReplay& turns,
                                            const StepSampling& sampling) {
  return TurnSampler(bench, turns, sampling).sample();
}

}  // namespace collbench::replay
