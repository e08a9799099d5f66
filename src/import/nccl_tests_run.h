// SPDX-License-Identifier: Apache-2.0
// NcclTestsRun: what the output of nccl-tests says, in whichever form it said it; and as a
// Document.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/data_type.h"
#include "base/reduce_op.h"
#include "import/facts.h"
#include "import/printed_number.h"
#include "results/document.h"

namespace collbench {

/// What the line "# nThread ..." says.
struct NcclTestsSettings {
  int threads = 1, gpus = 1;
  Bytes min_bytes = 0, max_bytes = 0, step = 0;
  bool step_is_factor = false;
  std::optional<std::uint64_t> warmup, iterations;  // absent: as many as our own rules said
  std::uint64_t grouped = 1, checks = 0, graph_launches = 0;
  Count offset = 0;
  std::string_view mode = {};  // of waiting, as nccl-tests' -z says; empty: it was not asked for
};

/// A line of the list of devices.
struct NcclTestsDevice {
  int rank = 0, group = 0, pid = 0, device = 0;
  std::string host, bus_id, model;
};

/// One size in place or not.
struct NcclTestsPlacement {
  std::optional<PrintedNumber> time_us;     // absent where it was not finite or not measured
  std::optional<PrintedNumber> enqueue_us;  // of -C, which hides the time
  std::optional<PrintedNumber> algorithm_GBps, bus_GBps;
  std::optional<double> wrong;            // values; absent where none were checked
  std::vector<double> iteration_us = {};  // of -I in a JSON file
  std::uint64_t skipped_iterations = 0;
};

struct NcclTestsRow {
  std::size_t line = 0;  // of the text; 0: it has none
  std::string place;     // of a JSON file
  Bytes size_bytes = 0;
  Count count = 0;
  DataType type = DataType::float32;
  std::optional<ReduceOp> op;
  std::optional<int> root;
  std::optional<NcclTestsPlacement> out_of_place, in_place;
};

struct NcclTestsRun {
  std::string version;  // "2.19.6"; empty where it does not say
  std::string program;  // "all_reduce_perf"; likewise
  int nccl_code = 0;    // 22709; likewise 0
  std::vector<std::string> arguments;
  std::optional<NcclTestsSettings> settings;
  std::optional<std::string> aggregation;  // where the arguments tell it
  std::vector<NcclTestsDevice> devices;
  std::optional<int> ranks;            // where the list of devices is whole
  bool has_largest_deviation = false;  // in place of numbers of wrong values
  std::vector<NcclTestsRow> rows;
  std::optional<PrintedNumber> average_GBps;
  std::optional<std::uint64_t> out_of_bounds;
  bool ended = false;   // it printed its last lines
  std::string failure;  // what it said when it gave up
};

/// Throws UserError of one sentence for facts that neither the run nor `facts` has, and for numbers
/// that contradict each other. `id` is that of the document's run.
Document document_of(const NcclTestsRun& run, const ImportFacts& facts, std::string id);

}  // namespace collbench
