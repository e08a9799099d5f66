// SPDX-License-Identifier: Apache-2.0
#include "import/nccl_tests_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "import/imported_run.h"
#include "import/nccl_tests_rows.h"
#include "traffic/program_name.h"

namespace collbench {
namespace {

// ---- the run

std::string collective_of(const NcclTestsRun& run, const ImportFacts& facts) {
  std::optional<std::string> in_text;
  for (const traffic::Traffic& traffic : traffic::kAll) {
    // With a suffix that its build chose: all_reduce_perf_mpi.
    if (run.program.starts_with(traffic::program_name(traffic))) in_text = traffic.name;
  }
  return known(in_text, facts.collective, "which collective this is", "--collective");
}

std::optional<int> nodes_of(const NcclTestsRun& run) {
  if (!run.ranks) return std::nullopt;
  std::set<std::string_view> hosts;
  for (const NcclTestsDevice& device : run.devices) hosts.insert(device.host);
  return static_cast<int>(hosts.size());
}

void require_one_group(const NcclTestsRun& run) {
  for (const NcclTestsDevice& device : run.devices) {
    if (device.group == 0) continue;
    throw UserError(
        "its ranks were split into groups, of which nccl-tests prints one number for all: such a "
        "run cannot be imported");
  }
}

/// Where the ranks ran: only what the list says, the rest is unknown.
Environment environment_of(const NcclTestsRun& run) {
  Environment environment;
  for (const NcclTestsDevice& device : run.devices) {
    auto host = std::find_if(environment.hosts.begin(), environment.hosts.end(),
                             [&](const HostFacts& facts) { return facts.name == device.host; });
    if (host == environment.hosts.end()) {
      HostFacts& facts = environment.hosts.emplace_back();
      facts.name = device.host;
      host = environment.hosts.end() - 1;
    }
    environment.ranks.push_back({.rank = device.rank,
                                 .host = static_cast<int>(host - environment.hosts.begin()),
                                 .pid = device.pid,
                                 .device = device.device,
                                 .device_bus_id = device.bus_id,
                                 .device_model = device.model});
  }
  if (run.nccl_code > 0) {
    environment.libraries["nccl"] = fmt::format("NCCL {}.{}.{}", run.nccl_code / 10000,
                                                run.nccl_code / 100 % 100, run.nccl_code % 100);
  }
  return environment;
}

/// Tables of nccl-tests, and those that this suite prints in its form of ranks on hosts.
std::string backend_of(const NcclTestsRun& run) {
  const bool on_hosts = !run.devices.empty() && std::all_of(run.devices.begin(), run.devices.end(),
                                                            [](const NcclTestsDevice& device) {
                                                              return device.bus_id == "cpu";
                                                            });
  return on_hosts ? "mpi" : "nccl";
}

void configure(Document& document, const NcclTestsRun& run, const NcclTestsSettings& settings) {
  RunConfig& config = document.config;
  config.arguments = run.arguments;
  config.min_bytes = settings.min_bytes;
  config.max_bytes = settings.max_bytes;
  (settings.step_is_factor ? config.step_factor : config.step_bytes) = settings.step;
  config.check_iterations = settings.checks;
  config.fixed_iterations = settings.iterations;
  config.warmup_iterations = settings.warmup;
  config.grouped_operations = settings.grouped;
  config.offset_elements = settings.offset;
  config.threads_per_process = settings.threads;
  config.gpus_per_thread = settings.gpus;
  if (settings.graph_launches > 0) config.graph_launches = settings.graph_launches;
}

std::string mode_of(const NcclTestsSettings& settings) {
  if (settings.graph_launches > 0) return "graph";
  return settings.mode.empty() ? "streaming" : std::string(settings.mode);
}

NcclTestsCommon common_of(const NcclTestsRun& run, const NcclTestsSettings& settings,
                          const ImportFacts& facts) {
  const traffic::Traffic& traffic = collective_named(collective_of(run, facts));
  RowKey key;
  key.collective = traffic.name;
  key.ranks = known(run.ranks, facts.ranks, "the number of ranks", "--ranks");
  key.nodes = known(nodes_of(run), hosts_given(facts, key.ranks), "the number of hosts", "--nodes");
  key.backend = backend_of(run);
  key.mode = mode_of(settings);
  key.aggregation =
      run.aggregation || facts.aggregation
          ? known(run.aggregation, facts.aggregation, "how times are reduced", "--aggregation")
          : "mean";
  key.ranks_per_process = settings.threads * settings.gpus;
  key.grouped_operations = settings.grouped;
  key.offset_elements = settings.offset;
  if (traffic.by_matrix) key.matrix = "unknown";  // nccl-tests prints no word of it
  return {traffic, key, settings.iterations.value_or(1) * settings.grouped};
}

// ---- the whole

/// That no row is missing: rows that other output broke cannot be told from other lines.
void require_average(const NcclTestsRun& run) {
  if (!run.average_GBps) return;
  PrintedNumber sum;
  std::uint64_t placements = 0;
  bool has_wrong = false;
  for (const NcclTestsRow& row : run.rows) {
    for (const auto* placement : {&row.out_of_place, &row.in_place}) {
      if (!*placement || !(*placement)->bus_GBps) continue;
      has_wrong = has_wrong || (*placement)->wrong.value_or(0) > 0;
      sum.value += (*placement)->bus_GBps->value;
      sum.half_unit += (*placement)->bus_GBps->half_unit;
      ++placements;
    }
  }
  // Our own tables leave wrong placements out of it.
  if (placements == 0 || has_wrong) return;
  const auto n = static_cast<double>(placements);
  const double difference = std::abs(sum.value / n - run.average_GBps->value);
  const double slack = 1e-5 * std::abs(run.average_GBps->value);
  if (difference <= sum.half_unit / n + run.average_GBps->half_unit + slack) return;
  throw UserError(fmt::format(
      "the average bus bandwidth {} GB/s is not that of its rows, {:g}: rows are missing, or were "
      "changed",
      run.average_GBps->value, sum.value / n));
}

/// That the number of failed checks and the wrong values of rows tell the same.
void require_bounds(const NcclTestsRun& run) {
  if (!run.out_of_bounds || !run.ended) return;
  const auto is_wrong = [](const std::optional<NcclTestsPlacement>& placement) {
    return placement && placement->wrong.value_or(0) > 0;
  };
  const bool any_wrong = std::any_of(run.rows.begin(), run.rows.end(), [&](const auto& row) {
    return is_wrong(row.out_of_place) || is_wrong(row.in_place);
  });
  if (*run.out_of_bounds > 0 && !any_wrong) {
    throw UserError(fmt::format(
        "{} checks found values out of bounds, and no row has wrong ones: rows are missing, or "
        "were changed",
        *run.out_of_bounds));
  }
  // Until 2.12 rows have the largest deviation, of which some is allowed.
  if (*run.out_of_bounds == 0 && any_wrong && !run.has_largest_deviation) {
    throw UserError(
        "rows have wrong values, and no check found any out of bounds: lines were changed");
  }
}

bool is_same(const NcclTestsRow& a, const NcclTestsRow& b) {
  return a.size_bytes == b.size_bytes && a.count == b.count && a.type == b.type && a.op == b.op &&
         a.root == b.root;
}

/// How many rows a sweep has that -N repeated; all of them where nothing shows that.
std::size_t rows_of_cycle(const std::vector<NcclTestsRow>& rows) {
  std::size_t length = 1;
  while (length < rows.size() && !is_same(rows[length], rows[0])) ++length;
  if (rows.size() % length != 0) return rows.size();
  for (std::size_t i = length; i < rows.size(); ++i) {
    if (!is_same(rows[i], rows[i % length])) return rows.size();
  }
  return length;
}

void say_how_it_ended(Document& document, const NcclTestsRun& run) {
  if (!run.failure.empty()) {
    document.run.status = RunStatus::error;
    document.run.message = run.failure;
  } else if (!run.ended) {
    document.run.status = RunStatus::running;
    document.incomplete = true;
  }
}

}  // namespace

Document document_of(const NcclTestsRun& run, const ImportFacts& facts, std::string id) {
  if (!run.settings) {
    throw UserError(
        "the line '# nThread ...' is missing, which says how it measured: give its output from the "
        "first line on");
  }
  require_one_group(run);
  require_average(run);
  require_bounds(run);
  const NcclTestsCommon common = common_of(run, *run.settings, facts);
  Document document = imported_document(
      run.version.empty() ? "nccl-tests" : "nccl-tests " + run.version, std::move(id));
  if (!run.version.empty()) document.run.version = run.version;
  document.environment = environment_of(run);
  document.config.program =
      run.program.empty() ? traffic::program_name(common.traffic) : run.program;
  const std::size_t cycle = std::max<std::size_t>(rows_of_cycle(run.rows), 1);
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const NcclTestsRow& row = run.rows[i];
    require_size(row, common);
    for (const bool in_place : {false, true}) {
      if (!(in_place ? row.in_place : row.out_of_place)) continue;
      document.rows.push_back(nccl_tests_record(run, row, in_place, common));
      if (cycle < run.rows.size()) document.rows.back().cycle = 1 + i / cycle;
    }
  }
  configure_from_rows(document);
  configure(document, run, *run.settings);
  document.config.cycles = std::max<std::size_t>(run.rows.size() / cycle, 1);
  say_how_it_ended(document, run);
  return document;
}

}  // namespace collbench
