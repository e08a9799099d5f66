// SPDX-License-Identifier: Apache-2.0
// CudaDevice: a GPU as a device: memory, streams, events, graphs, work on data.
#pragma once

#include <memory>
#include <string>

#include "comm/device.h"
#include "comm/nccl/cuda_events.h"
#include "comm/nccl/cuda_graph.h"
#include "comm/nccl/cuda_kernels.h"
#include "comm/nccl/device_state.h"
#include "comm/nccl/rank_comms.h"
#include "comm/nccl_use.h"

namespace collbench {

/// How a rank uses its GPU.
struct CudaUse {
  bool default_stream = false;
  bool check_on_host = false;
  int local_ranks = 1;                       // they share the host's memory
  Allocator allocator = Allocator::runtime;  // of memory to communicate
};

class CudaDevice final : public Device {
 public:
  /// Of the calling thread's current device, which stays that.
  CudaDevice(const CudaUse& use, std::shared_ptr<RankComms> comms);

  DeviceFacts facts() const override { return facts_; }

  /// The host's steady clock; a runtime that stands in for CUDA's in tests may bring a clock of its
  /// own, by exporting `double collbench_clock_now_s()`.
  double now_s() override { return clock_now_s_(); }

  /// Of the device: what is free, less what NCCL and CUDA take for themselves later.
  Bytes available(MemoryKind kind) override;
  std::optional<Bytes> free_bytes() const override;
  std::unique_ptr<Memory> allocate(Bytes bytes, MemoryKind kind) override;
  std::unique_ptr<Stream> make_stream() override;
  std::unique_ptr<Event> make_event() override;
  void record(Event& event, Stream& stream) override;
  void wait(Stream& stream, Event& event) override;
  Kernels& kernels() override { return kernels_; }
  std::unique_ptr<Gemms> make_gemms(std::span<const GemmShape> shapes) override;
  GemmFacts gemm_facts() const override { return {DataType::bfloat16, 5e12}; }
  bool stamps_events() const override { return true; }
  bool has_own_memory() const override { return true; }
  std::unique_ptr<PeerDevice> peer(const std::string& bus_id) override;
  GraphCapture* graphs() override { return &graphs_; }
  std::optional<DeviceState> state() override { return monitor_.state(); }

  const std::shared_ptr<RankComms>& comms() const { return comms_; }

 private:
  CudaUse use_;
  std::shared_ptr<RankComms> comms_;
  DeviceFacts facts_;
  double (*clock_now_s_)();
  CudaKernels kernels_;
  CudaGraphCapture graphs_;
  DeviceMonitor monitor_;
  EventClock event_clock_;
};

/// PCI address of a device: "0000:18:00.0". Throws SystemError.
std::string bus_id_of(int device);

}  // namespace collbench
