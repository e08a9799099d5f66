// SPDX-License-Identifier: Apache-2.0
#include "cli/scheme_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "base/errors.h"
#include "base/named_rows.h"
#include "cli/numbers.h"
#include "cli/routing_flags.h"

namespace collbench {
namespace {

void set(const std::optional<std::string>& text, std::string_view flag, Count least, Count& count) {
  if (text) count = parse_count(*text, flag, least);
}

template <class Rows>
std::string names_and_usual(const Rows& rows, std::size_t usual) {
  return fmt::format("{} ({})", list_names(rows), rows[usual].name);
}

bool overlaps_stages(plan::Schedule schedule) {
  return schedule == plan::Schedule::interleaved || schedule == plan::Schedule::zb_h1;
}

std::string_view name_of_scheme(plan::Zero scheme) {
  return plan::kZero[static_cast<std::size_t>(scheme)].name;
}

/// A flag that changes nothing of a scheme would look as if it had been measured.
void refuse_elsewhere(bool is_given, std::string_view flag, plan::Zero chosen,
                      std::initializer_list<plan::Zero> of) {
  if (!is_given || std::find(of.begin(), of.end(), chosen) != of.end()) return;
  std::string names;
  for (const plan::Zero zero : of) {
    names += fmt::format("{}{}", names.empty() ? "" : " or ", name_of_scheme(zero));
  }
  throw UserError(fmt::format("{} says nothing of --zero {}; it is for {}", flag,
                              name_of_scheme(chosen), names));
}

}  // namespace

void SchemeFlags::declare(CommandLine& line) {
  line.heading("Data parallelism");
  if (is_zero()) {
    declare_zero(line);
  } else {
    declare_data_parallel(line);
  }
  line.flag("--no-overlap", no_overlap_, "computing waits for reductions");
  line.heading("Tensor, context and pipeline parallelism");
  line.value("--tensor", tensor_,
             "gather saved inputs again, or keep them: " +
                 names_and_usual(plan::kTensorParallel,
                                 static_cast<std::size_t>(scheme_.tensor.implementation)));
  line.flag("--fused-loss", fused_loss_, "two messages for the loss, not three");
  line.value(
      "--cp-comm-type", context_,
      names_and_usual(plan::kContextParallel, static_cast<std::size_t>(scheme_.context.scheme)));
  line.value(
      "--cp-split", split_,
      "which tokens a rank has: " +
          names_and_usual(plan::kContextSplits, static_cast<std::size_t>(scheme_.context.split)));
  line.value(
      "--schedule", schedule_,
      names_and_usual(plan::kSchedules, static_cast<std::size_t>(scheme_.pipeline.schedule)));
  line.value("--messages", messages_,
             list_names(plan::kStageMessages) +
                 ": groups that computing waits for, or each alone "
                 "(fused; interleaved and zb-h1: pairs)");
  line.heading("Experts");
  line.value("--routing", routing_, routing_help());
  line.value(
      "--dispatcher", dispatcher_,
      names_and_usual(plan::kDispatchers, static_cast<std::size_t>(scheme_.experts.dispatcher)));
  line.value(
      "--dispatch-type", dispatch_type_,
      "of tokens on their way to experts: " +
          names_and_usual(plan::kDispatchTypes, static_cast<std::size_t>(scheme_.experts.type)));
  line.flag("--shared-expert-overlap", shared_expert_overlap_,
            "shared experts compute beside the way of tokens to the others and back, not after it");
  const plan::BiasBalance usual;
  line.value("--balance", balance_,
             "bias: after each training step, a bias of each expert follows its load");
  line.value("--balance-steps", balance_steps_,
             fmt::format("with --balance: training steps that are followed ({})", usual.steps));
  line.value(
      "--bias-update-rate", bias_update_rate_,
      fmt::format("with --balance: what a step adds to a bias or takes from it ({})", usual.rate));
}

void SchemeFlags::declare_zero(CommandLine& line) {
  const auto& usual = std::get<plan::ZeroOptions>(scheme_.parameters);
  line.value("--zero", zero_, names_and_usual(plan::kZero, static_cast<std::size_t>(usual.scheme)));
  line.flag("--no-reshard", no_reshard_, "fsdp2: keep parameters from forward to backward");
  line.flag("--reshard-in-groups", reshard_in_groups_,
            "fsdp2: in smaller shards between forward and backward, on the ranks of a replica");
  line.flag("--no-prefetch", no_prefetch_, "fsdp2, deepspeed3: gather when needed, not ahead");
  line.flag("--gather-at-end", gather_at_end_,
            "megatron: gather after the optimizer, not with the next forward pass");
  line.flag("--reduce-to-owners", reduce_to_owners_,
            "deepspeed1, deepspeed2: each part of a bucket to its owner, instead of an all-reduce");
  line.value("--bucket-elements", bucket_elements_,
             fmt::format("deepspeed: of a reduction ({})", usual.bucket_elements));
  line.value("--prefetch-elements", prefetch_elements_,
             fmt::format("deepspeed3: gathered ahead, at most ({})", usual.prefetch_elements));
  line.value(
      "--reuse-elements", reuse_elements_,
      fmt::format("deepspeed3: keep what is used again within so many ({})", usual.reuse_elements));
  line.value(
      "--persistent-elements", persistent_elements_,
      fmt::format("deepspeed3: smaller tensors are not divided ({})", usual.persistent_elements));
}

void SchemeFlags::declare_data_parallel(CommandLine& line) {
  const auto& usual = std::get<plan::DataParallelOptions>(scheme_.parameters);
  line.value("--buckets", buckets_,
             names_and_usual(plan::kDataParallel, static_cast<std::size_t>(usual.scheme)));
  line.value("--bucket-size", bucket_size_,
             fmt::format("ddp: bytes of a bucket ({} for the first, then {})",
                         format_bytes(plan::kFirstDdpBucket), format_bytes(plan::kDdpBucket)));
}

plan::ZeroOptions SchemeFlags::zero() const {
  plan::ZeroOptions options = std::get<plan::ZeroOptions>(scheme_.parameters);
  if (zero_) options.scheme = find_named(plan::kZero, *zero_, "--zero", "ZeRO scheme").scheme;
  using enum plan::Zero;
  refuse_elsewhere(no_reshard_, "--no-reshard", options.scheme, {fsdp2});
  refuse_elsewhere(reshard_in_groups_, "--reshard-in-groups", options.scheme, {fsdp2});
  refuse_elsewhere(no_prefetch_, "--no-prefetch", options.scheme, {fsdp2, deepspeed3});
  refuse_elsewhere(gather_at_end_, "--gather-at-end", options.scheme, {megatron});
  refuse_elsewhere(reduce_to_owners_, "--reduce-to-owners", options.scheme,
                   {deepspeed1, deepspeed2});
  refuse_elsewhere(prefetch_elements_.has_value(), "--prefetch-elements", options.scheme,
                   {deepspeed3});
  refuse_elsewhere(reuse_elements_.has_value(), "--reuse-elements", options.scheme, {deepspeed3});
  refuse_elsewhere(persistent_elements_.has_value(), "--persistent-elements", options.scheme,
                   {deepspeed3});
  options.overlap = !no_overlap_;
  options.reshard = !no_reshard_;
  options.reshard_in_groups = reshard_in_groups_;
  options.prefetch = !no_prefetch_;
  options.gather_with_forward = !gather_at_end_;
  options.reduce_to_owners = reduce_to_owners_;
  set(bucket_elements_, "--bucket-elements", 1, options.bucket_elements);
  set(prefetch_elements_, "--prefetch-elements", 0, options.prefetch_elements);
  set(reuse_elements_, "--reuse-elements", 0, options.reuse_elements);
  set(persistent_elements_, "--persistent-elements", 0, options.persistent_elements);
  return options;
}

plan::DataParallelOptions SchemeFlags::data_parallel() const {
  auto options = std::get<plan::DataParallelOptions>(scheme_.parameters);
  if (buckets_) {
    options.scheme =
        find_named(plan::kDataParallel, *buckets_, "--buckets", "kind of buckets").scheme;
  }
  if (bucket_size_) {
    options.bucket_bytes = parse_bytes(*bucket_size_, "--bucket-size");
    if (*options.bucket_bytes == 0)
      throw UserError("--bucket-size: a bucket holds at least a byte");
  }
  if (bucket_size_ && options.scheme != plan::DataParallel::ddp) {
    throw UserError("--bucket-size says nothing of these --buckets; it is for ddp");
  }
  options.overlap = !no_overlap_;
  return options;
}

plan::ContextOptions SchemeFlags::context() const {
  plan::ContextOptions options = scheme_.context;
  if (context_) {
    options.scheme = find_named(plan::kContextParallel, *context_, "--cp-comm-type",
                                "kind of context parallelism")
                         .scheme;
  }
  if (split_) {
    options.split =
        find_named(plan::kContextSplits, *split_, "--cp-split", "way to split a sequence").split;
  }
  return options;
}

plan::ExpertOptions SchemeFlags::experts() const {
  plan::ExpertOptions options = scheme_.experts;
  if (routing_) options.routing = read_routing(*routing_, "--routing");
  if (dispatcher_) {
    options.dispatcher =
        find_named(plan::kDispatchers, *dispatcher_, "--dispatcher", "dispatcher").dispatcher;
  }
  if (dispatch_type_) {
    options.type = find_named(plan::kDispatchTypes, *dispatch_type_, "--dispatch-type",
                              "type of dispatched tokens")
                       .type;
  }
  options.overlaps_shared = shared_expert_overlap_;
  if (options.overlaps_shared && options.dispatcher == plan::Dispatcher::allgather) {
    throw UserError(
        "--shared-expert-overlap is of tokens that are sent to their experts, as in Megatron, and "
        "--dispatcher allgather gathers all of them; leave it out, or choose another dispatcher");
  }
  options.balance = balance();
  if (options.balance) plan::require_balanceable(options);
  return options;
}

std::optional<plan::BiasBalance> SchemeFlags::balance() const {
  if (!balance_) {
    for (const auto& [flag, value] : {std::pair{"--balance-steps", &balance_steps_},
                                      std::pair{"--bias-update-rate", &bias_update_rate_}}) {
      if (*value) throw UserError(fmt::format("{} says nothing without --balance bias", flag));
    }
    return std::nullopt;
  }
  if (*balance_ != "bias") {
    throw UserError(
        fmt::format("--balance: '{}' is no way to level loads; there is bias", *balance_));
  }
  constexpr std::uint64_t kMostSteps = 10000;
  plan::BiasBalance balance;
  if (balance_steps_) {
    balance.steps =
        static_cast<int>(parse_count(*balance_steps_, "--balance-steps", 1, kMostSteps));
  }
  if (bias_update_rate_) {
    balance.rate = parse_positive(*bias_update_rate_, "--bias-update-rate", "logarithms");
  }
  return balance;
}

plan::Scheme SchemeFlags::read() const {
  plan::Scheme scheme = scheme_;
  if (is_zero()) {
    scheme.parameters = zero();
  } else {
    scheme.parameters = data_parallel();
  }
  if (tensor_) {
    scheme.tensor.implementation =
        find_named(plan::kTensorParallel, *tensor_, "--tensor", "kind of tensor parallelism")
            .implementation;
  }
  scheme.tensor.fused_loss = fused_loss_;
  scheme.context = context();
  scheme.experts = experts();
  plan::PipelineOptions& pipeline = scheme.pipeline;
  if (schedule_) {
    pipeline.schedule = find_named(plan::kSchedules, *schedule_, "--schedule", "schedule").schedule;
    pipeline.messages = overlaps_stages(pipeline.schedule) ? plan::StageMessages::pairs
                                                           : plan::StageMessages::fused;
  }
  if (messages_) {
    pipeline.messages =
        find_named(plan::kStageMessages, *messages_, "--messages", "kind of messages").messages;
  }
  return scheme;
}

}  // namespace collbench
