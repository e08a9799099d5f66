// SPDX-License-Identifier: Apache-2.0
#include "report/scheme_json.h"

#include "results/json_value.h"
#include "results/json_write_parts.h"
#include "results/units.h"

namespace collbench {
namespace {

void add_rounded(Json& object, const char* key, const std::optional<double>& value) {
  if (value) object[key] = rounded(*value);
}

Json row_json(const SchemeRow& row) {
  Json json = {{"name", row.name},
               {"step", step_key_json(row.key)},
               {"launches", row.launches},
               {"step_us", us_from_s(row.step_s)}};
  if (row.interval95_s) {
    json["ci95_us"] = {us_from_s(row.interval95_s->low), us_from_s(row.interval95_s->high)};
  }
  json["tokens_per_s"] = rounded(row.tokens_per_s);
  add_rounded(json, "computing_share", row.computing_share);
  add_rounded(json, "bubble_share", row.bubble_share);
  add_rounded(json, "exposed_share", row.exposed_share);
  json["sent_bytes"] = row.sent_bytes;
  add(json, "crossing_bytes", row.crossing_bytes);
  json["state_bytes"] = row.state_bytes;
  add(json, "activation_bytes", row.activation_bytes);
  json["memory_bytes"] = row.memory_bytes();
  json["fits"] = row.fits;
  json["flags"] = row.flags;
  return json;
}

Json table_json(const SchemeTable& table) {
  Json json = {{"model", table.key.model}, {"ranks", table.key.ranks}, {"nodes", table.key.nodes},
               {"tokens", table.tokens},   {"rows", Json::array()},    {"fitting", table.fitting},
               {"as_fast", table.as_fast}};
  for (const SchemeRow& row : table.rows) json["rows"].push_back(row_json(row));
  add(json, "least_memory", table.least_memory);
  add(json, "least_crossing", table.least_crossing);
  return json;
}

}  // namespace

std::string scheme_json_text(const SchemeStudy& study) {
  Json json = {{"schema", kSchemesSchemaName}, {"schema_version", kSchemesSchemaVersion}};
  add(json, "memory_bytes", study.memory);
  json["tables"] = Json::array();
  for (const SchemeTable& table : study.tables) json["tables"].push_back(table_json(table));
  json["left_out"] = Json::array();
  for (const SchemeGap& gap : study.left_out) {
    json["left_out"].push_back({{"what", gap.what}, {"reason", gap.reason}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace collbench
