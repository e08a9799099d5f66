// SPDX-License-Identifier: Apache-2.0
#include "comm/backend_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"

namespace collbench {
namespace {

bool has_nccl(const BackendOffer& offer) { return offer.no_nccl.empty(); }

// The first rank that differs from rank 0; the number of ranks when all agree.
std::size_t first_unlike_rank_0(const std::vector<BackendOffer>& offers) {
  const auto other = std::find_if(offers.begin(), offers.end(), [&](const BackendOffer& offer) {
    return has_nccl(offer) != has_nccl(offers.front());
  });
  return static_cast<std::size_t>(other - offers.begin());
}

void throw_mixed(const std::vector<BackendOffer>& offers, std::size_t other) {
  const std::size_t without = has_nccl(offers.front()) ? other : 0;
  const std::size_t with = has_nccl(offers.front()) ? 0 : other;
  throw CommonSystemError(
      fmt::format("rank {} on host {} has nccl, but rank {} on host {} has not ({}); mend that "
                  "host, or run all ranks on the host backend with --backend mpi",
                  with, offers[with].host, without, offers[without].host, offers[without].no_nccl));
}

}  // namespace

BackendDecision decide_backend(BackendChoice choice, const std::vector<BackendOffer>& offers) {
  if (choice == BackendChoice::mpi) return {false, "backend mpi: asked for"};
  const std::size_t other = first_unlike_rank_0(offers);
  if (other != offers.size()) throw_mixed(offers, other);
  const BackendOffer& first = offers.front();
  if (has_nccl(first)) return {true, fmt::format("backend nccl: {}", first.nccl_file)};
  if (choice == BackendChoice::nccl) {
    throw CommonSystemError(fmt::format(
        "--backend nccl is not available on host {}: {}; use --backend mpi, or auto for what there "
        "is, both without --nccl-lib",
        first.host, first.no_nccl));
  }
  return {false, fmt::format("backend mpi: nccl is not available: {}", first.no_nccl)};
}

}  // namespace collbench
