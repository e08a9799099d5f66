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

// What a rank leaves alone: its libraries need some memory, too.
Bytes reserved_of(Bytes available) {
  constexpr Bytes kMost = 256ULL << 20;
  return std::min(available / 10, kMost);
}

// Decided by all ranks on the scarcest, before anything is allocated.
void refuse_beyond_memory(ControlPlane& control, Device& device, Bytes message_bytes,
                          Bytes extra_bytes) {
  const std::vector<Bytes> available = control.all_gather(device.available(MemoryKind::device));
  const auto scarcest = std::min_element(available.begin(), available.end());
  const Bytes usable = *scarcest - reserved_of(*scarcest);
  if (extra_bytes <= usable && message_bytes <= (usable - extra_bytes) / 2) return;
  const std::string extra = extra_bytes == 0 ? ""
                                             : fmt::format(", and the operation takes {} more",
                                                           format_bytes(extra_bytes));
  throw UserError(fmt::format(
      "-e: messages of {} need two such buffers per rank{}, but rank {} can have {}; lower -e",
      format_bytes(message_bytes), extra, scarcest - available.begin(), format_bytes(usable)));
}

}  // namespace

Pattern timed_data(const Operation& operation, const Setting& setting) {
  std::optional<ReduceOp> op;
  if (operation.traffic.reduces) op = setting.op;
  return rank_data({setting.type, op, setting.ranks, 0}, setting.rank);
}

SweepBuffers::SweepBuffers(ControlPlane& control, Device& device, Bytes message_bytes,
                           Bytes extra_bytes)
    : bytes_(std::max<Bytes>(message_bytes, 1)) {  // 1: every size is skipped
  refuse_beyond_memory(control, device, bytes_, extra_bytes);
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
