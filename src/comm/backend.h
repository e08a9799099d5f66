// SPDX-License-Identifier: Apache-2.0
// Backend: a family of devices and the library that communicates between them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/enum_rows.h"
#include "comm/communicator.h"
#include "comm/control_plane.h"
#include "comm/device.h"
#include "comm/nccl_use.h"
#include "traffic/traffic.h"

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

/// What the caller will do with its device, and with communicators on it; the same on every rank.
struct DeviceUse {
  /// The caller makes one stream only, so that a host backend may use blocking calls.
  bool one_stream = false;
  WaitPolicy wait = WaitPolicy::automatic;
  /// Take the default stream of a GPU for the stream that the caller makes.
  bool default_stream = false;
  /// Compare data on the host, even where the device could.
  bool check_on_host = false;
  /// How NCCL is used, where there is one.
  NcclUse nccl{};
};

/// Its objects must be destroyed before it. One object per rank; used by its rank's thread only.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string_view name() const = 0;  // "mpi", "nccl": what the user types after --backend

  /// The device of this rank. Collective over the run. Throws UserError, the same on every rank,
  /// for a use that the library that was found does not know.
  virtual std::unique_ptr<Device> make_device(const DeviceUse& use) = 0;

  /// The communicator of all ranks. Collective over the run.
  virtual std::unique_ptr<Communicator> make_communicator(Device& device) = 0;

  /// The policy that make_device chose for `automatic`, for the result file.
  virtual WaitPolicy wait_policy() const = 0;

  /// Whether ranks of this run share cores, so that times include waiting for one; known once
  /// make_device has returned, and the same on every rank.
  virtual bool oversubscribed() const = 0;

  /// How many operations a streaming sample has where its backend's users expect a number; 0: as
  /// many as last long enough.
  virtual std::uint64_t operations_per_sample() const { return 0; }

  /// Why the library silently does less than the device was asked for (DeviceUse) in this
  /// collective on so many hosts, as a sentence; empty where nothing known speaks for that. Once
  /// the device is made.
  virtual std::string silent_fallback(const traffic::Traffic& /*traffic*/, int /*nodes*/) const {
    return "";
  }

  /// Versions of the libraries behind it, by name.
  virtual std::map<std::string, std::string> libraries() const { return {}; }
};

/// The place of a rank that a backend is made for.
struct BackendSeat {
  ControlPlane& control;  // of this rank; outlives the backend
  int local_rank = 0;     // among the ranks of its host, rank threads included
  int local_size = 1;
  int thread = 0;  // among the ranks of its process
  /// The GPU of the process's first rank, where the user has chosen; its other ranks take the next.
  std::optional<int> first_device{};
};

/// A backend's part of a process: what the rank threads of the process share. It outlives their
/// backends.
class BackendProcess {
 public:
  virtual ~BackendProcess() = default;

  /// The backend of one rank, on its thread. Collective over the run. Throws SystemError.
  virtual std::unique_ptr<Backend> make_backend(const BackendSeat& seat) = 0;

  /// Ends what is in flight on all communicators of this process, as far as that goes within a few
  /// seconds; from any thread. What its ranks then wait for fails.
  virtual void abort() noexcept = 0;
};

}  // namespace collbench
