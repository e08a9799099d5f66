// SPDX-License-Identifier: Apache-2.0
// Flags of experts on the command line of a pattern.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/errors.h"
#include "cli/pattern_options.h"

namespace collbench {
namespace {

using Arguments = std::vector<std::string>;

PatternOptions parsed(Arguments arguments) {
  const plan::Pattern pattern = {
      .name = "expert_parallel", .summary = "experts", .axis = model::Axis::ep, .flag = "--ep"};
  arguments.insert(arguments.begin(), "--predict");
  return parse_pattern_command(arguments, pattern).options;
}

std::string complaint(const Arguments& arguments) {
  try {
    parsed(arguments);
    return "none";
  } catch (const UserError& error) {
    return error.what();
  }
}

TEST(ExpertFlags, WaysToExperts) {
  const routing::RoutingSpec spec =
      parsed({"--model", "tiny-moe", "--routing", "zipf:1.2,seed:7"}).scheme.experts.routing.spec;
  EXPECT_EQ(to_text(spec), "zipf:1.2,seed:7");
  EXPECT_EQ(
      complaint({"--model", "tiny", "--routing", "uniform"}),
      "--routing, --dispatcher, --dispatch-type and --balance say nothing of tiny, which has no "
      "experts; leave them out");
  const plan::ExpertOptions options = parsed({"--model", "tiny-moe", "--dispatcher", "dedup-node",
                                              "--dispatch-type", "fp8", "--ranks-per-node", "4"})
                                          .scheme.experts;
  EXPECT_EQ(options.dispatcher, plan::Dispatcher::dedup_node);
  EXPECT_EQ(options.type, plan::DispatchType::fp8);
  EXPECT_EQ(options.ranks_per_node, 4);
  EXPECT_EQ(complaint({"--model", "tiny-moe", "--dispatcher", "flex"}),
            "--dispatcher: 'flex' is no dispatcher; choose from alltoall, allgather, dedup, "
            "dedup-node");
}

TEST(ExpertFlags, OverlapOfSharedExperts) {
  EXPECT_FALSE(parsed({"--model", "tiny-mla"}).scheme.experts.overlaps_shared);
  EXPECT_TRUE(parsed({"--model", "tiny-mla", "--shared-expert-overlap", "--dispatcher", "dedup"})
                  .scheme.experts.overlaps_shared);
  for (const char* model : {"tiny", "tiny-moe"}) {
    EXPECT_EQ(complaint({"--model", model, "--shared-expert-overlap"}),
              fmt::format("--shared-expert-overlap says nothing of {}, which has no shared "
                          "experts; leave it out",
                          model));
  }
  EXPECT_EQ(
      complaint({"--model", "tiny-mla", "--shared-expert-overlap", "--dispatcher", "allgather"}),
      "--shared-expert-overlap is of tokens that are sent to their experts, as in Megatron, and "
      "--dispatcher allgather gathers all of them; leave it out, or choose another dispatcher");
}

}  // namespace
}  // namespace collbench
