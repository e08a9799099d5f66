// SPDX-License-Identifier: Apache-2.0
// Race: the choice of experts where a token uses some groups of them only.
//
// The k best of scores with Gumbel's noise are the k first of experts that arrive after exponential
// times, each at the rate of its weight: score = -ln(time). Within a group the next to arrive is
// drawn by weight, after a time at the rate of all that are left; so a token costs a few draws of
// each group, not one of each expert.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/shape.h"
#include "routing/weighted.h"

namespace collbench::routing {

class Race {
 public:
  Race(const Shape& shape, std::span<const std::uint64_t> weights);

  /// Appends the experts of a token: the best of the groups whose two best have the largest sum of
  /// scores. Source: DeepSeek-V3, arXiv 2412.19437, section 2.1.2, and its code (there a score is
  /// a sigmoid; the logarithm here has the same order, and no scale to choose).
  void draw(PortableRandom& random, std::vector<std::uint16_t>& experts);

 private:
  /// The experts of a group that have not been taken, and when the next of them comes.
  struct Group {
    Weighted weighted;
    std::vector<std::uint64_t> last_race;  // of each expert, that it was taken in
    std::uint64_t taken_weight = 0;
    std::size_t taken = 0;
    std::size_t first = 0;              // to come, already drawn to know ...
    double first_time = 0, second = 0;  // ... when the second comes
    double next = 0;                    // when the next comes; infinite: none is left
  };

  std::size_t draw_expert(Group& group, PortableRandom& random) const;
  double wait(const Group& group, PortableRandom& random) const;

  /// exp(-sum of the two best scores): the least is best. Infinite where it is
  /// not below `enough`, as far as that is seen early.
  double key(Group& group, PortableRandom& random, double enough) const;
  void choose_groups(PortableRandom& random);
  std::uint16_t take_next(PortableRandom& random);

  struct Chosen {
    double key = 0;
    std::size_t group = 0;
  };

  int per_token_;
  std::size_t groups_per_token_;
  std::vector<Group> groups_;
  std::vector<Chosen> chosen_;  // best first
  std::uint64_t race_ = 0;
};

}  // namespace collbench::routing
