// SPDX-License-Identifier: Apache-2.0
// NcclCommunicator: collectives and messages between GPUs.
#pragma once

#include <memory>

#include "comm/communicator.h"
#include "comm/nccl/nccl_calls.h"
#include "comm/nccl/rank_comms.h"
#include "comm/nccl_use.h"

namespace collbench {

/// What is the same for all communicators of a rank.
struct NcclTerms {
  Float8Support float8{};
  NcclUse use{};
};

/// Graphs that hold its work must be destroyed before it.
class NcclCommunicator final : public Communicator, private Shrinking {
 public:
  /// Takes a communicator that is ready.
  NcclCommunicator(std::shared_ptr<RankComms> comms, std::shared_ptr<OpenComm> open,
                   const NcclTerms& terms);

  /// Waits for the ranks of the communicator, but not when the run has failed: what it leaves then
  /// is for the abort of the process.
  ~NcclCommunicator() override;

  int rank() const override { return context_.rank; }
  int size() const override { return context_.size; }
  void enqueue(std::span<const Call> calls, Stream& stream) override;
  using Communicator::enqueue;
  Handling handling_of(const Call& call) const override;
  std::unique_ptr<Communicator> split(int color, int key) override;
  std::unique_ptr<RegisteredMemory> register_memory(Memory& memory) override;
  Shrinking* shrinking() override;
  std::optional<std::string> async_error() override;

  /// Of all communicators of the process: the abort of one may wait for that of another.
  void abort() noexcept override { comms_->abort(); }

 private:
  void destroy();
  std::unique_ptr<Communicator> without(std::span<const int> ranks) override;

  std::shared_ptr<RankComms> comms_;
  std::shared_ptr<OpenComm> open_;
  NcclTerms terms_;
  NcclOps ops_;
  NcclContext context_;
};

/// The communicator of `size` ranks that give the same id. Collective over them.
std::unique_ptr<Communicator> make_nccl_communicator(const std::shared_ptr<RankComms>& comms,
                                                     const ncclUniqueId& id, int rank, int size,
                                                     const NcclTerms& terms);

}  // namespace collbench
