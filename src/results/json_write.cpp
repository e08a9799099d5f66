// SPDX-License-Identifier: Apache-2.0
// Writes documents, rows and host facts as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "results/json.h"
#include "results/json_value.h"
#include "results/schema.h"

namespace collbench {
namespace {

Json run_json(const RunFacts& run) {
  Json json = {{"id", run.id}};
  add(json, "imported_from", run.imported_from);
  add(json, "started", run.started);
  add(json, "ended", run.ended);
  json["status"] = name_of(run.status);
  add(json, "exit_status", run.exit_status);
  add(json, "message", run.message);
  json["version"] = run.version;
  json["git_commit"] = run.git_commit;
  json["compiler"] = run.compiler;
  json["flags"] = run.flags;
  return json;
}

Json host_json(const HostFacts& host) {
  return {{"name", host.name},     {"cpu_model", host.cpu_model},
          {"cores", host.cores},   {"memory_bytes", host.memory_bytes},
          {"kernel", host.kernel}, {"topology_digest", host.topology_digest}};
}

Json rank_json(const RankFacts& rank) {
  Json json = {{"rank", rank.rank},
               {"host", rank.host},
               {"pid", rank.pid},
               {"device", rank.device},
               {"device_bus_id", rank.device_bus_id},
               {"device_model", rank.device_model}};
  add(json, "group", rank.group);
  if (!rank.cpus.empty()) json["cpus"] = rank.cpus;
  return json;
}

Json environment_json(const Environment& environment) {
  Json hosts = Json::array();
  for (const HostFacts& host : environment.hosts) hosts.push_back(host_json(host));
  Json ranks = Json::array();
  for (const RankFacts& rank : environment.ranks) ranks.push_back(rank_json(rank));
  return {{"hosts", hosts},
          {"ranks", ranks},
          {"libraries", environment.libraries},
          {"variables", environment.variables}};
}

Json gpu_memory_json(const GpuMemoryUse& use) {
  return {{"communicators_bytes", use.communicators_bytes},
          {"buffers_bytes", use.buffers_bytes},
          {"operations_bytes", use.operations_bytes}};
}

// ---- text

void require_finite(const Json& json, const std::string& pointer) {
  if (json.is_number_float() && !std::isfinite(json.get<double>())) {
    throw std::logic_error(pointer + ": JSON cannot hold a number that is not finite");
  }
  if (!json.is_structured()) return;
  for (const auto& [key, value] : json.items()) {
    if (value.is_structured() || value.is_number_float()) {
      require_finite(value, pointer + "/" + key);
    }
  }
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Blocks one field per line, list elements one per line: rows stand as in FILE.rows, so that they
/// can be searched and compared as lines.
std::string layout(const Json& json, int depth) {
  const bool flat = std::none_of(json.begin(), json.end(),
                                 [](const Json& value) { return value.is_structured(); });
  if (!json.is_structured() || json.empty() || (depth > 1 && flat)) return dump(json);
  const std::string indent(static_cast<std::size_t>(2 * depth + 2), ' ');
  std::string text;
  for (const auto& [key, value] : json.items()) {
    text += text.empty() ? "\n" : ",\n";
    text += json.is_array() ? indent + dump(value)
                            : fmt::format("{}\"{}\": {}", indent, key, layout(value, depth + 1));
  }
  const char* brackets = json.is_array() ? "[]" : "{}";
  return fmt::format("{}{}\n{}{}", brackets[0], text, indent.substr(2), brackets[1]);
}

std::string line(const Json& json) {
  require_finite(json, "");
  return dump(json);
}

}  // namespace

std::string to_json_line(const Record& row) { return line(row_json(row)); }
std::string to_json_line(const CycleRow& cycle) { return line(cycle_json(cycle)); }
std::string to_json_line(const StepRecord& step) { return line(step_json(step)); }
std::string to_json_line(const HostFacts& host) { return line(host_json(host)); }
std::string to_json_line(const RankFacts& rank) { return line(rank_json(rank)); }

std::string to_json(const Document& document) {
  Json rows = Json::array();
  for (const Record& row : document.rows) rows.push_back(row_json(row));
  Json json = {{"schema", kResultsSchemaName},
               {"schema_version", kResultsSchemaVersion},
               {"run", run_json(document.run)},
               {"environment", environment_json(document.environment)},
               {"config", config_json(document.config)},
               {"rows", std::move(rows)}};
  for (const CycleRow& cycle : document.cycles) json["cycles"].push_back(cycle_json(cycle));
  for (const StepRecord& step : document.steps) json["steps"].push_back(step_json(step));
  if (document.scaling) json["scaling"] = scaling_json(*document.scaling);
  if (document.gpu_memory) json["gpu_memory"] = gpu_memory_json(*document.gpu_memory);
  json["summary"] = summary_json(document);
  require_finite(json, "");
  return layout(json, 0) + "\n";
}

std::string set_to_json(std::span<const Document> runs) {
  std::string text = fmt::format("{{\n  \"schema\": \"{}\",\n  \"schema_version\": \"{}\",\n",
                                 kResultSetSchemaName, kResultSetSchemaVersion);
  text += "  \"runs\": [";
  for (const Document& run : runs) {
    text += &run == runs.data() ? "\n" : ",\n";
    text += to_json(run);
    text.pop_back();  // the end of its last line
  }
  return text + "\n  ]\n}\n";
}

}  // namespace collbench
