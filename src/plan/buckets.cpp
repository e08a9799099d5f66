// SPDX-License-Identifier: Apache-2.0
#include "plan/buckets.h"

namespace collbench::plan {
namespace {

Count rounded_up(Count value, Count multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

std::vector<Bucket> fill_buckets(const Held& held, TensorRange range, const BucketRule& rule) {
  std::vector<Bucket> buckets;
  Bucket open{{range.last, range.last}, 0};
  const auto close = [&] {
    open.elements = rounded_up(open.elements, rule.align_bucket);
    buckets.push_back(open);
    open = {{open.tensors.first, open.tensors.first}, 0};
  };
  for (std::size_t i = range.last; i-- > range.first;) {
    const Count tensor = model::elements(held.tensors[i]);
    if (rule.most > 0 && open.elements > 0 && open.elements + tensor > rule.most) close();
    open.elements = rounded_up(open.elements, rule.align_tensor) + tensor;
    open.tensors.first = i;
    const bool is_first = buckets.empty() && rule.first_close_at > 0;
    const Count close_at = is_first ? rule.first_close_at : rule.close_at;
    if (close_at > 0 && open.elements >= close_at) close();
  }
  if (open.elements > 0) close();
  return buckets;
}

}  // namespace collbench::plan
