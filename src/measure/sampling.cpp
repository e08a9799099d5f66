// SPDX-License-Identifier: Apache-2.0
#include "measure/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace collbench {
namespace {

// The groups of calls of one block, made before the clock starts.
class PreparedCalls {
 public:
  PreparedCalls(const Operation& operation, const Setting& setting, const Placement& placement,
                std::uint64_t operations) {
    const std::uint64_t positions = std::min(placement.positions, operations);
    for (std::uint64_t i = 0; i < positions; ++i) {
      const Bytes offset = i * placement.stride_bytes;
      const Buffers shifted = {static_cast<const std::byte*>(placement.buffers.send) + offset,
                               static_cast<std::byte*>(placement.buffers.recv) + offset};
      const std::vector<Call> group = operation.calls(setting, shifted);
      group_size_ = group.size();
      calls_.insert(calls_.end(), group.begin(), group.end());
    }
  }

  // Nothing in this loop but the operations: it is what is measured.
  void enqueue(std::uint64_t operations, Communicator& comm, Stream& stream) const {
    const Call* group = calls_.data();
    const Call* const end = group + calls_.size();
    for (std::uint64_t i = 0; i < operations; ++i) {
      comm.enqueue(std::span(group, group_size_), stream);
      group += group_size_;
      if (group == end) group = calls_.data();
    }
  }

 private:
  std::vector<Call> calls_;
  std::size_t group_size_ = 0;
};

class Sampler {
 public:
  Sampler(const Workbench& bench, const SamplingOptions& options, Progress& progress,
          std::string what)
      : bench_(bench), options_(options), progress_(progress), what_(std::move(what)) {}

  // This rank's time of one operation, as a mean over the block.
  double time_block_s(const PreparedCalls& calls, std::uint64_t operations) {
    progress_.enter(
        fmt::format("{}, block {}", what_, ++blocks_),
        step_limit_s(options_.deadline_s, operation_s_ * static_cast<double>(operations)));
    bench_.control.barrier();
    const double start_s = bench_.device.now_s();
    calls.enqueue(operations, bench_.comm, bench_.stream);
    bench_.stream.synchronize();
    return (bench_.device.now_s() - start_s) / static_cast<double>(operations);
  }

  // Runs operations until caches, connections and the estimate of their time are warm; returns how
  // many. All ranks see the same times, so all do the same.
  std::uint64_t warm_up(const Operation& operation, const Setting& setting,
                        const Placement& placement) {
    constexpr std::uint64_t kLeast = 5;
    constexpr double kLeast_s = 20e-3;
    std::uint64_t next = options_.warmup_operations.value_or(kLeast);
    if (next == 0 && !options_.fixed_operations) next = 1;  // K needs an estimate
    std::uint64_t done = 0;
    double total_s = 0;
    while (next > 0) {
      const PreparedCalls calls(operation, setting, placement, next);
      operation_s_ = bench_.control.max(time_block_s(calls, next));
      total_s += operation_s_ * static_cast<double>(next);
      done += next;
      if (options_.warmup_operations || total_s >= kLeast_s) break;
      next = std::min(operations_per_sample(operation_s_, kLeast_s - total_s), 10 * done);
    }
    return done;
  }

  std::uint64_t choose_operations() const {
    if (options_.fixed_operations) return *options_.fixed_operations;
    return operations_per_sample(operation_s_, options_.block_s);
  }

  void collect(const PreparedCalls& calls, Samples& samples) {
    const bool decides = bench_.control.rank() == 0;
    const double start_s = bench_.device.now_s();
    while (true) {
      Decision next;
      if (decides) {
        next = decide(options_.stop, samples.max_over_ranks_s, bench_.device.now_s() - start_s);
      }
      next = bench_.control.broadcast(next);
      samples.stop = next.reason;
      if (next.more_samples == 0) return;
      add_batch(calls, next.more_samples, samples);
    }
  }

 private:
  void add_batch(const PreparedCalls& calls, std::uint64_t size, Samples& samples) {
    std::vector<double> mine(size);
    for (double& sample : mine) sample = time_block_s(calls, samples.operations_per_sample);
    const auto ranks = static_cast<std::size_t>(bench_.control.size());
    std::vector<double> all(size * ranks);
    bench_.control.all_gather_bytes(mine.data(), size * sizeof(double), all.data());
    if (bench_.control.rank() != 0) return;
    for (std::size_t i = 0; i < size; ++i) {
      std::vector<double> by_rank(ranks);
      for (std::size_t rank = 0; rank < ranks; ++rank) by_rank[rank] = all[rank * size + i];
      samples.max_over_ranks_s.push_back(*std::max_element(by_rank.begin(), by_rank.end()));
      samples.by_sample_s.push_back(std::move(by_rank));
    }
  }

  const Workbench& bench_;
  const SamplingOptions& options_;
  Progress& progress_;
  std::string what_;
  double operation_s_ = 0;  // the latest estimate, maximum over ranks
  std::uint64_t blocks_ = 0;
};

}  // namespace

Samples sample(const Workbench& bench, const Operation& operation, const Setting& setting,
               const Placement& placement, const SamplingOptions& options, Progress& progress,
               const std::string& what) {
  Sampler sampler(bench, options, progress, what);
  Samples samples;
  samples.warmup_operations = sampler.warm_up(operation, setting, placement);
  samples.operations_per_sample = sampler.choose_operations();
  const PreparedCalls calls(operation, setting, placement, samples.operations_per_sample);
  sampler.collect(calls, samples);
  return samples;
}

}  // namespace collbench
