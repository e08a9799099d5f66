// SPDX-License-Identifier: Apache-2.0
// Models from JSON, the presets and files of the user's own; and what the tools say of them as
// JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/axis_groups.h"
#include "model/model.h"
#include "model/schemes.h"
#include "model/summary.h"

namespace collbench::model {

/// Reads one model; docs/patterns/models.md lists the keys. Left out, `head_dim` is hidden / heads,
/// `kv_heads` is heads, and every other optional key is as in Model. `source` names the text in
/// messages.
///
/// Throws UserError of one sentence, with the place, for text that is not JSON, for keys that are
/// unknown, missing, given twice or of another type, and for shapes that no model has.
Model model_from_json(std::string_view text, std::string_view source);

// ---- what the tools say, as one JSON document that ends in a newline

std::string to_json(const std::vector<ModelSummary>& summaries);
std::string to_json(const Layout& layout, const std::vector<AxisGroups>& axes);
std::string to_json(const Layout& layout, const std::vector<SchemeTraffic>& schemes);

}  // namespace collbench::model
