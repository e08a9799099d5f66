// SPDX-License-Identifier: Apache-2.0
#include "routing/deck.h"

#include <algorithm>
#include <numeric>

namespace collbench::routing {
namespace {

/// Cards 0 to n-1, shuffled whenever none is left.
class Deck {
 public:
  explicit Deck(int size) : cards_(static_cast<std::size_t>(size)), next_(cards_.size()) {
    std::iota(cards_.begin(), cards_.end(), 0);
  }

  /// The cards of one hand, which are distinct: requires hand <= size.
  void deal(int hand, PortableRandom& random, std::vector<int>& cards) {
    const std::size_t first = cards.size();
    for (int i = 0; i < hand; ++i) {
      if (next_ == cards_.size()) shuffle(random);
      const auto in_hand = [&](int card) {
        return std::find(cards.begin() + static_cast<std::ptrdiff_t>(first), cards.end(), card) !=
               cards.end();
      };
      // After a shuffle in the midst of a hand its first cards may come again: later.
      std::size_t other = next_;
      while (in_hand(cards_[other])) ++other;
      std::swap(cards_[next_], cards_[other]);
      cards.push_back(cards_[next_++]);
    }
  }

 private:
  void shuffle(PortableRandom& random) {
    for (std::size_t left = cards_.size(); left > 1; --left) {
      std::swap(cards_[left - 1], cards_[random.below(left)]);
    }
    next_ = 0;
  }

  std::vector<int> cards_;
  std::size_t next_;
};

}  // namespace

void deal(const Shape& shape, PortableRandom& random, std::vector<std::uint16_t>& experts) {
  const bool is_limited = shape.groups.per_token < shape.groups.groups;
  const int groups = is_limited ? shape.groups.groups : 1;
  const int of_token = is_limited ? shape.groups.per_token : 1;
  const int group_size = shape.experts / groups;
  Deck group_deck(groups);
  std::vector<Deck> decks(static_cast<std::size_t>(groups), Deck(group_size));
  std::vector<int> chosen_groups, cards;
  for (Count token = 0; token < shape.tokens; ++token) {
    chosen_groups.clear();
    group_deck.deal(of_token, random, chosen_groups);
    for (const int group : chosen_groups) {
      cards.clear();
      decks[static_cast<std::size_t>(group)].deal(shape.per_token / of_token, random, cards);
      for (const int card : cards) {
        experts.push_back(static_cast<std::uint16_t>(group * group_size + card));
      }
    }
  }
}

}  // namespace collbench::routing
