// SPDX-License-Identifier: Apache-2.0
// What a command line asks for: as options of the measurement, and as the result file states it.
#pragma once

#include <string>
#include <vector>

#include "cli/collective_options.h"
#include "comm/backend.h"
#include "measure/operation.h"
#include "measure/sampling.h"
#include "results/document.h"

namespace collbench {

SamplingOptions sampling_of(const CollectiveOptions& options);

/// The backend's device has been made, so that it knows how it waits.
RunConfig config_of(const CollectiveOptions& options, const Operation& operation,
                    const std::vector<std::string>& arguments, const Backend& backend,
                    const SamplingOptions& sampling, const Sweep& sweep);

}  // namespace collbench
