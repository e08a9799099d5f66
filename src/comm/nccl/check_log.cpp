// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/check_log.h"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "base/errors.h"
#include "comm/nccl/cuda_error.h"
#include "comm/nccl/cuda_memory.h"
#include "comm/nccl/cuda_stream.h"
#include "comm/nccl/kernels.h"

namespace collbench {
namespace {

CheckResult result_of(const gpu::LogEntry& entry) {
  CheckResult result{entry.wrong, entry.first_wrong, {}, {}};
  std::memcpy(result.found.data(), &entry.found, sizeof entry.found);
  std::memcpy(result.expected.data(), &entry.expected, sizeof entry.expected);
  return result;
}

// Waits for no stream but the default one, where nothing is.
template <class T>
void copy_to_host(T* to, const std::byte* from, Count count) {
  if (count == 0) return;
  COLLBENCH_CUDA_CHECK(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDeviceToHost));
}

}  // namespace

CheckLog::CheckLog(Count room, std::shared_ptr<RankComms> comms)
    : room_(room),
      log_(allocate_cuda_memory(sizeof(gpu::LogHead) + room * sizeof(gpu::LogEntry),
                                MemoryKind::device, std::move(comms))) {
  forget();
}

void CheckLog::enqueue(const void* data, Count count, const Pattern& pattern, Count first,
                       Stream& stream) {
  const Count number = checks_++;
  if (count == 0) return;
  auto& cuda_stream = static_cast<CudaStream&>(stream);
  const gpu::TensorPart part{const_cast<void*>(data), count, first,
                             static_cast<unsigned>(size_of(pattern.type))};
  COLLBENCH_CUDA_CHECK(gpu::check(part, pattern.values.data(), cuda_stream.scratch(),
                                  {log_->data(), room_}, number, cuda_stream.handle()));
  ++launched_;
}

std::vector<CheckResult> CheckLog::take() {
  if (launched_ == 0) return std::vector<CheckResult>(std::exchange(checks_, 0));
  gpu::LogHead head{};
  copy_to_host(&head, log_->data(), 1);
  if (head.done != launched_) throw std::logic_error("a check's stream has not been drained");
  if (head.entries > room_) {
    throw SystemError(fmt::format("{} of {} checks found wrong data, and there is room for {} only",
                                  head.entries, checks_, room_));
  }
  std::vector<gpu::LogEntry> entries(head.entries);
  copy_to_host(entries.data(), log_->data() + sizeof head, head.entries);
  std::vector<CheckResult> results(checks_);
  for (const gpu::LogEntry& entry : entries) results.at(entry.check) = result_of(entry);
  forget();
  return results;
}

void CheckLog::forget() {
  checks_ = 0;
  launched_ = 0;
  COLLBENCH_CUDA_CHECK(cudaMemset(log_->data(), 0, sizeof(gpu::LogHead)));
  COLLBENCH_CUDA_CHECK(cudaStreamSynchronize(nullptr));  // streams do not wait for the default one
}

}  // namespace collbench
