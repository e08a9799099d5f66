// SPDX-License-Identifier: Apache-2.0
#include "measure/copy_sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "measure/method.h"

namespace collbench {
namespace {

class CopySampler {
 public:
  CopySampler(const CopyBench& bench, const Turns& turns, const RepeatedCopy& copy,
              const CopySampling& options)
      : bench_(bench), turns_(turns), copy_(copy), options_(options) {}

  // Also finds K: the fewest copies that last long enough on the rank which is slowest at its best.
  void warm_up() {
    constexpr double kMost_s = 1;
    constexpr int kMostBlocks = 8;  // of a clock that stands still
    double total_s = 0;
    bool is_sized = false;
    for (int block = 0; block < kMostBlocks && total_s < kMost_s; ++block) {
      const bool enough =
          position_ >= options_.warm_up.operations && total_s >= options_.warm_up.seconds;
      if (enough && is_sized) break;
      const double latest_s = bench_.control.max(block_s());
      fastest_s_ = fastest_s_ > 0 ? std::min(fastest_s_, latest_s) : latest_s;
      total_s += latest_s * static_cast<double>(copies_);
      const std::uint64_t wanted = operations_per_sample(fastest_s_, options_.block_s);
      is_sized = wanted <= 10 * position_;
      copies_ = is_sized ? wanted : 10 * position_;
    }
    if (options_.fixed_copies) copies_ = *options_.fixed_copies;
  }

  Samples collect() {
    Samples samples;
    samples.operations_per_sample = copies_;
    samples.warmup_operations = position_;
    const double start_s = bench_.device.now_s();
    while (true) {
      Decision next;
      if (bench_.control.rank() == 0) {
        next = decide(options_.stop, samples.values_s, bench_.device.now_s() - start_s);
      }
      next = bench_.control.broadcast(next);
      samples.stop = next.reason;
      if (next.more_samples == 0) return samples;
      add_batch(next.more_samples, samples);
    }
  }

 private:
  // Seconds of one copy of this rank, as a mean over its block.
  double block_s() {
    const double copies = static_cast<double>(copies_);
    const double estimate_s =
        fastest_s_ > 0 ? fastest_s_ * copies : slow_move_s(copy_.bytes * copies_);
    bench_.progress.enter(fmt::format("{}, block {}", copy_.what, ++blocks_),
                          step_limit_s(options_.deadline_s, estimate_s * turns_.count));
    double own_s = 0;
    for (int turn = 0; turn < turns_.count; ++turn) {
      bench_.control.barrier();
      if (turn == turns_.mine) own_s = copies_s() / copies;
    }
    // A rank that is done early must not disturb the last turn with what it does next.
    if (turns_.count > 1) bench_.control.barrier();
    position_ += copies_;
    return own_s;
  }

  double copies_s() {
    const double start_s = bench_.device.now_s();
    for (std::uint64_t i = 0; i < copies_; ++i) copy_.enqueue(position_ + i);
    bench_.stream.synchronize();
    return bench_.device.now_s() - start_s;
  }

  void add_batch(std::uint64_t size, Samples& samples) {
    std::vector<double> mine_s(size);
    for (double& block : mine_s) block = block_s();
    const auto ranks = static_cast<std::size_t>(bench_.control.size());
    std::vector<double> all_s(size * ranks);
    bench_.control.all_gather_bytes(mine_s.data(), size * sizeof(double), all_s.data());
    if (bench_.control.rank() != 0) return;
    for (std::size_t i = 0; i < size; ++i) {
      std::vector<double> by_rank;
      for (std::size_t rank = 0; rank < ranks; ++rank) by_rank.push_back(all_s[rank * size + i]);
      samples.values_s.push_back(aggregate(Aggregation::max, by_rank));
      samples.by_sample_s.push_back(std::move(by_rank));
    }
  }

  const CopyBench& bench_;
  const Turns& turns_;
  const RepeatedCopy& copy_;
  const CopySampling& options_;
  std::uint64_t copies_ = 1;    // of a block: K
  std::uint64_t position_ = 0;  // copies so far
  std::uint64_t blocks_ = 0;
  double fastest_s_ = 0;  // of the slowest rank's time of a copy, the least of all blocks
};

}  // namespace

Samples sample_copies(const CopyBench& bench, const Turns& turns, const RepeatedCopy& copy,
                      const CopySampling& options) {
  CopySampler sampler(bench, turns, copy, options);
  sampler.warm_up();
  return sampler.collect();
}

}  // namespace collbench
