// SPDX-License-Identifier: Apache-2.0
#include "measure/test_data.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "base/element.h"
#include "measure/reduction_terms.h"

namespace collbench {
namespace {

template <Bytes kBytes>
using Bits = std::conditional_t<
    kBytes == 1, std::uint8_t,
    std::conditional_t<kBytes == 2, std::uint16_t,
                       std::conditional_t<kBytes == 4, std::uint32_t, std::uint64_t>>>;

// What a number is drawn for.
enum Draw : unsigned { kAnyValue = 16, kWinner, kLoser, kOddFactor };

std::uint64_t within(std::uint64_t random, std::uint64_t least, std::uint64_t largest) {
  const std::uint64_t span = largest - least;
  return span == ~std::uint64_t{0} ? random : least + random % (span + 1);
}

// The values of a type stand in ascending order at the places 0, 1, ...: all integers; of floating
// types all normal numbers, since 0 and -0 compare equal, and devices may take the smaller ones
// for 0.
template <class T>
constexpr std::uint64_t kLeastNormal = 1ULL << (kFloatRange<T>.digits - 1);  // its pattern
template <class T>
constexpr std::uint64_t kPositives = kFloatRange<T>.largest_bits - kLeastNormal<T> + 1;

template <class T>
constexpr std::uint64_t last_place() {
  if constexpr (kIsInteger<T>) {
    return ~std::uint64_t{0} >> (64 - 8 * sizeof(T));
  } else {
    return 2 * kPositives<T> - 1;
  }
}

template <class T>
T value_at(std::uint64_t place) {
  constexpr std::uint64_t kSign = 1ULL << (8 * sizeof(T) - 1);
  if constexpr (std::is_unsigned_v<T>) {
    return static_cast<T>(place);
  } else if constexpr (kIsInteger<T>) {
    return static_cast<T>(place - kSign);
  } else {
    const std::uint64_t bits = place < kPositives<T> ? kSign | (kFloatRange<T>.largest_bits - place)
                                                     : kLeastNormal<T> + (place - kPositives<T>);
    return std::bit_cast<T>(static_cast<Bits<sizeof(T)>>(bits));
  }
}

// The data of one key in its type.
template <class T>
class TypedData {
 public:
  explicit TypedData(const TestDataKey& key)
      : key_(key), sums_(key, number_range<T>()), products_(key, number_range<T>()) {}

  T of_rank(int rank, Count slot) const {
    if (!key_.op) {
      return value_at<T>(within(random_bits(key_, rank, slot, kAnyValue), 0, last_place<T>()));
    }
    switch (*key_.op) {
      case ReduceOp::sum:
      case ReduceOp::avg:
        return number(sums_.of(rank, slot), 1);
      case ReduceOp::mulsum:
        return number(sums_.of(rank, slot), mulsum_scalar(rank));
      case ReduceOp::prod:
        return factor(rank, slot);
      case ReduceOp::max:
      case ReduceOp::min:
        return contestant(rank, slot);
    }
    throw std::logic_error("no reduction");
  }

  T reduced(Count slot) const {
    switch (key_.op.value()) {
      case ReduceOp::sum:
      case ReduceOp::mulsum:
        return quotient(sums_.total(slot), 1);
      case ReduceOp::avg:
        return quotient(sums_.total(slot), key_.ranks);
      case ReduceOp::prod:
        return product(slot);
      case ReduceOp::max:
      case ReduceOp::min:
        return contestant(leader(key_, slot), slot);
    }
    throw std::logic_error("no reduction");
  }

 private:
  static constexpr bool kIsUnsigned = std::is_unsigned_v<T>;

  // The term divided by the scalar, by which it can be divided.
  static T number(SumTerms::Term term, int scalar) {
    if constexpr (kIsInteger<T>) {
      const std::uint64_t magnitude = term.magnitude / static_cast<std::uint64_t>(scalar);
      return static_cast<T>(term.negative ? 0 - magnitude : magnitude);
    } else {
      const double magnitude = static_cast<double>(term.magnitude) / scalar;
      return from_double<T>(term.negative ? -magnitude : magnitude);
    }
  }

  // Of a total in two's complement. A quotient of integers this small is never within a double's
  // rounding of a tie of a shorter type, so rounding to double first changes nothing.
  static T quotient(std::uint64_t total, int ranks) {
    const auto with_sign = static_cast<std::int64_t>(total);
    if constexpr (kIsUnsigned) {
      return static_cast<T>(total / static_cast<std::uint64_t>(ranks));
    } else if constexpr (kIsInteger<T>) {
      return static_cast<T>(with_sign / ranks);
    } else {
      return from_double<T>(static_cast<double>(with_sign) / ranks);
    }
  }

  static T number(ProductTerms::Term term) {
    if constexpr (kIsInteger<T>) {
      const std::uint64_t magnitude = term.factor << term.exponent;
      return static_cast<T>(term.negative ? 0 - magnitude : magnitude);
    } else {
      const double magnitude = std::ldexp(static_cast<double>(term.factor), term.exponent);
      return from_double<T>(term.negative ? -magnitude : magnitude);
    }
  }

  // Odd numbers change every product, and their products wrap around as C++ defines it.
  std::uint64_t odd_factor(int rank, Count slot) const {
    return random_bits(key_, rank, slot, kOddFactor) | 1;
  }

  T factor(int rank, Count slot) const {
    if constexpr (kIsUnsigned) {
      return static_cast<T>(odd_factor(rank, slot));
    } else {
      return number(products_.of(rank, slot));
    }
  }

  T product(Count slot) const {
    if constexpr (kIsUnsigned) {
      std::uint64_t product = 1;
      for (int rank = 0; rank < key_.ranks; ++rank) product *= odd_factor(rank, slot);
      return static_cast<T>(product);
    } else {
      return number(products_.total(slot));
    }
  }

  // The leader of the slot wins alone.
  T contestant(int rank, Count slot) const {
    constexpr std::uint64_t kLast = last_place<T>();
    const std::uint64_t winner = within(random_bits(key_, 0, slot, kWinner), 1, kLast);
    const std::uint64_t place = rank == leader(key_, slot)
                                    ? winner
                                    : within(random_bits(key_, rank, slot, kLoser), 0, winner - 1);
    return value_at<T>(key_.op == ReduceOp::max ? place : kLast - place);
  }

  TestDataKey key_;
  SumTerms sums_;
  ProductTerms products_;
};

// The pattern of value(data, slot).
template <class Value>
Pattern make_pattern(const TestDataKey& key, Value value) {
  Pattern pattern;
  pattern.type = key.type;
  visit_element_type(key.type, [&](auto element) {
    using T = typename decltype(element)::type;
    const TypedData<T> data(key);
    for (Count slot = 0; slot < kPatternValues; ++slot) {
      const T v = value(data, slot);
      std::memcpy(pattern.values.data() + slot * sizeof v, &v, sizeof v);
    }
  });
  return pattern;
}

}  // namespace

Pattern rank_data(const TestDataKey& key, int rank) {
  return make_pattern(key, [&](const auto& data, Count slot) { return data.of_rank(rank, slot); });
}

Pattern reduced_data(const TestDataKey& key) {
  return make_pattern(key, [](const auto& data, Count slot) { return data.reduced(slot); });
}

std::string show_value(DataType type, const std::byte* bytes) {
  return visit_element_type(type, [&](auto element) {
    using T = typename decltype(element)::type;
    T value{};
    std::memcpy(&value, bytes, sizeof value);
    if constexpr (std::is_arithmetic_v<T>) {
      return fmt::format("{}", +value);
    } else {
      return fmt::format("{}", to_float(value));
    }
  });
}

}  // namespace collbench
