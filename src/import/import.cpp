// SPDX-License-Identifier: Apache-2.0
#include "import/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "import/imb.h"
#include "import/imported_run.h"
#include "import/json_keys.h"
#include "import/nccl_tests_json.h"
#include "import/nccl_tests_text.h"
#include "import/osu.h"

namespace collbench {
namespace {

// A log may begin with '[', as "[1,0]<stdout>:": what we know as JSON is an object.
bool looks_like_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

ImportedRuns of_nccl_tests(const std::vector<NcclTestsRun>& runs, std::string_view text,
                           const ImportFacts& facts) {
  ImportedRuns imported;
  for (const NcclTestsRun& run : runs) {
    // A run that failed before its first row is one, too; a heading alone is none.
    if (run.rows.empty() && run.failure.empty() && !run.ended) continue;
    imported.runs.push_back(document_of(run, facts, imported_id(text, imported.runs.size())));
  }
  return imported;
}

/// That no flag says otherwise than the text. What the text does not tell is what the flag says.
void require_facts(const Document& run, const ImportFacts& facts) {
  const auto require = [&](bool holds, std::string_view flag, std::string_view noun) {
    if (!holds)
      throw UserError(fmt::format("{}: the text itself tells {}, and otherwise", flag, noun));
  };
  int ranks = 0, nodes = 0;
  for (const Record& row : run.rows) {
    const RowKey& key = row.key;
    require(key.type == facts.type.value_or(key.type), "--type", "the type of the elements");
    require(key.collective == facts.collective.value_or(key.collective), "--collective",
            "which collective this is");
    require(key.aggregation == facts.aggregation.value_or(key.aggregation), "--aggregation",
            "how times are reduced");
    require(key.nodes == hosts_given(facts, key.ranks).value_or(key.nodes) || !facts.ranks_per_node,
            "--ranks-per-node", "the number of hosts");
    ranks = std::max(ranks, key.ranks);
    nodes = std::max(nodes, key.nodes);
  }
  if (run.rows.empty()) return;
  require(ranks == facts.ranks.value_or(ranks), "--ranks", "the number of ranks");
  require(nodes == facts.nodes.value_or(nodes), "--nodes", "the number of hosts");
}

/// That no other program's output, which would be lost, stands beside that which is read.
void require_one_program(std::string_view text) {
  std::vector<std::string_view> programs;
  if (looks_like_nccl_tests(text)) programs.push_back("nccl-tests");
  if (looks_like_osu(text)) programs.push_back("OSU");
  if (looks_like_imb(text)) programs.push_back("IMB");
  if (programs.size() < 2) return;
  throw UserError(fmt::format("it has output of {}: give that of each program a file of its own",
                              fmt::join(programs, " and of ")));
}

ImportedRuns import_unnamed(ForeignFormat format, std::string_view text, const ImportFacts& facts) {
  if (format != ForeignFormat::nccl_tests_json) require_one_program(text);
  switch (format) {
    case ForeignFormat::nccl_tests_text:
      return of_nccl_tests(nccl_tests_runs(text), text, facts);
    case ForeignFormat::nccl_tests_json:
      return of_nccl_tests({nccl_tests_run_from_json(text)}, text, facts);
    case ForeignFormat::osu:
      return import_osu(text, facts);
    case ForeignFormat::imb:
      break;
  }
  return import_imb(text, facts);
}

}  // namespace

std::optional<ForeignFormat> recognise(std::string_view text) {
  if (looks_like_json(text)) {
    const std::string_view key = first_key_of(text, {"schema", "results", "nccl_version"});
    if (key.empty() || key == "schema") return std::nullopt;
    return ForeignFormat::nccl_tests_json;
  }
  if (looks_like_nccl_tests(text)) return ForeignFormat::nccl_tests_text;
  if (looks_like_osu(text)) return ForeignFormat::osu;
  if (looks_like_imb(text)) return ForeignFormat::imb;
  return std::nullopt;
}

bool is_ours(std::string_view text) {
  return looks_like_json(text) && first_key_of(text, {"schema"}) == "schema" &&
         text.find("\"collbench.") != std::string_view::npos;
}

ImportedRuns import_runs(ForeignFormat format, std::string_view text, std::string_view source,
                         const ImportFacts& facts) {
  try {
    ImportedRuns imported = import_unnamed(format, text, facts);
    for (const Document& run : imported.runs) require_facts(run, facts);
    const bool has_rows = std::any_of(imported.runs.begin(), imported.runs.end(),
                                      [](const Document& run) { return !run.rows.empty(); });
    const bool failed =
        std::any_of(imported.runs.begin(), imported.runs.end(),
                    [](const Document& run) { return run.run.status == RunStatus::error; });
    if (has_rows || failed) return imported;
    throw UserError(imported.left_out.empty() ? "it has no row of a table" : imported.left_out[0]);
  } catch (const UserError& e) {
    throw UserError(fmt::format("{}: {}", source, e.what()));
  }
}

}  // namespace collbench
