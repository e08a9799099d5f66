// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/rank_comms.h"

#include <fmt/format.h>

#include "base/errors.h"
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

void RankComms::close(const std::shared_ptr<OpenComm>& comm) {
  process_->remove(comm);
  abandon(comm);
}

void RankComms::wait_until_ready(OpenComm& comm, const char* what) {
  wait_until([&] {
    const ncclResult_t state = call(comm, state_of);
    check_nccl(state, what);
    return state == ncclSuccess;
  });
}

void RankComms::throw_aborted() {
  throw SystemError("the communicators of this process were aborted");
}

void RankComms::refuse_if_broken() {
  for (const std::shared_ptr<OpenComm>& comm : comms_) {
    if (comm->comm == nullptr) continue;  // being made
    const ncclResult_t state = call(*comm, state_of);
    if (state == ncclSuccess || state == ncclInProgress) continue;
    throw SystemError(fmt::format("NCCL reports {} while the rank waits", nccl_error_text(state)));
  }
}

}  // namespace collbench
