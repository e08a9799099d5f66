// SPDX-License-Identifier: Apache-2.0
#include "app/buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/errors.h"
#include "measure/test_data.h"
#include "traffic/sizes.h"

namespace collbench {
namespace {

// The largest number there is, where it is beyond that.
Bytes product(Bytes bytes, std::uint64_t times) {
  Bytes result = 0;
  return __builtin_mul_overflow(bytes, times, &result) ? std::numeric_limits<Bytes>::max() : result;
}

// Decided by all ranks on the scarcest, before anything is allocated.
void refuse_beyond_memory(ControlPlane& control, Device& device, const BufferNeed& need,
                          Bytes extra_of_one_bytes) {
  const Bytes extra_bytes = product(extra_of_one_bytes, need.operations);
  const std::vector<Bytes> available =
      control.all_gather(device.available(MemoryKind::communicate));
  const auto scarcest = std::min_element(available.begin(), available.end());
  const Bytes usable = usable_bytes(*scarcest);
  if (extra_bytes <= usable && need.bytes() <= (usable - extra_bytes) / 2) return;
  const std::string extra =
      extra_bytes == 0 ? ""
                       : fmt::format(", and the library takes {} more", format_bytes(extra_bytes));
  const std::string grouped =
      need.operations == 1 ? "" : fmt::format(", {} times as large for -m", need.operations);
  throw UserError(fmt::format(
      "{}: messages of {} need two such buffers per rank{}{}, but rank {} can have {}; lower {}{}",
      need.flag, format_bytes(need.message_bytes), grouped, extra, scarcest - available.begin(),
      format_bytes(usable), need.flag, need.operations == 1 ? "" : " or -m"));
}

}  // namespace

Bytes usable_bytes(Bytes available) {
  constexpr Bytes kMost = 256ULL << 20;
  return available - std::min(available / 10, kMost);
}

Bytes BufferNeed::bytes() const {
  constexpr Bytes kLargestElement = 8;
  Bytes room = 0, offset = 0, all = 0;
  if (__builtin_mul_overflow(message_bytes, operations, &room) ||
      __builtin_mul_overflow(kLargestElement, offset_elements, &offset) ||
      __builtin_add_overflow(room, offset, &all)) {
    return std::numeric_limits<Bytes>::max();
  }
  return all;
}

Pattern timed_data(const Operation& operation, const Setting& setting) {
  std::optional<ReduceOp> op;
  if (operation.traffic.reduces) op = setting.op;
  return rank_data({setting.type, op, setting.ranks, 0}, setting.rank);
}

SweepBuffers::SweepBuffers(ControlPlane& control, Device& device, const BufferNeed& need,
                           Bytes extra_bytes)
    : need_(need) {
  refuse_beyond_memory(control, device, need_, extra_bytes);
  send_ = device.allocate(bytes(), MemoryKind::communicate);
  recv_ = device.allocate(bytes(), MemoryKind::communicate);
}

bool SweepBuffers::register_with(Communicator& comm) {
  bool in_effect = true;
  for (Memory* const memory : {send_.get(), recv_.get()}) {
    registered_.push_back(comm.register_memory(*memory));
    in_effect &= registered_.back() == nullptr || registered_.back()->in_effect();
  }
  return in_effect;
}

void SweepBuffers::fill_send(Device& device, Stream& stream, const Pattern& pattern) {
  device.kernels().fill(send_->data(), bytes() / size_of(pattern.type), pattern, 0, stream);
  stream.synchronize();
}

void SweepBuffers::zero_recv(Device& device, Stream& stream) {
  device.kernels().zero(recv_->data(), bytes(), stream);
  stream.synchronize();
}

Placement SweepBuffers::place(const traffic::Traffic& traffic, const Setting& setting,
                              Bytes message_bytes, bool in_place) const {
  const Bytes offset = need_.offset_elements * size_of(setting.type);
  std::byte* const whole = recv_->data() + offset;
  std::byte* const block =
      whole + static_cast<Count>(setting.rank) * setting.count * size_of(setting.type);
  Buffers buffers = {send_->data() + offset, whole};
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
  return {buffers, message_bytes, need_.message_bytes * need_.operations / message_bytes};
}

}  // namespace collbench
