// SPDX-License-Identifier: Apache-2.0
// What tests of sampling share: ranks as threads, each with a clock that only operations move.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "comm/rank_team.h"
#include "comm/test_one_process.h"
#include "measure/alignment.h"
#include "measure/groups.h"
#include "measure/sampling.h"

namespace collbench {

class PlainMemory final : public Memory {
 public:
  explicit PlainMemory(Bytes bytes) : memory_(bytes) {}
  std::byte* data() override { return memory_.data(); }
  Bytes bytes() const override { return memory_.size(); }

 private:
  std::vector<std::byte> memory_;
};

class StampedEvent final : public Event {
 public:
  bool query() override { return true; }
  double time_s() override { return stamp_s; }
  double stamp_s = 0;
};

class IdleStream final : public Stream {
 public:
  bool query() override { return true; }
  void synchronize() override {
    if (trace != nullptr) *trace += 's';
  }
  std::string* trace = nullptr;
};

// Operations that were recorded.
class ReplayedGraph final : public Graph {
 public:
  explicit ReplayedGraph(std::vector<std::function<void()>> operations)
      : operations_(std::move(operations)) {}
  void launch(Stream&) override {
    for (const auto& operation : operations_) operation();
  }

 private:
  std::vector<std::function<void()>> operations_;
};

// Counts how often its clock is read. Records operations of its communicator.
class CountedClockDevice final : public Device, public GraphCapture {
 public:
  DeviceFacts facts() const override { return {}; }
  double now_s() override {
    ++reads;
    trace += 'c';
    return clock.now_s();
  }
  Bytes available(MemoryKind) override { return 0; }
  std::unique_ptr<Memory> allocate(Bytes bytes, MemoryKind) override {
    return std::make_unique<PlainMemory>(bytes);
  }
  std::unique_ptr<Stream> make_stream() override { return std::make_unique<IdleStream>(); }
  std::unique_ptr<Event> make_event() override { return std::make_unique<StampedEvent>(); }
  void record(Event& event, Stream&) override {
    static_cast<StampedEvent&>(event).stamp_s = clock.now_s();
  }
  void wait(Stream&, Event&) override {}
  Kernels& kernels() override { throw std::logic_error("sampling touches no data"); }
  std::unique_ptr<Gemms> make_gemms(std::span<const GemmShape>) override { return nullptr; }
  bool stamps_events() const override { return stamps; }
  GraphCapture* graphs() override { return this; }
  std::unique_ptr<Graph> capture(Stream&, const std::function<void()>& enqueue) override {
    recording.emplace();
    enqueue();
    auto graph = std::make_unique<ReplayedGraph>(std::move(*recording));
    recording.reset();
    return graph;
  }

  std::optional<std::vector<std::function<void()>>> recording;
  bool stamps = false;

  ManualClock clock;
  std::uint64_t reads = 0;
  std::string trace;  // c: its clock was read, o: an operation, a: an alignment's round, s: waited
};

// Every operation moves the clock by what `duration_s` says of its number.
class TimedCommunicator final : public Communicator {
 public:
  TimedCommunicator(int rank, int size, CountedClockDevice& device,
                    std::function<double(std::uint64_t)> duration_s)
      : rank_(rank), size_(size), device_(device), duration_s_(std::move(duration_s)) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void enqueue(std::span<const Call> calls, Stream& stream) override {
    if (device_.recording) {
      device_.recording->emplace_back([this, calls, &stream] { enqueue(calls, stream); });
      return;
    }
    device_.trace += letter;
    device_.clock.advance(duration_s_(operations++));
    if (on_group) on_group(calls);
    if (log != nullptr) log->push_back(calls.front().recv);
  }
  std::unique_ptr<Communicator> split(int, int) override { return nullptr; }
  std::optional<std::string> async_error() override { return std::nullopt; }
  void abort() noexcept override {}

  std::uint64_t operations = 0;
  std::vector<void*>* log = nullptr;
  std::function<void(std::span<const Call>)> on_group;
  char letter = 'o';

 private:
  int rank_;
  int size_;
  CountedClockDevice& device_;
  std::function<double(std::uint64_t)> duration_s_;
};

inline Operation all_reduce_operation() {
  return {traffic::all_reduce,
          [](const Setting& s, const Buffers& b) {
            return CallGroups{{all_reduce(b, s.count, s.type, s.op)}};
          },
          nullptr};
}

inline Setting setting_of(int rank, int ranks) {
  Setting setting;
  setting.count = 1;
  setting.rank = rank;
  setting.ranks = ranks;
  return setting;
}

struct RankOutcome {
  std::vector<Samples> by_group;
  Samples samples;  // of the first group
  std::uint64_t operations = 0;
  std::uint64_t clock_reads = 0;
  std::vector<void*> receive_buffers;
  std::string trace;  // of the device
};

// All read the same clock, but for what the operations have added to each.
inline std::vector<int> one_clock(int ranks) {
  return std::vector<int>(static_cast<std::size_t>(ranks), 0);
}

// Of an alignment, which takes no time.
inline std::unique_ptr<Communicator> aligning(int rank, int ranks, CountedClockDevice& device) {
  auto comm =
      std::make_unique<TimedCommunicator>(rank, ranks, device, [](std::uint64_t) { return 0.0; });
  comm->letter = 'a';
  return comm;
}

using Duration = std::function<double(int rank, std::uint64_t operation)>;

// Samples on `ranks` threads, each with a clock of its own; in groups, if there are any.
inline std::vector<RankOutcome> sample_on(int ranks, const SamplingOptions& options,
                                          const Duration& duration_s,
                                          const Placement& placement = {},
                                          const Operation& operation = all_reduce_operation(),
                                          RanksOfGroups groups = {}, bool stamps_events = false) {
  if (groups.empty()) groups = make_groups(std::nullopt, ranks).ranks_of_group;
  OneProcess process;
  RankTeam team(process, ranks);
  std::vector<RankOutcome> outcomes(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      RankOutcome& outcome = outcomes[static_cast<std::size_t>(rank)];
      CountedClockDevice device;
      device.stamps = stamps_events;
      TimedCommunicator comm(rank, ranks, device,
                             [&](std::uint64_t i) { return duration_s(rank, i); });
      comm.log = &outcome.receive_buffers;
      IdleStream stream;
      stream.trace = &device.trace;
      std::optional<Alignment> alignment;
      if (options.method.mode == Mode::isolated) {
        alignment.emplace(aligning(rank, ranks, device), device, one_clock(ranks));
      }
      const Workbench bench = {team.control_plane(rank), comm, device, stream,
                               alignment ? &*alignment : nullptr};
      SteadyClock progress_clock;
      Progress progress(progress_clock);
      outcome.by_group = sample(bench, groups, operation, setting_of(rank, ranks), placement,
                                options, progress, "test");
      outcome.samples = outcome.by_group.front();
      outcome.operations = comm.operations;
      outcome.clock_reads = device.reads;
      outcome.trace = device.trace;
    });
  }
  for (std::thread& thread : threads) thread.join();
  return outcomes;
}

}  // namespace collbench
