// SPDX-License-Identifier: Apache-2.0
// What a backend plugin exports. Program and plugin are of one build: there is no stable ABI.
#pragma once

#include <array>
#include <cstdio>
#include <memory>
#include <string>

#include "comm/backend.h"

namespace collbench {

/// Filled by a plugin. Its layout up to and with `reason` never changes, so that builds that
/// disagree about all the rest can still say so.
struct PluginReply {
  /// One clause, without a full stop, when no backend is to be had.
  std::array<char, 1024> reason{};

  /// The backend of this process. Throws SystemError.
  std::unique_ptr<BackendProcess> (*make_process)() = nullptr;
};

/// The one symbol of a plugin, of type PluginEntry. Fills the reply; returns 0 when make_process
/// may be called. Must compare build ids before anything else, see refuse_other_build, and throws
/// nothing.
inline constexpr const char* kPluginEntryName = "collbench_open_backend";
using PluginEntry = int(const char* build_id, PluginReply* reply);

inline void set_reason(PluginReply& reply, const std::string& reason) {
  std::snprintf(reply.reason.data(), reply.reason.size(), "%s", reason.c_str());
}

/// True, with the reason set, when the program's build is not `plugin_build`.
inline bool refuse_other_build(const char* program_build, const std::string& plugin_build,
                               PluginReply& reply) {
  if (plugin_build == program_build) return false;
  set_reason(reply, "it is of build '" + plugin_build + "' and this program of build '" +
                        program_build + "'; build or install both together");
  return true;
}

}  // namespace collbench
