// SPDX-License-Identifier: Apache-2.0
#include "app/buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/errors.h"
#include "measure/test_data.h"
#include "traffic/sizes.h"

namespace collbench {
namespace {

// Decided by all ranks on the scarcest, before anything is allocated.
void refuse_beyond_memory(ControlPlane& control, Device& device, Bytes message_bytes) {
  const std::vector<Bytes> available = control.all_gather(device.available(MemoryKind::device));
  const auto scarcest = std::min_element(available.begin(), available.end());
  const Bytes usable = *scarcest / 10 * 9;  // the libraries need some too
  if (message_bytes <= usable / 2) return;
  throw UserError(
      fmt::format("-e: messages of {} need two such buffers per rank, but rank {} can have {} for "
                  "them (90 % of "
                  "what is free); lower -e",
                  format_bytes(message_bytes), scarcest - available.begin(), format_bytes(usable)));
}

}  // namespace

Pattern timed_data(const Operation& operation, const Setting& setting) {
  std::optional<ReduceOp> op;
  if (operation.traffic.reduces) op = setting.op;
  return rank_data({setting.type, op, setting.ranks, 0}, setting.rank);
}

SweepBuffers::SweepBuffers(ControlPlane& control, Device& device, Bytes message_bytes)
    : bytes_(std::max<Bytes>(message_bytes, 1)) {  // 1: every size is skipped
  refuse_beyond_memory(control, device, bytes_);
  send_ = device.allocate(bytes_, MemoryKind::device);
  recv_ = device.allocate(bytes_, MemoryKind::device);
}

void SweepBuffers::fill_send(Device& device, Stream& stream, const Pattern& pattern) {
  device.kernels().fill(send_->data(), bytes_ / size_of(pattern.type), pattern, 0, stream);
  stream.synchronize();
}

void SweepBuffers::zero_recv(Device& device, Stream& stream) {
  device.kernels().zero(recv_->data(), bytes_, stream);
  stream.synchronize();
}

Placement SweepBuffers::place(const traffic::Traffic& traffic, const Setting& setting,
                              Bytes message_bytes, bool in_place) const {
  std::byte* const whole = recv_->data();
  std::byte* const block =
      whole + static_cast<Count>(setting.rank) * setting.count * size_of(setting.type);
  Buffers buffers = {send_->data(), whole};
  if (in_place) {
    switch (traffic.in_place) {
      case traffic::InPlace::none:
        throw std::logic_error(traffic::why_not_in_place(traffic));
      case traffic::InPlace::same_buffer:
        buffers = {whole, whole};
        break;
      case traffic::InPlace::send_is_block_of_recv:
        buffers = {block, whole};
        break;
      case traffic::InPlace::recv_is_block_of_send:
        buffers = {whole, block};
        break;
    }
  }
  return {buffers, message_bytes, bytes_ / message_bytes};
}

}  // namespace collbench
