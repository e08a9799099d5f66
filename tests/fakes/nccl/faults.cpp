// SPDX-License-Identifier: Apache-2.0
#include "faults.h"

#include <unistd.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <map>
#include <mutex>
#include <thread>

#include "../environment.h"
#include "fake_cuda.h"
#include "settings.h"
#include "waiting.h"

namespace fakenccl {
namespace {

struct ActionFacts {
  const char* name;
  Action action;
  enum { never, may, must } argument;
};
constexpr ActionFacts kActions[] = {
    {"delay", Action::delay, ActionFacts::must}, {"corrupt", Action::corrupt, ActionFacts::never},
    {"async", Action::async, ActionFacts::must}, {"hang", Action::hang, ActionFacts::never},
    {"exit", Action::exit, ActionFacts::may},    {"kill", Action::kill, ActionFacts::never},
    {"err", Action::err, ActionFacts::must},
};

[[noreturn]] void refuse_rule(const std::string& rule, const std::string& why) {
  fakes::refuse(
      "FAKE_NCCL_FAULTS: '" + rule + "': " + why +
      "; a rule is op[#nth][@rank]=action[:argument], for example AllReduce#3@1=delay:50");
}

/// Cuts what follows `mark` off `text`; nullptr-like empty `found` when there is no mark.
bool cut(std::string& text, char mark, std::string& rest) {
  const auto at = text.find(mark);
  if (at == std::string::npos) return false;
  rest = text.substr(at + 1);
  text.resize(at);
  return true;
}

int whole(const std::string& rule, const std::string& text, int least, const char* what) {
  int value = 0;
  const auto [rest, bad] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (bad != std::errc{} || rest != text.data() + text.size() || value < least) {
    refuse_rule(rule, "'" + text + "' is no " + what);
  }
  return value;
}

Fault parse_action(const std::string& rule, std::string text) {
  std::string argument;
  const bool has_argument = cut(text, ':', argument);
  for (const ActionFacts& known : kActions) {
    if (text != known.name) continue;
    if (has_argument && known.argument == ActionFacts::never)
      refuse_rule(rule, text + " takes no argument");
    if (!has_argument && known.argument == ActionFacts::must)
      refuse_rule(rule, text + " needs an argument");
    const int usual = known.action == Action::exit ? 1 : 0;
    const int value = has_argument ? whole(rule, argument, 0, "argument") : usual;
    const bool is_code = known.action == Action::async || known.action == Action::err;
    if (is_code && (value == ncclSuccess || value >= ncclInProgress)) {
      refuse_rule(rule, "'" + argument + "' is no error code of NCCL (1 to 6)");
    }
    return {known.action, static_cast<double>(value)};
  }
  refuse_rule(rule, "'" + text + "' is no action");
}

FaultRule parse_rule(const std::string& rule) {
  std::string op = rule, action, rank = "*", nth = "*";
  if (!cut(op, '=', action)) refuse_rule(rule, "there is no '='");
  cut(op, '@', rank);
  cut(op, '#', nth);
  FaultRule parsed{op == "any", Kind::AllReduce, 0, -1, parse_action(rule, action)};
  if (nth != "*") parsed.nth = whole(rule, nth, 1, "count from 1");
  if (rank != "*") parsed.rank = whole(rule, rank, 0, "rank");
  bool known = parsed.any_kind;
  for (const KindFacts& kind : kKinds) {
    if (op == kind.name) parsed.kind = kind.kind, known = true;
  }
  if (!known) refuse_rule(rule, "'" + op + "' is no operation");
  return parsed;
}

struct Calls {
  std::mutex mutex;
  std::map<std::pair<std::size_t, int>, int> count;  // by rule and rank
};

Calls& calls() {
  static Calls* const once = new Calls;
  return *once;
}

/// Until the time is over, or the communicator broken.
void delay(const Communicator& comm, double seconds, double& time_s) {
  if (fakecuda::virtual_time()) {
    time_s += seconds;
    return;
  }
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(seconds));
  while (Clock::now() < end && !comm.broken())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

std::vector<FaultRule> parse_faults(const std::string& text) {
  std::vector<FaultRule> rules;
  std::string rest = text;
  while (!rest.empty()) {
    std::string rule = rest;
    if (!cut(rule, ';', rest)) rest.clear();
    if (!rule.empty()) rules.push_back(parse_rule(rule));
  }
  return rules;
}

Fault next_fault(Kind kind, int origin_rank) {
  const std::vector<FaultRule>& rules = settings().faults;
  if (rules.empty()) return {};
  Fault found;
  const std::lock_guard lock(calls().mutex);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const FaultRule& rule = rules[i];
    if (!rule.any_kind && rule.kind != kind) continue;
    if (rule.rank >= 0 && rule.rank != origin_rank) continue;
    const int call = ++calls().count[{i, origin_rank}];
    if (rule.nth != 0 && rule.nth != call) continue;
    if (found.action == Action::none) found = rule.fault;
  }
  return found;
}

bool strike(Communicator& comm, const Fault& fault, double& time_s) {
  switch (fault.action) {
    case Action::delay:
      delay(comm, fault.argument * 1e-3, time_s);
      return true;
    case Action::async:
      comm.fail(static_cast<ncclResult_t>(fault.argument));
      return false;
    case Action::hang:
      return wait_until(comm, [] { return false; });
    case Action::exit:
      _exit(static_cast<int>(fault.argument));
    case Action::kill:
      raise(SIGKILL);
      return false;
    default:
      return true;
  }
}

void corrupt(std::byte* data) { *data ^= std::byte{0xff}; }

}  // namespace fakenccl
