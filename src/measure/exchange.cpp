// SPDX-License-Identifier: Apache-2.0
#include "measure/exchange.h"

namespace collbench {
namespace {

std::vector<Count> one_after_the_other(const std::vector<Count>& counts) {
  std::vector<Count> first;
  Count next = 0;
  for (const Count count : counts) {
    first.push_back(next);
    next += count;
  }
  return first;
}

}  // namespace

Exchange make_exchange(const traffic::Matrix& bytes, DataType type, int rank) {
  Exchange exchange{traffic::in_elements(bytes, size_of(type)), {}};
  PeerCounts& mine = exchange.mine;
  for (int peer = 0; peer < bytes.ranks(); ++peer) {
    mine.send.push_back(exchange.elements.at(rank, peer));
    mine.recv.push_back(exchange.elements.at(peer, rank));
  }
  mine.send_first = one_after_the_other(mine.send);
  mine.recv_first = one_after_the_other(mine.recv);
  return exchange;
}

Exchange make_exchange(const traffic::Matrix& weights, Bytes message_bytes, DataType type,
                       int rank) {
  return make_exchange(traffic::scaled(weights, message_bytes), type, rank);
}

Count first_sent(const Exchange& exchange, int from, int to) {
  Count first = 0;
  for (int before = 0; before < to; ++before) first += exchange.elements.at(from, before);
  return first;
}

}  // namespace collbench
