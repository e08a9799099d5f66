// SPDX-License-Identifier: Apache-2.0
// SchemeStudy: schemes of parallelism side by side, of one step of one model on the same ranks.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "results/document.h"

namespace collbench {

struct SchemeRow {
  StepKey key;
  std::string name;          // what tells it from the others: "zero fsdp2 no reshard"
  std::size_t launches = 1;  // whose median counts, by step time
  double step_s = 0;
  std::optional<statistics::Interval> interval95_s{};
  double tokens_per_s = 0;
  std::optional<double> computing_share{};  // of the step: computing alone over the step
  std::optional<double> bubble_share{};
  std::optional<double> exposed_share{};
  Bytes sent_bytes = 0;                     // per step, of the rank that sends most
  std::optional<Bytes> crossing_bytes{};    // of these to other nodes; absent where not known
  Bytes state_bytes = 0;                    // parameters, gradients, optimizer
  std::optional<Bytes> activation_bytes{};  // by model/memory.h; absent of models not built in
  bool fits = true;
  std::vector<std::string> flags{};  // of any launch

  /// Of a rank: what is known of states and activations.
  Bytes memory_bytes() const { return state_bytes + activation_bytes.value_or(0); }

  bool operator==(const SchemeRow&) const = default;
};

/// Steps that differ in nothing but their scheme and layout: those that fit first, the fastest
/// first.
struct SchemeTable {
  StepKey key;  // of the first; of what all share
  Count tokens = 0;
  std::vector<SchemeRow> rows{};
  std::size_t fitting = 0;  // rows that fit
  /// How many of the first rows are as fast as the first: their intervals of 95 % overlap with its.
  std::size_t as_fast = 0;
  /// The row that needs the least memory, and the one that sends least to other nodes, of those
  /// that fit; absent where none does, and the latter on one node.
  std::optional<std::size_t> least_memory{}, least_crossing{};

  bool operator==(const SchemeTable&) const = default;
};

struct SchemeGap {
  std::string what;
  std::string reason;

  bool operator==(const SchemeGap&) const = default;
};

struct SchemeStudy {
  std::optional<Bytes> memory{};  // that a rank has; absent: everything fits
  std::vector<SchemeTable> tables{};
  std::vector<SchemeGap> left_out{};

  bool operator==(const SchemeStudy&) const = default;
};

/// Of all steps that were measured with right data. Runs that ended early count with the steps that
/// they have.
SchemeStudy study_schemes(std::span<const Document> documents, std::optional<Bytes> memory);

}  // namespace collbench
