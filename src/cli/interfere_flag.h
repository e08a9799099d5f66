// SPDX-License-Identifier: Apache-2.0
// --interfere: what runs beside the operation that is measured.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "measure/groups.h"
#include "measure/method.h"
#include "measure/operation.h"

namespace collbench {

inline constexpr std::string_view kInterfereFlag = "--interfere";

/// Another operation, on communicators of its own.
struct InterferingChoice {
  const Operation* operation = nullptr;  // one of measure/interfering.h
  std::optional<Bytes> message_bytes;    // absent: the size of the row
  std::optional<GroupRule> groups;       // of ranks that run it together; absent: all ranks
};

/// "OP@GROUPS" or "OP:SIZE@GROUPS", as "all_reduce:64M@MOD 2"; GROUPS are as those of --split, or
/// "world". Throws UserError.
InterferingChoice parse_interfering(std::string_view text);

/// As parse_interfering() takes it.
std::string to_text(const InterferingChoice& choice);

/// "MOD 2", or "world".
std::string groups_text(const InterferingChoice& choice);

/// Names of the operations that can interfere, with commas.
std::string interfering_names();

/// Throws UserError where operations are not timed back to back, and where a root is done with them
/// before others are.
void refuse_interfering(const traffic::Traffic& traffic, const Method& method, bool default_stream);

}  // namespace collbench
