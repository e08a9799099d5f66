// SPDX-License-Identifier: Apache-2.0
// Trace: what tokens of a real run chose, and the text file that says so.
//
//   routing ranks 2 experts 4 per_token 2 tokens 3
//   layer 3 tokens          # a line for each token, rank after rank: its experts
//   0 1
//   ...                     # 2 * 3 lines
//   layer 4 counts          # a line for each rank: how many of its tokens chose each expert
//   3 1 0 2
//   2 2 1 1
//
// Words are separated by blanks or commas; what follows a # is a comment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "routing/draw.h"
#include "routing/rows.h"
#include "routing/shape.h"

namespace collbench::routing {

struct LayerTrace {
  std::uint64_t layer = 0;
  std::vector<Choices> choices = {};  // by rank; empty where counts are known only
  std::vector<std::vector<std::uint64_t>> counts = {};  // by rank and expert; empty otherwise
  bool operator==(const LayerTrace&) const = default;
};

struct Trace {
  int ranks = 1, experts = 1, per_token = 1;
  Count tokens = 1;                // of each rank
  std::vector<LayerTrace> layers;  // distinct, at least one
  bool operator==(const Trace&) const = default;
};

/// Throws UserError, with the line, for anything but the above.
Trace parse_trace(std::string_view text, std::string_view path);

/// What parse_trace reads as the same.
std::string to_text(const Trace& trace);

/// Throws UserError, naming the file, unless the trace is of as many ranks, experts and tokens.
void require_fits(const Trace& trace, const Shape& shape, std::string_view path);

/// What was traced of a layer; the only one of a file stands for all. Throws UserError where it is
/// not there.
const LayerTrace& layer_of(const Trace& trace, std::uint64_t layer, std::string_view path);

/// Of a trace that fits. Where only counts are known, rows cannot be told token by token.
Rows traced_rows(const LayerTrace& layer, const Shape& shape, std::optional<Count> capacity);

}  // namespace collbench::routing
