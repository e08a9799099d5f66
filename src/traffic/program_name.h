// SPDX-License-Identifier: Apache-2.0
// What the binary of a collective is called; the Makefile links it under this name.
#pragma once

#include <string>

#include "traffic/traffic.h"

namespace collbench::traffic {

/// "all_reduce_perf"
inline std::string program_name(const Traffic& traffic) {
  return std::string(traffic.name) + "_perf";
}

}  // namespace collbench::traffic
