// SPDX-License-Identifier: Apache-2.0
// For tests: a communicator that does wrong what another one does right.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "comm/communicator.h"

namespace collbench {

/// Passes everything on; afterwards does to this rank's buffers what a faulty operation might.
class FaultyCommunicator final : public Communicator {
 public:
  explicit FaultyCommunicator(Communicator& real) : real_(real) {}

  int rank() const override { return real_.rank(); }
  int size() const override { return real_.size(); }
  void enqueue(std::span<const Call> calls, Stream& stream) override {
    real_.enqueue(calls, stream);
    stream.synchronize();
    if (fault) fault();
  }
  std::unique_ptr<Communicator> split(int, int) override { return nullptr; }
  std::optional<std::string> async_error() override { return std::nullopt; }
  void abort() noexcept override {}

  std::function<void()> fault;

 private:
  Communicator& real_;
};

}  // namespace collbench
