// SPDX-License-Identifier: Apache-2.0
#include "replay/exchange_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "traffic/sizes.h"

namespace collbench::replay {
namespace {

class ExchangeData {
 public:
  ExchangeData(const std::vector<Member>& members, Terms& terms)
      : members_(members), terms_(terms), message_(*members.front().message) {
    block_ = message_.count * size_of(message_.type);
  }

  void move() {
    if (message_.kind != plan::MessageKind::collective) {
      return put(members_[1], sent(members_[0], block_));
    }
    switch (message_.collective) {
      case Collective::all_reduce:
      case Collective::reduce:
        return put_everywhere(reduced(block_));
      case Collective::reduce_scatter:
        return scatter_reduced();
      case Collective::all_gather:
      case Collective::gather:
        return put_everywhere(gathered());
      case Collective::broadcast:
        return put_everywhere(sent(root(), block_));
      case Collective::scatter:
        return put_blocks(sent(root(), all_blocks()));
      case Collective::alltoall:
        return transpose();
      case Collective::alltoallv:
        return transpose_by_counts();
      case Collective::sendrecv:
      case Collective::hypercube:
        break;
    }
    throw std::logic_error("data of such a message are not known");
  }

 private:
  Bytes all_blocks() const { return block_ * members_.size(); }

  plan::ByteRange block(std::size_t position) const {
    return {position * block_, (position + 1) * block_};
  }

  const Member& root() const { return members_.at(static_cast<std::size_t>(message_.peer)); }

  // ---- what members give

  Segments sent(const Member& member, Bytes bytes) const {
    const auto offset = buffer_offsets(*member.message, member.place).send;
    const SlotImage& slot = member.slots->at(member.message->read);
    return slot.read({*offset, *offset + bytes}, terms_);
  }

  Segments gathered() const {
    Segments all;
    for (const Member& member : members_) {
      for (const Segment& segment : sent(member, block_)) append(all, segment, terms_);
    }
    return all;
  }

  /// Runs of bytes that are one segment of every member.
  Segments reduced(Bytes bytes) {
    std::vector<Segments> left;
    for (const Member& member : members_) left.push_back(sent(member, bytes));
    std::vector<std::size_t> at(left.size(), 0);
    Segments all;
    for (Bytes done = 0; done < bytes;) {
      Bytes run = bytes;
      for (std::size_t m = 0; m < left.size(); ++m) run = std::min(run, left[m][at[m]].bytes);
      Segments heads;
      for (std::size_t m = 0; m < left.size(); ++m) heads.push_back(take(left[m], at[m], run));
      append(all, reduced(heads), terms_);
      done += run;
    }
    return all;
  }

  /// The next `run` bytes, which lie in one segment.
  Segment take(Segments& from, std::size_t& at, Bytes run) const {
    const Bytes rest = from[at].bytes - run;
    const Segment head = part_of({from[at]}, {0, run}, terms_).front();
    if (rest == 0) {
      ++at;
    } else {
      from[at] = part_of({from[at]}, {run, run + rest}, terms_).front();
    }
    return head;
  }

  Segment reduced(const Segments& heads) {
    std::vector<TermIndex> parts;
    for (const Segment& head : heads) {
      if (!head.term) return {head.bytes, std::nullopt, 0};
      if (head.first != heads.front().first) {
        throw std::logic_error(fmt::format("elements {} and {} of test data are reduced together",
                                           heads.front().first, head.first));
      }
      parts.push_back(*head.term);
    }
    const auto [found, is_new] = known_.try_emplace(parts, 0);
    if (is_new) found->second = terms_.reduced(message_.op, message_.type, parts);
    return {heads.front().bytes, found->second, heads.front().first};
  }

  // ---- what members get

  void put(const Member& member, const Segments& segments) {
    const auto offset = buffer_offsets(*member.message, member.place).recv;
    if (offset) member.slots->at(member.message->written).write(*offset, segments, terms_);
  }

  void put_everywhere(const Segments& segments) {
    for (const Member& member : members_) put(member, segments);
  }

  void put_blocks(const Segments& segments) {
    for (std::size_t p = 0; p < members_.size(); ++p) {
      put(members_[p], part_of(segments, block(p), terms_));
    }
  }

  void scatter_reduced() {
    const Segments result = reduced(all_blocks());
    for (const Member& member : members_) {
      if (!plan::is_in_place(*member.message)) continue;
      const auto offset = buffer_offsets(*member.message, member.place).send;
      const Segment unknown = {all_blocks(), std::nullopt, 0};
      member.slots->at(member.message->read).write(*offset, {unknown}, terms_);
    }
    put_blocks(result);
  }

  void transpose() {
    std::vector<Segments> all;
    for (const Member& member : members_) all.push_back(sent(member, all_blocks()));
    for (std::size_t to = 0; to < members_.size(); ++to) {
      Segments got;
      for (const Segments& from : all) {
        for (const Segment& segment : part_of(from, block(to), terms_))
          append(got, segment, terms_);
      }
      put(members_[to], got);
    }
  }

  void transpose_by_counts() {
    std::vector<PeerCounts> counts;
    std::vector<Segments> all;
    for (const Member& member : members_) {
      counts.push_back(*peer_counts(*member.message, member.place));
      all.push_back(sent(member, element() * sum_of(counts.back().send)));
    }
    for (std::size_t to = 0; to < members_.size(); ++to) {
      Segments got;
      for (std::size_t from = 0; from < members_.size(); ++from) {
        const Count first = counts[from].send_first[to], last = first + counts[from].send[to];
        for (const Segment& segment :
             part_of(all[from], {first * element(), last * element()}, terms_)) {
          append(got, segment, terms_);
        }
      }
      put(members_[to], got);
    }
  }

  Bytes element() const { return size_of(message_.type); }

  static Count sum_of(const std::vector<Count>& counts) {
    return std::accumulate(counts.begin(), counts.end(), Count{0});
  }

  const std::vector<Member>& members_;
  Terms& terms_;
  const plan::Message& message_;
  Bytes block_ = 0;
  std::map<std::vector<TermIndex>, TermIndex> known_;  // one term for one set of parts
};

}  // namespace

void exchange_data(const std::vector<Member>& members, Terms& terms) {
  ExchangeData(members, terms).move();
}

}  // namespace collbench::replay
