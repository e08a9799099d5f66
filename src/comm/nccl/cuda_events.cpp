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

EventBase::EventBase(cudaStream_t idle, std::shared_ptr<EventBase> previous)
    : previous_(std::move(previous)) {
  COLLBENCH_CUDA_CHECK(cudaEventRecord(event_.get(), idle));
}

double EventBase::time_of(cudaEvent_t event) {
  return time_s() + seconds_between(event_.get(), event);
}

double EventBase::time_s() {
  if (previous_) {
    COLLBENCH_CUDA_CHECK(cudaEventSynchronize(event_.get()));
    time_s_ = previous_->time_of(event_.get());
    previous_.reset();
  }
  return time_s_;
}

EventClock::EventClock(double now_s) : base_since_s_(now_s) {
  COLLBENCH_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  base_ = std::make_shared<EventBase>(stream_, nullptr);
  COLLBENCH_CUDA_CHECK(cudaStreamSynchronize(stream_));
}

EventClock::~EventClock() { cudaStreamDestroy(stream_); }

std::shared_ptr<EventBase> EventClock::base(double now_s) {
  if (now_s - base_since_s_ > kBaseFor_s) {
    base_->time_s();  // which has long happened; it needs the one before it no more
    base_ = std::make_shared<EventBase>(stream_, base_);
    base_since_s_ = now_s;
  }
  return base_;
}

bool CudaEvent::query() {
  return is_recorded() &&
         is_ready(cudaEventQuery(event_.get()), {"cudaEventQuery", __FILE__, __LINE__});
}

double CudaEvent::time_s() { return base_->time_of(handle()); }

}  // namespace collbench
