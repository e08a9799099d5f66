// SPDX-License-Identifier: Apache-2.0
#include "routing/spec.h"

#include <gtest/gtest.h>

#include <string>

#include "base/errors.h"

namespace collbench::routing {
namespace {

RoutingSpec parsed(const std::string& text) { return parse_routing_spec(text, "--routing"); }

std::string refusal(const std::string& text) {
  try {
    parsed(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(RoutingSpec, ReadsWhatItWrites) {
  for (const std::string text :
       {"balanced", "uniform", "zipf:1.2", "lognormal:0.5", "hot:0.3", "file:a/b.txt",
        "balanced,seed:18446744073709551615", "uniform,groups:8/4", "file:routes,capacity:1.25",
        "zipf:1.2,seed:7,groups:8/4,capacity:2"}) {
    EXPECT_EQ(to_text(parsed(text)), text);
    EXPECT_EQ(parsed(to_text(parsed(text))), parsed(text));
  }
  EXPECT_EQ(to_text(parsed("zipf:1.20,capacity:1,seed:1")), "zipf:1.2,capacity:1");
}

TEST(RoutingSpec, ReadsEachWord) {
  const RoutingSpec spec = parsed("zipf:1.2,capacity:1.5,groups:8/4,seed:7");
  EXPECT_EQ(spec.distribution, Distribution::zipf);
  EXPECT_EQ(spec.parameter, 1.2);
  EXPECT_EQ(spec.seed, 7U);
  EXPECT_EQ(spec.groups, (GroupLimit{8, 4}));
  EXPECT_EQ(spec.capacity, 1.5);
  EXPECT_EQ(parsed("uniform").seed, 1U);
  EXPECT_EQ(parsed("file:x:y").path, "x:y");
}

TEST(RoutingSpec, RefusesEverythingElse) {
  for (const char* text : {"",
                           "even",
                           "Uniform",
                           "uniform:1",
                           "uniform,",
                           ",seed:1",
                           "zipf",
                           "zipf:",
                           "zipf:-1",
                           "zipf:11",
                           "zipf:nan",
                           "zipf:1 ",
                           "hot:1.1",
                           "file",
                           "file:",
                           "uniform,seed",
                           "uniform,seed:",
                           "uniform,seed:-1",
                           "uniform,seed:1.5",
                           "uniform,seed:1,seed:1",
                           "uniform,groups:8",
                           "uniform,groups:8/",
                           "uniform,groups:/4",
                           "uniform,groups:4/8",
                           "uniform,groups:0/0",
                           "uniform,capacity:0",
                           "uniform,capacity:inf",
                           "uniform,capacity:1,capacity:1",
                           "uniform,groups:8/4,groups:8/4",
                           "uniform,top:2",
                           "file:x,seed:2",
                           "file:x,groups:8/4"}) {
    EXPECT_NE(refusal(text), "") << text;
  }
  EXPECT_EQ(refusal("zipf"), "--routing zipf: give it as zipf:EXPONENT");
  EXPECT_EQ(refusal("zipf:x"), "--routing zipf: the EXPONENT 'x' is no number from 0 to 10");
  EXPECT_EQ(refusal("uniform,top:2"),
            "--routing: 'top' cannot follow a distribution; seed:N, groups:N/K and capacity:FACTOR "
            "can");
}

}  // namespace
}  // namespace collbench::routing
