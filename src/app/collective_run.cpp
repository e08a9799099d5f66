// SPDX-License-Identifier: Apache-2.0
#include "app/collective_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "app/buffers.h"
#include "app/measured_record.h"
#include "app/run_environment.h"
#include "app/run_facts.h"
#include "comm/open_backend.h"
#include "measure/data_check.h"
#include "measure/sampling.h"
#include "measure/test_data.h"
#include "results/document.h"
#include "results/result_file.h"
#include "results/row_flags.h"
#include "results/table.h"

namespace collbench {
namespace {

SamplingOptions sampling_of(const CollectiveOptions& options) {
  SamplingOptions sampling;
  sampling.fixed_operations = options.iterations;
  sampling.warmup_operations = options.warmup;
  sampling.deadline_s = options.timeout_s;
  if (options.iterations) sampling.stop.fixed_samples = 1;
  if (options.samples) sampling.stop.fixed_samples = *options.samples;
  return sampling;
}

RunConfig config_of(const CollectiveOptions& options, const Operation& operation,
                    const std::vector<std::string>& arguments, const Backend& backend) {
  RunConfig config;
  config.program = fmt::format("{}_perf", operation.traffic.name);
  config.arguments = arguments;
  config.backend = backend.name();
  config.wait_policy = name_of(backend.wait_policy());
  config.aggregation = "max";
  config.mode = "streaming";
  config.min_bytes = options.sweep.min_bytes;
  config.max_bytes = options.sweep.max_bytes;
  if (options.sweep.factor > 1) {
    config.step_factor = options.sweep.factor;
  } else {
    config.step_bytes = options.sweep.step_bytes;
  }
  config.check_iterations = options.check_iterations;
  config.fixed_iterations = options.iterations;
  config.warmup_iterations = options.warmup;
  return config;
}

// The sizes for one type, reduction and so on.
struct PlannedSweep {
  Setting setting;  // but for the count
  std::vector<SweepSize> sizes;
};

std::vector<PlannedSweep> plan_sweeps(const CollectiveOptions& options, const Operation& operation,
                                      int rank, int ranks) {
  std::vector<PlannedSweep> sweeps;
  for (const DataType type : options.types) {
    for (const ReduceOp op : operation.traffic.reduces ? options.ops : std::vector{ReduceOp::sum}) {
      Setting setting;
      setting.type = type;
      setting.op = op;
      setting.rank = rank;
      setting.ranks = ranks;
      sweeps.push_back({setting, plan_sweep(options.sweep, operation.traffic, type, ranks)});
    }
  }
  return sweeps;
}

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
        sweeps_(plan_sweeps(options, operation, comm_->rank(), comm_->size())) {
    document_.run = new_run_facts();
    document_.environment = gather_environment(run.control(), device_->facts());
    document_.environment.libraries["mpi"] = run.session().mpi_library();
    document_.config = config_of(options, operation, arguments, *opened_.backend);
    warnings_ = oversubscribed_hosts(document_.environment);
    if (!warnings_.empty()) row_flags_.emplace_back(row_flags::oversubscribed.name);
  }

  ExitStatus measure() {
    open_result_file();
    make_buffers();
    print(table_header(document_, notes()));
    for (const PlannedSweep& sweep : sweeps_) measure_sweep(sweep);
    print(table_footer(document_));
    return data_is_right_ ? ExitStatus::ok : ExitStatus::wrong_data;
  }

 private:
  bool reports() const { return run_.control().rank() == 0; }

  void print(const std::string& text) {
    if (reports()) run_.print(text);
  }

  // The lines about the run as a whole.
  std::vector<std::string> notes() const {
    std::vector<std::string> lines = {opened_.note};
    for (const std::string& warning : warnings_) {
      lines.push_back(
          fmt::format("oversubscribed: {}, so times include waiting for a core", warning));
    }
    return lines;
  }

  void open_result_file() {
    if (options_.json_path.empty()) return;
    together(run_.control(), [&] {
      if (!reports()) return;
      file_ = &run_.own(ResultFile::create(options_.json_path, document_, options_.force));
    });
  }

  void make_buffers() {
    Bytes largest = 0;
    for (const PlannedSweep& sweep : sweeps_) {
      largest = std::max(largest, largest_message(sweep.sizes));
    }
    buffers_.emplace(run_.control(), *device_, largest);
  }

  void measure_sweep(const PlannedSweep& sweep) {
    fill_send_buffer(sweep.setting.type);
    for (const SweepSize& size : sweep.sizes) measure_row(sweep.setting, size);
  }

  // Once per type: what is finite in one type may be none in another.
  void fill_send_buffer(DataType type) {
    if (filled_with_ == type) return;
    run_.progress().enter("filling the send buffer", options_.timeout_s);
    buffers_->fill_send(*device_, *stream_, rank_data({type, std::nullopt, 1, 0}, comm_->rank()));
    filled_with_ = type;
  }

  void measure_row(Setting setting, const SweepSize& size) {
    setting.count = size.count;
    const Record out_of_place = measure_placement(setting, size, false);
    const Record in_place = measure_placement(setting, size, true);
    if (!reports()) return;
    for (const Record& record : {out_of_place, in_place}) keep(record);
    print(table_row(out_of_place, in_place));  // after the file: a broken stdout must lose no row
  }

  Record measure_placement(const Setting& setting, const SweepSize& size, bool in_place) {
    const RowContext context = {operation_, std::string(opened_.backend->name()),
                                static_cast<int>(document_.environment.hosts.size()), row_flags_};
    Record record = blank_record(context, setting, size, in_place);
    if (record.status == RowStatus::skipped) return record;
    const Placement placement =
        buffers_->place(operation_.traffic, setting, size.message_bytes, in_place);
    const std::string what =
        fmt::format("{} {} {} {}", operation_.traffic.name, format_bytes(size.message_bytes),
                    name_of(setting.type), in_place ? "in place" : "out of place");
    if (in_place && operation_.traffic.reduces) {
      run_.progress().enter(what + ", clearing", options_.timeout_s);
      buffers_->zero_recv(*device_, *stream_);
    }
    const Samples samples =
        sample(bench_, operation_, setting, placement, sampling_, run_.progress(), what);
    if (reports()) add_samples(record, operation_, samples);
    check(record, setting, placement, what);
    return record;
  }

  // After the timing, so that it finds what the timed operations broke.
  void check(Record& record, const Setting& setting, const Placement& placement,
             const std::string& what) {
    for (std::uint64_t i = 0; i < options_.check_iterations; ++i) {
      run_.progress().enter(what + ", data check", options_.timeout_s);
      add_check(record,
                check_operation(bench_, operation_, setting, placement.buffers, ++check_seed_));
      if (record.status != RowStatus::wrong) continue;
      data_is_right_ = false;
      return;
    }
  }

  void keep(const Record& record) {
    document_.rows.push_back(record);
    if (file_ == nullptr) return;
    run_.progress().enter("writing " + options_.json_path, options_.timeout_s);
    file_->append(record);
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
  const std::vector<PlannedSweep> sweeps_;
  std::optional<SweepBuffers> buffers_;
  std::optional<DataType> filled_with_;  // the send buffer
  Document document_;                    // rows on rank 0 only
  std::vector<std::string> warnings_;
  std::vector<std::string> row_flags_;
  ResultFile* file_ = nullptr;
  std::uint64_t check_seed_ = 0;
  bool data_is_right_ = true;  // the same on every rank
};

}  // namespace

ExitStatus run_sweep(RunContext& run, const std::vector<std::string>& arguments,
                     const CollectiveOptions& options, const Operation& operation) {
  return SweepRun(run, arguments, options, operation).measure();
}

std::string describe_sweep(const CollectiveOptions& options, const Operation& operation,
                           int ranks) {
  const traffic::Traffic& traffic = operation.traffic;
  std::string text =
      fmt::format("# {}_perf on {} ranks; nothing is measured\n", traffic.name, ranks);
  text += fmt::format("#{:>15}{:>16}{:>16}{:>10}{:>16}{:>16}\n", "requested (B)", "size (B)",
                      "count", "type", "sent (B)", "received (B)");
  Bytes largest = 0;
  for (const DataType type : options.types) {
    const auto sizes = plan_sweep(options.sweep, traffic, type, ranks);
    largest = std::max(largest, largest_message(sizes));
    for (const SweepSize& size : sizes) {
      text += fmt::format("{:>16}{:>16}{:>16}{:>10}{:>16}{:>16}{}\n", size.requested_bytes,
                          size.message_bytes, size.count, name_of(type),
                          traffic::send_bytes(traffic, size.count, type, ranks),
                          traffic::recv_bytes(traffic, size.count, type, ranks),
                          size.skip_reason.empty() ? "" : "  skipped: " + size.skip_reason);
    }
  }
  return text + fmt::format("# each rank allocates {}\n", format_bytes(2 * largest));
}

}  // namespace collbench
