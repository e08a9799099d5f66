// SPDX-License-Identifier: Apache-2.0
#include "import/osu.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "import/imported_run.h"
#include "import/log_lines.h"
#include "import/mpi_names.h"
#include "results/units.h"
#include "traffic/sizes.h"

namespace collbench {
namespace {

using Words = std::vector<std::string_view>;

/// That of MPI_Reduce_scatter.
constexpr std::string_view kReduceScatterByCounts = "osu_reduce_scatter";

/// What a test's heading calls it, and what the sizes of its rows are.
struct Test {
  std::string_view heading, program;
  const traffic::Traffic& traffic;
  bool sizes_are_of_blocks;  // of what one rank sends to one other; else of the whole message
};

constexpr std::array<Test, 10> kTests = {{
    {"Allreduce", "osu_allreduce", traffic::all_reduce, false},
    {"Allgather", "osu_allgather", traffic::all_gather, true},
    {"All-to-All Personalized Exchange", "osu_alltoall", traffic::alltoall, true},
    {"All-to-Allv Personalized Exchange", "osu_alltoallv", traffic::alltoallv, true},
    {"Broadcast", "osu_bcast", traffic::broadcast, false},
    {"Reduce", "osu_reduce", traffic::reduce, false},
    {"Reduce_scatter", kReduceScatterByCounts, traffic::reduce_scatter, false},
    {"Reduce_scatter_block", "osu_reduce_scatter_block", traffic::reduce_scatter, false},
    {"Gather", "osu_gather", traffic::gather, true},
    {"Scatter", "osu_scatter", traffic::scatter, true},
}};

// ---- headings: "# OSU MPI-CUDA Allreduce Latency Test v7.2"

struct Heading {
  std::string library;  // "mpi_cuda"
  std::string name;     // "Allreduce"
  std::string version;  // "7.2"
};

std::optional<Heading> heading_of(std::string_view line) {
  constexpr std::string_view kBegin = "# OSU ", kEnd = " Latency Test";
  const std::size_t end = line.find(" Test");
  if (!line.starts_with(kBegin) || end == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(kBegin.size());
  Heading heading;
  heading.library = rest.substr(0, rest.find(' '));
  for (char& c : heading.library) {
    c = c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  const std::size_t version = line.find(" v", end);
  if (version != std::string_view::npos) heading.version = line.substr(version + 2);
  const std::size_t begin = kBegin.size() + heading.library.size() + 1;
  const std::size_t latency = line.find(kEnd);
  heading.name = begin < latency && latency != std::string_view::npos
                     ? line.substr(begin, latency - begin)
                     : line.substr(kBegin.size());
  return heading;
}

const Test* test_of(const Heading& heading) {
  const auto found = std::find_if(kTests.begin(), kTests.end(),
                                  [&](const Test& test) { return test.heading == heading.name; });
  return found == kTests.end() ? nullptr : found;
}

// ---- columns: "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations"

enum class Column : std::uint8_t { size, mean, max, iterations, validation, other };

std::optional<std::vector<Column>> columns_of(std::string_view line) {
  if (!line.starts_with("# Size")) return std::nullopt;
  const Words words = words_of(line.substr(2));
  std::vector<Column> columns = {Column::size};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "Avg") columns.push_back(Column::mean);
    if (word == "Max") columns.push_back(Column::max);
    if (word == "Iterations") columns.push_back(Column::iterations);
    if (word == "Validation") columns.push_back(Column::validation);
    if (word == "Min" || word == "Tail" || word == "Transmit") columns.push_back(Column::other);
    if (word.starts_with("Latency") && columns.size() == 1) columns.push_back(Column::mean);
  }
  return columns;
}

// ---- rows

/// Before 7.1 no line said which type it was, and it was always this.
DataType usual_type(const Test& test) {
  return test.traffic.reduces ? DataType::float32 : DataType::int8;
}

class Run {
 public:
  Run(const Test& test, const Heading& heading, const ImportFacts& facts, std::string id)
      : test_(test), facts_(facts), type_(usual_type(test)) {
    document_ = imported_document("OSU Micro-Benchmarks " + heading.version, std::move(id));
    if (!heading.version.empty()) document_.run.version = heading.version;
    document_.config.program = test.program;
    backend_ = heading.library;
  }

  void set_type(const LogLine& line) {
    const Words words = words_of(line.text.substr(1));
    std::string_view name = words.size() > 1 ? words[1] : "";
    if (name.ends_with('.')) name.remove_suffix(1);
    type_ = mpi_data_type(name);
  }

  void set_columns(std::vector<Column> columns) { columns_ = std::move(columns); }

  void add(const LogLine& line);

  Document finish() {
    configure_from_rows(document_);
    return std::move(document_);
  }

 private:
  RowKey key_of(Bytes size) const;
  bool is_row(const LogLine& line, const Words& words) const;
  bool is_cut(const LogLine& line, const Words& words);

  const Test& test_;
  const ImportFacts& facts_;
  Document document_;
  std::string backend_;
  std::optional<DataType> type_;
  std::vector<Column> columns_;
  std::size_t decimals_ = 2;  // of the last number of the row before
};

RowKey Run::key_of(Bytes size) const {
  const int ranks = known<int>(std::nullopt, facts_.ranks, "the number of ranks", "--ranks");
  const DataType type = known(type_, facts_.type, "the type of the elements", "--type");
  const bool is_block = test_.sizes_are_of_blocks || !traffic::is_sharded(test_.traffic);
  const Count elements = size / size_of(type);
  RowKey key = imported_key(test_.traffic, type,
                            is_block ? elements : elements / static_cast<Count>(ranks), ranks);
  if (test_.program == kReduceScatterByCounts) key.collective = kReduceScatterV;
  key.nodes =
      known(std::optional<int>(), hosts_given(facts_, ranks), "the number of hosts", "--nodes");
  key.backend = backend_;
  key.mode = "isolated";
  key.aggregation = "mean";
  if (test_.traffic.reduces) key.op = ReduceOp::sum;
  if (test_.traffic.rooted) key.root = 0;
  return key;
}

/// Whether the line is one of the table; what neither is one nor another program's is refused.
bool Run::is_row(const LogLine& line, const Words& words) const {
  if (columns_.empty() || words.empty()) return false;
  if (parse_whole(words[0])) return true;
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const bool is_damaged_size =
      is_digit(words[0][0]) && std::all_of(words[0].begin(), words[0].end(),
                                           [&](char c) { return is_digit(c) || is_letter(c); });
  const bool numbers_follow =
      words.size() == columns_.size() &&
      std::all_of(words.begin() + 1, words.end(),
                  [](std::string_view word) { return parse_printed(word).has_value(); });
  if (is_damaged_size && numbers_follow) say(line, fmt::format("'{}' is no size", words[0]));
  return false;
}

/// Whether the text ends within this line. Numbers of a column have equally many decimals, so that
/// the last one shows whether digits of it are missing.
bool Run::is_cut(const LogLine& line, const Words& words) {
  const std::size_t point = words.back().find('.');
  const std::size_t decimals =
      point == std::string_view::npos ? 0 : words.back().size() - point - 1;
  const bool is_cut = !line.whole && (words.size() < columns_.size() || decimals < decimals_);
  decimals_ = decimals;
  return is_cut;
}

void Run::add(const LogLine& line) {
  const Words words = words_of(line.text);
  if (!is_row(line, words)) return;
  if (is_cut(line, words)) {
    document_.run.status = RunStatus::running;
    document_.incomplete = true;
    return;
  }
  if (words.size() != columns_.size()) say(line, "this row has other columns than its table");
  const auto size = parse_whole(words[0]);
  std::optional<double> mean, max;
  std::uint64_t iterations = 1;
  bool failed = false;
  for (std::size_t i = 1; i < columns_.size(); ++i) {
    if (columns_[i] == Column::validation) failed = words[i] == "Fail";
    if (columns_[i] == Column::iterations) iterations = parse_whole(words[i]).value_or(1);
    if (columns_[i] != Column::mean && columns_[i] != Column::max) continue;
    const auto number = parse_printed(words[i]);
    if (!number || number->value <= 0) say(line, fmt::format("'{}' is no time", words[i]));
    (columns_[i] == Column::mean ? mean : max) = number->value;
  }
  if (!mean) say(line, "its table has no column of mean times");
  const RowKey key = key_of(*size);
  const Bytes measured = test_.sizes_are_of_blocks ? *size * static_cast<Count>(key.ranks) : *size;
  if (key.message_bytes == 0 || key.message_bytes != measured) {
    document_.rows.push_back(skipped_row(
        key, fmt::format("{} bytes are no whole elements or blocks of equal size", *size)));
    return;
  }
  Record row = imported_row(test_.traffic, key, *mean, iterations);
  if (max) row.timing->max_over_ranks_s = {s_from_us(*max)};
  if (failed) {
    row.status = RowStatus::wrong;
    row.reason = "its validation failed";
  }
  document_.rows.push_back(std::move(row));
}

}  // namespace

bool looks_like_osu(std::string_view text) {
  return text.find("# OSU ") != std::string_view::npos &&
         text.find(" Test") != std::string_view::npos;
}

ImportedRuns import_osu(std::string_view text, const ImportFacts& facts) {
  ImportedRuns imported;
  for (const std::vector<LogLine>& process : log_lines(text)) {
    std::optional<Run> run;
    const auto finish = [&] {
      if (run) imported.runs.push_back(run->finish());
      run.reset();
    };
    for (const LogLine& line : process) {
      if (const auto heading = heading_of(line.text)) {
        finish();
        const Test* test = test_of(*heading);
        if (test != nullptr) {
          run.emplace(*test, *heading, facts, imported_id(text, imported.runs.size()));
        } else {
          imported.left_out.push_back(fmt::format(
              "line {}: {} measures what nothing here does: left out", line.number, heading->name));
        }
      } else if (!run) {
        continue;
      } else if (auto columns = columns_of(line.text)) {
        run->set_columns(std::move(*columns));
      } else if (line.text.starts_with("# Datatype:")) {
        run->set_type(line);
      } else {
        run->add(line);
      }
    }
    finish();
  }
  return imported;
}

}  // namespace collbench
