// SPDX-License-Identifier: Apache-2.0
#include "measure/reduction_terms.h"

#include <algorithm>
#include <cmath>

namespace collbench {
namespace {

// What a number is drawn for.
enum Draw : unsigned { kMagnitude = 1, kSign, kExponent, kFactor };

constexpr int kOfTheSlot = 0;  // the rank of draws that are the same for all ranks

template <class Integer>
Integer divide_up(Integer dividend, Integer divisor) {
  return (dividend + divisor - 1) / divisor;
}

std::uint64_t exact_limit(const NumberRange& range) {
  if (range.digits == 64) return ~std::uint64_t{0};
  return (1ULL << range.digits) - (range.integer ? 1 : 0);
}

// Of floating types only so many ranks have a part in a slot's average.
constexpr std::uint64_t kAveraged = 3;

}  // namespace

std::uint64_t random_bits(const TestDataKey& key, int rank, Count slot, unsigned draw) {
  std::uint64_t x = key.seed * 0x9e3779b97f4a7c15ULL;
  x ^= (static_cast<std::uint64_t>(rank) << 20) ^ (std::uint64_t{draw} << 12) ^ slot;
  for (int round = 0; round < 2; ++round) {  // of multiply and xor-shift
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 27;
  }
  return x;
}

int leader(const TestDataKey& key, Count slot) {
  const auto ranks = static_cast<std::uint64_t>(key.ranks);
  return static_cast<int>((key.seed % ranks * kPatternValues + slot) % ranks);
}

SumTerms::SumTerms(const TestDataKey& key, const NumberRange& range)
    : key_(key), range_(range), ranks_(static_cast<std::uint64_t>(key.ranks)) {
  if (averages_floats()) {
    share_slots(kAveraged);
    return;
  }
  std::uint64_t limit = exact_limit(range);
  if (key.op == ReduceOp::mulsum && range.integer) limit /= 2;  // of data that is then doubled
  if (key.op == ReduceOp::avg) least_ = ranks_;  // the least that changes the quotient for sure
  if (least_ > limit) least_ = 1;                // the average is 0, whoever contributes
  constexpr std::uint64_t kChoice = 3;  // so many contributions of different size, if possible
  const std::uint64_t wanted = std::clamp<std::uint64_t>(limit / least_ / kChoice, 1, ranks_);
  share_slots(wanted);
  fit_ = limit / least_;
  largest_ = limit / std::min(per_slot_, fit_);
}

void SumTerms::share_slots(std::uint64_t wanted) {
  stride_ = std::min<std::uint64_t>(divide_up(ranks_, wanted), kPatternValues);
  per_slot_ = divide_up(ranks_, stride_);
}

// Two ranks give the slot's power of two and the third takes it back. In no order is a partial sum
// other than 0 or once or twice that power, with either sign.
SumTerms::Term SumTerms::averaged(Count slot, std::uint64_t turn) const {
  if (turn >= kAveraged) return {};
  const std::uint64_t exponents = static_cast<std::uint64_t>(range_.digits) - 1;
  const std::uint64_t exponent = random_bits(key_, kOfTheSlot, slot, kExponent) % exponents;
  const bool negative = random_bits(key_, kOfTheSlot, slot, kSign) % 2 != 0;
  return {1ULL << exponent, negative != (turn + 1 == kAveraged)};
}

bool SumTerms::is_negative(int rank, Count slot, std::uint64_t group) const {
  if (!range_.has_sign) return false;
  const bool same_for_all = key_.op == ReduceOp::avg || per_slot_ > fit_;
  const int drawn_by = same_for_all ? kOfTheSlot : rank;
  const bool negative = random_bits(key_, drawn_by, slot, kSign) % 2 != 0;
  return negative != (group != 0);
}

SumTerms::Term SumTerms::of(int rank, Count slot) const {
  const auto r = static_cast<std::uint64_t>(rank);
  if ((r + slot + key_.seed % stride_) % stride_ != 0) return {};
  const std::uint64_t turn = (r / stride_ + key_.seed % per_slot_) % per_slot_;
  if (averages_floats()) return averaged(slot, turn);
  const std::uint64_t group = turn / fit_;
  if (group > (range_.has_sign ? 1U : 0U)) return {};
  std::uint64_t magnitude =
      least_ + random_bits(key_, rank, slot, kMagnitude) % (largest_ - least_ + 1);
  if (key_.op == ReduceOp::mulsum && range_.integer) {
    magnitude *= static_cast<std::uint64_t>(mulsum_scalar(rank));
  }
  return {magnitude, is_negative(rank, slot, group)};
}

std::uint64_t SumTerms::total(Count slot) const {
  std::uint64_t sum = 0;
  const std::uint64_t first = (stride_ - (slot + key_.seed % stride_) % stride_) % stride_;
  for (std::uint64_t rank = first; rank < ranks_; rank += stride_) {
    const Term term = of(static_cast<int>(rank), slot);
    sum += term.negative ? 0 - term.magnitude : term.magnitude;
  }
  return sum;
}

ProductTerms::ProductTerms(const TestDataKey& key, const NumberRange& range)
    : key_(key), range_(range) {
  const int room = range.integer ? range.digits / 2  // and the other half for the factor
                                 : std::min(range.max_exponent - 1, -range.min_exponent);
  stride_ = divide_up(key.ranks, std::min(key.ranks, room));
  largest_exponent_ = room / divide_up(key.ranks, stride_);
  const int factor_digits = range.integer ? range.digits - room : range.digits;
  largest_factor_ = (1ULL << factor_digits) - 1;
  if (!range.integer) least_factor_ = 1ULL << (factor_digits - 1);
}

int ProductTerms::exponent(int rank, Count slot) const {
  if ((static_cast<Count>(rank) + slot) % static_cast<Count>(stride_) != 0) return 0;
  const int least = range_.integer ? 0 : -largest_exponent_;
  const auto choice = static_cast<std::uint64_t>(largest_exponent_ - least + 1);
  return least + static_cast<int>(random_bits(key_, rank, slot, kExponent) % choice);
}

ProductTerms::Term ProductTerms::of(int rank, Count slot) const {
  Term term{.negative = random_bits(key_, rank, slot, kSign) % 2 != 0,
            .exponent = exponent(rank, slot)};
  if (rank != leader(key_, slot)) return term;
  const std::uint64_t choice = largest_factor_ - least_factor_ + 1;
  term.factor = least_factor_ + random_bits(key_, rank, slot, kFactor) % choice;
  if (!range_.integer) term.exponent -= range_.digits - 1;  // the factor is between 1 and 2
  return term;
}

ProductTerms::Term ProductTerms::total(Count slot) const {
  Term product;
  for (int rank = 0; rank < key_.ranks; ++rank) {
    const Term term = of(rank, slot);
    product.negative ^= term.negative;
    product.factor *= term.factor;
    product.exponent += term.exponent;
  }
  return product;
}

}  // namespace collbench
