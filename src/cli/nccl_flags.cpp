// SPDX-License-Identifier: Apache-2.0
#include "cli/nccl_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/errors.h"
#include "base/named_rows.h"
#include "cli/numbers.h"

namespace collbench {
namespace {

template <class Rows>
std::vector<std::string> names_in(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

// The text of a field's value. Throws UserError.
std::string value_of(const NcclFieldRow& field, const std::string& text, const std::string& flag) {
  if (field.is_text) {
    if (text.empty()) throw UserError(fmt::format("{}: the value is empty; give a name", flag));
    return text;
  }
  constexpr int kMost = std::numeric_limits<int>::max();
  const std::uint64_t number = parse_count(text, flag, 0, kMost);
  if (field.field == NcclField::blocking && number != 1) {
    throw UserError(
        fmt::format("{}: communicators block here, since those that do not have NCCL start a "
                    "thread for every group, which times would show; leave it out",
                    flag));
  }
  return fmt::format("{}", number);
}

void add_field(NcclConfig& config, const std::string& text) {
  constexpr std::string_view kFlag = "--nccl-config";
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    throw UserError(fmt::format("{}: '{}' is not of the form FIELD=VALUE", kFlag, text));
  }
  const std::string name = text.substr(0, equals);
  const NcclFieldRow& field = find_named(kNcclFields, name, kFlag, "field of ncclConfig_t");
  const std::string value =
      value_of(field, text.substr(equals + 1), fmt::format("{} {}", kFlag, name));
  if (!config.emplace(name, value).second) {
    throw UserError(fmt::format("{}: {} is given twice; leave out one", kFlag, name));
  }
}

NcclConfig config_of(const std::vector<std::string>& texts) {
  NcclConfig config;
  for (const std::string& text : texts) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t comma = std::min(text.find(',', begin), text.size());
      add_field(config, text.substr(begin, comma - begin));
      begin = comma + 1;
    }
  }
  return config;
}

// -x, which nccl-tests has for one of the fields.
void add_cta_policy(NcclConfig& config, const std::string& text) {
  constexpr std::uint64_t kMost = 2;  // NCCL_CTA_POLICY_ZERO
  const std::string value = fmt::format("{}", parse_count(text, "-x", 0, kMost));
  const std::string name(row_of(NcclField::cta_policy).name);
  if (!config.emplace(name, value).second) {
    throw UserError(
        fmt::format("-x {}: --nccl-config {} says the same; leave out one", text, name));
  }
}

Registration registration_of(const std::string& text) {
  constexpr std::uint64_t kMost = kRegistrations.size() - 1;
  return kRegistrations[parse_count(text, "-R", 0, kMost)].registration;
}

}  // namespace

void NcclFlags::declare(CommandLine& line) {
  line.value("-R,--local_register", registration_,
             "make buffers known to NCCL: 1 by ncclCommRegister, 2 as symmetric windows");
  line.value(
      "--buffers", buffers_,
      "memory of buffers: " + list_names(kAllocators) + " (default malloc; with -R ncclmem)");
  line.completed_by(names_in(kAllocators));
  line.value("-x,--cta_policy", cta_policy_, "CTAs of NCCL: 0 default, 1 efficiency, 2 zero");
  line.values("--nccl-config", config_,
              "fields of ncclConfig_t, as minCTAs=4,maxCTAs=8: docs/gpu.md");
  line.value("--alltoall", exchanges_,
             "calls of alltoall, gather, scatter: " + list_names(kExchangeCalls) +
                 " (default p2p, sends and receives)");
  line.completed_by(names_in(kExchangeCalls));
}

NcclUse NcclFlags::read(std::string& only_on_gpus) const {
  const auto of_gpus = [&](bool asks, const std::string& flag, std::string_view why) {
    if (asks && only_on_gpus.empty()) only_on_gpus = fmt::format("{}: {}", flag, why);
  };
  NcclUse use;
  if (registration_) use.registration = registration_of(*registration_);
  of_gpus(use.registration != Registration::none, "-R " + registration_.value_or(""),
          "buffers are registered with NCCL, and hosts do without it");
  if (use.registration != Registration::none) use.allocator = Allocator::library;
  if (buffers_) {
    use.allocator = find_named(kAllocators, *buffers_, "--buffers", "memory").allocator;
    of_gpus(use.allocator == Allocator::library, "--buffers " + *buffers_,
            "it is memory of GPUs, and hosts have their own");
  }
  if (use.registration == Registration::windows && use.allocator != Allocator::library) {
    throw UserError(
        "-R 2: symmetric windows need memory of ncclMemAlloc; leave out --buffers malloc");
  }
  use.config = config_of(config_);
  of_gpus(!use.config.empty(), "--nccl-config", "it configures NCCL, and hosts do without it");
  if (cta_policy_) add_cta_policy(use.config, *cta_policy_);
  of_gpus(cta_policy_.value_or("0") != "0", "-x " + cta_policy_.value_or(""),
          "it chooses how many CTAs NCCL uses, and hosts have none");
  if (exchanges_) {
    use.exchanges = find_named(kExchangeCalls, *exchanges_, "--alltoall", "way").calls;
    of_gpus(use.exchanges == ExchangeCalls::native, "--alltoall " + *exchanges_,
            "it chooses among calls of NCCL's");
  }
  return use;
}

}  // namespace collbench
