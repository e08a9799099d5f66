// SPDX-License-Identifier: Apache-2.0
// Backend: a family of devices and the library that communicates between them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/enum_rows.h"
#include "comm/communicator.h"
#include "comm/control_plane.h"
#include "comm/device.h"

namespace collbench {

/// How the host waits for communication. All ranks of a run must use the same policy, since
/// blocking and nonblocking calls do not match each other.
enum class WaitPolicy : std::uint8_t { automatic, spin, yield, sleep };

struct WaitPolicyRow {
  WaitPolicy policy;
  std::string_view name;  // what the user types after --wait
};

inline constexpr std::array<WaitPolicyRow, 4> kWaitPolicies = {{
    {WaitPolicy::automatic, "auto"},
    {WaitPolicy::spin, "spin"},
    {WaitPolicy::yield, "yield"},
    {WaitPolicy::sleep, "sleep"},
}};
static_assert(in_enum_order(kWaitPolicies, &WaitPolicyRow::policy));

constexpr std::string_view name_of(WaitPolicy policy) {
  return kWaitPolicies[static_cast<std::size_t>(policy)].name;
}

/// What the caller will do with its device; the same on every rank.
struct DeviceUse {
  /// The caller makes one stream only, so that a host backend may use blocking calls.
  bool one_stream = false;
  WaitPolicy wait = WaitPolicy::automatic;
};

/// Its objects must be destroyed before it. One object per rank; used by its rank's thread only.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string_view name() const = 0;  // "mpi", "nccl": what the user types after --backend

  /// The device of this rank. Collective over the run.
  virtual std::unique_ptr<Device> make_device(const DeviceUse& use) = 0;

  /// The communicator of all ranks. Collective over the run.
  virtual std::unique_ptr<Communicator> make_communicator(Device& device) = 0;

  /// The policy that make_device chose for `automatic`, for the result file.
  virtual WaitPolicy wait_policy() const = 0;

  /// Whether ranks of this run share cores, so that times include waiting for one; known once
  /// make_device has returned, and the same on every rank.
  virtual bool oversubscribed() const = 0;
};

}  // namespace collbench
