// SPDX-License-Identifier: Apache-2.0
// What the files that write JSON share; only they include this, since the library is slow to
// compile.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "results/document.h"

namespace collbench {

/// Members stay in the order in which they were added.
using Json = nlohmann::ordered_json;

/// A member that is absent where there is no value, or no text.
template <class T>
void add(Json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

inline void add(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

/// Of what always has a value or is undefined: null then.
template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// The members of a row or a step that say what it is a measurement of.
Json row_key_json(const RowKey& key);
Json step_key_json(const StepKey& key);

Json row_json(const Record& record);
Json cycle_json(const CycleRow& cycle);
Json step_json(const StepRecord& record);
Json scaling_json(const ScalingReport& report);
Json config_json(const RunConfig& config);

/// What the rows and steps come to, verdicts included. Groups are counted together and never
/// averaged together.
Json summary_json(const Document& document);

}  // namespace collbench
