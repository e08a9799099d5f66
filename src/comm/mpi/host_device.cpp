// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/host_device.h"

#include "base/host.h"
#include "comm/host_limits.h"
#include "comm/mpi/host_gemms.h"
#include "comm/mpi/host_memory.h"
#include "comm/mpi/host_stream.h"

namespace collbench {

DeviceFacts HostDevice::facts() const { return {cpu_model(), "cpu", share_.rank}; }

Bytes HostDevice::available(MemoryKind /*kind*/) {
  return available_memory() / static_cast<Bytes>(share_.ranks);
}

std::unique_ptr<Memory> HostDevice::allocate(Bytes bytes, MemoryKind /*kind*/) {
  return std::make_unique<HostMemory>(bytes);
}

std::unique_ptr<Stream> HostDevice::make_stream() { return std::make_unique<HostStream>(engine_); }

std::unique_ptr<Event> HostDevice::make_event() { return std::make_unique<HostEvent>(engine_); }

void HostDevice::record(Event& event, Stream& stream) {
  static_cast<HostEvent&>(event).record(static_cast<HostStream&>(stream));
}

void HostDevice::wait(Stream& stream, Event& event) {
  static_cast<HostEvent&>(event).hold_up(static_cast<HostStream&>(stream));
}

std::unique_ptr<Gemms> HostDevice::make_gemms(std::span<const GemmShape> shapes) {
  return make_host_gemms(shapes, *this, engine_->clock());
}

}  // namespace collbench
