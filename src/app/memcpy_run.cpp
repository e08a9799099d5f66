// SPDX-License-Identifier: Apache-2.0
#include "app/memcpy_run.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "app/copy_memory.h"
#include "app/measured_record.h"
#include "app/operation_run.h"
#include "app/peer_copies.h"
#include "measure/copy_sampling.h"
#include "results/copy_rows.h"
#include "results/operation_rows.h"

namespace collbench {
namespace {

// A copy of a rank by itself. Device memory is `device`; of two, one is source and one is target.
struct LocalCopy {
  std::string_view operation;
  MemoryKind from, to;
};

constexpr std::array kCopiesOfHosts = {
    LocalCopy{"host_copy", MemoryKind::device, MemoryKind::device},
};

constexpr std::array kCopiesOfDevices = {
    LocalCopy{"device_copy", MemoryKind::device, MemoryKind::device},
    LocalCopy{"host_to_device_pinned", MemoryKind::pinned, MemoryKind::device},
    LocalCopy{"host_to_device_pageable", MemoryKind::host, MemoryKind::device},
    LocalCopy{"device_to_host_pinned", MemoryKind::device, MemoryKind::pinned},
    LocalCopy{"device_to_host_pageable", MemoryKind::device, MemoryKind::host},
};

// What a row is of, apart from its size.
struct CopyRow {
  std::string operation;
  OperationMode mode;
};

class MemcpyRun {
 public:
  MemcpyRun(RunContext& run, const BackendOfRun& backend, const std::vector<std::string>& arguments,
            const MemcpyOptions& options)
      : options_(options),
        run_(run, backend, {kMemcpyProgram, arguments, options, options.gpu}),
        hosts_(ranks_by_host(run_.environment())) {
    describe();
    for (const std::vector<int>& ranks : hosts_) {
      const auto here = std::ranges::find(ranks, run_.control().rank());
      if (here != ranks.end()) turns_.mine = static_cast<int>(here - ranks.begin());
      turns_.count = std::max(turns_.count, static_cast<int>(ranks.size()));
    }
  }

  ExitStatus measure() {
    run_.begin();
    stream_ = run_.device().make_stream();
    const bool apart = run_.device().has_own_memory();
    memory_.emplace(run_.control(), run_.device(), options_.sweep.max_bytes,
                    apart && turns_.count > 1 ? 1 : 0);
    if (apart) {
      for (const LocalCopy& copy : kCopiesOfDevices) sweep(copy.operation, way_of(copy));
      peers();
    } else {
      for (const LocalCopy& copy : kCopiesOfHosts) sweep(copy.operation, way_of(copy));
    }
    return run_.end();
  }

 private:
  void describe() {
    RunConfig& config = run_.config();
    config.min_bytes = options_.sweep.min_bytes;
    config.max_bytes = options_.sweep.max_bytes;
    if (options_.sweep.factor > 1) {
      config.step_factor = options_.sweep.factor;
    } else {
      config.step_bytes = options_.sweep.step_bytes;
    }
    config.check_iterations = options_.check ? 1 : 0;
    config.fixed_iterations = options_.iterations;
    if (options_.iterations) sampling_.stop.fixed_samples = 1;
    if (options_.samples) sampling_.stop.fixed_samples = *options_.samples;
    if (sampling_.stop.fixed_samples > 0) {
      config.sampling.fixed_samples = sampling_.stop.fixed_samples;
    }
    config.warmup_iterations = options_.warmup;
    if (options_.warmup) sampling_.warm_up = {*options_.warmup, 0};
    sampling_.fixed_copies = options_.iterations;
    sampling_.deadline_s = options_.timeout_s;
  }

  CopyWay way_of(const LocalCopy& copy) {
    const auto place = [&](MemoryKind kind, std::byte* of_device) {
      return kind == MemoryKind::device ? of_device : memory_->of_host(kind);
    };
    return {place(copy.to, memory_->target()), place(copy.from, memory_->source()),
            [this](void* to, const void* from, Bytes bytes) {
              run_.device().kernels().copy(to, from, bytes, *stream_);
            }};
  }

  // All at the same time are as one alone where no host has two ranks.
  void sweep(std::string_view operation, const CopyWay& way) {
    for (const Bytes bytes : sizes_of(options_.sweep)) {
      measure({std::string(operation), operation_modes::alone}, turns_, way, bytes);
      if (turns_.count == 1) continue;
      measure({std::string(operation), operation_modes::together}, {}, way, bytes);
    }
  }

  void skip(const std::string& operation, const std::string& reason) {
    for (const Bytes bytes : sizes_of(options_.sweep)) {
      Record record = blank({operation, operation_modes::alone}, bytes);
      record.status = RowStatus::skipped;
      record.reason = reason;
      run_.keep(std::move(record));
    }
  }

  Record blank(const CopyRow& row, Bytes bytes) const {
    Record record =
        run_.blank(row.operation, row.mode.name, static_cast<int>(run_.environment().ranks.size()));
    record.key.message_bytes = record.key.count = record.requested_bytes = bytes;
    return record;
  }

  // Copies walk through the memory, as the operations of collectives do, lest caches serve them.
  void measure(const CopyRow& row, const Turns& turns, const CopyWay& way, Bytes bytes) {
    const std::string what =
        fmt::format("{} {} {}", row.operation, row.mode.name, format_bytes(bytes));
    const std::uint64_t places = memory_->largest() / bytes;
    const RepeatedCopy copy = {[&](std::uint64_t position) {
                                 const Bytes offset = position % places * bytes;
                                 way.copy(way.to + offset, way.from + offset, bytes);
                               },
                               bytes, what};
    const CopyBench bench{run_.control(), run_.device(), *stream_, run_.context().progress()};
    const Samples samples = sample_copies(bench, turns, copy, sampling_);
    std::optional<CheckOutcome> check;
    if (options_.check) {
      run_.enter(what + ", data check", bytes);
      check = memory_->check(way, bytes, *stream_, ++seed_);
    }
    if (run_.control().rank() != 0) return;
    Record record = blank(row, bytes);
    add_copy_samples(record, samples);
    if (check) add_check(record, *check);
    run_.keep(std::move(record));
  }

  void peers() {
    const int ranks = ranks_of_each_host(run_.environment());
    if (ranks < 2) {
      const std::string reason = ranks == 1 ? "no host has two ranks, and so two GPUs"
                                            : "hosts have different numbers of ranks";
      for (const bool with_access : {false, true}) skip(peer_copy_name(1, with_access), reason);
    }
    for (int shift = 1; shift < ranks; ++shift) copy_to_peers(shift);
  }

  // Without access first: what a process has never been allowed is surely off.
  void copy_to_peers(int shift) {
    const std::string without = peer_copy_name(shift, false);
    const std::string with = peer_copy_name(shift, true);
    run_.context().progress().enter(without + ", set-up", options_.start_timeout_s);
    PeerCopies peers(run_.control(), run_.device(), run_.environment(), shift);
    if (!peers.why_not().empty()) {
      skip(without, peers.why_not());
      skip(with, peers.why_not());
      return;
    }
    peers.allocate(memory_->largest());
    const CopyWay way = peers.way(memory_->source(), *stream_);
    sweep(without, way);
    if (!peers.why_no_access().empty()) {
      skip(with, peers.why_no_access());
      return;
    }
    run_.context().progress().enter(with + ", set-up", options_.start_timeout_s);
    peers.set_access(true);
    sweep(with, way);
    peers.set_access(false);
  }

  const MemcpyOptions& options_;
  OperationRun run_;
  const std::vector<std::vector<int>> hosts_;
  Turns turns_;
  CopySampling sampling_;
  std::unique_ptr<Stream> stream_;
  std::optional<CopyMemory> memory_;
  std::uint64_t seed_ = 0;
};

}  // namespace

ExitStatus measure_memcpy(RunContext& run, const BackendOfRun& backend,
                          const std::vector<std::string>& arguments, const MemcpyOptions& options) {
  return MemcpyRun(run, backend, arguments, options).measure();
}

}  // namespace collbench
