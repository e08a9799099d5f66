// SPDX-License-Identifier: Apache-2.0
#include "model/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/enum_rows.h"
#include "base/errors.h"
#include "base/named_rows.h"

namespace collbench::model {
namespace {

struct DimensionRow {
  Dimension dimension;
  std::string_view name;
};

constexpr std::array<DimensionRow, 5> kDimensions = {{
    {Dimension::tp, "tp"},
    {Dimension::cp, "cp"},
    {Dimension::ep, "ep"},
    {Dimension::dp, "dp"},
    {Dimension::pp, "pp"},
}};
static_assert(in_enum_order(kDimensions, &DimensionRow::dimension));

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  while (true) {
    const std::size_t length = std::min(text.find('-'), text.size());
    found.push_back(text.substr(0, length));
    if (length == text.size()) return found;
    text.remove_prefix(length + 1);
  }
}

}  // namespace

Order parse_order(std::string_view text, std::string_view flag) {
  for (const NamedOrder& row : kOrders) {
    if (row.name == text) return row.order;
  }
  const auto refuse = [&]() -> UserError {
    return UserError(
        fmt::format("{}: '{}' is no order; name one of {}, or all five dimensions, "
                    "the fastest first, as in {}",
                    flag, text, list_names(kOrders), format(kMegatronOrder)));
  };
  const std::vector<std::string_view> names = words(text);
  Order order{};
  if (names.size() != order.size()) throw refuse();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto* row = std::find_if(kDimensions.begin(), kDimensions.end(),
                                   [&](const DimensionRow& r) { return r.name == names[i]; });
    if (row == kDimensions.end()) throw refuse();
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(order.begin(), end, row->dimension) != end) throw refuse();
    order[i] = row->dimension;
  }
  return order;
}

std::string format(const Order& order) {
  std::string text;
  for (const Dimension dimension : order) {
    if (!text.empty()) text += "-";
    text += kDimensions[static_cast<std::size_t>(dimension)].name;
  }
  return text;
}

}  // namespace collbench::model
