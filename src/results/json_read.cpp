// SPDX-License-Identifier: Apache-2.0
// Reads documents, rows and host facts from JSON, naming the place of whatever is wrong.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

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
#include "results/step_parts.h"

namespace collbench {
namespace {

RunFacts read_run(const JsonNode& run) {
  RunFacts facts;
  facts.id = run.at("id").text();
  facts.imported_from = run.text_or_empty("imported_from");
  facts.started =
      facts.imported_from.empty() ? run.at("started").text() : run.text_or_empty("started");
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
  const auto cpus = rank.find("cpus");
  return {.rank = rank.at("rank").integer(),
          .host = rank.at("host").integer(),
          .pid = rank.at("pid").integer(),
          .device = rank.at("device").integer(),
          .device_bus_id = rank.at("device_bus_id").text(),
          .device_model = rank.at("device_model").text(),
          .group = optional_integer(rank, "group"),
          .cpus = cpus ? cpus->text() : ""};
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

struct Schema {
  std::string_view name;
  int major;
};

constexpr Schema kRun = {kResultsSchemaName, kResultsSchemaMajor};
constexpr Schema kSet = {kResultSetSchemaName, kResultSetSchemaMajor};

bool is_of(const Schema& schema, const JsonNode& node) {
  const auto name = node.find("schema");
  return name && name->text() == schema.name;
}

/// Before anything else is read, since a later major version may mean anything by it.
void require(const Schema& schema, const JsonNode& node) {
  if (!is_of(schema, node)) {
    throw UserError(
        fmt::format("no result file of collbench: it lacks \"schema\": \"{}\"", schema.name));
  }
  const JsonNode version = node.at("schema_version");
  const std::string text = version.text();
  int major = 0, minor = 0, length = 0;
  if (std::sscanf(text.c_str(), "%d.%d%n", &major, &minor, &length) != 2 ||
      static_cast<std::size_t>(length) != text.size()) {
    version.say(fmt::format("expected MAJOR.MINOR, found '{}'", text));
  }
  if (major != schema.major) {
    version.say(
        fmt::format("{} is a format that collbench {}, which reads {}.x, cannot read; use "
                    "the collbench that wrote it, or a later one",
                    text, kVersion, schema.major));
  }
}

/// Elements of an array of the document, converted while its text is read. What is wrong with one
/// is said when its turn comes: what stands before it in a document may be wrong, too.
template <class T>
class StreamedList {
 public:
  using Read = std::function<T(const JsonNode&)>;

  explicit StreamedList(Read read) : read_(std::move(read)) {}

  void take(const JsonNode& element) {
    if (problem_) return;
    try {
      values_.push_back(read_(element));
    } catch (const UserError&) {
      problem_ = std::current_exception();
    }
  }

  /// Requires that `array` was streamed here, if it is one.
  std::vector<T> taken(const JsonNode& array) {
    array.elements();
    if (problem_) std::rethrow_exception(problem_);
    return std::move(values_);
  }

 private:
  Read read_;
  std::vector<T> values_;
  std::exception_ptr problem_;
};

/// The long lists of a document, which `streams` of this object fill.
struct Lists {
  StreamedList<Record> rows{read_row};
  StreamedList<CycleRow> cycles{read_cycle};
  StreamedList<StepRecord> steps{read_step};

  /// Of where the lists stand in the text.
  struct Pointers {
    std::string_view rows, cycles, steps;
  };

  std::vector<JsonStream> streams(const Pointers& pointers) {
    return {{pointers.rows, [this](const JsonNode& row) { rows.take(row); }},
            {pointers.cycles, [this](const JsonNode& cycle) { cycles.take(cycle); }},
            {pointers.steps, [this](const JsonNode& step) { steps.take(step); }}};
  }
};

constexpr Lists::Pointers kOfRun = {"/rows", "/cycles", "/steps"};
constexpr Lists::Pointers kOfSet = {"/runs/*/rows", "/runs/*/cycles", "/runs/*/steps"};

void require_rows_of(const JsonNode& cycles, const Document& document) {
  for (std::size_t i = 0; i < document.cycles.size(); ++i) {
    if (document.cycles[i].row < document.rows.size()) continue;
    throw UserError(fmt::format("{}/{}/row: names no row of the list", cycles.place(), i));
  }
}

Document read_document(const JsonNode& node, Lists lists) {
  require(kRun, node);
  Document document;
  document.run = read_run(node.at("run"));
  document.environment = read_environment(node.at("environment"));
  document.config = read_config(node.at("config"));
  document.rows = lists.rows.taken(node.at("rows"));
  if (const auto cycles = node.find("cycles")) {
    document.cycles = lists.cycles.taken(*cycles);
    require_rows_of(*cycles, document);
  }
  if (const auto steps = node.find("steps")) document.steps = lists.steps.taken(*steps);
  if (const auto use = node.find("gpu_memory")) {
    document.gpu_memory = {.communicators_bytes = use->at("communicators_bytes").count(),
                           .buffers_bytes = use->at("buffers_bytes").count(),
                           .operations_bytes = use->at("operations_bytes").count()};
  }
  if (const auto scaling = node.find("scaling")) document.scaling = read_scaling(*scaling);
  return document;
}

/// Its lists are new ones afterwards, for the next run.
Document run_of_set(const JsonNode& run, Lists& lists) {
  Document document = read_document(run, std::exchange(lists, Lists()));
  document.incomplete = document.run.status == RunStatus::running;
  return document;
}

/// Whatever `read` throws, with the name of the text.
template <class Read>
auto of_source(std::string_view source, Read read) {
  try {
    return read();
  } catch (const UserError& e) {
    throw UserError(fmt::format("{}: {}", source, e.what()));
  }
}

template <class Read>
auto read_text(std::string_view text, std::string_view source, Read read) {
  return of_source(source, [&] { return read(ParsedJson(text).root()); });
}

}  // namespace

Document document_from_json(std::string_view text, std::string_view source) {
  return of_source(source, [&] {
    Lists lists;
    const std::vector<JsonStream> streams = lists.streams(kOfRun);
    const ParsedJson json(text, streams);
    return read_document(json.root(), std::move(lists));
  });
}

std::vector<Document> documents_from_json(std::string_view text, std::string_view source) {
  return of_source(source, [&] {
    Lists of_run, of_set;
    StreamedList<Document> runs([&](const JsonNode& run) { return run_of_set(run, of_set); });
    std::vector<JsonStream> streams = of_run.streams(kOfRun);
    for (JsonStream& stream : of_set.streams(kOfSet)) streams.push_back(std::move(stream));
    streams.push_back({"/runs", [&](const JsonNode& run) { runs.take(run); }});
    const ParsedJson json(text, streams);
    const JsonNode root = json.root();
    if (!is_of(kSet, root)) return std::vector{read_document(root, std::move(of_run))};
    require(kSet, root);
    std::vector<Document> read = runs.taken(root.at("runs"));
    if (read.empty()) root.at("runs").say("expected at least one run");
    return read;
  });
}

void add_line(Document& document, std::string_view text, std::string_view source) {
  read_text(text, source, [&](const JsonNode& line) {
    if (line.find("row")) {
      document.cycles.push_back(read_cycle(line));
      const bool known = document.cycles.back().row < document.rows.size();
      if (!known) line.at("row").say("names no row of the list");
    } else if (line.find("pattern")) {
      add_step(document.steps, read_step(line));
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
