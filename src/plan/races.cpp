// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>

#include "plan/checker.h"
#include "plan/order.h"

namespace collbench::plan {
namespace {

struct Users {
  std::optional<OpIndex> writer;
  std::vector<OpIndex> readers;  // since it was written
};

class RaceSearch {
 public:
  RaceSearch(const Plan& plan, std::uint32_t rank_class)
      : plan_(plan), class_(rank_class), users_(plan.classes[rank_class].slots.size()) {}

  std::vector<std::string> run() {
    const std::vector<Op>& ops = plan_.classes[class_].ops;
    for (OpIndex o = 0; o < ops.size(); ++o) {
      order_.append(ops[o]);
      for (const SlotIndex slot : slots_read(ops[o])) read(slot, o);
      for (const SlotIndex slot : slots_written(ops[o])) write(slot, o);
    }
    return faults_;
  }

 private:
  void read(SlotIndex slot, OpIndex o) {
    Users& users = users_[slot];
    if (users.writer) require_order(slot, *users.writer, "wrote", o, "reads");
    users.readers.push_back(o);
  }

  void write(SlotIndex slot, OpIndex o) {
    Users& users = users_[slot];
    if (users.writer) require_order(slot, *users.writer, "wrote", o, "writes");
    for (const OpIndex reader : users.readers) {
      if (reader != o) require_order(slot, reader, "reads", o, "writes");
    }
    users = {o, {}};
  }

  void require_order(SlotIndex slot, OpIndex earlier, const char* did, OpIndex later,
                     const char* does) {
    if (earlier == later || order_.is_before(earlier, later)) return;
    faults_.push_back(
        fmt::format("{} {} slot {} without waiting for operation {} [{}], which {} it",
                    place(plan_, class_, later), does, plan_.classes[class_].slots[slot].name,
                    earlier, plan_.classes[class_].ops[earlier].label, did));
  }

  const Plan& plan_;
  std::uint32_t class_;
  Order order_;
  std::vector<Users> users_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> find_races(const Plan& plan) {
  std::vector<std::string> faults;
  for (std::uint32_t c = 0; c < plan.classes.size(); ++c) {
    const auto found = RaceSearch(plan, c).run();
    faults.insert(faults.end(), found.begin(), found.end());
  }
  return faults;
}

}  // namespace collbench::plan
