// SPDX-License-Identifier: Apache-2.0
#include "stream.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "clock.h"
#include "settings.h"

using fakecuda::Item;
using fakecuda::PointPtr;

CUstream_st::CUstream_st(int its_device, fakecuda::StreamKind its_kind, int its_priority)
    : device(its_device), kind(its_kind), priority(its_priority) {}

PointPtr CUstream_st::push(fakecuda::Work work, std::vector<PointPtr> after) {
  const double issued_s = fakecuda::virtual_time() ? fakecuda::host_now_s() : 0;
  Item item{std::move(work), std::move(after), issued_s, nullptr};
  if (fakecuda::settings().inline_items) return push_inline(std::move(item));

  item.done = std::make_shared<fakecuda::Point>();
  PointPtr done = item.done;
  const std::lock_guard lock(mutex_);
  last_ = done;
  queue_.push_back(std::move(item));
  if (!has_worker_) {
    has_worker_ = true;
    std::thread([self = shared_from_this()] { self->work_until_closed(); }).detach();
  }
  changed_.notify_one();
  return done;
}

PointPtr CUstream_st::push_inline(Item item) {
  item.done = unused_point();
  run(item);
  const std::lock_guard lock(mutex_);
  last_ = item.done;
  return item.done;
}

PointPtr CUstream_st::unused_point() {
  const std::lock_guard lock(mutex_);
  // One less allocation, where a call is to cost little.
  PointPtr point = std::exchange(last_, nullptr);
  if (!point || point.use_count() > 1) return std::make_shared<fakecuda::Point>();
  point->reopen();
  return point;
}

void CUstream_st::run(Item& item) {
  double start_s = fakecuda::virtual_time() ? std::max(clock_s_, item.issued_s) : 0;
  for (const PointPtr& point : item.after) start_s = std::max(start_s, point->wait());
  if (!fakecuda::virtual_time()) start_s = fakecuda::steady_now_s();

  fakecuda::ItemTime time{start_s, start_s};
  item.work(time);
  // What the work holds must be gone when somebody who waited goes on.
  item.work = nullptr;

  clock_s_ = fakecuda::virtual_time() ? std::max(start_s, time.end_s) : fakecuda::steady_now_s();
  item.done->finish(clock_s_);
}

void CUstream_st::work_until_closed() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closed_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Item item = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    run(item);
    lock.lock();
  }
}

PointPtr CUstream_st::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

void CUstream_st::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_one();
}
