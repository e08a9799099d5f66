// SPDX-License-Identifier: Apache-2.0
#include "app/collective_run.h"

#include <fmt/format.h>

#include <memory>

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
  return config;
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
        sizes_(plan_sweep(options.sweep, operation.traffic, options.type, comm_->size())),
        buffers_(run.control(), *device_, largest_message(sizes_)) {
    document_.run = new_run_facts();
    document_.environment = gather_environment(run.control(), device_->facts());
    document_.environment.libraries["mpi"] = run.session().mpi_library();
    document_.config = config_of(options, operation, arguments, *opened_.backend);
    setting_.type = options.type;
    setting_.op = options.op;
    setting_.rank = comm_->rank();
    setting_.ranks = comm_->size();
    warnings_ = oversubscribed_hosts(document_.environment);
    if (!warnings_.empty()) row_flags_.emplace_back("oversubscribed");
    buffers_.fill_send(*device_, *stream_,
                       rank_data({options.type, std::nullopt, 1, 0}, setting_.rank));
  }

  ExitStatus measure() {
    open_result_file();
    print(table_header(document_, notes()));
    for (const SweepSize& size : sizes_) measure_row(size);
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

  void measure_row(const SweepSize& size) {
    setting_.count = size.count;
    const Record out_of_place = measure_placement(size, false);
    const Record in_place = measure_placement(size, true);
    if (!reports()) return;
    print(table_row(out_of_place, in_place));
    for (const Record& record : {out_of_place, in_place}) keep(record);
  }

  Record measure_placement(const SweepSize& size, bool in_place) {
    const RowContext context = {operation_, std::string(opened_.backend->name()),
                                static_cast<int>(document_.environment.hosts.size()), row_flags_};
    Record record = blank_record(context, setting_, size, in_place);
    if (record.status == RowStatus::skipped) return record;
    const Placement placement =
        buffers_.place(operation_.traffic, setting_, size.message_bytes, in_place);
    const std::string what =
        fmt::format("{} {} {} {}", operation_.traffic.name, format_bytes(size.message_bytes),
                    name_of(setting_.type), in_place ? "in place" : "out of place");
    if (in_place && operation_.traffic.reduces) {
      run_.progress().enter(what + ", clearing", options_.timeout_s);
      buffers_.zero_recv(*device_, *stream_);
    }
    const Samples samples =
        sample(bench_, operation_, setting_, placement, sampling_, run_.progress(), what);
    if (reports()) add_samples(record, operation_, samples);
    check(record, placement, what);
    return record;
  }

  // After the timing, so that it finds what the timed operations broke.
  void check(Record& record, const Placement& placement, const std::string& what) {
    for (std::uint64_t i = 0; i < options_.check_iterations; ++i) {
      run_.progress().enter(what + ", data check", options_.timeout_s);
      add_check(record,
                check_operation(bench_, operation_, setting_, placement.buffers, ++check_seed_));
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
  std::vector<SweepSize> sizes_;
  SweepBuffers buffers_;
  Document document_;  // rows on rank 0 only
  Setting setting_;
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
  const auto sizes = plan_sweep(options.sweep, operation.traffic, options.type, ranks);
  std::string text = fmt::format("# {}_perf on {} ranks, type {}; nothing is measured\n",
                                 operation.traffic.name, ranks, name_of(options.type));
  text += fmt::format("#{:>15}{:>16}{:>16}{:>16}{:>16}\n", "requested (B)", "size (B)", "count",
                      "sent (B)", "received (B)");
  for (const SweepSize& size : sizes) {
    text += fmt::format("{:>16}{:>16}{:>16}{:>16}{:>16}{}\n", size.requested_bytes,
                        size.message_bytes, size.count,
                        traffic::send_bytes(operation.traffic, size.count, options.type, ranks),
                        traffic::recv_bytes(operation.traffic, size.count, options.type, ranks),
                        size.skip_reason.empty() ? "" : "  skipped: " + size.skip_reason);
  }
  return text + fmt::format("# each rank allocates {}\n", format_bytes(2 * largest_message(sizes)));
}

}  // namespace collbench
