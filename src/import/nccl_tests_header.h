// SPDX-License-Identifier: Apache-2.0
// The lines that nccl-tests prints before its table. Each function throws UserError that names a
// damaged line.
#pragma once

#include <optional>
#include <string_view>

#include "import/log_lines.h"
#include "import/nccl_tests_run.h"

namespace collbench {

/// "# nThread 1 nGpus 4 minBytes 8 maxBytes 64 step: 2(factor) warmup iters: 1 iters: 20 ..."; what
/// older versions lack stays as it is without the flag.
NcclTestsSettings nccl_tests_settings(const LogLine& line);

/// The mode of what "# Blocking Enabled: ..." says, which is of -z.
std::string_view nccl_tests_mode(std::string_view line);

/// "#  Rank  0 Group  0 Pid  22537 on  node0 device  0 [0000:01:00] NVIDIA H200", before 2022-09
/// without a group; nothing for a line of something else.
std::optional<NcclTestsDevice> nccl_tests_device(const LogLine& line);

}  // namespace collbench
