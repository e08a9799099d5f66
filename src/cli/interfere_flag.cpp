// SPDX-License-Identifier: Apache-2.0
#include "cli/interfere_flag.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "measure/interfering.h"

namespace collbench {
namespace {

constexpr std::string_view kWorld = "world";

const Operation* find_operation(std::string_view name) {
  const auto operations = interfering_operations();
  const auto found =
      std::ranges::find(operations, name, [](const Operation& one) { return one.traffic.name; });
  if (found != operations.end()) return &*found;
  throw UserError(
      fmt::format("{}: '{}' is no operation that can run beside another; choose from {}",
                  kInterfereFlag, name, interfering_names()));
}

}  // namespace

std::string interfering_names() {
  std::string names;
  for (const Operation& operation : interfering_operations()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", operation.traffic.name);
  }
  return names;
}

InterferingChoice parse_interfering(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos || at + 1 == text.size()) {
    throw UserError(fmt::format(
        "{} {}: which ranks run it together is missing; give OP@GROUPS, as all_gather@world or "
        "\"all_gather:64M@MOD 2\"",
        kInterfereFlag, text));
  }
  const std::string_view what = text.substr(0, at);
  const std::string_view groups = text.substr(at + 1);
  const std::size_t colon = what.find(':');
  InterferingChoice choice;
  choice.operation = find_operation(what.substr(0, colon));
  if (colon != std::string_view::npos) {
    choice.message_bytes = parse_bytes(what.substr(colon + 1), kInterfereFlag);
    if (choice.message_bytes == 0) {
      throw UserError(fmt::format("{} {}: a message of no bytes loads no link; give a size",
                                  kInterfereFlag, text));
    }
  }
  if (groups != kWorld) choice.groups = parse_group_rule(groups, kInterfereFlag);
  return choice;
}

std::string groups_text(const InterferingChoice& choice) {
  return choice.groups ? to_text(*choice.groups) : std::string(kWorld);
}

std::string to_text(const InterferingChoice& choice) {
  std::string size;
  if (choice.message_bytes) size = fmt::format(":{}", *choice.message_bytes);
  return fmt::format("{}{}@{}", choice.operation->traffic.name, size, groups_text(choice));
}

void refuse_interfering(const traffic::Traffic& traffic, const Method& method,
                        bool default_stream) {
  if (traffic.rooted) {
    throw UserError(
        fmt::format("{}: the root of a {} is done before others are, so that what runs beside it "
                    "cannot be told to do so all the time; measure a collective without a root",
                    kInterfereFlag, traffic.name));
  }
  if (method.mode == Mode::streaming && !method.iteration_times && !method.enqueue_time &&
      !default_stream) {
    return;
  }
  throw UserError(fmt::format(
      "{}: operations are timed back to back, on a stream of their own, beside another; leave it "
      "out, or -z, -C, -I, -G and -y",
      kInterfereFlag));
}

}  // namespace collbench
