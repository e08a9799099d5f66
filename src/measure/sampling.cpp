// SPDX-License-Identifier: Apache-2.0
#include "measure/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/errors.h"
#include "measure/block_timer.h"
#include "measure/gathered_blocks.h"
#include "measure/iteration_times.h"

namespace collbench {
namespace {

constexpr double kLongBlock_s = 50e-3;  // which usual numbers of operations give way to

class Sampler {
 public:
  Sampler(const Workbench& bench, const RanksOfGroups& groups, const Operation& operation,
          const Setting& setting, const Placement& placement, const SamplingOptions& options,
          Progress& progress, std::string what)
      : bench_(bench),
        groups_(groups),
        operation_(operation),
        setting_(setting),
        placement_(placement),
        options_(options),
        timer_(bench, options.method),
        progress_(progress),
        what_(std::move(what)) {}

  // An operation below is an iteration: of so many operations as are fused, mostly one.
  // They go on in the buffers where the untimed ones have ended.
  PreparedCalls prepare(std::uint64_t operations) const {
    return {operation_, setting_, placement_, operations, options_.method.grouped_operations,
            done_};
  }

  // Has the device record a block, and replays it once to warm that up, too.
  void record(PreparedCalls& calls, std::uint64_t operations) {
    if (options_.method.mode != Mode::graph) return;
    GraphCapture* const graphs = bench_.device.graphs();
    if (graphs == nullptr) throw SystemError("this device records no graphs");
    calls.record(*graphs, operations / options_.method.graph_launches, bench_.comm, bench_.stream);
    time_block_s(calls, operations);
    done_ += operations;
  }

  // This rank's time of one operation, as a mean over the block.
  double time_block_s(PreparedCalls& calls, std::uint64_t operations) {
    progress_.enter(fmt::format("{}, block {}", what_, ++blocks_),
                    step_limit_s(options_.deadline_s, estimate_s(operations)));
    latest_block_ = timer_.time(calls, operations);
    return latest_block_.operation_s * static_cast<double>(options_.method.grouped_operations);
  }

  // Times iterations one by one, in blocks of their own: the stamps would disturb the samples.
  void time_iterations(PreparedCalls& calls, std::vector<Samples>& samples) {
    if (!options_.method.iteration_times) return;
    const std::uint64_t n = options_.timed_iterations.value_or(iterations_to_time(fastest_s_));
    progress_.enter(what_ + ", single iterations",
                    step_limit_s(options_.deadline_s, estimate_s(n)));
    std::function<void()> before_each;
    if (options_.method.mode == Mode::streaming) {
      timer_.align();
    } else {
      before_each = [this] { timer_.align(); };
    }
    std::vector<double> mine_s = iteration_times_s(bench_, calls, n, before_each);
    std::vector<double> all_s(mine_s.size() * static_cast<std::size_t>(bench_.control.size()));
    bench_.control.all_gather_bytes(mine_s.data(), mine_s.size() * sizeof(double), all_s.data());
    const auto fused = static_cast<double>(options_.method.grouped_operations);
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      for (std::uint64_t i = 0; i < n; ++i) {
        double last_s = 0;
        for (const int rank : groups_[group]) {
          last_s = std::max(last_s, all_s[static_cast<std::size_t>(rank) * n + i]);
        }
        samples[group].iteration_s.push_back(last_s / fused);
      }
    }
  }

  // Runs operations until caches and connections are warm: exactly those of -w, else by the rule
  // and in at least 4 blocks, but for no more than 1 s.
  void warm_up() {
    if (options_.warmup_operations) return run_untimed(*options_.warmup_operations);
    const auto& [least, least_s] = options_.warm_up;
    constexpr double kMost_s = 1;
    double total_s = 0;
    for (std::uint64_t blocks = 0, next = 1; total_s < kMost_s; ++blocks) {
      if (done_ >= least && total_s >= least_s && blocks >= 4) return;
      run_untimed(next);
      total_s += latest_s_ * static_cast<double>(next);
      next = std::min(operations_per_sample(fastest_s_, least_s / 4), 10 * done_);
    }
  }

  std::uint64_t choose_operations() {
    const Method& method = options_.method;
    if (method.mode == Mode::graph) return recorded_operations() * method.graph_launches;
    return method.mode == Mode::streaming ? operations_of_a_block() : operations_for_the_clock();
  }

  // K of an isolated sample: one, unless the clock's steps would be more than a tenth of it.
  std::uint64_t operations_for_the_clock() {
    constexpr double kSteps = 10;
    if (options_.clock_step_s <= 0) return 1;
    if (fastest_s_ == 0) run_untimed(1);
    return operations_per_sample(fastest_s_, kSteps * options_.clock_step_s);
  }

  // As many as a graph holds.
  std::uint64_t recorded_operations() {
    if (fastest_s_ == 0) run_untimed(1);  // connects the ranks before anything is recorded
    if (options_.fixed_operations) return *options_.fixed_operations;
    return usual_operations(options_.method.graph_launches);
  }

  // Fewer where so many times that number would make a long block.
  std::uint64_t usual_operations(std::uint64_t times) {
    if (fastest_s_ == 0) run_untimed(1);
    const double room = kLongBlock_s / (fastest_s_ * static_cast<double>(times));
    return static_cast<std::uint64_t>(
        std::max(std::min(room, static_cast<double>(options_.usual_operations)), 1.0));
  }

  // K of a streaming sample: the smallest number of operations that lasts block_s at the best speed
  // seen. A disturbed block makes operations look slow and K small, so that short blocks have to
  // confirm it twice.
  std::uint64_t operations_of_a_block() {
    if (options_.fixed_operations) {
      if (*options_.fixed_operations > 1 && fastest_s_ == 0) run_untimed(1);  // as nccl-tests does
      return *options_.fixed_operations;
    }
    if (options_.usual_operations > 0) return usual_operations(1);
    constexpr double kShort_s = 20e-3;
    std::uint64_t k = 1;
    for (int long_enough = 0; long_enough < 3;) {
      run_untimed(k);
      const auto block_s = [&](double operation_s) { return operation_s * static_cast<double>(k); };
      if (block_s(fastest_s_) < options_.block_s) {
        k = std::clamp(operations_per_sample(fastest_s_, options_.block_s), k + 1, 10 * k);
      } else {
        long_enough += block_s(latest_s_) > kShort_s ? 3 : 1;
      }
    }
    return operations_per_sample(fastest_s_, options_.block_s);
  }

  std::uint64_t untimed_operations() const { return done_; }

  // Takes samples until rank 0 has enough of every group, by its decision.
  void collect(PreparedCalls& calls, std::vector<Samples>& samples) {
    const bool decides = bench_.control.rank() == 0;
    const double start_s = bench_.device.now_s();
    while (true) {
      std::uint64_t more = 0;
      if (decides) more = samples_needed(samples, bench_.device.now_s() - start_s);
      more = bench_.control.broadcast(more);
      if (more == 0) return;
      add_batch(calls, more, samples);
    }
  }

 private:
  double estimate_s(std::uint64_t operations) const {
    if (latest_s_ == 0) {
      return slow_move_s(placement_.stride_bytes * static_cast<Bytes>(setting_.ranks) * operations *
                         options_.method.grouped_operations);
    }
    return latest_s_ * static_cast<double>(operations);
  }

  // All ranks learn the same times, so all take the same decisions from them.
  void run_untimed(std::uint64_t operations) {
    if (operations == 0) return;
    const bool unknown = fastest_s_ == 0;
    if (unknown && operations > 1) {  // one first: the rest's deadline needs an estimate
      run_untimed(1);
      --operations;
    }
    PreparedCalls calls = prepare(operations);
    latest_s_ = bench_.control.max(time_block_s(calls, operations));
    fastest_s_ = fastest_s_ > 0 ? std::min(fastest_s_, latest_s_) : latest_s_;
    done_ += operations;
  }

  // By the group that needs most; why each would stop.
  std::uint64_t samples_needed(std::vector<Samples>& samples, double elapsed_s) const {
    std::uint64_t more = 0;
    for (Samples& of_group : samples) {
      const Decision next = decide(options_.stop, of_group.values_s, elapsed_s);
      of_group.stop = next.reason;
      more = std::max(more, next.more_samples);
    }
    return more;
  }

  void add_batch(PreparedCalls& calls, std::uint64_t size, std::vector<Samples>& samples) {
    std::vector<TimedBlock> mine;
    for (std::uint64_t i = 0; i < size; ++i) {
      time_block_s(calls, samples[0].operations_per_sample / options_.method.grouped_operations);
      mine.push_back(latest_block_);
    }
    const std::vector<BlockOfRanks> blocks = gather_blocks(bench_.control, mine);
    if (bench_.control.rank() != 0) return;
    for (const BlockOfRanks& block : blocks) {
      add_block(block, bench_, groups_, options_.method, samples);
    }
  }

  const Workbench& bench_;
  const RanksOfGroups& groups_;
  const Operation& operation_;
  const Setting& setting_;
  const Placement& placement_;
  const SamplingOptions& options_;
  BlockTimer timer_;
  Progress& progress_;
  std::string what_;
  double latest_s_ = 0;   // time of an operation in the latest untimed block, maximum over ranks
  double fastest_s_ = 0;  // the least of these
  std::uint64_t done_ = 0;
  std::uint64_t blocks_ = 0;
  TimedBlock latest_block_{};
};

}  // namespace

double clock_step_s(Device& device) {
  constexpr int kReadings = 1000;
  double least = 0;
  double before = device.now_s();
  for (int i = 0; i < kReadings; ++i) {
    const double now = device.now_s();
    if (now > before && (least == 0 || now - before < least)) least = now - before;
    before = now;
  }
  return least;
}

std::vector<Samples> sample(const Workbench& bench, const RanksOfGroups& groups,
                            const Operation& operation, const Setting& setting,
                            const Placement& placement, const SamplingOptions& options,
                            Progress& progress, const std::string& what) {
  Sampler sampler(bench, groups, operation, setting, placement, options, progress, what);
  sampler.warm_up();
  const std::uint64_t operations = sampler.choose_operations();
  PreparedCalls calls = sampler.prepare(
      options.method.mode == Mode::graph ? operations / options.method.graph_launches : operations);
  sampler.record(calls, operations);
  const std::vector<Bytes> walked_bytes = bench.control.all_gather(calls.walked_bytes());
  std::vector<Samples> samples;
  for (const std::vector<int>& ranks : groups) {
    samples.emplace_back();
    samples.back().operations_per_sample = operations * options.method.grouped_operations;
    samples.back().warmup_operations =
        sampler.untimed_operations() * options.method.grouped_operations;
    samples.back().walked_bytes = walked_bytes[static_cast<std::size_t>(ranks.front())];
  }
  sampler.collect(calls, samples);
  sampler.time_iterations(calls, samples);
  return samples;
}

}  // namespace collbench
