// SPDX-License-Identifier: Apache-2.0
// What the kernel grants this process: memory and cores, control groups (versions 1 and 2) counted.
//
// The root of the file system is an argument, so that tests can bring their own.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "base/bytes.h"

namespace collbench {

/// Memory that this process and those beside it can still get: what the host has available, or
/// what the control groups of the process leave when that is less. Throws SystemError without
/// /proc/meminfo.
Bytes available_memory(const std::filesystem::path& root = "/");

/// How many cores' worth of time the control groups grant; infinity without a quota.
double granted_cores(const std::filesystem::path& root = "/");

/// The same for all processes under one kernel, whatever containers or name spaces they are in, and
/// different from all others: the kernel's boot id; the host's name where there is none.
std::string machine_id(const std::filesystem::path& root = "/");

/// One bit per core.
using CoreMask = std::array<std::uint64_t, 64>;

/// The cores that this process may run on.
CoreMask allowed_cores();

/// "0-3,8", as the kernel writes such lists.
std::string format_cores(const CoreMask& cores);

/// Whether all processes can run at once, each on a core of its own that it may use.
bool each_has_a_core(std::span<const CoreMask> processes);

}  // namespace collbench
