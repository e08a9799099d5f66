// SPDX-License-Identifier: Apache-2.0
// The schema lists by hand what the code has in tables: each list must be its table.
#include "results/schema.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "results/document.h"
#include "results/row_flags.h"

namespace collbench {
namespace {

using Json = nlohmann::json;

template <class Rows>
Json names(const Rows& rows) {
  Json list = Json::array();
  for (const auto& row : rows) list.push_back(row.name);
  return list;
}

Json schema_at(const char* pointer) {
  return Json::parse(schemas()[0].text).at(Json::json_pointer(pointer));
}

TEST(Schema, ListsAreThoseOfTheCode) {
  EXPECT_EQ(schema_at("/$defs/data_type/enum"), names(kDataTypes));
  EXPECT_EQ(schema_at("/$defs/row/properties/status/enum"), names(kRowStatuses));
  EXPECT_EQ(schema_at("/$defs/step/properties/status/enum"), names(kRowStatuses));
  EXPECT_EQ(schema_at("/$defs/run/properties/status/enum"), names(kRunStatuses));
  EXPECT_EQ(schema_at("/$defs/axis/enum"), names(model::kAxes));
  EXPECT_EQ(schema_at("/$defs/training_step/properties/recompute/enum"), names(model::kRecomputes));
  EXPECT_EQ(schema_at("/$defs/flags/items/enum"), names(row_flags::all));
  EXPECT_EQ(schema_at("/$defs/verdict/properties/judgement/enum"), names(kJudgements));
  Json ops = names(kReduceOps);
  ops.push_back(nullptr);  // nothing is reduced
  EXPECT_EQ(schema_at("/$defs/reduction/enum"), ops);
}

}  // namespace
}  // namespace collbench
