// SPDX-License-Identifier: Apache-2.0
// The buffers of a sweep, and where each row's operation works in them.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "comm/communicator.h"
#include "comm/control_plane.h"
#include "comm/device.h"
#include "measure/operation.h"
#include "measure/sampling.h"

namespace collbench {

/// The data that operations are timed with: finite, and so are its reductions over all ranks.
Pattern timed_data(const Operation& operation, const Setting& setting);

/// Of memory that a rank can have, what it leaves to its libraries taken away.
Bytes usable_bytes(Bytes available);

/// What each of the two buffers has to hold.
struct BufferNeed {
  Bytes message_bytes;           // the sweep's largest message
  std::uint64_t operations = 1;  // that are under way at once, each in a place of its own
  Count offset_elements = 0;     // before the first
  std::string_view flag = "-e";  // what the user asked for so much with

  /// Where all of that fits, and the offset, of any type. The largest number there is, if it is
  /// beyond that.
  Bytes bytes() const;
};

/// A send and a receive buffer.
class SweepBuffers {
 public:
  /// Leaves `extra_bytes` to the library for each operation under way. Throws UserError, the same
  /// on every rank, when some rank has not the memory. Collective.
  SweepBuffers(ControlPlane& control, Device& device, const BufferNeed& need, Bytes extra_bytes);

  Bytes bytes() const { return need_.bytes(); }

  /// Makes both known to the library, as the device was asked for, until they are destroyed.
  /// Whether the library has taken them so, as far as this rank knows. Collective over the
  /// communicator, which must outlive them.
  bool register_with(Communicator& comm);

  /// Fills the send buffer with data to time with. Checks overwrite parts of it with their own.
  void fill_send(Device& device, Stream& stream, const Pattern& pattern);

  /// An operation that reduces in place feeds on its own results: only of zeros do these stay
  /// finite however often it runs.
  void zero_recv(Device& device, Stream& stream);

  /// Where operations of this size work, in place or out of place.
  Placement place(const traffic::Traffic& traffic, const Setting& setting, Bytes message_bytes,
                  bool in_place) const;

 private:
  BufferNeed need_;
  std::unique_ptr<Memory> send_, recv_;
  std::vector<std::unique_ptr<RegisteredMemory>> registered_;
};

}  // namespace collbench
