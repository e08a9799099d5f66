// SPDX-License-Identifier: Apache-2.0
#include "results/method_lines.h"

#include <fmt/format.h>

#include "results/operation_rows.h"
#include "results/table.h"

namespace collbench {
namespace {

std::string mode_line(const RunConfig& config) {
  if (config.mode == "streaming") return "";
  if (config.graph_launches) {
    return comment_line(fmt::format(
        "mode graph: a sample replays {} times what the GPU has recorded of its operations",
        *config.graph_launches));
  }
  return comment_line(fmt::format(
      "mode {}: each operation is timed alone, {}", config.mode,
      config.mode == "isolated" ? "after an alignment of all ranks, whose exit skew is in the file"
                                : "whenever each rank is ready for it"));
}

/// How ranks share a process, where they do.
std::string rank_threads_line(const RunConfig& config) {
  const int ranks = config.threads_per_process * config.gpus_per_thread;
  if (ranks == 1) return "";
  return comment_line(fmt::format(
      "each process has {} ranks, each a thread with its GPU; nccl-tests' -g starts the operations "
      "of several GPUs from one thread",
      ranks));
}

std::string grouped_line(std::uint64_t grouped) {
  if (grouped == 1) return "";
  return comment_line(fmt::format(
      "{0} operations start as one fused group (-m {0}); times are of one of them", grouped));
}

std::string time_line(const RunConfig& config) {
  const std::string_view what = config.aggregation == "rank0"  ? "rank 0's time"
                                : config.aggregation == "mean" ? "the mean over ranks"
                                : config.aggregation == "min"  ? "the minimum over ranks"
                                                               : "the maximum over ranks";
  if (config.enqueue_time) {
    return comment_line(
        fmt::format("cputime is what it took the host to enqueue an operation (-C 1), a median of "
                    "samples, each "
                    "{}; algbw and busbw are of the whole time, which the file has",
                    what));
  }
  return comment_line(fmt::format(
      "time is the median of a row's samples, each {}; nccl-tests has one sample, the mean over "
      "ranks",
      what));
}

std::string iterations_line(const std::optional<std::uint64_t>& skipped) {
  if (!skipped) return "";
  const std::string but = *skipped == 0 ? "" : fmt::format(", but for the first {}", *skipped);
  return comment_line(fmt::format(
      "i_min to i_cv are of single iterations{} (-I 1), each the maximum over ranks; these were "
      "timed in blocks of their own, and are no part of the other columns",
      but));
}

std::string operations_line() {
  return comment_line(
      "time is the median of n samples, each the slowest rank's, and +- half of its 95 % interval; "
      "fastest and slowest are the least and the largest of the ranks' medians");
}

}  // namespace

std::string method_lines(const RunConfig& config) {
  if (config.mode == kModeOfEachRow) return rank_threads_line(config) + operations_line();
  return mode_line(config) + rank_threads_line(config) + grouped_line(config.grouped_operations) +
         time_line(config) + iterations_line(config.skipped_iterations);
}

}  // namespace collbench
