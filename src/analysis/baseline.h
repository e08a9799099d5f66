// SPDX-License-Identifier: Apache-2.0
// A rolling baseline: the latest good launches of a program in an environment, which new launches
// are held against.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/document.h"

namespace collbench {

/// What of a run is kept: of each time its median and interval, and no samples.
Document baseline_launch(Document document);

/// Which launches belong together: those of one program on equal machines (the hard facts of
/// analysis/environment_facts.h). 16 hexadecimal digits.
std::string fingerprint(const Document& document);

/// Why a launch can be no part of a baseline, as "it ended with status 4"; nothing for one that
/// can.
std::optional<std::string> unfit_reason(const Document& document);

/// In the order in which they were started, whatever their files are called, and when they were
/// added; those that do not say when come first, in their order.
std::vector<Document> by_start(std::vector<Document> launches);

/// Drops the oldest launches of each fingerprint beyond `most`. `launches` are in the order of
/// by_start, and so is what is left. Requires `most` of at least 1.
std::vector<Document> pruned(std::vector<Document> launches, std::size_t most);

/// A measurement over the launches of a baseline.
struct BaselineRow {
  std::string name;  // of analysis/launches.h
  std::size_t launches = 0;
  double first_s = 0;             // of the oldest launch that is kept
  double median_s = 0;            // of all
  double latest_s = 0;            // the median of the newer half
  std::optional<double> noise{};  // deviation of the logarithms, from launch to launch; of 3
  double moved = 0;               // latest / first - 1

  bool operator==(const BaselineRow&) const = default;
};

/// More than noise and thresholds explain: 3 %, and three times the noise.
bool has_moved(const BaselineRow& row);

struct BaselineGroup {
  std::string fingerprint;
  std::string program;
  std::vector<std::string> facts;     // "CPU model: ...", what the fingerprint is of
  std::vector<std::string> launches;  // when each started, in their order
  std::vector<BaselineRow> rows;

  bool operator==(const BaselineGroup&) const = default;
};

/// By fingerprint, in the order in which these first appear.
std::vector<BaselineGroup> summarize_baseline(std::span<const Document> launches);

}  // namespace collbench
