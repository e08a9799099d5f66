// SPDX-License-Identifier: Apache-2.0
// Models as JSON: the presets, and files of the user's own.
#pragma once

#include <string_view>

#include "model/model.h"

namespace collbench::model {

/// Reads one model; docs/patterns/models.md lists the keys. Left out, `head_dim` is hidden / heads,
/// `kv_heads` is heads, and every other optional key is as in Model. `source` names the text in
/// messages.
///
/// Throws UserError of one sentence, with the place, for text that is not JSON, for keys that are
/// unknown, missing, given twice or of another type, and for shapes that no model has.
Model model_from_json(std::string_view text, std::string_view source);

}  // namespace collbench::model
