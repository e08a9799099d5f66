// SPDX-License-Identifier: Apache-2.0
#include "base/unique_keys.h"

#include <gtest/gtest.h>

namespace collbench {
namespace {

TEST(UniqueKeys, AreUniqueInEachObjectAndNotBeyond) {
  UniqueKeys keys;  // {"a": [{"a": 1, "b": 2}, {"a": 3}], "b": {"a": 4}, "a": 5}
  keys.begin_object(1);
  keys.add(1, "a");
  keys.begin_object(3);
  keys.add(3, "a");
  keys.add(3, "b");
  keys.begin_object(3);
  keys.add(3, "a");
  keys.add(1, "b");
  keys.begin_object(2);
  keys.add(2, "a");
  EXPECT_THROW(keys.add(1, "a"), UserError);
}

}  // namespace
}  // namespace collbench
