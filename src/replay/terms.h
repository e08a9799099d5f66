// SPDX-License-Identifier: Apache-2.0
// Terms: what the values of test data are made of, through chains of reductions of which no step
// may round.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/data_type.h"
#include "base/reduce_op.h"
#include "comm/pattern.h"

namespace collbench::replay {

using TermIndex = std::uint32_t;

/// Tables of 256 whole numbers: fresh ones, and reductions of others, value by value.
///
/// First all terms are made, then `settle` says how large fresh numbers may be: as large as fits
/// into every sum that they become a part of, however often, and in any order of adding. Where more
/// of them meet than the type has exact integers, each gives only every k-th value. So every table
/// is exact in its type.
class Terms {
 public:
  /// Numbers that no other key has: positive, and where the type has a sign negative ones.
  TermIndex fresh(DataType type, std::uint64_t key);

  /// Numbers that are given, at most 256: those of a tensor's first elements.
  TermIndex given(DataType type, const std::vector<std::int64_t>& numbers);

  /// Of terms of one type. Throws std::logic_error for other types, and for reductions other than
  /// sum, max and min.
  TermIndex reduced(ReduceOp op, DataType type, std::vector<TermIndex> parts);

  DataType type_of(TermIndex term) const { return terms_[term].type; }

  /// Nothing is made any more.
  void settle();

  /// The same object for the same term. Throws std::logic_error where a sum is not exact.
  std::shared_ptr<const Pattern> pattern(TermIndex term);

 private:
  struct Term {
    DataType type;
    std::optional<ReduceOp> op = {};         // absent: fresh
    std::uint64_t key = 0;                   // of a fresh one
    std::vector<std::int64_t> numbers = {};  // of a given one
    std::vector<TermIndex> parts = {};       // of a reduction
    std::uint64_t weight = 1;  // so many times the largest fresh number is the most it can be
    std::uint64_t room = 1;    // the largest weight of what it is a part of
    std::uint64_t turn = 0;    // among the fresh ones of the heaviest of those
    std::shared_ptr<const Pattern> pattern = nullptr;
  };
  struct Table {
    std::array<std::int64_t, kPatternValues> values{};
    std::array<std::uint64_t, kPatternValues> most{};  // what a partial sum can have, either sign
  };

  void take_turns();
  const Table& table(TermIndex term);
  Table fresh_table(const Term& term) const;
  static Table given_table(const Term& term);
  Table reduced_table(const Term& term);

  std::vector<Term> terms_;                     // parts before what is made of them
  std::vector<std::unique_ptr<Table>> tables_;  // made when asked for
};

}  // namespace collbench::replay
