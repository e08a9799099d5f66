// SPDX-License-Identifier: Apache-2.0
// Gate: holds a stream up until the test opens it.
#pragma once

#include <future>

#include "fake_cuda.h"

/// Opens when destroyed, so that a failed test does not hang.
class Gate {
 public:
  explicit Gate(cudaStream_t stream) {
    fakecuda::enqueue(stream, [opened = opened_](fakecuda::ItemTime&) { opened.wait(); });
  }
  ~Gate() { open(); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  void open() {
    if (!is_open_) promise_.set_value();
    is_open_ = true;
  }

 private:
  std::promise<void> promise_;
  std::shared_future<void> opened_ = promise_.get_future().share();
  bool is_open_ = false;
};
