// SPDX-License-Identifier: Apache-2.0
// Groups of ranks that run the same operation at the same time, each on a communicator of its own.
//
// The rules are those of nccl-tests: a rank's colour is its number AND, OR, MOD or DIV another one,
// and ranks of one colour are a group. What nccl-tests takes for one group (garbage) or dies of
// (MOD 0) is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "comm/launcher_facts.h"

namespace collbench {

enum class GroupOperator : std::uint8_t { bit_and, bit_or, modulo, divide };

struct GroupRule {
  GroupOperator op = GroupOperator::modulo;
  std::uint64_t number = 1;

  /// What ranks of one group have in common; fits into an int.
  int color_of(int rank) const;

  bool operator==(const GroupRule&) const = default;
};

/// "MOD 2", "DIV 0x8", "AND 7", "OR 0b10"; the operator may be & | % / instead, in any case, with
/// or without a blank. Throws UserError that begins with `source`, the flag or variable.
GroupRule parse_group_rule(std::string_view text, std::string_view source);

/// "0x7" or "7": rank AND a hexadecimal number. Throws UserError that begins with `source`.
GroupRule parse_group_mask(std::string_view text, std::string_view source);

/// The rule of a run: of --split where it is given, else of NCCL_TESTS_SPLIT_MASK, else of
/// NCCL_TESTS_SPLIT; nothing where there is none. A variable that is empty is none.
std::optional<GroupRule> group_rule(const std::optional<std::string>& split_flag,
                                    const ReadEnvironment& read);

/// "MOD 2"; masks are AND.
std::string to_text(const GroupRule& rule);

/// Ranks of the run by group, in ascending order.
using RanksOfGroups = std::vector<std::vector<int>>;

/// The groups of a run, numbered from 0 in the order of their colours.
struct Groups {
  std::vector<int> group_of_rank;
  RanksOfGroups ranks_of_group;
};

/// Without a rule all ranks are one group.
Groups make_groups(const std::optional<GroupRule>& rule, int ranks);

}  // namespace collbench
