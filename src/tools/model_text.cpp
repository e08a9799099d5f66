// SPDX-License-Identifier: Apache-2.0
#include "tools/model_text.h"

#include <fmt/format.h>

#include "base/counted.h"

namespace collbench {
namespace {

std::string_view computed_again(model::Recompute recompute) {
  switch (recompute) {
    case model::Recompute::none:
      return "nothing";
    case model::Recompute::selective:
      return "attention";
    case model::Recompute::full:
      return "everything";
  }
  return "";
}

}  // namespace

std::string grouped(Count number) {
  std::string text = fmt::format("{}", number);
  for (std::size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, 1, ',');
  return text;
}

std::string describe(const model::Layout& layout) {
  std::string text = fmt::format("tp {}, cp {}, pp {}, vpp {}, dp {}", layout.tp, layout.cp,
                                 layout.pp, layout.vpp, layout.dp);
  if (layout.replicas > 1) text += fmt::format(" in {} replicas", layout.replicas);
  if (layout.cp_a2a > 1) text += fmt::format(", cp_a2a {}", layout.cp_a2a);
  if (layout.ep > 1 || layout.etp) {
    text += fmt::format(", ep {}, etp {}, edp {}", layout.ep, model::expert_tp(layout),
                        model::expert_dp(layout));
  }
  return text + fmt::format(", order {}: {}", model::format(layout.order),
                            counted(model::ranks(layout), "rank"));
}

std::string describe(const model::Step& step) {
  return fmt::format(
      "{} x {} sequences of {} tokens, {} sequence parallelism, computes {} again, "
      "gradients in {}",
      step.micro_batches, step.micro_batch, step.sequence,
      step.sequence_parallel ? "with" : "without", computed_again(step.recompute),
      name_of(step.gradients));
}

}  // namespace collbench
