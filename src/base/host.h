// SPDX-License-Identifier: Apache-2.0
// What this host is called and what it computes with.
#pragma once

#include <filesystem>
#include <string>

namespace collbench {

/// "node1", or with its domain, as the host calls itself; "unknown" where it has no name.
std::string host_name();

/// As /proc/cpuinfo names it; the machine's architecture where it has no name. The root of the file
/// system is an argument, so that tests can bring their own.
std::string cpu_model(const std::filesystem::path& root = "/");

}  // namespace collbench
