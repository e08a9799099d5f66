// SPDX-License-Identifier: Apache-2.0
#include "plan/pipeline_schedule.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"

namespace collbench::plan {
namespace {

using Kind = Action::Kind;

void require_possible(Schedule schedule, const Pipeline& pipeline) {
  const auto [p, m, v] = pipeline;
  if (schedule != Schedule::interleaved && v > 1) {
    throw UserError(fmt::format(
        "vpp {}: only the interleaved schedule has several stages per rank; choose it or set vpp "
        "to 1",
        v));
  }
  if (schedule == Schedule::interleaved && (p == 1 || m % p != 0)) {
    throw UserError(fmt::format(
        "interleaved: it works on groups of pp micro-batches, so their number must be a multiple "
        "of pp and pp above 1; there are {} micro-batches and pp is {}",
        m, p));
  }
}

/// The k-th forward (or backward) of the interleaved schedule: groups of p micro-batches go through
/// all chunks, one chunk after the other.
Action interleaved(Kind kind, int k, const Pipeline& pipeline) {
  const auto [p, m, v] = pipeline;
  const int in_group = k % (p * v);
  const int chunk = in_group / p;
  const int micro_batch = k / (p * v) * p + in_group % p;
  return {kind, micro_batch, kind == Kind::forward ? chunk : v - 1 - chunk};
}

/// Warm-up forwards, then pairs, then the backwards that are left.
std::vector<Turn> interleaved_turns(const Pipeline& pipeline, int rank) {
  const int all = pipeline.micro_batches * pipeline.chunks;
  const int warm = warm_up(Schedule::interleaved, pipeline, rank);
  std::vector<Turn> turns;
  for (int k = 0; k < warm; ++k) turns.push_back({interleaved(Kind::forward, k, pipeline)});
  for (int k = warm; k < all; ++k) {
    turns.push_back(
        {interleaved(Kind::forward, k, pipeline), interleaved(Kind::backward, k - warm, pipeline)});
  }
  for (int k = all - warm; k < all; ++k) {
    turns.push_back({interleaved(Kind::backward, k, pipeline)});
  }
  return turns;
}

}  // namespace

int warm_up(Schedule schedule, const Pipeline& pipeline, int rank) {
  const auto [p, m, v] = pipeline;
  switch (schedule) {
    case Schedule::gpipe:
      return m;
    case Schedule::interleaved:
      return std::min(m * v, 2 * (p - rank - 1) + (v - 1) * p);
    case Schedule::one_f_one_b:
    case Schedule::zb_h1:
      break;
  }
  return std::min(p - rank - 1, m);
}

std::vector<Turn> turns(Schedule schedule, const Pipeline& pipeline, int rank) {
  require_possible(schedule, pipeline);
  if (schedule == Schedule::interleaved) return interleaved_turns(pipeline, rank);
  const int m = pipeline.micro_batches, warm = warm_up(schedule, pipeline, rank);
  const bool split = schedule == Schedule::zb_h1;
  std::vector<Turn> turns;
  int weights = 0;
  const auto backward = [&](int k) {
    turns.push_back({{split ? Kind::input_gradients : Kind::backward, k, 0}});
    if (split && k >= rank) turns.push_back({{Kind::weight_gradients, weights++, 0}});
  };
  for (int k = 0; k < warm; ++k) turns.push_back({{Kind::forward, k, 0}});
  for (int k = warm; k < m; ++k) {
    turns.push_back({{Kind::forward, k, 0}});
    backward(k - warm);
  }
  for (int k = m - warm; k < m; ++k) backward(k);
  while (split && weights < m) turns.push_back({{Kind::weight_gradients, weights++, 0}});
  return turns;
}

}  // namespace collbench::plan
