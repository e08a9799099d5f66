// SPDX-License-Identifier: Apache-2.0
// MeasurementKey: what makes two measured values the same measurement, and its name in one line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "results/record.h"
#include "results/step_record.h"

namespace collbench {

/// Of an operation or of a training step.
using MeasurementKey = std::variant<RowKey, StepKey>;

/// All of a key as one line, different for different keys, such as
/// "all_reduce/float/sum/1048576B/ranks:8/mpi". What has its usual value is left out.
std::string name_of(const MeasurementKey& key);

/// "all_reduce"; of a step its scheme, "zero".
const std::string& subject_of(const MeasurementKey& key);

/// The message of an operation; nothing of a step.
std::optional<Bytes> message_bytes_of(const MeasurementKey& key);

}  // namespace collbench
