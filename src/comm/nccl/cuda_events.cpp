// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/cuda_events.h"

#include "comm/nccl/cuda_error.h"

namespace collbench {
namespace {

constexpr double kBaseFor_s = 0.5;

double seconds_between(cudaEvent_t start, cudaEvent_t end) {
  float milliseconds = 0;
  COLLBENCH_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, end));
  return static_cast<double>(milliseconds) / 1e3;
}

}  // namespace

EventHandle::EventHandle() { COLLBENCH_CUDA_CHECK(cudaEventCreate(&event_)); }

EventClock::EventClock() {
  COLLBENCH_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
}

EventClock::~EventClock() { cudaStreamDestroy(stream_); }

std::shared_ptr<const EventBase> EventClock::base(double now_s) {
  if (!base_ || now_s - base_since_s_ > kBaseFor_s) start_new_base(now_s);
  return base_;
}

void EventClock::start_new_base(double now_s) {
  auto next = std::make_shared<EventBase>();
  COLLBENCH_CUDA_CHECK(cudaEventRecord(next->event.get(), stream_));
  COLLBENCH_CUDA_CHECK(cudaEventSynchronize(next->event.get()));
  if (base_) {
    next->time_s = base_->time_s + seconds_between(base_->event.get(), next->event.get());
  }
  base_ = std::move(next);
  base_since_s_ = now_s;
}

bool CudaEvent::query() {
  return is_recorded() &&
         is_ready(cudaEventQuery(event_.get()), {"cudaEventQuery", __FILE__, __LINE__});
}

double CudaEvent::time_s() { return base_->time_s + seconds_between(base_->event.get(), handle()); }

}  // namespace collbench
