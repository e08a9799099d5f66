// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/nccl_communicator.h"

#include <exception>
#include <vector>

#include "base/errors.h"
#include "comm/nccl/config_of.h"
#include "comm/nccl/cuda_stream.h"
#include "comm/nccl/nccl_error.h"
#include "comm/nccl/newer_nccl.h"
#include "comm/nccl/registered_memory.h"

namespace collbench {
namespace {

constexpr int kShrinkWhenIdle = 0;  // NCCL_SHRINK_DEFAULT, which older headers lack

int number_of(ncclResult_t (*ask)(ncclComm_t, int*), ncclComm_t comm, const char* call) {
  int number = 0;
  check_nccl(ask(comm, &number), call);
  return number;
}

bool is_reduction(CallKind kind) {
  return kind == CallKind::all_reduce || kind == CallKind::reduce_scatter ||
         kind == CallKind::reduce;
}

// Empty where nothing has gone wrong.
std::optional<std::string> error_of(ncclComm_t comm) {
  ncclResult_t state = ncclSuccess;
  const ncclResult_t asked = ncclCommGetAsyncError(comm, &state);
  if (asked != ncclSuccess) state = asked;
  if (state == ncclSuccess || state == ncclInProgress) return std::nullopt;
  return nccl_error_text(state);
}

}  // namespace

NcclCommunicator::NcclCommunicator(std::shared_ptr<RankComms> comms, std::shared_ptr<OpenComm> open,
                                   const NcclTerms& terms)
    : comms_(std::move(comms)),
      open_(std::move(open)),
      terms_(terms),
      ops_(number_of(ncclCommUserRank, open_->comm, "ncclCommUserRank")) {
  context_.comm = open_->comm;
  context_.rank = number_of(ncclCommUserRank, open_->comm, "ncclCommUserRank");
  context_.size = number_of(ncclCommCount, open_->comm, "ncclCommCount");
  context_.ops = &ops_;
  context_.native_exchanges = terms_.use.exchanges == ExchangeCalls::native;
}

NcclCommunicator::~NcclCommunicator() {
  try {
    if (comms_->may_wait()) destroy();
  } catch (const std::exception&) {  // whoever wanted to know of failures has synchronized before
  }
  comms_->abandon(open_);
}

void NcclCommunicator::destroy() {
  comms_->call(*open_, [this](ncclComm_t comm) { ops_.release(comm); });
  if (comms_->close(open_)) check_nccl(ncclCommDestroy(open_->comm), "ncclCommDestroy");
}

void NcclCommunicator::enqueue(std::span<const Call> calls, Stream& stream) {
  if (calls.empty()) return;
  context_.stream = static_cast<CudaStream&>(stream).handle();
  const NcclResult result =
      comms_->call(*open_, [&](ncclComm_t) { return enqueue_calls(calls, context_); });
  check_nccl(result.code, result.call);
}

Handling NcclCommunicator::handling_of(const Call& call) const {
  Handling handling;
  if (is_reduction(call.kind)) handling.why_not = why_not_reducible(call.type, terms_.float8);
  return handling;
}

std::unique_ptr<Communicator> NcclCommunicator::split(int color, int key) {
  const std::shared_ptr<OpenComm> part = comms_->open();
  const int nccl_color = color < 0 ? NCCL_SPLIT_NOCOLOR : color;
  const ncclResult_t code =
      comms_->call_beside({open_, part}, [whole = open_, part, nccl_color, key] {
        return ncclCommSplit(whole->comm, nccl_color, key, &part->comm, nullptr);
      });
  check_nccl(code, "ncclCommSplit");
  if (part->comm == nullptr) {
    comms_->close(part);
    return nullptr;
  }
  return std::make_unique<NcclCommunicator>(comms_, part, terms_);
}

std::unique_ptr<RegisteredMemory> NcclCommunicator::register_memory(Memory& memory) {
  return register_nccl_memory(terms_.use.registration, memory, comms_, open_);
}

Shrinking* NcclCommunicator::shrinking() { return ncclCommShrink == nullptr ? nullptr : this; }

std::unique_ptr<Communicator> NcclCommunicator::without(std::span<const int> ranks) {
  const std::shared_ptr<OpenComm> rest = comms_->open();
  const ncclResult_t code = comms_->call_beside(
      {open_, rest},
      [whole = open_, rest, left_out = std::vector(ranks.begin(), ranks.end())]() mutable {
        return ncclCommShrink(whole->comm, left_out.data(), static_cast<int>(left_out.size()),
                              &rest->comm, nullptr, kShrinkWhenIdle);
      });
  check_nccl(code, "ncclCommShrink");
  return std::make_unique<NcclCommunicator>(comms_, rest, terms_);
}

std::optional<std::string> NcclCommunicator::async_error() {
  try {
    return comms_->call(*open_, error_of);
  } catch (const SystemError& error) {
    return error.what();
  }
}

std::unique_ptr<Communicator> make_nccl_communicator(const std::shared_ptr<RankComms>& comms,
                                                     const ncclUniqueId& id, int rank, int size,
                                                     const NcclTerms& terms) {
  const std::shared_ptr<OpenComm> open = comms->open();
  const ncclResult_t code =
      comms->call_beside({open}, [open, id, rank, size, config = terms.use.config] {
        if (config.empty()) return ncclCommInitRank(&open->comm, size, id, rank);
        ncclConfig_t made = nccl_config_of(config);
        return ncclCommInitRankConfig(&open->comm, size, id, rank, &made);
      });
  check_nccl(code, terms.use.config.empty() ? "ncclCommInitRank" : "ncclCommInitRankConfig");
  return std::make_unique<NcclCommunicator>(comms, open, terms);
}

}  // namespace collbench
