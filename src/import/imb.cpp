// SPDX-License-Identifier: Apache-2.0
#include "import/imb.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "import/imb_hosts.h"
#include "import/imb_times.h"
#include "import/imported_run.h"
#include "import/log_lines.h"
#include "import/mpi_names.h"
#include "results/units.h"
#include "traffic/sizes.h"

namespace collbench {
namespace {

using Words = std::vector<std::string_view>;

/// That of MPI_Reduce_scatter.
constexpr std::string_view kReduceScatterByCounts = "Reduce_scatter";

struct Benchmark {
  std::string_view name;
  const traffic::Traffic& traffic;
  bool sizes_are_of_blocks;  // of what one rank sends to one other; else of the whole message
};

constexpr std::array<Benchmark, 10> kBenchmarks = {{
    {"Allreduce", traffic::all_reduce, false},
    {"Reduce", traffic::reduce, false},
    {kReduceScatterByCounts, traffic::reduce_scatter, true},  // until 2018: of the whole message
    {"Reduce_scatter_block", traffic::reduce_scatter, true},
    {"Allgather", traffic::all_gather, true},
    {"Gather", traffic::gather, true},
    {"Scatter", traffic::scatter, true},
    {"Alltoall", traffic::alltoall, true},
    {"Bcast", traffic::broadcast, false},
    {"Sendrecv", traffic::sendrecv, false},
}};

const Benchmark* benchmark_named(std::string_view name) {
  const auto found =
      std::find_if(kBenchmarks.begin(), kBenchmarks.end(),
                   [&](const Benchmark& benchmark) { return benchmark.name == name; });
  return found == kBenchmarks.end() ? nullptr : found;
}

/// The first of these is the version in which roots stay and sizes of Reduce_scatter are of blocks.
constexpr std::uint64_t kNewYear = 2019;

constexpr int kMostWaiting = 1 << 24;

/// "# MPI_Datatype for reductions    :   MPI_FLOAT": what stands after the colon.
std::string_view after_colon(std::string_view line) {
  const Words words = words_of(line.substr(std::min(line.find(':') + 1, line.size())));
  return words.empty() ? "" : words[0];
}

/// "#    Intel(R) MPI Benchmarks 2019 Update 6, MPI-1 part"
struct Heading {
  std::string version;  // "2019 Update 6"
  std::string part;     // "MPI-1 part"
};

std::optional<Heading> heading_of(std::string_view line) {
  constexpr std::string_view kName = "MPI Benchmarks ";
  const std::size_t name = line.find(kName);
  if (!line.starts_with('#') || name == std::string_view::npos) return std::nullopt;
  if (line.find("Intel") > name) return std::nullopt;
  const std::string_view rest = line.substr(name + kName.size());
  const std::size_t comma = rest.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const std::size_t part = std::min(rest.find_first_not_of(' ', comma + 1), rest.size());
  std::string_view end = rest.substr(part);
  end = end.substr(0, end.find_last_not_of(' ') + 1);
  return Heading{std::string(rest.substr(0, comma)), std::string(end)};
}

/// A launch: what its headings say, and the table that is being read.
class Run {
 public:
  Run(const Heading& heading, const ImportFacts& facts, std::string id) : facts_(facts) {
    document_ = imported_document("Intel MPI Benchmarks " + heading.version, std::move(id));
    document_.run.version = heading.version;
    document_.run.status = RunStatus::running;
    document_.incomplete = true;  // until its last line
    document_.config.program = "IMB-MPI1";
    const std::string_view digits = heading.version;
    year_ = parse_whole(digits.substr(0, digits.find_first_of(" ."))).value_or(0);
  }

  void read(const LogLine& line);

  Document finish() {
    std::vector<std::string> unknown = set_hosts(document_.rows, most_ranks_, facts_);
    std::move(unknown.begin(), unknown.end(), std::back_inserter(left_out));
    configure_from_rows(document_);
    return std::move(document_);
  }

  std::vector<std::string> left_out;

 private:
  bool read_comment(const LogLine& line);
  void begin_benchmark(const LogLine& line);
  void add(const LogLine& line, const Words& words);
  RowKey key_of(Bytes size) const;
  bool is_of_whole() const {
    return benchmark_->name == kReduceScatterByCounts && year_ < kNewYear;
  }
  std::string why_no_blocks(Bytes size, const RowKey& key) const;
  std::string why_not(const Benchmark& benchmark) const;

  const ImportFacts& facts_;
  Document document_;
  std::uint64_t year_ = 0;
  bool synchronised_ = true;  // before each operation, unless -sync off
  bool root_moves_ = false;
  std::optional<DataType> type_ = DataType::uint8, type_of_reductions_ = DataType::float32;
  const Benchmark* benchmark_ = nullptr;
  std::optional<int> ranks_;
  int most_ranks_ = 0;  // those that waited included
  std::vector<std::string> columns_;
};

// What a switch of the calling sequence says, by the words that IMB takes for it.
std::optional<bool> switched(std::string_view line, std::string_view flag) {
  constexpr std::array<std::string_view, 6> kOn = {"on", "ON", "yes", "true", "enable", "1"};
  constexpr std::array<std::string_view, 6> kOff = {"off", "OFF", "no", "false", "disable", "0"};
  const Words words = words_of(line);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] != flag) continue;
    if (std::ranges::find(kOn, words[i + 1]) != kOn.end()) return true;
    if (std::ranges::find(kOff, words[i + 1]) != kOff.end()) return false;
  }
  return std::nullopt;
}

std::string Run::why_not(const Benchmark& benchmark) const {
  if (!benchmark.traffic.rooted) return "";
  if (root_moves_ || year_ < kNewYear) return "its root changes from operation to operation";
  return "";
}

void Run::begin_benchmark(const LogLine& line) {
  const Words words = words_of(line.text.substr(1));
  const std::string name(words.size() > 1 ? words[1] : "");
  ranks_.reset();
  columns_.clear();
  benchmark_ = benchmark_named(name);
  const std::string why =
      benchmark_ == nullptr ? "measures what nothing here does" : why_not(*benchmark_);
  if (why.empty()) return;
  benchmark_ = nullptr;
  left_out.push_back(fmt::format("line {}: {}: {}: left out", line.number, name, why));
}

bool Run::read_comment(const LogLine& line) {
  const std::string_view text = line.text;
  if (!text.starts_with('#')) return false;
  if (text.starts_with("# MPI_Datatype for reductions")) {
    type_of_reductions_ = mpi_data_type(after_colon(text));
  } else if (text.starts_with("# MPI_Datatype")) {
    type_ = mpi_data_type(after_colon(text));
  } else if (text.starts_with("# Benchmarking ")) {
    begin_benchmark(line);
  } else if (text.starts_with("# #processes = ")) {
    const Words words = words_of(text);
    ranks_ = words.size() > 3 ? parse_small(words[3]) : std::nullopt;
    if (!ranks_ || *ranks_ == 0) say(line, "it has no number of processes");
    most_ranks_ = std::max(most_ranks_, *ranks_);
  } else if (text.find(" additional processes waiting ") != std::string_view::npos) {
    const Words words = words_of(text);  // "#", "(", "2", "additional", ...
    const int waiting = words.size() > 2 ? parse_small(words[2]).value_or(0) : 0;
    most_ranks_ = std::max(most_ranks_, ranks_.value_or(0) + std::min(waiting, kMostWaiting));
  } else if (text.starts_with("# All processes entering MPI_Finalize")) {
    document_.run.status = RunStatus::complete;
    document_.incomplete = false;
  } else if (text.find("IMB-MPI1 ") != std::string_view::npos) {  // the calling sequence
    const Words words = words_of(text.substr(1));
    document_.config.arguments.assign(words.begin() + 1, words.end());
    synchronised_ = switched(text, "-sync").value_or(true);
    root_moves_ = switched(text, "-root_shift").value_or(false);
  }
  return true;
}

void Run::read(const LogLine& line) {
  const Words words = words_of(line.text);
  if (words.empty()) return;
  if (words[0] == "#bytes") {
    columns_.assign(words.begin(), words.end());
  } else if (!read_comment(line) && benchmark_ != nullptr && !columns_.empty()) {
    if (parse_whole(words[0])) add(line, words);
  }
}

RowKey Run::key_of(Bytes size) const {
  const traffic::Traffic& traffic = benchmark_->traffic;
  const int ranks = *ranks_;
  const DataType type = known(traffic.reduces ? type_of_reductions_ : type_, facts_.type,
                              "the type of the elements", "--type");
  const Count elements = size / size_of(type);
  RowKey key = imported_key(traffic, type,
                            is_of_whole() ? elements / static_cast<Count>(ranks) : elements, ranks);
  if (benchmark_->name == kReduceScatterByCounts) key.collective = kReduceScatterV;
  key.backend = "mpi";
  const bool streams = traffic.collective == Collective::sendrecv;  // it alone has no barrier
  key.mode = streams ? "streaming" : synchronised_ ? "isolated" : "isolated_unaligned";
  key.aggregation = "max";
  if (traffic.reduces) key.op = ReduceOp::sum;
  if (traffic.rooted) key.root = 0;
  return key;
}

/// Of a size that is none, or of elements that do not divide among the ranks.
std::string Run::why_no_blocks(Bytes size, const RowKey& key) const {
  if (size == 0) return "it has no bytes";
  const Bytes measured = is_of_whole() || !benchmark_->sizes_are_of_blocks
                             ? size
                             : size * static_cast<Bytes>(key.ranks);
  if (key.message_bytes == measured) return "";
  return fmt::format("{} bytes are no whole elements or blocks of equal size", size);
}

void Run::add(const LogLine& line, const Words& words) {
  if (!line.whole) return;  // cut off
  if (!ranks_) say(line, "no line '# #processes = ' before it says of how many this row is");
  const RowKey key = key_of(*parse_whole(words[0]));
  if (words.size() > 1 && !parse_whole(words[1])) {  // "out-of-mem.; needed ..."
    document_.rows.push_back(
        skipped_row(key, std::string(line.text.substr(line.text.find(words[1])))));
    return;
  }
  if (std::string why = why_no_blocks(*parse_whole(words[0]), key); !why.empty()) {
    document_.rows.push_back(skipped_row(key, std::move(why)));
    return;
  }
  if (words.size() != columns_.size()) say(line, "this row has other columns than its table");
  const ImbTimes times = imb_times(line, words, columns_);
  Record row =
      imported_row(benchmark_->traffic, key, times.max.value, imb_repetitions(line, words));
  if (times.mean) row.timing->mean_over_ranks_s = {s_from_us(times.mean->value)};
  document_.rows.push_back(std::move(row));
}

}  // namespace

bool looks_like_imb(std::string_view text) {
  return text.find("MPI Benchmarks ") != std::string_view::npos &&
         text.find("# Benchmarking ") != std::string_view::npos;
}

ImportedRuns import_imb(std::string_view text, const ImportFacts& facts) {
  ImportedRuns imported;
  for (const std::vector<LogLine>& process : log_lines(text)) {
    std::optional<Run> run;
    const auto finish = [&] {
      if (!run) return;
      imported.runs.push_back(run->finish());
      imported.left_out.insert(imported.left_out.end(), run->left_out.begin(), run->left_out.end());
      run.reset();
    };
    for (const LogLine& line : process) {
      if (const auto heading = heading_of(line.text)) {
        finish();
        if (!heading->part.starts_with("MPI-1 part")) {
          say(line, fmt::format("{} measures what nothing here does: only MPI-1 part is imported",
                                heading->part));
        }
        run.emplace(*heading, facts, imported_id(text, imported.runs.size()));
      } else if (run) {
        run->read(line);
      }
    }
    finish();
  }
  return imported;
}

}  // namespace collbench
