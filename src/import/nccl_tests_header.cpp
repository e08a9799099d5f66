// SPDX-License-Identifier: Apache-2.0
#include "import/nccl_tests_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace collbench {
namespace {

/// The number after "label", as in "# nThread 1 nGpus 4 ... warmup iters: 1"; nothing for "auto".
std::optional<std::uint64_t> number_after(const LogLine& line, std::string_view label) {
  const std::size_t at = line.text.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.text.substr(at + label.size());
  rest = rest.substr(0, std::min(rest.find_first_of(" ("), rest.size()));
  if (rest == "auto") return std::nullopt;
  const auto number = parse_whole(rest);
  if (!number) say(line, fmt::format("'{}' is no number", rest));
  return number;
}

int few(const LogLine& line, std::string_view label) {
  constexpr std::uint64_t kMost = 1024;  // ranks of a process
  const std::uint64_t number = number_after(line, label).value_or(1);
  if (number == 0 || number > kMost) {
    say(line, fmt::format("{}{} is not from 1 to {}", label, number, kMost));
  }
  return static_cast<int>(number);
}

}  // namespace

NcclTestsSettings nccl_tests_settings(const LogLine& line) {
  NcclTestsSettings settings;
  settings.threads = few(line, " nThread ");
  settings.gpus = few(line, " nGpus ");
  settings.min_bytes = number_after(line, " minBytes ").value_or(0);
  settings.max_bytes = number_after(line, " maxBytes ").value_or(0);
  settings.step = number_after(line, " step: ").value_or(0);
  settings.step_is_factor = line.text.find("(factor)") != std::string_view::npos;
  settings.warmup = number_after(line, " warmup iters: ");
  const std::size_t warmup = line.text.find(" warmup iters: ");
  const LogLine after = {
      line.number, warmup == std::string_view::npos ? line.text : line.text.substr(warmup + 8),
      line.whole};
  settings.iterations = number_after(after, " iters: ");
  settings.grouped = std::max<std::uint64_t>(number_after(line, " agg iters: ").value_or(1), 1);
  settings.checks = number_after(line, " validation: ").value_or(0);
  settings.graph_launches = number_after(line, " graph: ").value_or(0);
  settings.offset = number_after(line, " unalign: ").value_or(0);
  return settings;
}

std::string_view nccl_tests_mode(std::string_view line) {
  return line.find("no barrier") != std::string_view::npos ? "isolated_unaligned" : "isolated";
}

std::optional<NcclTestsDevice> nccl_tests_device(const LogLine& line) {
  if (!line.text.starts_with('#')) return std::nullopt;
  std::vector<std::string_view> words = words_of(line.text.substr(1));
  if (words.size() < 8 || words[0] != "Rank") return std::nullopt;
  NcclTestsDevice device;
  const auto number = [&](std::string_view label, std::size_t at) {
    const auto value =
        at + 1 < words.size() && words[at] == label ? parse_small(words[at + 1]) : std::nullopt;
    if (!value) say(line, "this line of the list of devices is damaged");
    return *value;
  };
  device.rank = number("Rank", 0);
  if (words[2] == "Group") {
    device.group = number("Group", 2);
    words.erase(words.begin() + 2, words.begin() + 4);
  }
  device.pid = number("Pid", 2);
  device.device = number("device", 6);
  device.host = words[5];
  const std::size_t open = line.text.find('['), close = line.text.find(']', open);
  if (open == std::string_view::npos || close == std::string_view::npos) {
    say(line, "this line of the list of devices is damaged");
  }
  device.bus_id = line.text.substr(open + 1, close - open - 1);
  const std::size_t model = line.text.find_first_not_of(' ', close + 1);
  if (model != std::string_view::npos) device.model = line.text.substr(model);
  return device;
}

}  // namespace collbench
