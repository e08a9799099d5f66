// SPDX-License-Identifier: Apache-2.0
// Communicator: a group of ranks that run collectives together. One object per rank.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "comm/call.h"
#include "comm/stream.h"

namespace collbench {

/// What becomes of a call, known before it is made.
struct Handling {
  std::string why_not;     // why it cannot be made, as a clause; empty when it can
  bool in_pieces = false;  // by more than one call of the library
  Bytes extra_bytes = 0;   // memory that it takes beside its buffers while it lasts, at most
};

/// Memory that the library knows of; it forgets it with this object.
class RegisteredMemory {
 public:
  virtual ~RegisteredMemory() = default;

  /// Whether the library has taken it as asked, which it may silently not do.
  virtual bool in_effect() const = 0;
};

class Communicator;
class Memory;

/// Makes communicators that leave ranks out.
class Shrinking {
 public:
  virtual ~Shrinking() = default;

  /// The communicator of all but these ranks, in their order. Collective over those that stay; the
  /// others do not call it. One rank at least is left out, and one stays. Throws SystemError.
  virtual std::unique_ptr<Communicator> without(std::span<const int> ranks) = 0;
};

/// Used by its rank's thread only, but for abort(). All ranks of a communicator must enqueue the
/// same collectives in the same order, whatever their streams.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Puts the calls on the stream as one fused group: they progress together and the stream goes on
  /// when all are done. Send and receive between two ranks therefore belong into one group.
  /// Buffers stay untouched by the caller until the stream has passed the group.
  /// Throws SystemError when the library refuses the call.
  virtual void enqueue(std::span<const Call> calls, Stream& stream) = 0;
  void enqueue(const Call& call, Stream& stream) { enqueue(std::span(&call, 1), stream); }

  /// The same on every rank, but for all_to_all_v, where a rank knows only its own counts. A call
  /// with a reason must not be enqueued on any rank.
  virtual Handling handling_of(const Call& /*call*/) const { return {}; }

  /// The communicator of the ranks that give the same colour, ordered by key, then by rank.
  /// Collective over this communicator; a negative colour joins no group and gets nullptr.
  virtual std::unique_ptr<Communicator> split(int color, int key) = 0;

  /// Makes memory known to the library, in the way that the device was asked for (DeviceUse);
  /// nullptr where that is none. Destroy it before the communicator and the memory. Collective over
  /// this communicator. Throws SystemError.
  virtual std::unique_ptr<RegisteredMemory> register_memory(Memory& /*memory*/) { return nullptr; }

  /// Of a library that can leave ranks out, else nullptr.
  virtual Shrinking* shrinking() { return nullptr; }

  /// What went wrong behind the caller's back, if anything did; cheap, never blocks.
  virtual std::optional<std::string> async_error() = 0;

  /// Ends everything in flight as far as the backend can; callable from any thread.
  virtual void abort() noexcept = 0;
};

}  // namespace collbench
