// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/zero_cta.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "comm/nccl/library_versions.h"

namespace collbench {
namespace {

constexpr int kZero = 2;  // NCCL_CTA_POLICY_ZERO
constexpr int kCudaWithCopyEngines = 12050;
constexpr int kNcclAcrossNodes = 23006;

bool asks_for_zero(const NcclUse& use) {
  const auto policy = use.config.find(std::string(row_of(NcclField::cta_policy).name));
  return policy != use.config.end() && std::stoi(policy->second) == kZero;
}

bool is_exchange(Collective collective) {
  return collective == Collective::alltoall || collective == Collective::gather ||
         collective == Collective::scatter;
}

}  // namespace

std::string why_not_zero_cta(const NcclUse& use, const ZeroCtaCase& known) {
  if (!asks_for_zero(use)) return "";
  if (known.collective != Collective::all_gather && !is_exchange(known.collective)) {
    return "its copy engines do all_gather, alltoall, gather and scatter only";
  }
  if (is_exchange(known.collective) && use.exchanges != ExchangeCalls::native) {
    return "its copy engines do no sends and receives; give --alltoall native";
  }
  if (use.registration != Registration::windows) {
    return "its copy engines need symmetric windows; give -R 2";
  }
  if (known.nodes > 1 && known.nccl < kNcclAcrossNodes) {
    return fmt::format("the ranks are on {}, and the copy engines of NCCL {} stay on one",
                       counted(known.nodes, "host"), nccl_version_text(known.nccl));
  }
  if (known.cuda_driver < kCudaWithCopyEngines) {
    return fmt::format("its copy engines need a driver of CUDA {}, and this one is of {}",
                       cuda_version_text(kCudaWithCopyEngines),
                       cuda_version_text(known.cuda_driver));
  }
  return "";
}

}  // namespace collbench
