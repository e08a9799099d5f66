// SPDX-License-Identifier: Apache-2.0
#include "app/device_states.h"

#include <sstream>
#include <string>

namespace collbench {
namespace {

// "1980 sw_power_cap hw_slowdown"; empty for nothing.
std::string to_words(const std::optional<DeviceState>& state) {
  if (!state) return "";
  std::ostringstream words;
  words.precision(17);
  words << state->clock_MHz;
  for (const std::string& reason : state->throttled_by) words << ' ' << reason;
  return words.str();
}

std::optional<DeviceState> from_words(const std::string& text) {
  std::istringstream words(text);
  DeviceState state;
  if (!(words >> state.clock_MHz)) return std::nullopt;
  for (std::string reason; words >> reason;) state.throttled_by.push_back(reason);
  return state;
}

}  // namespace

std::vector<std::optional<DeviceState>> gather_states(ControlPlane& control, Device& device) {
  std::vector<std::optional<DeviceState>> states;
  for (const std::string& words : control.all_gather_text(to_words(device.state()))) {
    states.push_back(from_words(words));
  }
  return states;
}

}  // namespace collbench
