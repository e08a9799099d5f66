// SPDX-License-Identifier: Apache-2.0
#include "import/nccl_tests_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/named_rows.h"
#include "results/json_node.h"

namespace collbench {
namespace {

/// In the order of their numbers as values of nccl-tests' -a.
constexpr std::array<std::string_view, 4> kAverages = {"rank0", "mean", "min", "max"};

constexpr double kHalfUnit = 0.5e-6;  // nccl-tests writes six decimals

// ---- values that are strings

/// true, false and both as strings.
bool boolean(const JsonNode& node) {
  if (!node.is_text()) return node.boolean();
  const std::string text = node.text();
  if (text != "true" && text != "false") node.say("expected true or false");
  return text == "true";
}

/// Nothing for null and what is not finite.
std::optional<double> finite(const JsonNode& node) {
  if (node.is_null() || node.is_text()) {
    if (!node.is_null() && node.text().find_first_not_of("-infaty") != std::string::npos) {
      node.say("expected a number");
    }
    return std::nullopt;
  }
  return node.number();
}

std::optional<PrintedNumber> printed(const JsonNode& placement, const char* key) {
  const auto member = placement.find(key);
  const auto value = member ? finite(*member) : std::nullopt;
  if (!value) return std::nullopt;
  return PrintedNumber{*value, kHalfUnit};
}

std::uint64_t count_or(const JsonNode& node, const char* key, std::uint64_t otherwise) {
  const auto member = node.find(key);
  return member ? member->count() : otherwise;
}

// ---- arguments

/// The value of "-a 3", "--average 3" or "--average=3"; the last one holds.
std::optional<std::string> argument(const std::vector<std::string>& arguments,
                                    std::string_view short_name, const std::string& long_name) {
  std::optional<std::string> value;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const bool has_next = i + 1 < arguments.size();
    if ((word == short_name || word == long_name) && has_next) {
      value = arguments[i + 1];
    } else if (word.starts_with(long_name + "=")) {
      value = word.substr(long_name.size() + 1);
    } else if (word.starts_with(short_name) && word.size() > short_name.size()) {
      value = word.substr(short_name.size());
    }
  }
  return value;
}

/// The program without its folder.
std::string name_of_program(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return "";
  return arguments[0].substr(arguments[0].rfind('/') + 1);
}

std::optional<std::string> aggregation_of(const std::vector<std::string>& arguments) {
  const auto value = argument(arguments, "-a", "--average");
  const auto number = value ? parse_whole(*value) : std::nullopt;
  if (!value) return "mean";
  if (!number || *number >= kAverages.size()) {
    throw UserError(fmt::format("/args: -a {} is no way to reduce times over ranks", *value));
  }
  return std::string(kAverages[*number]);
}

// ---- the blocks of the file

int few(const JsonNode& config, const char* key) {
  constexpr std::uint64_t kMost = 1024;  // ranks of a process
  const JsonNode member = config.at(key);
  const std::uint64_t number = member.count();
  if (number == 0 || number > kMost)
    member.say(fmt::format("expected a number from 1 to {}", kMost));
  return static_cast<int>(number);
}

std::string_view mode_of(const JsonNode& config, const NcclTestsRun& run) {
  const auto blocking = config.find("blocking_collectives");
  if (!blocking || !boolean(*blocking)) return "";
  return argument(run.arguments, "-z", "--blocking") == "2" ? "isolated_unaligned" : "isolated";
}

NcclTestsSettings settings_of(const JsonNode& config, const NcclTestsRun& run) {
  NcclTestsSettings settings;
  settings.threads = few(config, "nthreads");
  settings.gpus = few(config, "ngpus");
  settings.min_bytes = config.at("minimum_bytes").count();
  settings.max_bytes = config.at("maximum_bytes").count();
  settings.step_is_factor = config.find("step_factor").has_value();
  settings.step = config.at(settings.step_is_factor ? "step_factor" : "step_bytes").count();
  settings.warmup = count_or(config, "warmup_iters", 0);
  settings.iterations = config.at("iterations").count();
  settings.grouped = std::max<std::uint64_t>(count_or(config, "aggregated_iterations", 1), 1);
  settings.checks = count_or(config, "validation", 0);
  settings.graph_launches = count_or(config, "graph", 0);
  settings.offset = 0;
  if (const auto offset = argument(run.arguments, "-u", "--unalign")) {
    settings.offset = parse_whole(*offset).value_or(0);
  }
  settings.mode = mode_of(config, run);
  return settings;
}

NcclTestsDevice device_of(const JsonNode& node) {
  return {.rank = node.at("rank").integer(),
          .group = node.at("group").integer(),
          .pid = node.at("pid").integer(),
          .device = node.at("device").integer(),
          .host = node.at("hostname").text(),
          .bus_id = node.text_or_empty("device_hex"),
          .model = node.text_or_empty("device_info")};
}

/// The list has the first GPU of each process only, unless a process has but one.
std::optional<int> ranks_of(const NcclTestsRun& run) {
  if (run.devices.empty()) return std::nullopt;
  const auto of_process = static_cast<std::size_t>(run.settings->threads * run.settings->gpus);
  const bool is_whole = run.devices.size() > 1 && run.devices[1].rank == 1;
  const std::size_t ranks = run.devices.size() * (is_whole ? 1 : of_process);
  if (ranks > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(ranks);
}

NcclTestsPlacement placement_of(const JsonNode& node) {
  NcclTestsPlacement placement;
  placement.time_us = printed(node, "time");
  placement.enqueue_us = printed(node, "cpu_time");
  placement.algorithm_GBps = printed(node, "alg_bw");
  placement.bus_GBps = printed(node, "bus_bw");
  if (const auto wrong = node.find("nwrong")) placement.wrong = finite(*wrong);
  return placement;
}

std::optional<NcclTestsPlacement> placement_of(const JsonNode& row, const std::string& key) {
  const auto node = row.find(key);
  if (!node || node->is_null()) return std::nullopt;
  NcclTestsPlacement placement = placement_of(*node);
  const auto iterations = row.find(key + "_per_iter");
  if (!iterations || iterations->is_null()) return placement;
  if (const auto times = iterations->find("times_us")) {
    for (const JsonNode& time : times->elements()) {
      const auto us = finite(time);
      if (!us) return placement;
      placement.iteration_us.push_back(*us);
    }
    placement.skipped_iterations = count_or(*iterations, "skipped_iterations", 0);
    if (placement.skipped_iterations >= placement.iteration_us.size()) {
      placement.iteration_us.clear();
      placement.skipped_iterations = 0;
    }
  }
  return placement;
}

NcclTestsRow row_of(const JsonNode& node) {
  NcclTestsRow row;
  row.place = node.place();
  row.size_bytes = node.at("size").count();
  row.count = node.at("count").count();
  row.type =
      find_named(kDataTypes, node.at("type").text(), node.at("type").place(), "data type").type;
  const std::string op = node.text_or_empty("redop");
  if (!op.empty() && op != "none") {
    row.op = find_named(kReduceOps, op, node.at("redop").place(), "reduction").op;
  }
  const std::string root = node.at("root").text();  // "    -1"
  const auto words = words_of(root);
  if (words.size() != 1) node.at("root").say("expected a rank or -1");
  if (words[0] != "-1") {
    row.root = parse_small(words[0]);
    if (!row.root) node.at("root").say("expected a rank or -1");
  }
  row.out_of_place = placement_of(node, "out_of_place");
  row.in_place = placement_of(node, "in_place");
  return row;
}

void read_end(const JsonNode& root, NcclTestsRun& run) {
  if (const auto bounds = root.find("out_of_bounds"))
    run.out_of_bounds = bounds->at("count").count();
  // Until 2026-02 it was written so.
  for (const char* spelling : {"average_bus_bandwidth", "average_bus_bandwidith"}) {
    const auto average = root.find(spelling);
    if (!average) continue;
    run.average_GBps = printed(*average, "bandwidth");
    if (!run.average_GBps) run.average_GBps = printed(*average, "bandwidith");
  }
  run.ended = root.find("end_time").has_value();
  const auto errors = root.find("errors");
  for (const std::string& error : errors ? errors->texts() : std::vector<std::string>()) {
    if (run.failure.empty()) run.failure = error;
  }
}

}  // namespace

std::string with_quoted_infinities(std::string_view text) {
  std::string quoted(text);
  bool in_string = false;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    if (in_string && quoted[i] == '\\') {
      ++i;
    } else if (quoted[i] == '"') {
      in_string = !in_string;
    } else if (!in_string) {
      for (const std::string_view word : {"inf", "nan"}) {
        if (std::string_view(quoted).substr(i, word.size()) != word) continue;
        const bool is_negative = i > 0 && quoted[i - 1] == '-';
        const std::size_t begin = is_negative ? i - 1 : i;
        quoted[begin] = quoted[i + 2] = '"';  // "n", "-n": what stands between says nothing
        i += 2;
        break;
      }
    }
  }
  return quoted;
}

NcclTestsRun nccl_tests_run_from_json(std::string_view text) {
  const std::string json_text = with_quoted_infinities(text);
  NcclTestsRun run;
  const JsonStream results = {"/results",
                              [&](const JsonNode& row) { run.rows.push_back(row_of(row)); }};
  const ParsedJson json(json_text, {&results, 1});
  const JsonNode root = json.root();
  const JsonNode version = root.at("version");
  if (version.count() < 1 || version.count() > 3) {
    version.say(
        fmt::format("{} is a format that is not known here, which knows 1 to 3", version.count()));
  }
  run.arguments = root.at("args").texts();
  run.program = name_of_program(run.arguments);
  run.nccl_code =
      static_cast<int>(std::min<std::uint64_t>(count_or(root, "nccl_version", 0), 1U << 30U));
  const JsonNode config = root.at("config");
  run.settings = settings_of(config, run);
  run.aggregation = aggregation_of(run.arguments);
  if (const auto devices = config.find("devices")) {
    for (const JsonNode& device : devices->elements()) run.devices.push_back(device_of(device));
  }
  run.ranks = ranks_of(run);
  root.at("results").elements();  // an array, or it was not streamed
  read_end(root, run);
  return run;
}

}  // namespace collbench
