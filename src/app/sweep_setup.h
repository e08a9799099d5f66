// SPDX-License-Identifier: Apache-2.0
// From the options of a sweep to what its backend makes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/measured_record.h"
#include "app/run_main.h"
#include "app/run_plan.h"
#include "cli/collective_options.h"
#include "comm/backend.h"

namespace collbench {

BackendSeat seat_of(RunContext& run, const CollectiveOptions& options);

DeviceUse device_use(const CollectiveOptions& options);

/// Of the rank's group. Collective over the run.
std::unique_ptr<Communicator> make_communicator(Backend& backend, Device& device,
                                                const CollectiveOptions& options,
                                                const RunPlan& plan);

/// Flags the rows of groups for which the library silently does less than was asked for, and says
/// why, each reason once. Once the device is made.
std::vector<std::string> flag_fallbacks(std::vector<RowContext>& contexts, const Backend& backend,
                                        const traffic::Traffic& traffic);

}  // namespace collbench
