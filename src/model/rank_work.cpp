// SPDX-License-Identifier: Apache-2.0
#include "model/rank_work.h"

namespace collbench::model {

LayerCount layers(const Model& model, const Layout& layout, int pp) {
  LayerCount sum;
  for (int chunk = 0; chunk < layout.vpp; ++chunk) {
    const LayerRange range = stage_layers(model, layout, stage_of(layout, pp, chunk));
    sum.all += number_of(range.count);
    for (int i = 0; i < range.count; ++i) sum.experts += has_experts(model, range.first + i);
  }
  if (holds_last_stage(layout, pp)) {
    sum.all += number_of(model.prediction_layers);
    if (model.experts) sum.experts += number_of(model.prediction_layers);
  }
  return sum;
}

}  // namespace collbench::model
