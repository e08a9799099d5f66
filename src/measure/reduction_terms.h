// SPDX-License-Identifier: Apache-2.0
// What each rank contributes to each value of a reduction, so that every partial result is exact in
// the type, whatever the order: numbers that have no type yet.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/element.h"
#include "comm/pattern.h"
#include "measure/test_data.h"

namespace collbench {

/// Which numbers a type has, as far as exactness depends on them.
struct NumberRange {
  bool integer;
  bool has_sign;
  int digits;        // integers: up to 2^digits - 1; floating types: up to 2^digits are exact
  int min_exponent;  // of floating types: 2^min_exponent is the least normal number
  int max_exponent;  // of floating types: 2^max_exponent is the largest power of two
};

template <class T>
constexpr NumberRange number_range() {
  if constexpr (kIsInteger<T>) {
    return {true, std::is_signed_v<T>, std::numeric_limits<T>::digits, 0, 0};
  } else {
    constexpr FloatRange kRange = kFloatRange<T>;
    return {false, true, kRange.digits, kRange.min_exponent, kRange.max_exponent};
  }
}

/// A number of 64 well-mixed bits for a rank and a slot of a pattern; `draw` tells those apart that
/// are drawn for the same ones.
std::uint64_t random_bits(const TestDataKey& key, int rank, Count slot, unsigned draw);

/// The rank that a slot is made for, where it takes one: every rank in its turn, over the 256 slots
/// and then over consecutive seeds.
int leader(const TestDataKey& key, Count slot);

/// What sum, avg and mulsum add: integers whose partial sums all stay within the exact ones.
///
/// Of many ranks only every stride-th contributes to a slot, but each to at least one of 256. Where
/// still more contribute than fit, those beyond have the opposite sign, which doubles the room, and
/// those beyond these contribute nothing: they get their turn with another seed. Contributions to
/// an average of integers are large enough that the quotient tells whether one is missing.
///
/// An average of floating numbers is a sum and a division after it with some libraries; with NCCL
/// each rank's data is multiplied with 1/n, rounded to the type, before the sum. Both give the same
/// bits for powers of two, and as long as partial sums are powers of two of the same quotient.
class SumTerms {
 public:
  SumTerms(const TestDataKey& key, const NumberRange& range);

  struct Term {
    std::uint64_t magnitude = 0;
    bool negative = false;
  };

  /// What the rank adds; of mulsum: once its data has been multiplied with its scalar.
  Term of(int rank, Count slot) const;

  /// The sum over all ranks, in two's complement.
  std::uint64_t total(Count slot) const;

 private:
  bool averages_floats() const { return key_.op == ReduceOp::avg && !range_.integer; }
  void share_slots(std::uint64_t wanted);
  Term averaged(Count slot, std::uint64_t turn) const;
  bool is_negative(int rank, Count slot, std::uint64_t group) const;

  TestDataKey key_;
  NumberRange range_;
  std::uint64_t ranks_;
  std::uint64_t stride_ = 1;
  std::uint64_t per_slot_ = 1;  // at most so many ranks contribute to a slot
  std::uint64_t fit_ = 1;       // so many of the same sign stay within the exact integers
  std::uint64_t least_ = 1;     // contributions
  std::uint64_t largest_ = 1;
};

/// What prod multiplies, for types with a sign: plus or minus a power of two each, and a factor of
/// many digits for the slot's leader.
///
/// Exponents differ from zero for so few ranks, and by so little, that their sum stays in range
/// whatever the order. A missing rank is seen by its sign.
class ProductTerms {
 public:
  ProductTerms(const TestDataKey& key, const NumberRange& range);

  /// (-1)^negative * factor * 2^exponent
  struct Term {
    bool negative = false;
    std::uint64_t factor = 1;
    int exponent = 0;
  };

  Term of(int rank, Count slot) const;
  Term total(Count slot) const;

 private:
  int exponent(int rank, Count slot) const;

  TestDataKey key_;
  NumberRange range_;
  int stride_ = 1;            // every stride-th rank has an exponent
  int largest_exponent_ = 0;  // of a rank
  std::uint64_t least_factor_ = 1;
  std::uint64_t largest_factor_ = 1;
};

}  // namespace collbench
