// SPDX-License-Identifier: Apache-2.0
// RoutingSpec: in a few words, how the tokens of a mixture of experts choose their experts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/enum_rows.h"

namespace collbench::routing {

enum class Distribution : std::uint8_t { balanced, uniform, zipf, lognormal, hot, file };

struct DistributionRow {
  Distribution distribution;
  std::string_view name;       // what stands before the colon
  std::string_view parameter;  // what stands after it; empty: nothing
  double least, most;          // of the parameter where it is a number
  std::string_view meaning;
};

inline constexpr std::array<DistributionRow, 6> kDistributions = {{
    {Distribution::balanced, "balanced", "", 0, 0,
     "dealt from shuffled decks of all experts: every expert gets the same of every rank"},
    {Distribution::uniform, "uniform", "", 0, 0,
     "each token draws its own, every expert as likely as any other"},
    {Distribution::zipf, "zipf", "EXPONENT", 0, 10,
     "the n-th most popular expert is drawn with weight 1/n^EXPONENT"},
    {Distribution::lognormal, "lognormal", "SIGMA", 0, 10,
     "every expert has a weight, of which the logarithm has this deviation"},
    {Distribution::hot, "hot", "SHARE", 0, 1,
     "one expert is among those of this share of the tokens, the others are alike"},
    {Distribution::file, "file", "PATH", 0, 0, "what a trace file says; docs/patterns/routing.md"},
}};
static_assert(in_enum_order(kDistributions, &DistributionRow::distribution));

constexpr const DistributionRow& row_of(Distribution distribution) {
  return kDistributions[static_cast<std::size_t>(distribution)];
}

/// As a user gives it: "zipf:EXPONENT".
std::string named_with_parameter(const DistributionRow& row);

/// Node-limited routing: experts stand in equal groups, and a token takes its own from the best.
struct GroupLimit {
  int groups = 1;
  int per_token = 1;
  bool operator==(const GroupLimit&) const = default;
};

inline constexpr std::uint64_t kUsualSeed = 1;

struct RoutingSpec {
  Distribution distribution = Distribution::balanced;
  double parameter = 0;
  std::string path = {};  // of file
  std::uint64_t seed = kUsualSeed;
  std::optional<GroupLimit> groups = {};  // absent: those of the model
  std::optional<double> capacity = {};    // factor; absent: no copy is dropped, none is padded

  bool operator==(const RoutingSpec&) const = default;
};

/// Reads "balanced", "zipf:1.2,seed:7,groups:8/4,capacity:1.25", "file:routes.txt": a distribution,
/// then in any order what is to be different. Throws UserError that names the flag.
RoutingSpec parse_routing_spec(std::string_view text, std::string_view flag);

/// What parse_routing_spec reads as the same, without what is as usual.
std::string to_text(const RoutingSpec& spec);

}  // namespace collbench::routing
