// SPDX-License-Identifier: Apache-2.0
// HostDevice: the rank's share of the host as a device: memory, streams, events, work on data.
#pragma once

#include <memory>

#include "comm/device.h"
#include "comm/mpi/host_engine.h"
#include "comm/mpi/host_kernels.h"

namespace collbench {

/// The rank's place among those on its host.
struct HostShare {
  int rank = 0;
  int ranks = 1;
};

class HostDevice final : public Device {
 public:
  HostDevice(const HostShare& share, std::shared_ptr<HostEngine> engine)
      : share_(share), engine_(std::move(engine)) {}

  DeviceFacts facts() const override;
  double now_s() override { return engine_->clock().now_s(); }

  /// What the host has, or the control groups leave, divided by the ranks on it.
  Bytes available(MemoryKind kind) override;

  /// Its pages are there, and near this rank's core, when the call returns.
  std::unique_ptr<Memory> allocate(Bytes bytes, MemoryKind kind) override;

  /// Throws std::logic_error when the device is for one stream and has it.
  std::unique_ptr<Stream> make_stream() override;
  std::unique_ptr<Event> make_event() override;
  void record(Event& event, Stream& stream) override;
  void wait(Stream& stream, Event& event) override;
  Kernels& kernels() override { return kernels_; }
  std::unique_ptr<Gemms> make_gemms(std::span<const GemmShape> shapes) override;

  const std::shared_ptr<HostEngine>& engine() const { return engine_; }

 private:
  HostShare share_;
  std::shared_ptr<HostEngine> engine_;
  HostKernels kernels_{engine_->clock()};
};

}  // namespace collbench
