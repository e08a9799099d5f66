// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/rank_comms.h"

#include <fmt/format.h>

#include <future>
#include <thread>

#include "base/errors.h"
#include "comm/nccl/cuda_error.h"
#include "comm/nccl/nccl_error.h"

namespace collbench {
namespace {

ncclResult_t state_of(ncclComm_t comm) {
  ncclResult_t state = ncclSuccess;
  const ncclResult_t asked = ncclCommGetAsyncError(comm, &state);
  return asked == ncclSuccess ? state : asked;
}

}  // namespace

std::shared_ptr<OpenComm> RankComms::open() { return comms_.emplace_back(process_->add()); }

bool RankComms::close(const std::shared_ptr<OpenComm>& comm) {
  abandon(comm);
  return process_->remove(comm);
}

ncclResult_t RankComms::call_beside(std::vector<std::shared_ptr<OpenComm>> comms,
                                    std::function<ncclResult_t()> make_call) {
  int device = 0;
  COLLBENCH_CUDA_CHECK(cudaGetDevice(&device));
  std::promise<ncclResult_t> promise;
  std::future<ncclResult_t> result = promise.get_future();
  std::thread([=, process = process_, promise = std::move(promise)]() mutable {
    std::vector<std::unique_lock<std::timed_mutex>> calls;
    for (const auto& comm : comms) calls.emplace_back(comm->calls);
    // Of an abort the rank learns by itself.
    const bool can_call = !process->aborted() && cudaSetDevice(device) == cudaSuccess;
    promise.set_value(can_call ? make_call() : ncclUnhandledCudaError);
  }).detach();
  wait_until([&] { return result.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
  return result.get();
}

void RankComms::throw_aborted() {
  throw SystemError("the communicators of this process were aborted");
}

void RankComms::refuse_if_broken() {
  refuse_if_aborted();
  for (const std::shared_ptr<OpenComm>& comm : comms_) {
    const std::unique_lock call(comm->calls, std::try_to_lock);
    if (!call || comm->comm == nullptr) continue;  // being made
    refuse_if_aborted();                           // since when it may be freed at any moment
    const ncclResult_t state = state_of(comm->comm);
    if (state == ncclSuccess || state == ncclInProgress) continue;
    throw SystemError(fmt::format("NCCL reports {}", nccl_error_text(state)));
  }
}

}  // namespace collbench
