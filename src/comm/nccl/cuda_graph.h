// SPDX-License-Identifier: Apache-2.0
// CUDA's graphs: work of a stream that is recorded once and launched as a whole.
#pragma once

#include "comm/device.h"

namespace collbench {

class CudaGraphCapture final : public GraphCapture {
 public:
  std::unique_ptr<Graph> capture(Stream& stream, const std::function<void()>& enqueue) override;
};

}  // namespace collbench
