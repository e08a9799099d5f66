// SPDX-License-Identifier: Apache-2.0
// The entry of the plugin.
#include <exception>

#include "base/version.h"
#include "comm/nccl/nccl_backend.h"
#include "comm/nccl/requirements.h"
#include "comm/plugin_interface.h"

extern "C" int collbench_open_backend(const char* build_id, collbench::PluginReply* reply) {
  using namespace collbench;
  try {
    if (refuse_other_build(build_id, collbench::build_id(), *reply)) return 1;
    const std::string why = why_no_nccl();
    if (!why.empty()) {
      set_reason(*reply, why);
      return 1;
    }
    reply->make_process = make_nccl_process;
    return 0;
  } catch (const std::exception& error) {
    set_reason(*reply, error.what());
    return 1;
  }
}
