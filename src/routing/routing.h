// SPDX-License-Identifier: Apache-2.0
// Routing: where the tokens of every layer and micro-batch go, drawn or traced.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "routing/rows.h"
#include "routing/shape.h"
#include "routing/spec.h"
#include "routing/trace.h"

namespace collbench::routing {

/// A spec, and what stands in the file that it names.
struct Routing {
  RoutingSpec spec = {};
  std::optional<Trace> trace = {};
};

/// `file_text` is that of the file that the spec names, if it names one. Throws UserError as
/// parse_trace does.
Routing routing_of(const RoutingSpec& spec, std::string_view file_text);

/// What the ranks of an expert-parallel group send in a layer of the model, counted from 0, and a
/// micro-batch, counted over all steps; a trace is the same in each. The same on every rank and
/// platform; all groups of a run choose alike. Requires a possible shape; throws UserError where a
/// trace does not fit it or is to be balanced, and as Drawing does.
Rows rows_of(const Routing& routing, const Shape& shape, std::uint64_t layer, std::uint64_t batch,
             const Bias& bias = {});

/// A trace of that one layer and micro-batch. Throws as rows_of does.
Trace traced(const Routing& routing, const Shape& shape, std::uint64_t layer, std::uint64_t batch);

/// What tells measurements with different routings apart: the words of the spec; of a file its name
/// with the digest of what it says.
std::string identity(const Routing& routing);

}  // namespace collbench::routing
