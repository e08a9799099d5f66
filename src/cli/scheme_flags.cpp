// SPDX-License-Identifier: Apache-2.0
#include "cli/scheme_flags.h"

#include <fmt/format.h>

#include "base/named_rows.h"
#include "cli/numbers.h"

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

}  // namespace

void SchemeFlags::declare(CommandLine& line) {
  line.heading("Data parallelism");
  if (is_zero()) {
    declare_zero(line);
  } else {
    declare_data_parallel(line);
  }
  line.flag("--no-overlap", no_overlap_, "computing waits for reductions");
  line.heading("Tensor and pipeline parallelism");
  line.value("--tensor", tensor_,
             "gather saved inputs again, or keep them: " +
                 names_and_usual(plan::kTensorParallel,
                                 static_cast<std::size_t>(scheme_.tensor.implementation)));
  line.flag("--fused-loss", fused_loss_, "two messages for the loss, not three");
  line.value(
      "--schedule", schedule_,
      names_and_usual(plan::kSchedules, static_cast<std::size_t>(scheme_.pipeline.schedule)));
  line.value("--messages", messages_,
             list_names(plan::kStageMessages) +
                 ": groups that computing waits for, or each alone "
                 "(fused; interleaved and zb-h1: pairs)");
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
  options.overlap = !no_overlap_;
  return options;
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
