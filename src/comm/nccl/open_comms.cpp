// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/open_comms.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <future>
#include <thread>
#include <utility>

namespace collbench {
namespace {

using namespace std::chrono_literals;

// A rank in the middle of a call leaves it soon, or never.
constexpr auto kLetCallsEnd = 200ms;
constexpr auto kAbort = 5s;

std::vector<ncclComm_t> without_callers(const std::vector<std::shared_ptr<OpenComm>>& comms) {
  const auto deadline = std::chrono::steady_clock::now() + kLetCallsEnd;
  std::vector<ncclComm_t> free;
  for (const auto& comm : comms) {
    const std::unique_lock no_call(comm->calls, deadline);
    if (no_call && comm->comm != nullptr) free.push_back(comm->comm);
  }
  return free;
}

void abort_all(const std::vector<std::shared_ptr<OpenComm>>& comms) {
  const std::vector<ncclComm_t> free = without_callers(comms);
  ncclGroupStart();
  for (ncclComm_t comm : free) ncclCommAbort(comm);
  ncclGroupEnd();
}

}  // namespace

std::shared_ptr<OpenComm> OpenComms::add() {
  const std::lock_guard lock(mutex_);
  return comms_.emplace_back(std::make_shared<OpenComm>());
}

bool OpenComms::remove(const std::shared_ptr<OpenComm>& comm) {
  const std::lock_guard lock(mutex_);
  return std::erase(comms_, comm) != 0;
}

void OpenComms::abort() noexcept {
  if (aborted_.exchange(true)) return;
  try {
    std::vector<std::shared_ptr<OpenComm>> comms;
    {
      const std::lock_guard lock(mutex_);
      comms = std::exchange(comms_, {});
    }
    std::promise<void> done;
    const std::future<void> waiting = done.get_future();
    std::thread([comms = std::move(comms), done = std::move(done)]() mutable {
      abort_all(comms);
      done.set_value();
    }).detach();
    waiting.wait_for(kAbort);
  } catch (const std::exception&) {  // no thread to be had: the end of the process has to do
  }
}

}  // namespace collbench
