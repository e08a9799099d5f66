// SPDX-License-Identifier: Apache-2.0
#include "model/closed_forms.h"

namespace collbench::model {

double sent_bytes(const Volume& volume, const Layout& layout) {
  const traffic::Traffic& row = traffic::row_of(volume.collective);
  return static_cast<double>(volume.message_bytes) * row.bus_factor(size_of(layout, volume.axis));
}

double sent_bytes(const Volumes& volumes, const Layout& layout) {
  double sum = 0;
  for (const Volume& volume : volumes) sum += sent_bytes(volume, layout);
  return sum;
}

double bubble_to_work(const Layout& layout, const Step& step) {
  return (layout.pp - 1.0) / layout.vpp / step.micro_batches;
}

double bubble_share(const Layout& layout, const Step& step) {
  const double bubble = bubble_to_work(layout, step);
  return bubble / (1 + bubble);
}

}  // namespace collbench::model
