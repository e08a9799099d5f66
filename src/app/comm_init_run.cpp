// SPDX-License-Identifier: Apache-2.0
#include "app/comm_init_run.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <numeric>
#include <optional>

#include "app/buffers.h"
#include "app/measured_record.h"
#include "app/operation_run.h"
#include "measure/data_check.h"
#include "results/operation_rows.h"

namespace collbench {
namespace {

// What happens to a communicator, in this order.
enum Step : std::size_t { init, first_operation, second_operation, split, shrink, destroy, kSteps };

// Seconds of each step; 0 of one in which a rank has no part.
using StepTimes = std::array<double, kSteps>;

struct StepRow {
  Step step;
  std::string_view operation;  // empty: the collective that is done on the communicators
  OperationMode mode;
};

constexpr std::array kRowsOfFirst = {
    StepRow{init, "comm_init", operation_modes::first},
    StepRow{first_operation, "", operation_modes::first},
};

constexpr std::array kRowsOfRepetitions = {
    StepRow{init, "comm_init", operation_modes::repeated},
    StepRow{first_operation, "", operation_modes::cold},
    StepRow{second_operation, "", operation_modes::warm},
    StepRow{split, "comm_split", operation_modes::repeated},
    StepRow{shrink, "comm_shrink", operation_modes::repeated},
    StepRow{destroy, "comm_destroy", operation_modes::repeated},
};

SweepSize size_of_operation(const CommInitOptions& options, const Operation& operation, int ranks) {
  const Sweep one = {options.message_bytes, options.message_bytes, 1, 1};
  const SweepSize size =
      plan_sweep(one, {operation.traffic, DataType::float32, ranks, nullptr}).front();
  if (size.skip_reason.empty()) return size;
  throw UserError(fmt::format("-b {}: {}", options.message_bytes, size.skip_reason));
}

class CommInitRun {
 public:
  CommInitRun(RunContext& run, const BackendOfRun& backend,
              const std::vector<std::string>& arguments, const CommInitOptions& options,
              const Operation& operation)
      : options_(options),
        operation_(operation),
        run_(run, backend, {kCommInitProgram, arguments, options, options.gpu}),
        ranks_(run.control().size()),
        size_(size_of_operation(options, operation, ranks_)) {
    setting_.count = size_.count;
    setting_.rank = run.control().rank();
    setting_.ranks = ranks_;
    describe();
  }

  ExitStatus measure() {
    run_.begin();
    stream_ = run_.device().make_stream();
    buffers_.emplace(run_.control(), run_.device(),
                     BufferNeed{.message_bytes = size_.message_bytes, .flag = "-b"}, 0);
    buffers_->fill_send(run_.device(), *stream_, timed_data(operation_, setting_));
    repeat("the first communicator", true);
    for (const StepRow& row : kRowsOfFirst) keep(row);
    times_.clear();
    for (std::uint64_t i = 1; i <= options_.repetitions; ++i) {
      repeat(fmt::format("communicator {}", i + 1), i == options_.repetitions);
    }
    for (const StepRow& row : kRowsOfRepetitions) keep(row);
    return run_.end();
  }

 private:
  void describe() {
    RunConfig& config = run_.config();
    config.min_bytes = config.max_bytes = options_.message_bytes;
    config.step_bytes = 1;
    config.check_iterations = options_.check ? 1 : 0;
    config.fixed_iterations = options_.repetitions;
    config.sampling.fixed_samples = options_.repetitions;
  }

  // Seconds that an operation takes this rank; all ranks begin together.
  double operation_s(const std::string& what) {
    run_.enter(what, size_.message_bytes * static_cast<Bytes>(ranks_));
    return timed([&] { operate(); });
  }

  // Likewise of a call that makes or ends a communicator, which may take as long as a start.
  template <class Call>
  double call_s(const std::string& what, Call call) {
    run_.context().progress().enter(what, options_.start_timeout_s);
    return timed(call);
  }

  template <class Work>
  double timed(Work work) {
    run_.control().barrier();
    const double start_s = run_.device().now_s();
    work();
    return run_.device().now_s() - start_s;
  }

  // A communicator from its beginning to its end.
  void repeat(const std::string& which, bool checks) {
    StepTimes times{};
    times[init] =
        call_s(which + ", init", [&] { comm_ = run_.backend().make_communicator(run_.device()); });
    times[first_operation] = operation_s(which + ", first operation");
    times[second_operation] = operation_s(which + ", second operation");
    std::unique_ptr<Communicator> part;
    times[split] = call_s(which + ", split", [&] { part = comm_->split(0, comm_->rank()); });
    part.reset();
    times[shrink] = shrink_s(which);
    if (checks && options_.check) check(which);
    times[destroy] = call_s(which + ", destroy", [&] { comm_.reset(); });
    times_.push_back(run_.control().all_gather(times));
  }

  void operate() {
    const Buffers buffers =
        buffers_->place(operation_.traffic, setting_, size_.message_bytes, false).buffers;
    for (const std::vector<Call>& group : operation_.calls(setting_, buffers)) {
      comm_->enqueue(group, *stream_);
    }
    stream_->synchronize();
  }

  // Without the last rank, which waits at the next step.
  double shrink_s(const std::string& which) {
    Shrinking* const shrinking = comm_->shrinking();
    can_shrink_ = shrinking != nullptr;
    if (!can_shrink_ || ranks_ == 1) return 0;
    std::unique_ptr<Communicator> rest;
    const int last = ranks_ - 1;
    return call_s(which + ", shrink", [&] {
      if (setting_.rank != last) rest = shrinking->without(std::array{last});
    });
  }

  void check(const std::string& which) {
    run_.enter(which + ", data check", size_.message_bytes * static_cast<Bytes>(ranks_));
    std::vector<int> all(static_cast<std::size_t>(ranks_));
    std::iota(all.begin(), all.end(), 0);
    const Workbench bench{run_.control(), *comm_, run_.device(), *stream_, nullptr};
    const Buffers buffers =
        buffers_->place(operation_.traffic, setting_, size_.message_bytes, false).buffers;
    check_ = check_operation(bench, {all}, operation_, setting_, buffers, ++seed_).front();
  }

  void keep(const StepRow& row) { run_.keep(record_of(row)); }

  Record record_of(const StepRow& row) const {
    if (row.operation.empty()) return operation_record(row);
    const int ranks = row.step == shrink && can_shrink_ && ranks_ > 1 ? ranks_ - 1 : ranks_;
    Record record = run_.blank(row.operation, row.mode.name, ranks);
    record.reason = row.step == shrink ? why_no_shrink() : "";
    if (record.reason.empty()) {
      add_times(record, {}, samples_of(row.step, ranks));
    } else {
      record.status = RowStatus::skipped;
    }
    return record;
  }

  std::string why_no_shrink() const {
    if (!can_shrink_) return "the library has no call that leaves ranks out; see comm_split";
    return ranks_ == 1 ? "of one rank none would stay" : "";
  }

  Record operation_record(const StepRow& row) const {
    const Record blank = run_.blank(operation_.traffic.name, row.mode.name, ranks_);
    const RowContext context{
        .operation = operation_, .backend = blank.key.backend, .flags = blank.flags};
    Record record = blank_record(context, setting_, size_, false);
    record.key.mode = blank.key.mode;
    record.key.nodes = blank.key.nodes;
    record.key.ranks_per_process = blank.key.ranks_per_process;
    add_samples(record, context, samples_of(row.step, ranks_));
    if (check_) add_check(record, *check_);
    return record;
  }

  Samples samples_of(Step step, int ranks) const {
    Samples samples;
    samples.stop = StopReason::fixed;
    for (const std::vector<StepTimes>& of_ranks : times_) {
      std::vector<double> by_rank;
      for (int rank = 0; rank < ranks; ++rank) {
        by_rank.push_back(of_ranks[static_cast<std::size_t>(rank)][step]);
      }
      samples.values_s.push_back(aggregate(Aggregation::max, by_rank));
      samples.by_sample_s.push_back(std::move(by_rank));
    }
    return samples;
  }

  const CommInitOptions& options_;
  const Operation& operation_;
  OperationRun run_;
  const int ranks_;
  const SweepSize size_;
  Setting setting_;
  std::unique_ptr<Stream> stream_;
  std::optional<SweepBuffers> buffers_;
  std::unique_ptr<Communicator> comm_;
  std::vector<std::vector<StepTimes>> times_;  // [repetition][rank]
  bool can_shrink_ = false;
  std::optional<CheckOutcome> check_;  // of the latest communicator that was checked
  std::uint64_t seed_ = 0;
};

}  // namespace

ExitStatus measure_comm_init(RunContext& run, const BackendOfRun& backend,
                             const std::vector<std::string>& arguments,
                             const CommInitOptions& options, const Operation& operation) {
  return CommInitRun(run, backend, arguments, options, operation).measure();
}

}  // namespace collbench
