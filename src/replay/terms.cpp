// SPDX-License-Identifier: Apache-2.0
#include "replay/terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/element.h"
#include "measure/reduction_terms.h"

namespace collbench::replay {
namespace {

/// More would not tell more apart.
constexpr std::uint64_t kLargest = 1ULL << 30;

NumberRange range_of(DataType type) {
  return visit_element_type(
      type, [](auto element) { return number_range<typename decltype(element)::type>(); });
}

/// The largest integer up to which a type has all.
std::uint64_t exact_limit(DataType type) {
  const NumberRange range = range_of(type);
  if (range.digits > 30) return kLargest;
  return (1ULL << range.digits) - (range.integer ? 1 : 0);
}

std::uint64_t divide_up(std::uint64_t dividend, std::uint64_t divisor) {
  return (dividend + divisor - 1) / divisor;
}

void write(std::int64_t number, DataType type, std::byte* to) {
  visit_element_type(type, [&](auto element) {
    using T = typename decltype(element)::type;
    T value{};
    if constexpr (kIsInteger<T>) {
      value = static_cast<T>(number);
    } else {
      value = from_double<T>(static_cast<double>(number));
    }
    std::memcpy(to, &value, sizeof value);
  });
}

}  // namespace

TermIndex Terms::fresh(DataType type, std::uint64_t key) {
  Term term{type};
  term.key = key;
  terms_.push_back(std::move(term));
  return static_cast<TermIndex>(terms_.size() - 1);
}

TermIndex Terms::given(DataType type, const std::vector<std::int64_t>& numbers) {
  if (numbers.empty() || numbers.size() > kPatternValues) {
    throw std::logic_error(fmt::format("{} given numbers", numbers.size()));
  }
  Term term{type};
  term.numbers = numbers;
  terms_.push_back(std::move(term));
  return static_cast<TermIndex>(terms_.size() - 1);
}

TermIndex Terms::reduced(ReduceOp op, DataType type, std::vector<TermIndex> parts) {
  if (op != ReduceOp::sum && op != ReduceOp::max && op != ReduceOp::min) {
    throw std::logic_error(fmt::format("data of {} are not known", name_of(op)));
  }
  Term term{type, op};
  term.weight = 0;
  for (const TermIndex part : parts) {
    const Term& of = terms_[part];
    if (of.type != type) {
      throw std::logic_error(fmt::format("{} are reduced as {}", name_of(of.type), name_of(type)));
    }
    term.weight = op == ReduceOp::sum ? term.weight + of.weight : std::max(term.weight, of.weight);
  }
  term.parts = std::move(parts);
  terms_.push_back(std::move(term));
  return static_cast<TermIndex>(terms_.size() - 1);
}

void Terms::settle() {
  tables_.resize(terms_.size());
  for (auto term = terms_.rbegin(); term != terms_.rend(); ++term) {
    term->room = std::max(term->room, term->weight);
    for (const TermIndex part : term->parts) {
      terms_[part].room = std::max(terms_[part].room, term->room);
    }
  }
  take_turns();
}

/// Fresh terms are numbered within each reduction that is no part of a heavier one.
void Terms::take_turns() {
  constexpr TermIndex kNone = UINT32_MAX;
  std::vector<TermIndex> seen_in(terms_.size(), kNone);  // each once, however often it is added
  for (TermIndex t = 0; t < terms_.size(); ++t) {
    const Term& heaviest = terms_[t];
    if (heaviest.weight != heaviest.room || heaviest.room <= exact_limit(heaviest.type)) continue;
    std::uint64_t turn = 0;
    std::vector<TermIndex> left = {t};
    while (!left.empty()) {
      const TermIndex at = left.back();
      left.pop_back();
      if (std::exchange(seen_in[at], t) == t) continue;
      Term& part = terms_[at];
      left.insert(left.end(), part.parts.begin(), part.parts.end());
      if (!part.op && part.room == heaviest.room) part.turn = turn++;
    }
  }
}

std::shared_ptr<const Pattern> Terms::pattern(TermIndex term) {
  Term& of = terms_[term];
  if (of.pattern) return of.pattern;
  auto pattern = std::make_shared<Pattern>();
  pattern->type = of.type;
  const Table& numbers = table(term);
  for (std::size_t i = 0; i < kPatternValues; ++i) {
    write(numbers.values[i], of.type, pattern->values.data() + i * size_of(of.type));
  }
  of.pattern = std::move(pattern);
  return of.pattern;
}

const Terms::Table& Terms::table(TermIndex term) {
  if (tables_[term] == nullptr) {
    const Term& of = terms_[term];
    tables_[term] = std::make_unique<Table>(of.op                ? reduced_table(of)
                                            : of.numbers.empty() ? fresh_table(of)
                                                                 : given_table(of));
  }
  return *tables_[term];
}

Terms::Table Terms::fresh_table(const Term& term) const {
  const std::uint64_t limit = exact_limit(term.type);
  const std::uint64_t largest = std::max<std::uint64_t>(limit / term.room, 1);
  const std::uint64_t stride = std::min<std::uint64_t>(divide_up(term.room, limit), kPatternValues);
  const bool has_sign = range_of(term.type).has_sign;
  TestDataKey key;
  key.seed = term.key;
  Table table;
  for (std::size_t i = 0; i < kPatternValues; ++i) {
    if ((term.turn + i) % stride != 0) continue;
    const std::uint64_t random = random_bits(key, 0, i, 0);
    table.most[i] = 1 + (random >> 1) % largest;
    const auto magnitude = static_cast<std::int64_t>(table.most[i]);
    table.values[i] = has_sign && random % 2 != 0 ? -magnitude : magnitude;
  }
  return table;
}

Terms::Table Terms::given_table(const Term& term) {
  Table table;
  for (std::size_t i = 0; i < term.numbers.size(); ++i) {
    const std::int64_t number = term.numbers[i];
    table.values[value_index(i)] = number;
    table.most[value_index(i)] = static_cast<std::uint64_t>(std::abs(number));
  }
  return table;
}

Terms::Table Terms::reduced_table(const Term& term) {
  Table table = this->table(term.parts.front());
  for (auto part = term.parts.begin() + 1; part != term.parts.end(); ++part) {
    const Table& next = this->table(*part);
    for (std::size_t i = 0; i < kPatternValues; ++i) {
      std::int64_t& value = table.values[i];
      if (term.op == ReduceOp::sum) {
        value += next.values[i];
        table.most[i] += next.most[i];
      } else {
        value = term.op == ReduceOp::max ? std::max(value, next.values[i])
                                         : std::min(value, next.values[i]);
        table.most[i] = std::max(table.most[i], next.most[i]);
      }
    }
  }
  const std::uint64_t limit = exact_limit(term.type);
  if (std::any_of(table.most.begin(), table.most.end(), [&](auto most) { return most > limit; })) {
    throw std::logic_error(fmt::format("a sum of {} test data of {} would be rounded", term.weight,
                                       name_of(term.type)));
  }
  return table;
}

}  // namespace collbench::replay
