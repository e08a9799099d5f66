// SPDX-License-Identifier: Apache-2.0
#include "model/schemes.h"

#include "base/errors.h"

namespace collbench::model {

std::vector<SchemeTraffic> traffic_of(const Model& model, const Layout& layout, const Step& step,
                                      int pp) {
  std::vector<SchemeTraffic> all;
  for (const Scheme& scheme : kSchemes) {
    SchemeTraffic traffic{scheme.name, scheme.what, {}, {}};
    try {
      traffic.volumes = scheme.volumes(model, layout, step, pp);
    } catch (const UserError& error) {
      traffic.reason = error.what();
    }
    all.push_back(std::move(traffic));
  }
  return all;
}

}  // namespace collbench::model
