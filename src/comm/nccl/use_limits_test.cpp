// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/use_limits.h"

#include <gtest/gtest.h>

#include "base/errors.h"

namespace collbench {
namespace {

constexpr int kNew = 22809;

std::string refusal(const NcclUse& use, int library = kNew, int header = kNew) {
  try {
    refuse_newer_use(use, library, header);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

NcclUse with_field(const char* name) {
  NcclUse use;
  use.config[name] = "1";
  return use;
}

TEST(UseLimits, WhatTheOldestKnowsPassesEverywhere) {
  EXPECT_EQ(refusal({}, 21900, 21900), "");
  NcclUse registered;
  registered.registration = Registration::buffers;
  registered.allocator = Allocator::library;
  EXPECT_EQ(refusal(registered, 21900, 21900), "");
  EXPECT_EQ(refusal(with_field("maxCTAs"), 21900, 21900), "");
}

TEST(UseLimits, WhatIsNewerThanTheLibraryIsNamedWithBothVersions) {
  NcclUse windows;
  windows.registration = Registration::windows;
  EXPECT_EQ(refusal(windows, 22602),
            "-R 2: NCCL has it since 2.27.0, and the one that was found is 2.26.2; leave it out, "
            "or name a newer one with --nccl-lib");
  EXPECT_EQ(refusal(windows), "");
  NcclUse native;
  native.exchanges = ExchangeCalls::native;
  EXPECT_TRUE(refusal(native, 22703).starts_with("--alltoall native: NCCL has it since 2.28.0"));
  EXPECT_TRUE(refusal(with_field("CTAPolicy"), 22602).starts_with("-x or --nccl-config CTAPolicy"));
  EXPECT_TRUE(refusal(with_field("numRmaCtx")).starts_with("--nccl-config numRmaCtx: NCCL has it"));
}

TEST(UseLimits, AFieldThatThisBuildsHeaderLacksIsRefused) {
  EXPECT_EQ(refusal(with_field("nvlsCTAs"), kNew, 22602),
            "--nccl-config nvlsCTAs: NCCL has it since 2.27.0, and this program was built with the "
            "header of 2.26.2; leave it out, or build with a newer one (NCCL_HOME)");
}

}  // namespace
}  // namespace collbench
