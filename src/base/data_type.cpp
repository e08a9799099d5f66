// SPDX-License-Identifier: Apache-2.0
#include "base/data_type.h"

#include "base/named_rows.h"

namespace collbench {

DataType parse_data_type(std::string_view name) {
  return find_named(kDataTypes, name, "-d", "data type").type;
}

}  // namespace collbench
