// SPDX-License-Identifier: Apache-2.0
#include "import/imported_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fnv.h"
#include "base/named_rows.h"
#include "results/row_flags.h"
#include "results/units.h"
#include "traffic/sizes.h"

namespace collbench {
namespace {

constexpr const char* kUnknown = "unknown";

/// With the digits that a file keeps, so that a document and its file say the same.
double as_in_files(double rate_Bps) { return Bps_from_GBps(GBps_from_Bps(rate_Bps)); }

}  // namespace

const traffic::Traffic& collective_named(std::string_view name) {
  return find_named(traffic::kAll, name, "--collective", "collective");
}

std::string imported_id(std::string_view text, std::size_t run) {
  const std::uint64_t start = fnv1a("");
  return fmt::format("{:016x}{:016x}", fnv1a(text, start ^ (2 * run)),
                     fnv1a(text, start ^ (2 * run + 1)));
}

Document imported_document(const std::string& program_and_version, std::string id) {
  Document document;
  document.run = {.id = std::move(id),
                  .started = "",
                  .ended = "",
                  .status = RunStatus::complete,
                  .exit_status = std::nullopt,
                  .message = "",
                  .version = kUnknown,
                  .git_commit = kUnknown,
                  .compiler = kUnknown,
                  .flags = "",
                  .imported_from = program_and_version};
  document.config.wait_policy = kUnknown;
  document.config.sampling.fixed_samples = 1;
  return document;
}

RowKey imported_key(const traffic::Traffic& traffic, DataType type, Count count, int ranks) {
  RowKey key;
  key.collective = traffic.name;
  key.type = type;
  key.count = count;
  key.ranks = ranks;
  key.message_bytes = traffic::message_bytes(traffic, count, type, ranks);
  return key;
}

Record imported_row(const traffic::Traffic& traffic, const RowKey& key, double time_us,
                    std::uint64_t operations) {
  Record row;
  row.key = key;
  row.requested_bytes = key.message_bytes;
  Timing& timing = row.timing.emplace();
  timing.operations_per_sample = std::max<std::uint64_t>(operations, 1);
  timing.median_s = s_from_us(time_us);
  timing.samples_s = {timing.median_s};
  timing.stop_reason = "fixed";
  row.flags = {std::string(row_flags::imported.name)};
  if (timing.median_s > 0) {
    const double rate_Bps = static_cast<double>(key.message_bytes) / timing.median_s;
    row.algorithm_bandwidth_Bps = as_in_files(rate_Bps);
    if (key.ranks > 1) {
      row.bus_bandwidth_Bps = as_in_files(rate_Bps * traffic.bus_factor(key.ranks));
    }
  }
  return row;
}

Record skipped_row(const RowKey& key, std::string reason) {
  Record row;
  row.key = key;
  row.requested_bytes = key.message_bytes;
  row.status = RowStatus::skipped;
  row.reason = std::move(reason);
  row.flags = {std::string(row_flags::imported.name)};
  return row;
}

bool bus_bandwidth_follows(const traffic::Traffic& traffic, Bytes size, int ranks,
                           const PrintedNumber& time_us, const PrintedNumber& bus_GBps) {
  if (ranks < 2) return true;
  const double kB = static_cast<double>(size) * traffic.bus_factor(ranks) / 1e3;  // per us: GB/s
  const double slack = 1 + 1e-6;  // of sums in another order
  const double low = kB / time_us.high() / slack;
  const bool is_bounded = time_us.low() > 0;
  return low <= bus_GBps.high() && (!is_bounded || bus_GBps.low() <= kB / time_us.low() * slack);
}

void configure_from_rows(Document& document) {
  RunConfig& config = document.config;
  if (document.rows.empty()) return;
  const auto by_size = [](const Record& a, const Record& b) {
    return a.key.message_bytes < b.key.message_bytes;
  };
  const auto [least, most] =
      std::minmax_element(document.rows.begin(), document.rows.end(), by_size);
  config.min_bytes = least->key.message_bytes;
  config.max_bytes = most->key.message_bytes;
  const RowKey& key = document.rows.front().key;
  config.backend = key.backend;
  config.mode = key.mode;
  config.aggregation = key.aggregation;
}

}  // namespace collbench
