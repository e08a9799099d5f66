// SPDX-License-Identifier: Apache-2.0
// `collbench traffic`: what a rank sends in each scheme of parallelism, by closed forms.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "model/closed_forms.h"
#include "model/model_json.h"
#include "model/routing.h"
#include "model/schemes.h"
#include "results/table.h"
#include "tools/commands.h"
#include "tools/model_text.h"

namespace collbench {
namespace {

using model::SchemeTraffic;
using model::Volume;

std::string line(const SchemeTraffic& scheme, const Volume& volume, const model::Layout& layout) {
  const std::string operations =
      volume.operations > 0 ? fmt::format("{}", volume.operations) : "by bucket";
  return fmt::format("  {:<20} {:<14} {:<13} {:>6} {:>10} {:>14.3f} {:>14.3f}\n", scheme.name,
                     traffic::row_of(volume.collective).name, name_of(volume.axis),
                     size_of(layout, volume.axis), operations,
                     static_cast<double>(volume.message_bytes) / 1e6,
                     model::sent_bytes(volume, layout) / 1e6);
}

std::string describe(const SchemeTraffic& scheme, const model::Layout& layout) {
  if (!scheme.reason.empty())
    return comment_line(fmt::format("{}: {}", scheme.name, scheme.reason));
  std::string text;
  for (const Volume& volume : scheme.volumes) text += line(scheme, volume, layout);
  if (scheme.volumes.size() > 1) {
    text += fmt::format("  {:<20} {:>75.3f}  {}\n", scheme.name,
                        model::sent_bytes(scheme.volumes, layout) / 1e6, "in all");
  }
  return text;
}

std::string bubble(const TrafficOptions& options) {
  if (options.layout.pp == 1) return "";
  return comment_line(
      fmt::format("Bubble of 1F1B: {:.4f} of the time of its own work, {:.4f} of the step",
                  model::bubble_to_work(options.layout, options.step),
                  model::bubble_share(options.layout, options.step)));
}

/// What dispatchers save that send no copy of a token twice to a rank, or send it in 8 bits.
std::string savings(const TrafficOptions& options) {
  if (!options.model.experts || options.layout.ep == 1) return "";
  const model::Experts& experts = *options.model.experts;
  const double ranks = model::expected_groups(experts.routed, experts.per_token, options.layout.ep);
  const Bytes row = options.model.hidden * size_of(options.step.activations);
  return comment_line(fmt::format(
             "The {} experts of a token lie on {:.3f} of {} ranks on average: one copy per rank is "
             "{:.3f} of one per expert",
             experts.per_token, ranks, options.layout.ep, ranks / experts.per_token)) +
         comment_line(fmt::format("A token takes {} bytes, and {} in 8 bits with scales", row,
                                  model::float8_row_bytes(options.model.hidden))) +
         comment_line("All of this for even routing; collbench routing draws uneven ones");
}

}  // namespace

ExitStatus run(const TrafficOptions& options) {
  const std::vector<SchemeTraffic> schemes =
      model::traffic_of(options.model, options.layout, options.step, options.position);
  if (options.json) {
    fmt::print("{}", model::to_json(options.layout, schemes));
    return ExitStatus::ok;
  }
  fmt::print("{}{}{}{}", comment_line("Model: " + options.model.name),
             comment_line("Layout: " + describe(options.layout)),
             comment_line("Step: " + describe(options.step)),
             comment_line(fmt::format("Of a rank at position {} of its pipeline, in one step",
                                      options.position)));
  fmt::print("{}", comment_line(fmt::format("{:<20} {:<14} {:<13} {:>6} {:>10} {:>14} {:>14}",
                                            "scheme", "collective", "axis", "ranks", "operations",
                                            "messages (MB)", "sent (MB)")));
  for (const SchemeTraffic& scheme : schemes) fmt::print("{}", describe(scheme, options.layout));
  fmt::print("{}{}", bubble(options), savings(options));
  return ExitStatus::ok;
}

}  // namespace collbench
