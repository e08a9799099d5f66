// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/host_scaling.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "base/element.h"

namespace collbench {
namespace {

// Values all over a type's range, its limits among them: more than one table's worth for the 8-bit
// types, and no multiple of a vector unit's width.
template <class T>
std::vector<T> some_values() {
  std::vector<T> values(1003);
  std::uint64_t bits = 1;
  for (T& value : values) {
    bits *= 0x9e3779b97f4a7c15ULL;
    const std::uint64_t mixed = bits ^ (bits >> 29);
    std::memcpy(&value, &mixed, sizeof value);
  }
  if constexpr (kIsInteger<T>) {
    values[5] = std::numeric_limits<T>::min();
    values[6] = std::numeric_limits<T>::max();
  }
  return values;
}

template <class T>
bool is_nan(T value) {
  if constexpr (kIsInteger<T>) {
    return false;
  } else {
    return std::isnan(to_double(value));
  }
}

template <class T>
void expect_same(T found, T wanted, const std::string& what) {
  if (is_nan(wanted)) {
    ASSERT_TRUE(is_nan(found)) << what;
  } else {
    ASSERT_EQ(std::memcmp(&found, &wanted, sizeof found), 0) << what;
  }
}

template <class T>
T quotient(T value, int divisor) {
  if constexpr (kIsInteger<T>) {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<T>(static_cast<Wide>(value) / static_cast<Wide>(divisor));
  } else {
    return from_double<T>(to_double(value) / divisor);
  }
}

TEST(Divide, GivesTheNearestOrTheTruncatedQuotient) {
  for (const DataTypeRow& row : kDataTypes) {
    visit_element_type(row.type, [&](auto element) {
      using T = typename decltype(element)::type;
      for (const int divisor : {1, 2, 3, 7, 257, 2049, 4095}) {
        for (const Count count : {Count{9}, Count{1003}}) {
          const std::vector<T> before = some_values<T>();
          std::vector<T> after = before;
          divide(after.data(), count, row.type, divisor);
          for (Count i = 0; i < count; ++i) {
            expect_same(after[i], quotient(before[i], divisor),
                        fmt::format("{} {} / {}", row.name, i, divisor));
          }
          if (count < after.size()) expect_same(after[count], before[count], "behind the last");
        }
      }
    });
  }
}

TEST(Divide, RoundsOnce) {
  std::vector<float> floats = {1, 2, -10, 0, 1e-45F};
  divide(floats.data(), floats.size(), DataType::float32, 3);
  EXPECT_EQ(floats, (std::vector<float>{1.0F / 3, 2.0F / 3, -10.0F / 3, 0, 0}));

  std::vector<BFloat16> brains = {to_bfloat16(1), to_bfloat16(-10), to_bfloat16(12)};
  divide(brains.data(), brains.size(), DataType::bfloat16, 3);
  EXPECT_EQ(brains[0].bits, 0x3eab);  // 0.333984375, nearer to 1/3 than 0.33203125
  EXPECT_EQ(brains[1].bits, 0xc055);  // -3.328125
  EXPECT_EQ(to_float(brains[2]), 4);

  std::vector<Half> halves = {{0x0003}, {0x0005}};  // units of 2^-24
  divide(halves.data(), halves.size(), DataType::half, 2);
  EXPECT_EQ(halves[0].bits, 2);  // 1.5, a tie
  EXPECT_EQ(halves[1].bits, 2);  // 2.5, a tie
}

TEST(Scale, MultipliesWithOneRounding) {
  for (const DataTypeRow& row : kDataTypes) {
    visit_element_type(row.type, [&](auto element) {
      using T = typename decltype(element)::type;
      for (const int factor : {1, 2, 3}) {
        for (const Count count : {Count{9}, Count{1003}}) {
          const std::vector<T> from = some_values<T>();
          std::vector<T> to(from.size());
          std::vector<T> itself = from;
          scale(from.data(), to.data(), count, row.type, factor);
          scale(itself.data(), itself.data(), count, row.type, factor);
          for (Count i = 0; i < count; ++i) {
            T wanted{};
            if constexpr (kIsInteger<T>) {
              wanted = static_cast<T>(static_cast<std::uint64_t>(from[i]) *
                                      static_cast<std::uint64_t>(factor));
            } else {
              wanted = from_double<T>(to_double(from[i]) * factor);
            }
            const std::string what = fmt::format("{} {} * {}", row.name, i, factor);
            expect_same(to[i], wanted, what);
            expect_same(itself[i], wanted, what);
          }
          if (count < to.size()) expect_same(to[count], T{}, "behind the last");
        }
      }
    });
  }
}

}  // namespace
}  // namespace collbench
