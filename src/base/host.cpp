// SPDX-License-Identifier: Apache-2.0
#include "base/host.h"

#include <sys/utsname.h>

#include <fstream>

namespace collbench {

std::string host_name() {
  utsname system{};
  return uname(&system) == 0 && system.nodename[0] != '\0' ? system.nodename : "unknown";
}

std::string cpu_model(const std::filesystem::path& root) {
  std::ifstream in(root / "proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  utsname system{};
  uname(&system);
  return system.machine;
}

}  // namespace collbench
