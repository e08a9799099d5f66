// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/use_limits.h"

#include <fmt/format.h>

#include "base/errors.h"
#include "base/named_rows.h"
#include "comm/nccl/library_versions.h"

namespace collbench {
namespace {

void require(const std::string& flag, int since, int library) {
  if (library >= since) return;
  throw UserError(fmt::format(
      "{}: NCCL has it since {}, and the one that was found is {}; leave it out, or name a newer "
      "one with --nccl-lib",
      flag, nccl_version_text(since), nccl_version_text(library)));
}

// The structure that NCCL is given is one of the header's.
void require_header(const std::string& flag, int since, int header) {
  if (header >= since) return;
  throw UserError(
      fmt::format("{}: NCCL has it since {}, and this program was built with the header of {}; "
                  "leave it out, or build with a newer one (NCCL_HOME)",
                  flag, nccl_version_text(since), nccl_version_text(header)));
}

}  // namespace

void refuse_newer_use(const NcclUse& use, int library, int header) {
  if (use.registration == Registration::windows) require("-R 2", kNcclWithWindows, library);
  if (use.exchanges == ExchangeCalls::native) {
    require("--alltoall native", kNcclWithAlltoAll, library);
  }
  for (const auto& [name, value] : use.config) {
    const bool is_policy = name == row_of(NcclField::cta_policy).name;
    const std::string flag =
        fmt::format("{} {}", is_policy ? "-x or --nccl-config" : "--nccl-config", name);
    const int since = find_named(kNcclFields, name, flag, "field of ncclConfig_t").since;
    require(flag, since, library);
    require_header(flag, since, header);
  }
}

}  // namespace collbench
