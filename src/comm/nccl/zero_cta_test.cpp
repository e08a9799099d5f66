// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/zero_cta.h"

#include <gtest/gtest.h>

namespace collbench {
namespace {

constexpr ZeroCtaCase kGood = {Collective::all_gather, 1, 22809, 13000};
const NcclUse kAll = {
    Registration::windows, Allocator::library, ExchangeCalls::native, {{"CTAPolicy", "2"}}};

std::string why(const NcclUse& use, const ZeroCtaCase& known = kGood) {
  return why_not_zero_cta(use, known);
}

TEST(ZeroCta, NothingFallsBackWhereNothingWasAskedFor) {
  EXPECT_EQ(why({}), "");
  NcclUse efficient = kAll;
  efficient.config["CTAPolicy"] = "1";
  efficient.registration = Registration::none;
  EXPECT_EQ(why(efficient), "");
}

TEST(ZeroCta, FourCollectivesHaveCopyEngines) {
  for (const traffic::Traffic& row : traffic::kAll) {
    ZeroCtaCase known = kGood;
    known.collective = row.collective;
    const bool can = row.name == "all_gather" || row.name == "alltoall" || row.name == "gather" ||
                     row.name == "scatter";
    EXPECT_EQ(why(kAll, known).empty(), can) << row.name;
  }
}

TEST(ZeroCta, EachConditionIsNamed) {
  NcclUse without_windows = kAll;
  without_windows.registration = Registration::buffers;
  EXPECT_NE(why(without_windows).find("-R 2"), std::string::npos);
  NcclUse by_messages = kAll;
  by_messages.exchanges = ExchangeCalls::messages;
  EXPECT_EQ(why(by_messages), "");  // all_gather is one call anyway
  ZeroCtaCase alltoall = kGood;
  alltoall.collective = Collective::alltoall;
  EXPECT_NE(why(by_messages, alltoall).find("--alltoall native"), std::string::npos);
  ZeroCtaCase old_driver = kGood;
  old_driver.cuda_driver = 12040;
  EXPECT_NE(why(kAll, old_driver).find("12.4"), std::string::npos);
}

TEST(ZeroCta, AcrossHostsItTakesANewerNccl) {
  ZeroCtaCase hosts = kGood;
  hosts.nodes = 2;
  EXPECT_EQ(why(kAll, hosts),
            "the ranks are on 2 hosts, and the copy engines of NCCL 2.28.9 stay on one");
  hosts.nccl = 23006;
  EXPECT_EQ(why(kAll, hosts), "");
}

}  // namespace
}  // namespace collbench
