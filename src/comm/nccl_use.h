// SPDX-License-Identifier: Apache-2.0
// What a run asks of NCCL beyond its calls, as a plain value; hosts have none of it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/enum_rows.h"
#include "comm/nccl_config.h"

namespace collbench {

/// How NCCL learns of buffers before operations work on them.
enum class Registration : std::uint8_t { none, buffers, windows };

struct RegistrationRow {
  Registration registration;
  std::string_view name;  // in files
};

inline constexpr std::array<RegistrationRow, 3> kRegistrations = {{
    {Registration::none, "none"},
    {Registration::buffers, "buffers"},  // ncclCommRegister
    {Registration::windows, "windows"},  // ncclCommWindowRegister, symmetric
}};
static_assert(in_enum_order(kRegistrations, &RegistrationRow::registration));

/// Whose memory buffers are.
enum class Allocator : std::uint8_t { runtime, library };

struct AllocatorRow {
  Allocator allocator;
  std::string_view name;  // what the user types after --buffers
};

inline constexpr std::array<AllocatorRow, 2> kAllocators = {{
    {Allocator::runtime, "malloc"},   // cudaMalloc
    {Allocator::library, "ncclmem"},  // ncclMemAlloc
}};
static_assert(in_enum_order(kAllocators, &AllocatorRow::allocator));

/// What alltoall, gather and scatter are made of.
enum class ExchangeCalls : std::uint8_t { messages, native };

struct ExchangeCallsRow {
  ExchangeCalls calls;
  std::string_view name;  // what the user types after --alltoall
};

inline constexpr std::array<ExchangeCallsRow, 2> kExchangeCalls = {{
    {ExchangeCalls::messages, "p2p"},   // a group of ncclSend and ncclRecv
    {ExchangeCalls::native, "native"},  // ncclAlltoAll, ncclGather, ncclScatter
}};
static_assert(in_enum_order(kExchangeCalls, &ExchangeCallsRow::calls));

constexpr std::string_view name_of(Registration registration) {
  return kRegistrations[static_cast<std::size_t>(registration)].name;
}
constexpr std::string_view name_of(Allocator allocator) {
  return kAllocators[static_cast<std::size_t>(allocator)].name;
}
constexpr std::string_view name_of(ExchangeCalls calls) {
  return kExchangeCalls[static_cast<std::size_t>(calls)].name;
}

struct NcclUse {
  Registration registration = Registration::none;
  Allocator allocator = Allocator::runtime;  // of the buffers that operations work on
  ExchangeCalls exchanges = ExchangeCalls::messages;
  NcclConfig config{};

  bool operator==(const NcclUse&) const = default;
};

}  // namespace collbench
