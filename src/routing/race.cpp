// SPDX-License-Identifier: Apache-2.0
#include "routing/race.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace collbench::routing {
namespace {

// ---- exponential times, in integers: alike everywhere, and faster than a logarithm

constexpr unsigned kFractionBits = 32, kCellBits = 10;
constexpr std::size_t kCells = std::size_t{1} << kCellBits;

/// log2(1 + i/kCells) in units of 2^-32.
std::array<std::uint64_t, kCells + 1> table_of_log2() {
  std::array<std::uint64_t, kCells + 1> table = {};
  for (std::size_t i = 0; i <= kCells; ++i) {
    const double x = static_cast<double>(kCells + i) / static_cast<double>(kCells);
    table[i] = static_cast<std::uint64_t>(portable_log2(x) * 0x1p32);
  }
  return table;
}

/// -log2 of a uniform number in (0, 1], in units of 2^-32, to 2e-7.
std::uint64_t exponential(PortableRandom& random) {
  static const std::array<std::uint64_t, kCells + 1> kTable = table_of_log2();
  const std::uint64_t bits = random.next() | 1U;
  const auto leading_zeros = static_cast<unsigned>(std::countl_zero(bits));
  const std::uint64_t mantissa = (bits << leading_zeros) << 1U;  // without its leading one
  const std::uint64_t cell = mantissa >> (64U - kCellBits);
  const std::uint64_t within = (mantissa << kCellBits) >> kFractionBits;
  const std::uint64_t step = kTable[cell + 1] - kTable[cell];
  const std::uint64_t log2 = kTable[cell] + ((step * within) >> kFractionBits);
  return ((std::uint64_t{leading_zeros} + 1) << kFractionBits) - log2;
}

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

Race::Race(const Shape& shape, std::span<const std::uint64_t> weights)
    : per_token_(shape.per_token),
      groups_per_token_(static_cast<std::size_t>(shape.groups.per_token)) {
  const auto groups = static_cast<std::size_t>(shape.groups.groups);
  const std::size_t size = weights.size() / groups;
  for (std::size_t g = 0; g < groups; ++g) {
    groups_.push_back({.weighted = Weighted(weights.subspan(g * size, size)),
                       .last_race = std::vector<std::uint64_t>(size, 0)});
  }
}

std::size_t Race::draw_expert(Group& group, PortableRandom& random) const {
  const std::size_t expert = group.weighted.draw_other(
      random, group.taken_weight, [&](std::size_t x) { return group.last_race[x] == race_; });
  group.last_race[expert] = race_;
  group.taken_weight += group.weighted.weight(expert);
  return expert;
}

double Race::wait(const Group& group, PortableRandom& random) const {
  const std::uint64_t left = group.weighted.total() - group.taken_weight;
  if (left == 0) return kNever;
  return static_cast<double>(exponential(random)) / static_cast<double>(left);
}

double Race::key(Group& group, PortableRandom& random, double enough) const {
  group.taken_weight = 0;
  group.taken = 0;
  group.first_time = wait(group, random);
  group.next = group.first_time;
  const bool is_alone = group.weighted.size() == 1;
  // The second comes later than the first.
  if (!is_alone && group.first_time * group.first_time >= enough) return kNever;
  group.first = draw_expert(group, random);
  group.second = group.first_time + wait(group, random);
  return is_alone ? group.first_time : group.first_time * group.second;
}

void Race::choose_groups(PortableRandom& random) {
  chosen_.clear();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const bool is_full = chosen_.size() == groups_per_token_;
    const double found = key(groups_[g], random, is_full ? chosen_.back().key : kNever);
    if (is_full && found >= chosen_.back().key) continue;
    if (is_full) chosen_.pop_back();
    std::size_t place = chosen_.size();
    while (place > 0 && chosen_[place - 1].key > found) --place;
    chosen_.insert(chosen_.begin() + static_cast<std::ptrdiff_t>(place), {found, g});
  }
}

std::uint16_t Race::take_next(PortableRandom& random) {
  const auto next =
      std::min_element(chosen_.begin(), chosen_.end(), [&](const Chosen& a, const Chosen& b) {
        return groups_[a.group].next < groups_[b.group].next;
      });
  Group& group = groups_[next->group];
  const bool is_first = group.taken++ == 0;
  const std::size_t expert = is_first ? group.first : draw_expert(group, random);
  group.next = is_first ? group.second : group.next + wait(group, random);
  return static_cast<std::uint16_t>(next->group * group.weighted.size() + expert);
}

void Race::draw(PortableRandom& random, std::vector<std::uint16_t>& experts) {
  ++race_;
  choose_groups(random);
  for (int i = 0; i < per_token_; ++i) experts.push_back(take_next(random));
}

}  // namespace collbench::routing
