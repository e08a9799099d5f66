// SPDX-License-Identifier: Apache-2.0
#include "settings.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "../environment.h"

namespace fakecuda {
namespace {

constexpr double kUs = 1e-6;
constexpr double kMostUs = 60e6;
constexpr double kGBps = 1e9;
constexpr double kMostGBps = 1e6;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
constexpr std::uint64_t kMostMemory = 1024 * kGiB;

/// As CUDA reads CUDA_VISIBLE_DEVICES: numbers in the order listed, up to the first that is none.
std::vector<int> visible_devices(int count) {
  std::vector<int> devices;
  const char* const listed = std::getenv("CUDA_VISIBLE_DEVICES");
  if (listed == nullptr) {
    for (int device = 0; device < count; ++device) devices.push_back(device);
    return devices;
  }
  for (std::string_view rest = listed; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(','));
    int device = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), device);
    const bool whole = error == std::errc() && end == word.data() + word.size();
    if (!whole || device < 0 || device >= count) break;
    devices.push_back(device);
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return devices;
}

std::optional<cudaError_t> error_of_no_device(const std::vector<int>& devices) {
  const int code = fakes::number("FAKE_CUDA_NONE", 0, 1, 999);
  if (code != 0) return static_cast<cudaError_t>(code);
  if (devices.empty()) return cudaErrorNoDevice;
  return std::nullopt;
}

Settings read() {
  Settings read{};
  read.virtual_time = fakes::flag("FAKE_CUDA_VTIME");
  read.inline_items = fakes::flag("FAKE_CUDA_INLINE");
  read.query_wait_s = kUs * fakes::number("FAKE_CUDA_QUERY_WAIT_US", 200.0, 0.0, kMostUs);
  read.call_s = kUs * fakes::number("FAKE_CUDA_CALL_US", 0.0, 0.0, kMostUs);
  read.kernel_s = kUs * fakes::number("FAKE_CUDA_KERNEL_US", 0.0, 0.0, kMostUs);
  read.copy_Bps = kGBps * fakes::number("FAKE_CUDA_COPY_GBPS", 0.0, 0.0, kMostGBps);
  read.memory = fakes::number("FAKE_CUDA_MEMORY", 8 * kGiB, std::uint64_t{1}, kMostMemory);
  read.devices = visible_devices(fakes::number("FAKE_CUDA_DEVICES", 8, 0, 64));
  read.no_device = error_of_no_device(read.devices);
  fakes::refuse_others("FAKE_CUDA_");
  return read;
}

}  // namespace

const Settings& settings() {
  // Leaked, as all state of the fakes is: workers outlive main.
  static const Settings& once = *new Settings(read());
  return once;
}

}  // namespace fakecuda
