// SPDX-License-Identifier: Apache-2.0
// HostCommunicator: collectives and messages on host memory over MPI.
#pragma once

#include <atomic>
#include <memory>

#include "comm/communicator.h"
#include "comm/mpi/fused_group.h"
#include "comm/mpi/host_engine.h"
#include "comm/mpi/mpi_calls.h"

namespace collbench {

/// Where a communicator stands; shared with its work in the streams.
struct CallOrder {
  std::uint64_t issued = 0;                   // groups so far
  std::uint64_t started = 0;                  // the next group to start has this number
  std::atomic<const char*> broken = nullptr;  // why nothing more can be done, if so

  /// From any thread; the first reason stays.
  void break_off(const char* why) noexcept {
    const char* none = nullptr;
    broken.compare_exchange_strong(none, why);
  }
};

/// In the modes for one stream a group has ended when enqueue returns. Otherwise groups start in
/// the order in which they were enqueued, even when a later one is ready first on another stream:
/// two collectives swapped on one rank give wrong data and no error. An error that MPI reports at
/// the start of a queued group is thrown by whatever call makes the streams progress then.
///
/// Failures of other ranks cannot be told from slowness, so that async_error() knows only of aborts
/// and of groups that an error kept from starting; abort() ends waits between calls of MPI, but
/// nothing ends a blocking call of MPI.
class HostCommunicator final : public Communicator {
 public:
  /// Owns `comm`, and starts all its work before it frees it. The types outlive it.
  HostCommunicator(MPI_Comm comm, std::shared_ptr<HostEngine> engine, const MpiTypes& types,
                   const CallLimits& limits);
  ~HostCommunicator() override;

  int rank() const override { return context_.rank; }
  int size() const override { return context_.size; }
  void enqueue(std::span<const Call> calls, Stream& stream) override;
  using Communicator::enqueue;
  Handling handling_of(const Call& call) const override;
  std::unique_ptr<Communicator> split(int color, int key) override;
  std::optional<std::string> async_error() override;
  void abort() noexcept override { order_->break_off("the communicator was aborted"); }

 private:
  void enqueue_group(std::span<const Call> calls, Stream& stream);
  void start_everything();

  CallContext context_;
  HostMode mode_;
  std::shared_ptr<HostEngine> engine_;
  std::shared_ptr<CallOrder> order_;
  FusedGroup group_;  // of the modes for one stream
};

}  // namespace collbench
