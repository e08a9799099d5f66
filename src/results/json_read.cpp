// SPDX-License-Identifier: Apache-2.0
// Reads documents, rows and host facts from JSON, naming the place of whatever is wrong.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/errors.h"
#include "base/named_rows.h"
#include "base/version.h"
#include "results/json.h"
#include "results/json_node.h"
#include "results/json_read_config.h"
#include "results/json_read_cycle.h"
#include "results/schema.h"
#include "results/units.h"

namespace collbench {
namespace {

/// An enumerator by its name in a table of rows.
template <class Rows>
const auto& named(const Rows& rows, const JsonNode& node, std::string_view noun) {
  return find_named(rows, node.text(), node.place(), noun);
}

std::string text_or_empty(const JsonNode& node, const char* key) {
  const auto member = node.find(key);
  return member ? member->text() : "";
}

std::vector<double> seconds(const JsonNode& microseconds) {
  std::vector<double> values = microseconds.numbers();
  std::transform(values.begin(), values.end(), values.begin(), s_from_us);
  return values;
}

// ---- rows

std::optional<GroupKey> read_group(const JsonNode& row) {
  const auto group = row.find("group");
  if (!group) return std::nullopt;
  return GroupKey{.rule = group->at("rule").text(),
                  .index = group->at("index").integer(),
                  .count = group->at("count").integer()};
}

RowKey read_key(const JsonNode& row) {
  RowKey key;
  key.collective = row.at("collective").text();
  key.type = named(kDataTypes, row.at("type"), "data type").type;
  const JsonNode op = row.at("op");
  if (!op.is_null()) key.op = named(kReduceOps, op, "reduction").op;
  key.message_bytes = row.at("message_bytes").count();
  key.count = row.at("count").count();
  key.ranks = row.at("ranks").integer();
  key.nodes = row.at("nodes").integer();
  const JsonNode root = row.at("root");
  if (!root.is_null()) key.root = root.integer();
  key.in_place = row.at("in_place").boolean();
  key.backend = row.at("backend").text();
  key.mode = row.at("mode").text();
  key.aggregation = row.at("aggregation").text();
  if (const auto grouped = row.find("grouped_operations"))
    key.grouped_operations = grouped->count();
  if (const auto offset = row.find("offset_elements")) key.offset_elements = offset->count();
  key.matrix = text_or_empty(row, "matrix");
  key.group = read_group(row);
  return key;
}

std::optional<statistics::Interval> read_interval(const JsonNode& time) {
  const auto node = time.find("ci95");
  if (!node) return std::nullopt;
  const std::vector<double> bounds = seconds(*node);
  if (bounds.size() != 2) node->say("expected two numbers, low and high");
  return statistics::Interval{bounds[0], bounds[1]};
}

void read_per_rank(const JsonNode& row, int ranks, Timing& timing) {
  const auto per_rank = row.find("per_rank");
  if (!per_rank) return;
  const JsonNode medians = per_rank->at("median_us");
  timing.rank_median_s = seconds(medians);
  const JsonNode counts = per_rank->at("last_count");
  timing.rank_last_count = counts.counts();
  const auto n = static_cast<std::size_t>(ranks);
  if (timing.rank_median_s.size() != n) medians.say(fmt::format("expected {} numbers", n));
  if (timing.rank_last_count.size() != n) counts.say(fmt::format("expected {} numbers", n));
}

std::vector<double> read_series(const JsonNode& row, const char* key) {
  const auto series = row.find(key);
  if (!series) return {};
  return seconds(series->at("samples"));
}

Timing read_timing(const JsonNode& row, const JsonNode& time, int ranks) {
  Timing timing;
  timing.operations_per_sample = row.at("operations_per_sample").count();
  timing.warmup_operations = row.at("warmup_operations").count();
  timing.walked_bytes = row.at("walked_bytes").count();
  timing.stop_reason = row.at("stop_reason").text();
  const JsonNode samples = row.at("samples_us");
  timing.samples_s = seconds(samples);
  if (timing.samples_s.empty()) samples.say("expected at least one sample");
  if (time.at("n").count() != timing.samples_s.size()) {
    time.at("n").say(fmt::format("expected {}, the number of samples", timing.samples_s.size()));
  }
  timing.mean_over_ranks_s = read_series(row, "mean_over_ranks_us");
  timing.max_over_ranks_s = read_series(row, "max_over_ranks_us");
  timing.median_s = s_from_us(time.at("median").number());
  timing.interval95_s = read_interval(time);
  timing.enqueue_s = read_series(row, "enqueue_us");
  timing.iteration_s = read_series(row, "iterations_us");
  if (const auto iterations = row.find("iterations_us")) {
    const JsonNode skipped = iterations->at("skipped");
    timing.skipped_iterations = skipped.count();
    if (timing.skipped_iterations >= timing.iteration_s.size()) {
      skipped.say(
          fmt::format("expected less than {}, the number of samples", timing.iteration_s.size()));
    }
  }
  if (const auto skew = row.find("alignment_skew_us")) {
    timing.exit_skew = {s_from_us(skew->at("median").number()),
                        s_from_us(skew->at("max").number())};
  }
  read_per_rank(row, ranks, timing);
  return timing;
}

std::optional<double> read_bandwidth(const JsonNode& row, const char* key) {
  const auto rate = row.find(key);
  if (!rate || rate->is_null()) return std::nullopt;
  return Bps_from_GBps(rate->number());
}

std::optional<DataCheck> read_check(const JsonNode& row) {
  const auto check = row.find("check");
  if (!check) return std::nullopt;
  return DataCheck{.checked_elements = check->at("checked_elements").count(),
                   .wrong_elements = check->at("wrong_elements").count(),
                   .first_wrong = text_or_empty(*check, "first_wrong")};
}

Record read_row(const JsonNode& row) {
  Record record;
  record.key = read_key(row);
  record.requested_bytes = row.at("requested_bytes").count();
  record.status = named(kRowStatuses, row.at("status"), "row status").status;
  record.reason = text_or_empty(row, "reason");
  if (const auto load = row.find("load_max_over_mean")) record.load_max_over_mean = load->number();
  const auto time = row.find("time_us");
  if (time) record.timing = read_timing(row, *time, record.key.ranks);
  if (!time && record.status == RowStatus::ok) row.at("time_us");
  record.algorithm_bandwidth_Bps = read_bandwidth(row, "algbw_GBps");
  record.bus_bandwidth_Bps = read_bandwidth(row, "busbw_GBps");
  record.check = read_check(row);
  if (const auto cycle = row.find("cycle")) record.cycle = cycle->count();
  record.flags = row.at("flags").texts();
  record.ended = text_or_empty(row, "ended");
  return record;
}

// ---- the other blocks

RunFacts read_run(const JsonNode& run) {
  RunFacts facts;
  facts.id = run.at("id").text();
  facts.started = run.at("started").text();
  facts.ended = text_or_empty(run, "ended");
  facts.status = named(kRunStatuses, run.at("status"), "run status").status;
  if (const auto status = run.find("exit_status")) facts.exit_status = status->integer();
  facts.message = text_or_empty(run, "message");
  facts.version = run.at("version").text();
  facts.git_commit = run.at("git_commit").text();
  facts.compiler = run.at("compiler").text();
  facts.flags = run.at("flags").text();
  return facts;
}

HostFacts read_host(const JsonNode& host) {
  return {.name = host.at("name").text(),
          .cpu_model = host.at("cpu_model").text(),
          .cores = host.at("cores").integer(),
          .memory_bytes = host.at("memory_bytes").count(),
          .kernel = host.at("kernel").text(),
          .topology_digest = host.at("topology_digest").text()};
}

RankFacts read_rank(const JsonNode& rank) {
  const auto group = rank.find("group");
  return {.rank = rank.at("rank").integer(),
          .host = rank.at("host").integer(),
          .pid = rank.at("pid").integer(),
          .device = rank.at("device").integer(),
          .device_bus_id = rank.at("device_bus_id").text(),
          .device_model = rank.at("device_model").text(),
          .group = group ? std::optional(group->integer()) : std::nullopt};
}

Environment read_environment(const JsonNode& node) {
  Environment environment;
  for (const JsonNode& host : node.at("hosts").elements()) {
    environment.hosts.push_back(read_host(host));
  }
  for (const JsonNode& rank : node.at("ranks").elements()) {
    environment.ranks.push_back(read_rank(rank));
    if (static_cast<std::size_t>(environment.ranks.back().host) >= environment.hosts.size()) {
      rank.at("host").say("names no host of the list");
    }
  }
  environment.libraries = node.at("libraries").texts_by_key();
  environment.variables = node.at("variables").texts_by_key();
  return environment;
}

/// Before anything else is read, since a later major version may mean anything by it.
void require_our_schema(const JsonNode& document) {
  const auto schema = document.find("schema");
  if (!schema || schema->text() != kResultsSchemaName) {
    throw UserError(fmt::format("no result file of collbench: it lacks \"schema\": \"{}\"",
                                kResultsSchemaName));
  }
  const JsonNode version = document.at("schema_version");
  const std::string text = version.text();
  int major = 0, minor = 0, length = 0;
  if (std::sscanf(text.c_str(), "%d.%d%n", &major, &minor, &length) != 2 ||
      static_cast<std::size_t>(length) != text.size()) {
    version.say(fmt::format("expected MAJOR.MINOR, found '{}'", text));
  }
  if (major != kResultsSchemaMajor) {
    version.say(
        fmt::format("{} is a format that collbench {}, which reads {}.x, cannot read; use "
                    "the collbench that wrote it, or a later one",
                    text, kVersion, kResultsSchemaMajor));
  }
}

Document read_document(const JsonNode& node) {
  require_our_schema(node);
  Document document;
  document.run = read_run(node.at("run"));
  document.environment = read_environment(node.at("environment"));
  document.config = read_config(node.at("config"));
  for (const JsonNode& row : node.at("rows").elements()) document.rows.push_back(read_row(row));
  const auto cycles = node.find("cycles");
  for (const JsonNode& cycle : cycles ? cycles->elements() : std::vector<JsonNode>()) {
    document.cycles.push_back(read_cycle(cycle, document.rows.size()));
  }
  return document;
}

template <class Read>
auto read_text(std::string_view text, std::string_view source, Read read) {
  try {
    return read(ParsedJson(text).root());
  } catch (const UserError& e) {
    throw UserError(fmt::format("{}: {}", source, e.what()));
  }
}

}  // namespace

Document document_from_json(std::string_view text, std::string_view source) {
  return read_text(text, source, read_document);
}

void add_line(Document& document, std::string_view text, std::string_view source) {
  read_text(text, source, [&](const JsonNode& line) {
    if (line.find("row")) {
      document.cycles.push_back(read_cycle(line, document.rows.size()));
    } else {
      document.rows.push_back(read_row(line));
    }
  });
}

Record record_from_json(std::string_view text, std::string_view source) {
  return read_text(text, source, read_row);
}

HostFacts host_from_json(std::string_view text, std::string_view source) {
  return read_text(text, source, read_host);
}

RankFacts rank_from_json(std::string_view text, std::string_view source) {
  return read_text(text, source, read_rank);
}

}  // namespace collbench
