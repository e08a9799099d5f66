// SPDX-License-Identifier: Apache-2.0
#include "app/interference_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "measure/background.h"
#include "statistics/series.h"
#include "traffic/sizes.h"

namespace collbench {
namespace {

TimeSeries series_of(const Samples& samples) {
  if (samples.values_s.empty()) return {};  // which only rank 0 has
  return {.samples_s = samples.values_s,
          .median_s = statistics::median(samples.values_s),
          .interval95_s = statistics::dependent_median_interval(samples.values_s)};
}

// Of what takes longest beside another: only rank 0 has times.
std::size_t slowest(const std::vector<Samples>& groups) {
  const auto median_s = [](const Samples& samples) { return series_of(samples).median_s; };
  return static_cast<std::size_t>(std::ranges::max_element(groups, {}, median_s) - groups.begin());
}

// Throws UserError where one of the two operations has nobody to exchange data with.
void refuse_lonely(const InterferingChoice& choice, const Groups& groups,
                   double most_ranks_of_row) {
  const bool other_is_alone = std::ranges::all_of(
      groups.ranks_of_group, [](const std::vector<int>& ranks) { return ranks.size() < 2; });
  if (!other_is_alone && most_ranks_of_row > 1) return;
  throw UserError(fmt::format("{} {}: groups of one rank load no link; give groups of more ranks",
                              kInterfereFlag, to_text(choice)));
}

// Throws UserError where a group cannot run the operation with a message of so many bytes.
void refuse_impossible(const InterferingChoice& choice, const Groups& groups, Bytes bytes) {
  const traffic::Traffic& traffic = choice.operation->traffic;
  for (const std::vector<int>& ranks : groups.ranks_of_group) {
    const int n = static_cast<int>(ranks.size());
    const std::string why_not = traffic::why_not_on(traffic, n);
    if (!why_not.empty()) throw UserError(fmt::format("{}: {}", kInterfereFlag, why_not));
    if (traffic::block_count(traffic, bytes, DataType::float32, n) > 0) continue;
    throw UserError(fmt::format(
        "{}: {} are too few for {} of {} ranks; give a larger size, as {}:1M@{}", kInterfereFlag,
        format_bytes(bytes), traffic.name, n, traffic.name, groups_text(choice)));
  }
}

}  // namespace

InterferenceRun::InterferenceRun(Backend& backend, const Workbench& bench,
                                 const InterferingChoice& choice, const SamplingOptions& sampling,
                                 Bytes most_bytes)
    : bench_(bench),
      choice_(choice),
      sampling_(sampling),
      groups_(make_groups(choice.groups, bench.control.size())) {
  refuse_lonely(choice, groups_, bench.control.max(bench.comm.size()));
  const Bytes bytes = choice.message_bytes.value_or(most_bytes);
  refuse_impossible(choice, groups_, bytes);
  auto all = backend.make_communicator(bench.device);
  const int rank = all->rank();
  comm_ = choice.groups ? all->split(groups_.group_of_rank[static_cast<std::size_t>(rank)], rank)
                        : std::move(all);
  stream_ = bench.device.make_stream();
  buffers_.emplace(bench.control, bench.device,
                   BufferNeed{.message_bytes = bytes, .flag = kInterfereFlag}, 0);
  is_registered_ = buffers_->register_with(*comm_);
  const Part part = other_of(bytes);
  buffers_->fill_send(bench.device, *stream_, timed_data(part.operation, part.setting));
  bench.control.barrier();
}

Part InterferenceRun::other_of(Bytes message_bytes) const {
  const Bytes asked_bytes = choice_.message_bytes.value_or(message_bytes);
  const traffic::Traffic& traffic = choice_.operation->traffic;
  Setting setting;
  setting.rank = comm_->rank();
  setting.ranks = comm_->size();
  setting.count = traffic::block_count(traffic, asked_bytes, setting.type, setting.ranks);
  const Bytes bytes = traffic::message_bytes(traffic, setting.count, setting.type, setting.ranks);
  return {*choice_.operation, setting, buffers_->place(traffic, setting, bytes, false)};
}

std::vector<Interference> InterferenceRun::measure(const RanksOfGroups& groups, const Part& part,
                                                   Bytes message_bytes, Progress& progress,
                                                   const std::string& what) {
  if (!fits(choice_.message_bytes.value_or(message_bytes))) return {};
  try {
    return measure_both(groups, part, message_bytes, progress, what);
  } catch (const TooShort&) {
    return {};
  }
}

// The same on every rank.
bool InterferenceRun::fits(Bytes bytes) const {
  const traffic::Traffic& traffic = choice_.operation->traffic;
  return std::ranges::all_of(groups_.ranks_of_group, [&](const std::vector<int>& ranks) {
    return traffic::block_count(traffic, bytes, DataType::float32, static_cast<int>(ranks.size())) >
           0;
  });
}

std::vector<Interference> InterferenceRun::measure_both(const RanksOfGroups& groups,
                                                        const Part& part, Bytes message_bytes,
                                                        Progress& progress,
                                                        const std::string& what) {
  const Part other = other_of(message_bytes);
  Background load_of_other(bench_.control, *comm_, *stream_, other.operation, other.setting,
                           other.placement);
  Background load_of_row(bench_.control, bench_.comm, bench_.stream, part.operation, part.setting,
                         part.placement);
  Workbench row_beside = bench_;
  row_beside.background = &load_of_other;
  const Workbench other_alone{bench_.control, *comm_, bench_.device, *stream_};
  Workbench other_beside = other_alone;
  other_beside.background = &load_of_row;
  const auto time = [&](const Workbench& bench, const RanksOfGroups& ranks, const Part& timed,
                        const char* how) {
    return sample(bench, ranks, timed.operation, timed.setting, timed.placement, sampling_,
                  progress, what + how);
  };

  const RanksOfGroups& others = groups_.ranks_of_group;
  const auto rows = time(row_beside, groups, part, ", beside another");
  const auto alone = time(other_alone, others, other, ", what runs beside it, alone");
  const auto beside = time(other_beside, others, other, ", what runs beside it");
  const std::size_t group = slowest(beside);
  const Interference shared{.operation = std::string(other.operation.traffic.name),
                            .groups = groups_text(choice_),
                            .message_bytes = other.placement.stride_bytes,
                            .other_alone = series_of(alone[group]),
                            .other_beside = series_of(beside[group])};
  std::vector<Interference> all;
  for (const Samples& samples : rows) {
    all.push_back(shared);
    all.back().beside = series_of(samples);
  }
  return all;
}

}  // namespace collbench
