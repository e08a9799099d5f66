// SPDX-License-Identifier: Apache-2.0
#include "app/run_facts.h"

#include <fmt/format.h>

#include <random>

#include "base/clock.h"
#include "base/version.h"

namespace collbench {

RunFacts new_run_facts() {
  std::random_device random;
  const BuildInfo build = build_info();
  RunFacts facts;
  for (int word = 0; word < 4; ++word) facts.id += fmt::format("{:08x}", random());
  facts.started = utc_now_rfc3339();
  facts.version = kVersion;
  facts.git_commit = build.git_commit;
  facts.compiler = build.compiler;
  facts.flags = build.flags;
  return facts;
}

}  // namespace collbench
