// SPDX-License-Identifier: Apache-2.0
#include "report/csv.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <vector>

#include "results/units.h"

namespace collbench {
namespace {

std::string quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + '"';
}

template <class T>
std::string or_empty(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string GBps(const std::optional<double>& rate_Bps) {
  return rate_Bps ? fmt::format("{}", GBps_from_Bps(*rate_Bps)) : "";
}

std::string us(double seconds) { return fmt::format("{}", us_from_s(seconds)); }

struct Field {
  std::string_view name;
  std::string value;
};

using Fields = std::vector<Field>;

void add_key(Fields& fields, const RowKey& key) {
  fields.insert(fields.end(), {
                                  {"collective", key.collective},
                                  {"type", std::string(name_of(key.type))},
                                  {"op", key.op ? std::string(name_of(*key.op)) : ""},
                                  {"message_bytes", fmt::format("{}", key.message_bytes)},
                                  {"count", fmt::format("{}", key.count)},
                                  {"ranks", fmt::format("{}", key.ranks)},
                                  {"nodes", fmt::format("{}", key.nodes)},
                                  {"root", or_empty(key.root)},
                                  {"in_place", key.in_place ? "true" : "false"},
                                  {"backend", key.backend},
                                  {"mode", key.mode},
                                  {"aggregation", key.aggregation},
                                  {"matrix", key.matrix},
                                  {"split", key.group ? key.group->rule : ""},
                                  {"group", key.group ? fmt::format("{}", key.group->index) : ""},
                              });
}

void add_timing(Fields& fields, const std::optional<Timing>& timing) {
  const auto interval = timing ? timing->interval95_s : std::nullopt;
  fields.insert(
      fields.end(),
      {
          {"time_us", timing ? us(timing->median_s) : ""},
          {"ci95_low_us", interval ? us(interval->low) : ""},
          {"ci95_high_us", interval ? us(interval->high) : ""},
          {"samples", timing ? fmt::format("{}", timing->samples_s.size()) : ""},
          {"operations_per_sample", timing ? fmt::format("{}", timing->operations_per_sample) : ""},
      });
}

Fields fields_of(const RunFacts& run, const Record& row) {
  Fields fields = {{"run", run.id}, {"started", run.started}};
  add_key(fields, row.key);
  fields.push_back({"requested_bytes", fmt::format("{}", row.requested_bytes)});
  fields.push_back({"status", std::string(name_of(row.status))});
  add_timing(fields, row.timing);
  fields.push_back({"algbw_GBps", GBps(row.algorithm_bandwidth_Bps)});
  fields.push_back({"busbw_GBps", GBps(row.bus_bandwidth_Bps)});
  fields.push_back(
      {"wrong_elements", row.check ? fmt::format("{}", row.check->wrong_elements) : ""});
  fields.push_back({"flags", fmt::format("{}", fmt::join(row.flags, " "))});
  fields.push_back({"reason", row.reason});
  return fields;
}

}  // namespace

std::string csv_header() {
  std::string line;
  for (const Field& field : fields_of({}, {})) {
    line += fmt::format("{}{}", line.empty() ? "" : ",", field.name);
  }
  return line + "\n";
}

std::string csv_rows(const Document& document) {
  std::string text;
  for (const Record& row : document.rows) {
    bool first = true;
    for (const Field& field : fields_of(document.run, row)) {
      text += fmt::format("{}{}", first ? "" : ",", quoted(field.value));
      first = false;
    }
    text += '\n';
  }
  return text;
}

}  // namespace collbench
