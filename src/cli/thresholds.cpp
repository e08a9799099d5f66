// SPDX-License-Identifier: Apache-2.0
#include "cli/thresholds.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "cli/numbers.h"

namespace collbench {
namespace {

SizeThreshold parse_threshold(std::string_view text, std::string_view flag) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    throw UserError(
        fmt::format("{}: '{}' is no SIZE=GBps; give thresholds such as 1M=10,1G=200", flag, text));
  }
  return {.requested_bytes = parse_bytes(text.substr(0, equals), flag),
          .bus_bandwidth_Bps = 1e9 * parse_positive(text.substr(equals + 1), flag, "GB/s")};
}

}  // namespace

std::vector<SizeThreshold> parse_size_thresholds(std::string_view text, std::string_view flag,
                                                 const Sweep& sweep) {
  const std::vector<Bytes> sizes = sizes_of(sweep);
  std::vector<SizeThreshold> thresholds;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const SizeThreshold next = parse_threshold(text.substr(begin, end - begin), flag);
    begin = end + 1;
    if (!std::binary_search(sizes.begin(), sizes.end(), next.requested_bytes)) {
      throw UserError(
          fmt::format("{}: {} B is no size of this sweep, so that nothing could be "
                      "judged by it; --dry-run lists the sizes",
                      flag, next.requested_bytes));
    }
    for (const SizeThreshold& earlier : thresholds) {
      if (earlier.requested_bytes == next.requested_bytes) {
        throw UserError(fmt::format("{}: {} B is given twice", flag, next.requested_bytes));
      }
    }
    thresholds.push_back(next);
  }
  return thresholds;
}

std::optional<double> parse_min_bandwidth(const char* value) {
  if (value == nullptr) return std::nullopt;
  return 1e9 * parse_positive(value, kMinBandwidthVariable, "GB/s");
}

}  // namespace collbench
