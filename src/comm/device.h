// SPDX-License-Identifier: Apache-2.0
// Device: what a rank computes on and keeps its buffers in: a GPU, or the host itself.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/device_state.h"
#include "comm/gemms.h"
#include "comm/pattern.h"
#include "comm/stream.h"

namespace collbench {

/// Where memory lies. A host backend has one kind only and gives it for all. Memory to
/// `communicate` is a device's, by the allocator that DeviceUse names.
enum class MemoryKind : std::uint8_t { device, host, pinned, communicate };

/// Memory that is freed with this object. Its start is aligned to 4096 bytes.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual std::byte* data() = 0;
  virtual Bytes bytes() const = 0;
};

/// Work of a device on data. Used by its rank's thread only.
class Kernels {
 public:
  virtual ~Kernels() = default;

  /// Writes elements first .. first + count - 1 of the pattern's tensor to `data`.
  virtual void fill(void* data, Count count, const Pattern& pattern, Count first,
                    Stream& stream) = 0;

  /// Writes `bytes` zero bytes.
  virtual void zero(void* data, Bytes bytes, Stream& stream) = 0;

  /// Copies within or between memories of the rank, which do not overlap, in stream order.
  virtual void copy(void* to, const void* from, Bytes bytes, Stream& stream) = 0;

  /// Compares with what fill would write, bit by bit; drains the stream first.
  virtual CheckResult check(const void* data, Count count, const Pattern& pattern, Count first,
                            Stream& stream) = 0;

  /// As check, but in stream order and without waiting; the outcome is in later_checks(). The data
  /// is looked at where it is: on the device.
  virtual void check_later(const void* data, Count count, const Pattern& pattern, Count first,
                           Stream& stream) = 0;

  /// The outcomes of all check_later() since the last call of this, in order of their calls; drain
  /// their streams before. Throws std::logic_error when one has not been done.
  virtual std::vector<CheckResult> later_checks() = 0;

  /// Keeps the device busy for about this long; other streams progress meanwhile.
  virtual void busy(double seconds, Stream& stream) = 0;
};

/// What a result file and the device lines say of a device.
struct DeviceFacts {
  std::string model;   // "AMD EPYC 7B13"
  std::string bus_id;  // PCI address; "cpu" on hosts
  int index = 0;       // on its host
};

/// Work that was recorded once and starts as a whole.
class Graph {
 public:
  virtual ~Graph() = default;
  virtual void launch(Stream& stream) = 0;
};

/// Records work instead of doing it.
class GraphCapture {
 public:
  virtual ~GraphCapture() = default;

  /// What `enqueue` puts on the stream. All ranks of a communicator record the same operations.
  /// Throws SystemError.
  virtual std::unique_ptr<Graph> capture(Stream& stream, const std::function<void()>& enqueue) = 0;
};

/// Another device of the host, as a rank reaches it from its own. Used by the rank's thread only.
class PeerDevice {
 public:
  virtual ~PeerDevice() = default;

  /// Memory on that device. Throws SystemError when there is none.
  virtual std::unique_ptr<Memory> allocate(Bytes bytes) = 0;

  /// Whether the two devices can read and write each other's memory without the host.
  virtual bool can_access() const = 0;

  /// Lets them, or no more; both ways, and for all ranks of the process. Requires can_access().
  virtual void set_access(bool enabled) = 0;

  /// From memory of the rank's device to memory of this one, in stream order.
  virtual void copy_to(void* to, const void* from, Bytes bytes, Stream& stream) = 0;
};

/// Used by its rank's thread only.
class Device {
 public:
  virtual ~Device() = default;

  virtual DeviceFacts facts() const = 0;

  /// The clock that blocks are timed with, in seconds; the host's steady clock but under test.
  virtual double now_s() = 0;

  /// Memory that this rank can still allocate of the kind, counting ranks that share it.
  virtual Bytes available(MemoryKind kind) = 0;

  /// What nobody uses of the device's own memory; nothing where it has none but the host's.
  virtual std::optional<Bytes> free_bytes() const { return std::nullopt; }

  /// Throws SystemError when there is none.
  virtual std::unique_ptr<Memory> allocate(Bytes bytes, MemoryKind kind) = 0;

  virtual std::unique_ptr<Stream> make_stream() = 0;
  virtual std::unique_ptr<Event> make_event() = 0;

  /// The event happens when the stream has done all that was enqueued before. An event that is
  /// recorded again forgets its earlier point.
  virtual void record(Event& event, Stream& stream) = 0;

  /// The stream goes on only after the event's latest record; an event never recorded holds
  /// nothing up.
  virtual void wait(Stream& stream, Event& event) = 0;

  virtual Kernels& kernels() = 0;

  /// `shapes`: all that will be multiplied, so that memory is allocated once; operands may be
  /// shared by all of them. Throws SystemError where the library cannot be had (it says which file
  /// it looked for), or memory is missing.
  virtual std::unique_ptr<Gemms> make_gemms(std::span<const GemmShape> shapes) = 0;
  virtual GemmFacts gemm_facts() const { return {}; }

  /// Whether events are stamped by a clock of the device, while the host runs ahead.
  virtual bool stamps_events() const { return false; }

  /// Whether its memory is another one than the host's, so that data has to be copied there.
  virtual bool has_own_memory() const { return false; }

  /// The device of this PCI address; nullptr where the rank's process does not see it.
  virtual std::unique_ptr<PeerDevice> peer(const std::string& /*bus_id*/) { return nullptr; }

  /// Of a device that can record work, else nullptr.
  virtual GraphCapture* graphs() { return nullptr; }

  /// Nothing where the device does not tell.
  virtual std::optional<DeviceState> state() { return std::nullopt; }
};

}  // namespace collbench
