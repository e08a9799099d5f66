// SPDX-License-Identifier: Apache-2.0
#include "app/sweep_run.h"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <optional>

#include "app/buffers.h"
#include "app/device_states.h"
#include "app/gpu_memory.h"
#include "app/group_rows.h"
#include "app/interference_run.h"
#include "app/large_sizes.h"
#include "app/run_config.h"
#include "app/run_environment.h"
#include "app/run_facts.h"
#include "app/run_plan.h"
#include "app/soak.h"
#include "app/sweep_report.h"
#include "app/sweep_setup.h"
#include "base/clock.h"
#include "cli/thresholds.h"
#include "measure/alignment.h"
#include "measure/data_check.h"
#include "measure/sampling.h"
#include "results/document.h"
#include "results/row_flags.h"

namespace collbench {
namespace {

// Everything one run needs, made in the order of its members and destroyed in reverse.
class SweepRun {
 public:
  SweepRun(RunContext& run, const BackendOfRun& backend, const std::vector<std::string>& arguments,
           const CollectiveOptions& options, const Operation& operation)
      : run_(run),
        notes_({backend.note()}),
        options_(options),
        operation_(operation),
        sampling_(sampling_of(options)),
        report_(run, options, clock_),
        backend_(backend.process().make_backend(seat_of(run, options))),
        device_(backend_->make_device(device_use(options))),
        plan_(plan_run(run.control(), options, operation.traffic)),
        soak_(run.control(), clock_, options.sampling) {
    describe_environment();
    sampling_.usual_operations = backend_->operations_per_sample();
    Document& document = report_.document();
    document.config = config_of(options, operation, arguments, *backend_, sampling_, plan_.sweep);
    read_environment();
    std::vector<std::string> flags;
    if (backend_->oversubscribed()) flags.emplace_back(row_flags::oversubscribed.name);
    contexts_ = contexts_of_groups(plan_, options, operation, document.environment,
                                   document.config.backend, flags, sampling_.method);
    for (std::string& why : flag_fallbacks(contexts_, *backend_, operation.traffic)) {
      notes_.push_back(std::move(why));
    }
  }

  ExitStatus measure() {
    refuse_empty(plan_);
    report_.open_file();  // which tells how the start of communicators ends, too
    make_workbench();
    const Bytes extra_bytes = settle_large_sizes(plan_, operation_, *comm_, run_.control());
    refuse_empty(plan_);
    make_buffers(extra_bytes);
    report_.begin(notes_, lines_to_come());
    while (soak_.begin_cycle()) {
      for (std::size_t i = 0; i < plan_.own().sweeps.size() && soak_.goes_on(); ++i) {
        measure_sweep(i);
      }
    }
    if (memory_) {
      report_.document().gpu_memory = memory_->of_the_run(run_.control());
      report_.conclude();
    }
    report_.end();
    if (!data_is_right_) return ExitStatus::wrong_data;
    const Document& document = report_.document();
    return reports() ? status_of(judge(document.config.thresholds, document.rows, document.cycles))
                     : ExitStatus::ok;
  }

 private:
  void describe_environment() {
    Document& document = report_.document();
    document.run = new_run_facts();
    document.environment = gather_environment(run_.control(), device_->facts());
    if (options_.split) set_groups(document.environment, plan_);
    document.environment.libraries = backend_->libraries();
    document.environment.libraries["mpi"] = run_.session().mpi_library();
  }

  void make_workbench() {
    if (options_.gpu.show_memory) memory_.emplace(*device_);
    comm_ = make_communicator(*backend_, *device_, options_, plan_);
    stream_ = device_->make_stream();
    bench_.emplace(Workbench{run_.control(), *comm_, *device_, *stream_, nullptr});
    prepare_isolation();
    if (memory_) memory_->communicators_are_made();
  }

  // Of all ranks, also where they measure in groups: these load the machine at the same time.
  void prepare_isolation() {
    if (sampling_.method.mode == Mode::streaming || sampling_.method.mode == Mode::graph) return;
    sampling_.clock_step_s = run_.control().max(clock_step_s(*device_));
    if (sampling_.method.mode != Mode::isolated) return;
    std::vector<int> hosts;
    for (const RankFacts& rank : report_.document().environment.ranks) hosts.push_back(rank.host);
    alignment_.emplace(backend_->make_communicator(*device_), *device_, std::move(hosts));
    bench_->alignment = &*alignment_;
  }

  bool reports() const { return run_.control().rank() == 0; }

  // Rank 0's counts: launchers do not hand variables to every host.
  void read_environment() {
    together(run_.control(), [&] {
      if (!reports()) return;
      report_.document().config.thresholds.mean_bus_bandwidth_Bps =
          parse_min_bandwidth(std::getenv(kMinBandwidthVariable));
    });
  }

  // Of the table; unknown where time decides.
  std::optional<std::size_t> lines_to_come() const {
    if (options_.sampling.duration_s) return std::nullopt;
    std::size_t lines = 0;
    for (const PlannedSweep& sweep : plan_.own().sweeps) lines += sweep.sizes.size();
    return lines * options_.sampling.cycles;
  }

  // No rank measures before all have their memory: GPUs of a process that read each other's memory
  // may have to be idle for it to be allocated, and those that wait for this rank are not.
  void make_buffers(Bytes extra_bytes) {
    buffers_.emplace(run_.control(), *device_, buffer_need(plan_, sampling_.method), extra_bytes);
    run_.control().barrier();
    if (memory_) memory_->buffers_are_made();
    const bool in_effect = buffers_->register_with(*comm_);
    if (run_.control().max(in_effect ? 0.0 : 1.0) > 0) flag_all(row_flags::not_registered);
    if (options_.interfere) prepare_interference();
  }

  void prepare_interference() {
    enter("preparing what runs beside", buffers_->bytes());
    interference_.emplace(*backend_, *bench_, *options_.interfere, sampling_,
                          largest_message(plan_));
    const double registered = interference_->is_registered() ? 0.0 : 1.0;
    if (run_.control().max(registered) > 0) flag_all(row_flags::not_registered);
  }

  void flag_all(const RowFlag& flag) {
    for (RowContext& context : contexts_) context.flags.emplace_back(flag.name);
  }

  void measure_sweep(std::size_t index) {
    const PlannedSweep& sweep = plan_.own().sweeps[index];
    enter("filling the send buffer", buffers_->bytes());
    buffers_->fill_send(*device_, *stream_, timed_data(operation_, sweep.setting));
    for (std::size_t size = 0; size < sweep.sizes.size() && soak_.goes_on(); ++size) {
      measure_rows(rows_of_groups(plan_, index, size));
    }
  }

  void measure_rows(const std::vector<GroupRow>& rows) {
    std::vector<Record> out_of_place = of_this_cycle(measure_placement(rows, false));
    for (Record& record : out_of_place) keep(record);
    std::vector<Record> in_place = of_this_cycle(measure_placement(rows, true));
    for (Record& record : in_place) keep(record);
    for (std::size_t g = 0; g < rows.size() && soak_.keeps_rows(); ++g) {
      report_.show(out_of_place[g], in_place[g]);
    }
    report_.row_done();
  }

  std::vector<Record> of_this_cycle(std::vector<Record> records) const {
    if (options_.sampling.cycles == 1) return records;
    for (Record& record : records) record.cycle = soak_.cycle();
    return records;
  }

  std::vector<Record> measure_placement(const std::vector<GroupRow>& rows, bool in_place) {
    GroupRecords records(plan_, contexts_, rows, in_place);
    const GroupRow& own = rows[plan_.mine];
    if (records.measured_by(plan_.mine)) {
      measure_own(records, own, in_place);
    } else if (!records.measuring().empty()) {
      measure(records,
              {idle_operation(operation_.traffic), idle_setting(own.setting.type),
               idle_placement(records.largest_bytes())},
              fmt::format("{}, idle beside other groups", operation_.traffic.name));
    }
    return records.all();
  }

  void measure_own(GroupRecords& records, const GroupRow& row, bool in_place) {
    const std::string what =
        fmt::format("{} {} {} {}", operation_.traffic.name, format_bytes(row.size.message_bytes),
                    name_of(row.setting.type), in_place ? "in place" : "out of place");
    if (in_place && operation_.traffic.reduces) {
      enter(what + ", clearing", buffers_->bytes());
      buffers_->zero_recv(*device_, *stream_);
    }
    const Placement placement =
        buffers_->place(operation_.traffic, row.setting, row.size.message_bytes, in_place);
    measure(records, {operation_, row.setting, placement}, what);
  }

  void measure(GroupRecords& records, const Part& part, const std::string& what) {
    const std::vector<Samples> samples =
        sample(*bench_, records.measuring(), part.operation, part.setting, part.placement,
               sampling_, run_.progress(), what);
    if (reports()) records.add(contexts_, samples);
    if (device_->stamps_events()) add_device_states(records);
    if (interference_) add_interference(records, part, what);
    for (std::uint64_t i = 0; i < options_.check_iterations && records.data_is_right(); ++i) {
      enter(what + ", data check", records.largest_bytes());
      records.add(check(records, part));
    }
    data_is_right_ &= records.data_is_right();
  }

  // While they are still as the samples have left them.
  void add_device_states(GroupRecords& records) {
    const auto states = gather_states(run_.control(), *device_);
    if (reports()) records.add(states);
  }

  // Groups may round their messages to different sizes; the other operation's is by the largest.
  void add_interference(GroupRecords& records, const Part& part, const std::string& what) {
    const auto interference = interference_->measure(
        records.measuring(), part, records.largest_message_bytes(), run_.progress(), what);
    if (reports()) records.add(interference);
  }

  // Runs the operation once more, on fresh data, at one of the places where it has been timed.
  std::vector<CheckOutcome> check(const GroupRecords& records, const Part& part) {
    const std::uint64_t position = scatter(++check_seed_) % part.placement.positions;
    const std::uint64_t seed = check_seed_ * plan_.groups.size() + plan_.mine;
    return check_operation(*bench_, records.measuring(), part.operation, part.setting,
                           buffers_at(part.placement, position), seed);
  }

  void keep(Record& record) {
    if (!reports()) return;
    record.ended = utc_now_rfc3339();
    if (soak_.keeps_rows()) report_.keep(record);
    if (const auto cycle = soak_.aggregate(record)) report_.keep(*cycle);
  }

  // A step that moves so many bytes.
  void enter(const std::string& what, Bytes bytes) {
    run_.progress().enter(what, step_limit_s(options_.timeout_s, slow_move_s(bytes)));
  }

  RunContext& run_;
  std::vector<std::string> notes_;  // above the table
  const CollectiveOptions& options_;
  const Operation& operation_;
  SamplingOptions sampling_;
  SteadyClock clock_;
  SweepReport report_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Device> device_;
  RunPlan plan_;
  std::unique_ptr<Communicator> comm_;
  std::unique_ptr<Stream> stream_;
  std::optional<Alignment> alignment_;  // of isolated operations
  std::optional<Workbench> bench_;
  Soak soak_;
  std::optional<SweepBuffers> buffers_;
  std::optional<InterferenceRun> interference_;
  std::optional<GpuMemory> memory_;   // where it is to be shown
  std::vector<RowContext> contexts_;  // by group
  std::uint64_t check_seed_ = 0;
  bool data_is_right_ = true;  // the same on every rank, over all cycles
};

}  // namespace

ExitStatus run_sweep(RunContext& run, const BackendOfRun& backend,
                     const std::vector<std::string>& arguments, const CollectiveOptions& options,
                     const Operation& operation) {
  return SweepRun(run, backend, arguments, options, operation).measure();
}

}  // namespace collbench
