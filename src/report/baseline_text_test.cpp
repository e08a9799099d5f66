// SPDX-License-Identifier: Apache-2.0
#include "report/baseline_text.h"

#include <gtest/gtest.h>

#include <vector>

namespace collbench {
namespace {

TEST(BaselineText, RowsAndHowFarTheyMoved) {
  BaselineGroup group = {.fingerprint = "0123456789abcdef",
                         .program = "all_reduce_perf",
                         .facts = {"backend: mpi", "CPU model: AMD EPYC 7B13"},
                         .launches = {"2026-03-01T12:00:00Z", "2026-03-02T12:00:00Z"},
                         .rows = {{.name = "all_reduce float sum 8 B",
                                   .launches = 2,
                                   .first_s = 10e-6,
                                   .median_s = 10.5e-6,
                                   .latest_s = 11e-6,
                                   .moved = 0.1},
                                  {.name = "all_reduce float sum 1024 B",
                                   .launches = 7,
                                   .first_s = 20e-6,
                                   .median_s = 20e-6,
                                   .latest_s = 19.9e-6,
                                   .noise = 0.012,
                                   .moved = -0.005}}};
  EXPECT_EQ(baseline_text(std::vector{group}), R"(#
# all_reduce_perf: 2 launches, 2026-03-01T12:00:00Z to 2026-03-02T12:00:00Z, fingerprint 0123456789abcdef
#   backend: mpi
#   CPU model: AMD EPYC 7B13
#   launches    first (us)   median (us)   latest (us)    noise  moved by        row
           2         10.00         10.50         11.00      N/A   +10.0 % moved  all_reduce float sum 8 B
           7         20.00         20.00         19.90    1.2 %    -0.5 %        all_reduce float sum 1024 B
# 1 of 2 rows moved since the first launch that is kept, by more than 3 % and three times the noise: each launch was like those before it, and all together are not
)");
  group.launches.pop_back();
  group.rows.erase(group.rows.begin());
  const std::string text = baseline_text(std::vector{group});
  EXPECT_NE(text.find("# all_reduce_perf: 1 launch, 2026-03-01T12:00:00Z, fingerprint"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("since the first"), std::string::npos);
  EXPECT_EQ(baseline_text({}), "# no launch is kept\n");
}

}  // namespace
}  // namespace collbench
