// SPDX-License-Identifier: Apache-2.0
#include "cli/collective_options.h"

#include <fmt/format.h>

#include <limits>
#include <map>

#include "base/errors.h"
#include "base/named_rows.h"
#include "base/version.h"
#include "cli/command_line.h"
#include "cli/foreign_variables.h"
#include "cli/gpu_flags.h"
#include "cli/list_text.h"
#include "cli/numbers.h"
#include "cli/sampling_flags.h"
#include "cli/sweep_flags.h"
#include "cli/thresholds.h"
#include "traffic/program_name.h"

namespace collbench {
namespace {

// What was typed, before it means anything; absent where a flag was not given.
struct Typed {
  std::map<std::string, std::optional<std::string>> values;
  bool dry_run = false;
  bool list = false;
  bool version = false;
  SweepFlags sweep;
  RunningFlags running;
  GpuFlags gpu;
  SamplingFlags sampling;
  OutputFlags output;

  const std::string* find(const std::string& flag) const {
    const auto found = values.find(flag);
    return found == values.end() || !found->second ? nullptr : &*found->second;
  }
};

std::string matrix_kinds() {
  std::string kinds;
  for (const traffic::MatrixKindRow& row : traffic::kMatrixKinds) {
    kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", named_with_parameter(row));
  }
  return kinds;
}

template <class Rows>
std::vector<std::string> names_in(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

template <class Rows>
std::vector<std::string> all_and_names(const Rows& rows) {
  std::vector<std::string> names = names_in(rows);
  names.emplace_back("all");
  return names;
}

void add_flags(CommandLine& line, Typed& typed) {
  const auto value = [&](const char* flag, const char* names, const std::string& help) {
    line.value(names, typed.values[flag], help);
  };
  typed.sweep.declare(line);
  line.heading("Operation");
  value("-d", "-d,--datatype", "element type: all, " + list_names(kDataTypes));
  line.completed_by(all_and_names(kDataTypes));
  value("-o", "-o,--op", "reduction: all, " + list_names(kReduceOps));
  line.completed_by(all_and_names(kReduceOps));
  value("-r", "-r,--root", "root of a rooted collective: all, or a rank (default 0)");
  value("--matrix", "--matrix",
        "who sends what in alltoallv: " + matrix_kinds() +
            " (a file without -b and -e: its own bytes)");
  value("--seed", "--seed", "of the matrix (default 1)");
  value("-c", "-c,--check",
        "data checks per row, 0 is none; or host: one, by the host of a GPU (default 1)");
  typed.sampling.declare(line);
  line.heading("Running");
  typed.running.declare(line);
  value("--split", "--split",
        "groups of ranks, all at the same time, by rank MOD, DIV, AND or OR a number: \"MOD 2\" "
        "(default: NCCL_TESTS_SPLIT_MASK, NCCL_TESTS_SPLIT, or one group)");
  value("--interfere", "--interfere",
        "each row once more beside another operation that runs without pause, OP@GROUPS or "
        "OP:SIZE@GROUPS: \"all_gather:64M@MOD 2\"; GROUPS are as those of --split, or world; OP: " +
            interfering_names());
  value("--nics", "--nics",
        "NICs of a node that the ranks use, for what each carries across nodes (nic_GBps)");
  line.config_file();
  line.flag("--dry-run", typed.dry_run, "show the sizes and memory of the run, measure nothing");
  line.heading("Output");
  typed.running.declare_file(line);
  typed.output.declare(line);
  line.heading("Verdict (exit status 1 when it is not met)");
  value(
      "--min-busbw", "--min-busbw",
      fmt::format("least bus bandwidth of each row of a size, SIZE=GBps,...; {} in the environment "
                  "is one for the average, less {} %",
                  kMinBandwidthVariable, kToleratedPercent));
  line.heading(CommandLine::kInformation);
  line.flag("--list", typed.list, "the collectives, types and reductions there are");
  line.flag("--version", typed.version, "the version and how it was built");
  typed.gpu.declare(line);
}

// The library would take the minus of "-n -3" for a flag and complain about that.
void refuse_negative_numbers(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word[0] != '-' || std::isdigit(static_cast<unsigned char>(word[1])) == 0) continue;
    const std::string flag = i > 0 ? arguments[i - 1] + " " : "";
    const char* const hint = flag == "-r " ? "; for every rank as root give -r all" : "";
    throw UserError(fmt::format("{}{}: a negative number has no meaning here{}", flag, word, hint));
  }
}

std::vector<DataType> types_of(const std::string& text) {
  if (text != "all") return {parse_data_type(text)};
  std::vector<DataType> types;
  for (const DataTypeRow& row : kDataTypes) types.push_back(row.type);
  return types;
}

std::vector<ReduceOp> ops_of(const std::string& text) {
  if (text != "all") return {parse_reduce_op(text)};
  std::vector<ReduceOp> ops;
  for (const ReduceOpRow& row : kReduceOps) ops.push_back(row.op);
  return ops;
}

std::optional<int> root_of(const std::string& text) {
  if (text == "all") return std::nullopt;
  const std::uint64_t rank = parse_count(text, "-r", 0);
  if (rank > std::numeric_limits<int>::max()) {
    throw UserError(fmt::format("-r {}: no run has so many ranks", text));
  }
  return static_cast<int>(rank);
}

void refuse_meaningless_flags(const Typed& typed, const traffic::Traffic& traffic) {
  if (typed.find("-o") != nullptr && !traffic.reduces) {
    throw UserError(fmt::format("-o: {} reduces nothing; leave it out", traffic.name));
  }
  if (typed.find("-r") != nullptr && !traffic.rooted) {
    throw UserError(fmt::format("-r: {} has no root; leave it out", traffic.name));
  }
  for (const char* flag : {"--matrix", "--seed"}) {
    if (typed.find(flag) == nullptr || traffic.by_matrix) continue;
    throw UserError(fmt::format("{}: {} has no traffic matrix; leave it out", flag, traffic.name));
  }
}

// Of the collectives that are made of sends and receives as long as nobody asks for calls.
void refuse_native_calls(const NcclUse& use, const traffic::Traffic& traffic) {
  const bool has_call = traffic.collective == Collective::alltoall ||
                        traffic.collective == Collective::gather ||
                        traffic.collective == Collective::scatter;
  if (use.exchanges == ExchangeCalls::messages || has_call) return;
  throw UserError(fmt::format(
      "--alltoall native: {} is made of the same calls either way; leave it out", traffic.name));
}

void choose_graphs(CollectiveOptions& options) {
  if (options.gpu.graph_launches == 0) return;
  Method& method = options.sampling.method;
  if (method.mode != Mode::streaming || method.enqueue_time || method.iteration_times ||
      options.gpu.default_stream) {
    throw UserError(
        "-G: what a graph holds starts as a whole, so that -z, -C and -I have nothing to time, and "
        "CUDA records none on its default stream (-y 1); leave out one of the two");
  }
  method.mode = Mode::graph;
  method.graph_launches = options.gpu.graph_launches;
}

void read_first_device(GpuChoice& gpu, const ReadEnvironment& read) {
  gpu.first_device = first_device(read);
  if (!gpu.first_device || !gpu.only_on_gpus.empty()) return;
  gpu.only_on_gpus = fmt::format("{} is {}: it chooses GPUs, and hosts have none; unset it",
                                 kFirstDeviceVariable, *gpu.first_device);
}

CollectiveOptions options_of(const Typed& typed, const ReadEnvironment& read) {
  CollectiveOptions options;
  static_cast<RunningChoice&>(options) = typed.running.read();
  const std::string* const split = typed.find("--split");
  options.split = group_rule(split != nullptr ? std::optional(*split) : std::nullopt, read);
  options.sweep = typed.sweep.read();
  options.table = typed.output.read();
  options.sampling = typed.sampling.read(options.table.nccl_compat);
  if (const auto* text = typed.find("-d")) options.types = types_of(*text);
  if (const auto* text = typed.find("-o")) options.ops = ops_of(*text);
  if (const auto* text = typed.find("-r")) options.root = root_of(*text);
  if (const auto* text = typed.find("--matrix")) {
    options.matrix = traffic::parse_matrix_spec(*text, "--matrix");
    options.sized_by_file =
        options.matrix.kind == traffic::MatrixKind::file && !typed.sweep.names_size();
  }
  if (const auto* text = typed.find("--seed")) {
    options.matrix_seed = parse_count(*text, "--seed", 0);
  }
  if (const auto* text = typed.find("-c")) {
    options.check_on_host = *text == "host";
    options.check_iterations = options.check_on_host ? 1 : parse_count(*text, "-c", 0, 1'000'000);
  }
  if (const auto* text = typed.find("--min-busbw")) {
    if (options.sized_by_file) {
      throw UserError(
          "--min-busbw: the size is what the matrix's file says; give it with -b and -e");
    }
    options.min_bus_bandwidth = parse_size_thresholds(*text, "--min-busbw", options.sweep);
  }
  if (const auto* text = typed.find("--nics")) {
    constexpr int kMost = 1024;
    options.nics_per_node = static_cast<int>(parse_count(*text, "--nics", 1, kMost));
  }
  options.gpu = typed.gpu.read();
  read_first_device(options.gpu, read);
  if (options.backend == BackendChoice::mpi && !options.gpu.only_on_gpus.empty()) {
    throw UserError(options.gpu.only_on_gpus);
  }
  choose_graphs(options);
  options.dry_run = typed.dry_run;
  return options;
}

}  // namespace

CollectiveCommand parse_collective_command(const std::vector<std::string>& arguments,
                                           const traffic::Traffic& traffic,
                                           const ReadEnvironment& read) {
  const std::string program = traffic::program_name(traffic);
  CommandLine line(program,
                   fmt::format("{}: {}.\nStart with mpirun -np N; docs/ and README.md explain.",
                               program, traffic.summary));
  Typed typed;
  add_flags(line, typed);
  refuse_negative_numbers(arguments);
  if (auto help = line.parse(arguments)) return {{}, std::move(help)};
  if (typed.version) return {{}, version_text()};
  if (typed.list) return {{}, list_text()};
  try {
    refuse_meaningless_flags(typed, traffic);
    refuse_foreign_variables(traffic.by_matrix && typed.find("--matrix") == nullptr, read);
    CollectiveOptions options = options_of(typed, read);
    if (const auto* text = typed.find("--interfere")) {
      options.interfere = parse_interfering(*text);
      refuse_interfering(traffic, options.sampling.method, options.gpu.default_stream);
    }
    refuse_native_calls(options.gpu.nccl, traffic);
    std::string& refusal = options.gpu.only_on_gpus;
    if (!refusal.empty()) refusal = line.place_of(refusal) + refusal;
    return {std::move(options), std::nullopt, line.arguments()};
  } catch (const UserError& error) {
    throw UserError(line.place_of(error.what()) + error.what());
  }
}

std::vector<FlagFacts> collective_flags() {
  CommandLine line("", "");
  Typed typed;
  add_flags(line, typed);
  return line.flags();
}

}  // namespace collbench
