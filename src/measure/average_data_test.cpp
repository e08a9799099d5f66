// SPDX-License-Identifier: Apache-2.0
// Averages of floating numbers, which libraries make in two ways.
#include <gtest/gtest.h>

#include <type_traits>

#include "measure/test_data_of_ranks.h"

namespace collbench {
namespace {

class AverageData : public ::testing::TestWithParam<DataTypeRow> {};

// As NCCL averages: each rank's data times 1/n, which is rounded to the type by way of a float.
template <class T>
T scaled_by_inverse(T value, int ranks) {
  const T inverse =
      from_double<T>(std::is_same_v<T, double> ? 1.0 / ranks : static_cast<float>(1.0 / ranks));
  return multiply_in_type(value, inverse);
}

TEST_P(AverageData, AreTheSameByDividingSumsAndBySummingQuotients) {
  std::mt19937 random(3);
  visit_element_type(GetParam().type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!kIsInteger<T>) {
      // Beyond it 1/n is no normal number.
      const int most = GetParam().type == DataType::f8e4m3 ? 64 : 5000;
      for (const int ranks : {1, 2, 3, 5, 6, 7, 11, 48, 63, 64, 97, 257, 1000, 4099}) {
        if (ranks > most) continue;
        const TestDataKey key{GetParam().type, ReduceOp::avg, ranks, 11};
        const AllRanks<T> data(key);
        const Pattern expected = reduced_data(key);
        for (Count slot = 0; slot<kPatternValues; slot += ranks> 300 ? 37 : 1) {
          std::vector<T> quotients = data.inputs(slot);
          for (T& value : quotients) value = scaled_by_inverse(value, ranks);
          const T found = reduce_in_some_order(ReduceOp::sum, std::move(quotients), random);
          ASSERT_TRUE(is_same(found, element<T>(expected, slot)))
              << name_of(key.type) << ", " << ranks << " ranks"
              << ", slot " << slot;
        }
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Types, AverageData, ::testing::ValuesIn(kDataTypes),
                         [](const auto& type) { return std::string(type.param.name); });

}  // namespace
}  // namespace collbench
