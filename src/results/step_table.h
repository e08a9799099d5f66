// SPDX-License-Identifier: Apache-2.0
// Measured steps as text on stdout.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "results/document.h"
#include "results/scaling.h"
#include "results/step_record.h"

namespace collbench {

/// Four digits, and never an exponent.
std::string in_milliseconds(double s);

/// "tp 2 cp 1 pp 1 dp 4", and what is not 1 of the rest.
std::string layout_text(const model::Layout& layout);

/// Says of a step of fewer layers, or divided, that it is no whole one; empty of a whole one.
std::string part_line(const std::optional<int>& layers, const std::optional<Count>& shrink);

/// What a run of a pattern begins with. `notes` are lines about the run, without "# ".
std::string step_header(const Document& document, std::span<const std::string> notes = {});

/// One step: what it is of, what its time is made of, what it sends, and each message alone.
std::string step_table(const StepRecord& record);

/// Efficiency by number of ranks.
std::string scaling_table(const ScalingReport& report);

}  // namespace collbench
