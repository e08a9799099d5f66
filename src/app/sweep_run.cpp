// SPDX-License-Identifier: Apache-2.0
#include "app/sweep_run.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "app/buffers.h"
#include "app/measured_record.h"
#include "app/run_config.h"
#include "app/run_environment.h"
#include "app/run_facts.h"
#include "app/sweep_plan.h"
#include "app/weights.h"
#include "comm/open_backend.h"
#include "measure/data_check.h"
#include "measure/sampling.h"
#include "results/document.h"
#include "results/result_file.h"
#include "results/row_flags.h"
#include "results/table.h"
#include "traffic/sizes.h"

namespace collbench {
namespace {

// Everything one run needs, made in the order of its members and destroyed in reverse.
class SweepRun {
 public:
  SweepRun(RunContext& run, const std::vector<std::string>& arguments,
           const CollectiveOptions& options, const Operation& operation)
      : run_(run),
        options_(options),
        operation_(operation),
        sampling_(sampling_of(options)),
        opened_(open_backend(options.backend, run.session())),
        device_(opened_.backend->make_device({.one_stream = true, .wait = options.wait})),
        comm_(opened_.backend->make_communicator(*device_)),
        stream_(device_->make_stream()),
        bench_{run.control(), *comm_, *device_, *stream_},
        weights_(load_weights(run.control(), options, operation.traffic, comm_->size())),
        sweeps_(plan_sweeps(options, operation.traffic, {comm_->rank(), comm_->size()},
                            weights_ ? &*weights_ : nullptr)) {
    document_.run = new_run_facts();
    document_.environment = gather_environment(run.control(), device_->facts());
    document_.environment.libraries["mpi"] = run.session().mpi_library();
    document_.config = config_of(options, operation, arguments, *opened_.backend, sampling_);
    if (opened_.backend->oversubscribed()) {
      row_flags_.emplace_back(row_flags::oversubscribed.name);
    }
  }

  ExitStatus measure() {
    open_result_file();
    make_buffers();
    print(table_header(document_, std::vector{opened_.note}));
    for (const PlannedSweep& sweep : sweeps_) measure_sweep(sweep);
    print(table_footer(document_));
    return data_is_right_ ? ExitStatus::ok : ExitStatus::wrong_data;
  }

 private:
  bool reports() const { return run_.control().rank() == 0; }

  void print(const std::string& text) {
    // A watchdog that ends the run has finished the file: the table must not go beyond it.
    if (reports() && !ended_) run_.print(text);
  }

  void open_result_file() {
    if (options_.json_path.empty()) return;
    together(run_.control(), [&] {
      if (!reports()) return;
      file_ = &run_.own(ResultFile::create(options_.json_path, document_, options_.force));
    });
  }

  void make_buffers() { buffers_.emplace(run_.control(), *device_, largest_message(sweeps_)); }

  void measure_sweep(const PlannedSweep& sweep) {
    enter("filling the send buffer", buffers_->bytes());
    buffers_->fill_send(*device_, *stream_, timed_data(operation_, sweep.setting));
    for (const SweepSize& size : sweep.sizes) measure_row(sweep.setting, size);
  }

  void measure_row(Setting setting, const SweepSize& size) {
    setting.count = size.count;
    std::optional<Exchange> exchange;
    if (weights_) {
      exchange = make_exchange(traffic::scaled(*weights_, size.requested_bytes), setting.type,
                               setting.rank);
      setting.exchange = &*exchange;
    }
    const Record out_of_place = measure_placement(setting, size, false);
    keep(out_of_place);
    const Record in_place = measure_placement(setting, size, true);
    keep(in_place);
    print(table_row(out_of_place, in_place));
  }

  Record measure_placement(const Setting& setting, const SweepSize& size, bool in_place) {
    const RowContext context = {operation_,
                                std::string(opened_.backend->name()),
                                static_cast<int>(document_.environment.hosts.size()),
                                row_flags_,
                                matrix_name(),
                                sampling_.method};
    Record record = blank_record(context, setting, size, in_place);
    if (record.status == RowStatus::skipped) return record;
    const Placement placement =
        buffers_->place(operation_.traffic, setting, size.message_bytes, in_place);
    const std::string what =
        fmt::format("{} {} {} {}", operation_.traffic.name, format_bytes(size.message_bytes),
                    name_of(setting.type), in_place ? "in place" : "out of place");
    if (in_place && operation_.traffic.reduces) {
      enter(what + ", clearing", buffers_->bytes());
      buffers_->zero_recv(*device_, *stream_);
    }
    const Samples samples =
        sample(bench_, operation_, setting, placement, sampling_, run_.progress(), what);
    if (reports()) add_samples(record, context, samples);
    check(record, setting, placement, what);
    return record;
  }

  std::string matrix_name() const {
    if (!weights_) return "";
    return traffic::identity(options_.matrix, options_.matrix_seed, *weights_);
  }

  // Runs the operation once more, on fresh data, at one of the places where it has been timed.
  void check(Record& record, const Setting& setting, const Placement& placement,
             const std::string& what) {
    for (std::uint64_t i = 0; i < options_.check_iterations; ++i) {
      enter(what + ", data check",
            placement.stride_bytes * static_cast<std::uint64_t>(setting.ranks));
      const std::uint64_t position = scatter(++check_seed_) % placement.positions;
      add_check(record, check_operation(bench_, operation_, setting,
                                        buffers_at(placement, position), check_seed_));
      if (record.status != RowStatus::wrong) continue;
      data_is_right_ = false;
      return;
    }
  }

  void keep(const Record& record) {
    if (!reports()) return;
    document_.rows.push_back(record);
    if (file_ == nullptr) return;
    enter("writing " + options_.json_path, 0);
    ended_ = !file_->append(record);
  }

  // A step that moves so many bytes through memory.
  void enter(const std::string& what, Bytes bytes) {
    constexpr double kSlowMemory_Bps = 100e6;
    run_.progress().enter(
        what, step_limit_s(options_.timeout_s, static_cast<double>(bytes) / kSlowMemory_Bps));
  }

  RunContext& run_;
  const CollectiveOptions& options_;
  const Operation& operation_;
  const SamplingOptions sampling_;
  OpenedBackend opened_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Communicator> comm_;
  std::unique_ptr<Stream> stream_;
  Workbench bench_;
  const std::optional<traffic::Matrix> weights_;  // of a collective by matrix
  const std::vector<PlannedSweep> sweeps_;
  std::optional<SweepBuffers> buffers_;
  Document document_;  // rows on rank 0 only
  std::vector<std::string> row_flags_;
  ResultFile* file_ = nullptr;
  bool ended_ = false;  // by the watchdog, while this thread goes on
  std::uint64_t check_seed_ = 0;
  bool data_is_right_ = true;  // the same on every rank
};

}  // namespace

ExitStatus run_sweep(RunContext& run, const std::vector<std::string>& arguments,
                     const CollectiveOptions& options, const Operation& operation) {
  return SweepRun(run, arguments, options, operation).measure();
}

}  // namespace collbench
