// SPDX-License-Identifier: Apache-2.0
#include "model/presets.h"

#include "base/named_rows.h"
#include "model/model_json.h"

namespace collbench::model {
namespace {

struct Preset {
  std::string_view name;
  std::string_view json;
};

constexpr Preset kPresets[] = {
#include "model_presets.inc"
};

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : kPresets) names.emplace_back(preset.name);
  return names;
}

Model preset(std::string_view name) {
  const Preset& found = find_named(kPresets, name, "--model", "model");
  return model_from_json(found.json, found.name);
}

}  // namespace collbench::model
