// SPDX-License-Identifier: Apache-2.0
#include "plan/zero.h"

#include <fmt/format.h>

#include "base/errors.h"

namespace collbench::plan {

std::unique_ptr<ParameterTraffic> zero(const TrafficContext& context, const ZeroOptions& options) {
  const ZeroRow& row = kZero[static_cast<std::size_t>(options.scheme)];
  if (context.layout.pp > 1 && !row.pipelines) {
    throw UserError(
        fmt::format("{} reduces after every micro-batch and does not work in a pipeline; set pp to "
                    "1 or choose another scheme",
                    row.name));
  }
  if (options.reshard_in_groups && (context.layout.replicas == 1 || !options.reshard)) {
    throw UserError(
        "parameters are resharded in groups where there are several replicas and resharding is on; "
        "give --replicas and leave out --no-reshard");
  }
  switch (options.scheme) {
    case Zero::deepspeed1:
    case Zero::deepspeed2:
      return deepspeed12(context, options);
    case Zero::deepspeed3:
      return deepspeed3(context, options);
    case Zero::megatron:
      return megatron_optimizer(context, options);
    case Zero::fsdp2:
      return fsdp2(context, options);
    case Zero::zeropp:
      break;
  }
  return zeropp(context, options);
}

}  // namespace collbench::plan
