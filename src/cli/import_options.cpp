// SPDX-License-Identifier: Apache-2.0
#include "cli/import_options.h"

#include "base/errors.h"
#include "base/named_rows.h"
#include "cli/numbers.h"
#include "measure/method.h"
#include "traffic/traffic.h"

namespace collbench {
namespace {

constexpr std::uint64_t kMostRanks = 1U << 24U;

/// As text, before it is read.
struct FactFlags {
  std::optional<std::string> ranks, nodes, ranks_per_node, collective, type, aggregation;
};

void declare(CommandLine& line, FactFlags& flags) {
  line.heading("What the text may not tell");
  line.value("--ranks", flags.ranks, "how many ranks took part");
  line.value("--nodes", flags.nodes, "on how many hosts they were");
  line.value("--ranks-per-node", flags.ranks_per_node,
             "how many ranks stand on each host, one after the other: of IMB, which measures with "
             "fewer of them, too");
  line.value("--collective", flags.collective, "which one it is: " + list_names(traffic::kAll));
  line.value("--type", flags.type, "of the elements: " + list_names(kDataTypes));
  line.value("--aggregation", flags.aggregation,
             "how nccl-tests' -a reduced times over ranks (mean, its default): " +
                 list_names(kAggregations));
}

ImportFacts facts_of(const FactFlags& flags) {
  ImportFacts facts;
  const auto count = [](const std::optional<std::string>& text, std::string_view flag) {
    return text ? std::optional(static_cast<int>(parse_count(*text, flag, 1, kMostRanks)))
                : std::nullopt;
  };
  facts.ranks = count(flags.ranks, "--ranks");
  facts.nodes = count(flags.nodes, "--nodes");
  facts.ranks_per_node = count(flags.ranks_per_node, "--ranks-per-node");
  if (flags.collective) {
    facts.collective =
        find_named(traffic::kAll, *flags.collective, "--collective", "collective").name;
  }
  if (flags.type) facts.type = find_named(kDataTypes, *flags.type, "--type", "data type").type;
  if (flags.aggregation) {
    facts.aggregation =
        find_named(kAggregations, *flags.aggregation, "--aggregation", "aggregation").name;
  }
  if (facts.ranks && facts.nodes && *facts.nodes > *facts.ranks) {
    throw UserError("--nodes: more hosts than --ranks has ranks");
  }
  return facts;
}

}  // namespace

std::optional<std::string> parse(CommandLine& line, const std::vector<std::string>& arguments,
                                 ImportOptions& options) {
  std::optional<std::string> output;
  FactFlags flags;
  line.value("-o,--output", output, "the file to write");
  line.completed_by_files();
  line.flag("--force", options.force, "replace that file if it is there");
  line.operands(
      "FILE", options.files,
      "what nccl-tests (its table, or its -J), the OSU Micro-Benchmarks or IMB-MPI1 wrote");
  declare(line, flags);
  if (auto help = line.parse(arguments)) return help;
  if (!output) throw UserError("-o is missing; say which file to write");
  options.output = *output;
  options.facts = facts_of(flags);
  return std::nullopt;
}

}  // namespace collbench
