// SPDX-License-Identifier: Apache-2.0
// Reads documents, rows and host facts from JSON, naming the place of whatever is wrong.
#include <fmt/format.h>

#include <cstdio>

#include "base/errors.h"
#include "base/version.h"
#include "results/json.h"
#include "results/json_node.h"
#include "results/json_read_config.h"
#include "results/json_read_cycle.h"
#include "results/json_read_parts.h"
#include "results/json_read_row.h"
#include "results/json_read_step.h"
#include "results/schema.h"

namespace collbench {
namespace {

RunFacts read_run(const JsonNode& run) {
  RunFacts facts;
  facts.id = run.at("id").text();
  facts.started = run.at("started").text();
  facts.ended = run.text_or_empty("ended");
  facts.status = named(kRunStatuses, run.at("status"), "run status").status;
  facts.exit_status = optional_integer(run, "exit_status");
  facts.message = run.text_or_empty("message");
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
  return {.rank = rank.at("rank").integer(),
          .host = rank.at("host").integer(),
          .pid = rank.at("pid").integer(),
          .device = rank.at("device").integer(),
          .device_bus_id = rank.at("device_bus_id").text(),
          .device_model = rank.at("device_model").text(),
          .group = optional_integer(rank, "group")};
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
  const auto steps = node.find("steps");
  for (const JsonNode& step : steps ? steps->elements() : std::vector<JsonNode>()) {
    document.steps.push_back(read_step(step));
  }
  if (const auto scaling = node.find("scaling")) document.scaling = read_scaling(*scaling);
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
    } else if (line.find("pattern")) {
      document.steps.push_back(read_step(line));
    } else {
      document.rows.push_back(read_row(line));
    }
  });
}

Record record_from_json(std::string_view text, std::string_view source) {
  return read_text(text, source, read_row);
}

StepRecord step_from_json(std::string_view text, std::string_view source) {
  return read_text(text, source, read_step);
}

HostFacts host_from_json(std::string_view text, std::string_view source) {
  return read_text(text, source, read_host);
}

RankFacts rank_from_json(std::string_view text, std::string_view source) {
  return read_text(text, source, read_rank);
}

}  // namespace collbench
