// SPDX-License-Identifier: Apache-2.0
#include "base/enum_rows.h"

#include <gtest/gtest.h>

namespace collbench {
namespace {

enum class Colour { red, green, blue };

struct ColourRow {
  Colour colour;
  const char* name;
};

using Colours = std::array<ColourRow, 3>;

TEST(EnumRows, StandInTheOrderOfTheirEnumerators) {
  constexpr Colours ordered = {{{Colour::red, "r"}, {Colour::green, "g"}, {Colour::blue, "b"}}};
  EXPECT_TRUE(in_enum_order(ordered, &ColourRow::colour));
  constexpr Colours swapped = {{{Colour::red, "r"}, {Colour::blue, "b"}, {Colour::green, "g"}}};
  EXPECT_FALSE(in_enum_order(swapped, &ColourRow::colour));
  constexpr Colours doubled = {{{Colour::red, "r"}, {Colour::green, "g"}, {Colour::green, "b"}}};
  EXPECT_FALSE(in_enum_order(doubled, &ColourRow::colour));
  constexpr std::array<ColourRow, 1> first_missing = {{{Colour::green, "g"}}};
  EXPECT_FALSE(in_enum_order(first_missing, &ColourRow::colour));
}

}  // namespace
}  // namespace collbench
