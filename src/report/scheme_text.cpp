// SPDX-License-Identifier: Apache-2.0
#include "report/scheme_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/bytes.h"
#include "base/counted.h"
#include "base/one_line.h"
#include "report/escape.h"
#include "results/step_table.h"
#include "results/table.h"

namespace collbench {
namespace {

using Cells = std::vector<std::string>;

const Cells kHeads = {"scheme",    "layout",    "memory", "sent",    "to other nodes",
                      "step (ms)", "computing", "bubble", "exposed", "tokens/s"};
constexpr std::size_t kTextColumns = 2;  // the others are numbers

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f} %", 100 * *share) : "N/A";
}

/// "tp 2 pp 2": without degrees of 1.
std::string short_layout(const model::Layout& layout) {
  std::string text;
  const auto add = [&](const char* name, int degree) {
    if (degree > 1) text += fmt::format("{}{} {}", text.empty() ? "" : " ", name, degree);
  };
  add("tp", layout.tp);
  add("cp", layout.cp);
  add("ep", layout.ep);
  add("pp", layout.pp);
  add("vpp", layout.vpp);
  add("dp", layout.dp);
  add("replicas", layout.replicas);
  return text.empty() ? "1 rank" : text;
}

std::string memory_cell(const SchemeRow& row) {
  return format_bytes(row.memory_bytes()) + (row.activation_bytes ? "" : " and activations") +
         (row.fits ? "" : ", too much");
}

Cells cells_of(const SchemeRow& row) {
  return {one_line(row.name),
          short_layout(row.key.layout),
          memory_cell(row),
          format_bytes(row.sent_bytes),
          row.crossing_bytes ? format_bytes(*row.crossing_bytes) : "N/A",
          fmt::format("{:.4f}", row.step_s * 1e3),
          percent(row.computing_share),
          percent(row.bubble_share),
          percent(row.exposed_share),
          fmt::format("{:.0f}", row.tokens_per_s)};
}

std::string title(const SchemeTable& table) {
  const StepKey& key = table.key;
  std::string text =
      fmt::format("{} on {} of {}: {} tokens per step in sequences of {}, backend {}, compute {}",
                  key.model, counted(key.ranks, "rank"), counted(key.nodes, "host"), table.tokens,
                  key.step.sequence, key.backend, key.compute);
  if (key.layers) text += fmt::format(", {} of the model only", counted(*key.layers, "layer"));
  if (key.shrink) text += fmt::format(", messages and computing divided by {}", *key.shrink);
  return one_line(text);
}

std::string label(const SchemeRow& row) {
  return one_line(fmt::format("{} ({})", row.name, short_layout(row.key.layout)));
}

std::string names(const SchemeTable& table, std::size_t first, std::size_t last) {
  std::string text;
  for (std::size_t i = first; i < last; ++i) {
    text += fmt::format("{}{}", i == first ? "" : ", ", label(table.rows[i]));
  }
  return text;
}

std::string fastest(const SchemeTable& table) {
  std::string text = fmt::format("fastest: {}", label(table.rows.front()));
  if (table.as_fast > 1) {
    text += fmt::format("; within the noise as fast: {}", names(table, 1, table.as_fast));
  }
  return text;
}

/// What to choose, a sentence each.
std::vector<std::string> advice(const SchemeStudy& study, const SchemeTable& table) {
  std::vector<std::string> lines;
  if (table.fitting == 0) {
    lines.push_back(fmt::format(
        "nothing fits into {} of a rank: more ranks, --recompute full, a smaller micro-batch, or "
        "more pp and tp",
        format_bytes(*study.memory)));
    return lines;
  }
  lines.push_back(fastest(table));
  const SchemeRow& small = table.rows[*table.least_memory];
  lines.push_back(
      fmt::format("least memory: {}, {}", label(small), format_bytes(small.memory_bytes())));
  if (table.least_crossing) {
    const SchemeRow& local = table.rows[*table.least_crossing];
    lines.push_back(fmt::format("fewest bytes to other nodes: {}, {}", label(local),
                                format_bytes(*local.crossing_bytes)));
  }
  if (table.fitting < table.rows.size()) {
    lines.push_back(fmt::format("does not fit into {}: {}", format_bytes(*study.memory),
                                names(table, table.fitting, table.rows.size())));
  }
  return lines;
}

/// Flags, each with the rows that carry it.
std::vector<std::string> flag_lines(const SchemeTable& table) {
  std::map<std::string, std::string> rows;
  for (const SchemeRow& row : table.rows) {
    for (const std::string& flag : row.flags) {
      std::string& text = rows[flag];
      text += (text.empty() ? "" : ", ") + label(row);
    }
  }
  std::vector<std::string> lines;
  for (const auto& [flag, of] : rows) {
    lines.push_back(fmt::format("flag {}: {}", one_line(flag), of));
  }
  return lines;
}

std::string gap_line(const SchemeGap& gap) {
  return fmt::format("left out: {}: {}", one_line(gap.what), one_line(gap.reason));
}

// ---- text

std::string aligned(const std::vector<Cells>& lines) {
  std::vector<std::size_t> widths(kHeads.size());
  for (const Cells& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const Cells& line : lines) {
    std::string row = &line == &lines.front() ? "#   " : "    ";
    for (std::size_t i = 0; i < line.size(); ++i) {
      row += i < kTextColumns ? fmt::format("{:<{}}  ", line[i], widths[i])
                              : fmt::format("{:>{}}  ", line[i], widths[i]);
    }
    text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string table_text(const SchemeStudy& study, const SchemeTable& table) {
  std::vector<Cells> lines = {kHeads};
  for (const SchemeRow& row : table.rows) lines.push_back(cells_of(row));
  std::string text = "#\n" + comment_line(title(table)) + aligned(lines);
  for (const std::string& line : advice(study, table)) text += comment_line(line);
  for (const std::string& line : flag_lines(table)) text += comment_line(line);
  return text;
}

// ---- markdown

std::string markdown_line(const Cells& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += fmt::format(" {} |", report::markdown_text(cell));
  return text + "\n";
}

std::string table_markdown(const SchemeStudy& study, const SchemeTable& table) {
  std::string text = fmt::format("\n## {}\n\n", report::markdown_text(title(table)));
  text += markdown_line(kHeads) + "|";
  for (std::size_t i = 0; i < kHeads.size(); ++i) text += i < kTextColumns ? "---|" : "---:|";
  text += "\n";
  for (const SchemeRow& row : table.rows) text += markdown_line(cells_of(row));
  text += "\n";
  for (const std::string& line : advice(study, table)) {
    text += fmt::format("* {}\n", report::markdown_text(line));
  }
  for (const std::string& line : flag_lines(table)) {
    text += fmt::format("* {}\n", report::markdown_text(line));
  }
  return text;
}

}  // namespace

std::string scheme_text(const SchemeStudy& study) {
  std::string text = comment_line("Schemes of parallelism, the fastest first");
  for (const SchemeTable& table : study.tables) text += table_text(study, table);
  for (const SchemeGap& gap : study.left_out) text += comment_line(gap_line(gap));
  return text;
}

std::string scheme_markdown(const SchemeStudy& study) {
  std::string text = "# Schemes of parallelism, the fastest first\n";
  for (const SchemeTable& table : study.tables) text += table_markdown(study, table);
  if (!study.left_out.empty()) text += "\n";
  for (const SchemeGap& gap : study.left_out) {
    text += fmt::format("* {}\n", report::markdown_text(gap_line(gap)));
  }
  return text;
}

}  // namespace collbench
