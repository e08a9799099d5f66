// SPDX-License-Identifier: Apache-2.0
// Several streams and communicators of the host backend at once.
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <thread>

#include "base/errors.h"
#include "comm/mpi/host_test_rank.h"

namespace collbench {
namespace {

constexpr Count kCount = 700;

// Holds streams up until the rank has sent itself a message.
class SelfGate {
 public:
  SelfGate(TestRank& r, Stream& stream)
      : r_(r),
        stream_(stream),
        messages_(r.comm->split(0, r.rank)),
        opened_(r.device->make_event()) {
    messages_->enqueue(recv(arrived_.data(), 1, DataType::int32, r.rank), stream_);
    r_.device->record(*opened_, stream_);
  }

  void hold_up(Stream& stream) { r_.device->wait(stream, *opened_); }

  void open(Stream& stream) {
    messages_->enqueue(send(token_.data(), 1, DataType::int32, r_.rank), stream);
    stream.synchronize();
    stream_.synchronize();
  }

 private:
  TestRank& r_;
  Stream& stream_;
  std::unique_ptr<Communicator> messages_;
  std::unique_ptr<Event> opened_;
  Values token_ = Values(1, 1);
  Values arrived_ = Values(1);
};

class HostStreams : public ::testing::Test {
 protected:
  int next() const { return (r_.rank + 1) % r_.size; }
  int previous() const { return (r_.rank + r_.size - 1) % r_.size; }
  int sum_of_ranks() const { return r_.size * (r_.size - 1) / 2; }

  TestRank r_{{false, WaitPolicy::yield}};
  Device& device_ = *r_.device;
  Communicator& comm_ = *r_.comm;
  Stream& a_ = *r_.stream;
  std::unique_ptr<Stream> second_ = device_.make_stream();
  Stream& b_ = *second_;
};

TEST_F(HostStreams, CommunicatorsInOppositeOrderOnDifferentRanks) {
  const auto other = comm_.split(0, r_.rank);
  for (int round = 0; round < 20; ++round) {
    Values x(kCount, r_.rank);
    Values y(kCount, 100 * r_.rank + round);
    Values x_sum(kCount);
    Values y_sum(kCount);
    if (r_.rank % 2 == 0) {
      comm_.enqueue(sum(x, x_sum), a_);
      other->enqueue(sum(y, y_sum), b_);
      a_.synchronize();
      b_.synchronize();
    } else {
      other->enqueue(sum(y, y_sum), b_);
      comm_.enqueue(sum(x, x_sum), a_);
      b_.synchronize();
      a_.synchronize();
    }
    EXPECT_EQ(x_sum, Values(kCount, sum_of_ranks()));
    EXPECT_EQ(y_sum, Values(kCount, 100 * sum_of_ranks() + round * r_.size));
  }
}

// On rank 0 the first operation of the communicator has to wait for an event, while a later one on
// another stream is ready. Elsewhere both are ready. Overtaking would exchange their data.
TEST_F(HostStreams, AReadyOperationDoesNotOvertakeAnEarlierOneOfItsCommunicator) {
  const auto gates = comm_.split(0, r_.rank);
  const auto gate_stream = device_.make_stream();
  const auto send_stream = device_.make_stream();
  const auto gate_open = device_.make_event();
  Values token(1, 1);
  Values arrived(1);
  if (r_.rank == 0) {
    gates->enqueue(recv(arrived.data(), 1, DataType::int32, r_.size - 1), *gate_stream);
    device_.record(*gate_open, *gate_stream);
    device_.wait(a_, *gate_open);
  }
  Values x(kCount, 1);
  Values y(kCount, 1000);
  Values x_sum(kCount);
  Values y_sum(kCount);
  comm_.enqueue(sum(x, x_sum), a_);
  comm_.enqueue(sum(y, y_sum), b_);
  bool overtaken = false;
  if (r_.rank == 0) {
    for (int i = 0; i < 200; ++i) overtaken |= b_.query();
  }
  test_session().control_plane().barrier();
  if (r_.rank == r_.size - 1) {
    gates->enqueue(send(token.data(), 1, DataType::int32, 0), *send_stream);
  }
  for (Stream* stream : {&a_, &b_, gate_stream.get(), send_stream.get()}) stream->synchronize();
  EXPECT_FALSE(overtaken);
  EXPECT_EQ(x_sum, Values(kCount, r_.size));
  EXPECT_EQ(y_sum, Values(kCount, 1000 * r_.size));
}

TEST_F(HostStreams, AnEventJoinsStreams) {
  const auto done = device_.make_event();
  Values x(kCount, 1);
  Values once(kCount);
  Values twice(kCount);
  comm_.enqueue(sum(x, once), a_);
  device_.record(*done, a_);
  device_.wait(b_, *done);
  comm_.enqueue(sum(once, twice), b_);
  b_.synchronize();
  EXPECT_TRUE(done->query());
  EXPECT_EQ(twice, Values(kCount, r_.size * r_.size));
}

TEST_F(HostStreams, AnEventThatWasNeverRecordedHoldsNothingUp) {
  const auto never = device_.make_event();
  EXPECT_FALSE(never->query());
  device_.wait(a_, *never);
  Values x(kCount, 1);
  Values x_sum(kCount);
  comm_.enqueue(sum(x, x_sum), a_);
  a_.synchronize();
  EXPECT_FALSE(never->query());
  EXPECT_EQ(x_sum, Values(kCount, r_.size));
}

// Large messages need many tests to get on, so that this also says that compute gives turns.
TEST_F(HostStreams, CommunicationEndsWhileComputeGoesOn) {
  constexpr Count kLarge = 200000;
  const auto computed = device_.make_event();
  const auto communicated = device_.make_event();
  Values x(kLarge, 1);
  Values x_sum(kLarge);
  test_session().control_plane().barrier();
  device_.kernels().busy(0.4, a_);
  device_.record(*computed, a_);
  comm_.enqueue(sum(x, x_sum), b_);
  device_.record(*communicated, b_);
  a_.synchronize();
  ASSERT_TRUE(computed->query());
  EXPECT_TRUE(communicated->query());
  b_.synchronize();
  EXPECT_LT(communicated->time_s(), computed->time_s());
  EXPECT_EQ(x_sum, Values(kLarge, r_.size));
}

// As with busy time; a message of one piece would be done at the first test.
TEST_F(HostStreams, CommunicationEndsWhileMatricesAreMultiplied) {
  constexpr Count kLarge = 200000;
  constexpr GemmShape kShape{1500, 1500, 1500};
  const std::unique_ptr<Gemms> gemms = device_.make_gemms({&kShape, 1});
  const auto computed = device_.make_event();
  const auto communicated = device_.make_event();
  Values x(kLarge, 1);
  Values x_sum(kLarge);
  test_session().control_plane().barrier();
  for (int i = 0; i < 8; ++i) gemms->multiply(kShape, a_);
  device_.record(*computed, a_);
  comm_.enqueue(sum(x, x_sum), b_);
  device_.record(*communicated, b_);
  a_.synchronize();
  b_.synchronize();
  EXPECT_LT(communicated->time_s(), computed->time_s());
  EXPECT_EQ(x_sum, Values(kLarge, r_.size));
}

TEST_F(HostStreams, GroupsOfRanksWorkBesideTheWhole) {
  const int color = r_.rank % 2;
  Values whole(kCount, r_.rank);
  Values whole_sum(kCount);
  comm_.enqueue(sum(whole, whole_sum), a_);  // a split keeps its place among the operations
  const auto group = comm_.split(color, -r_.rank);
  const int members = (r_.size + 1 - color) / 2;
  EXPECT_EQ(group->size(), members);
  EXPECT_EQ(group->rank(), members - 1 - r_.rank / 2);  // the keys reverse the order
  for (int round = 0; round < 10; ++round) {
    Values part(kCount, 1 + color);
    Values part_sum(kCount);
    Values all(kCount, 1);
    Values all_sum(kCount);
    group->enqueue(sum(part, part_sum), b_);
    comm_.enqueue(sum(all, all_sum), a_);
    b_.synchronize();
    a_.synchronize();
    EXPECT_EQ(part_sum, Values(kCount, members * (1 + color)));
    EXPECT_EQ(all_sum, Values(kCount, r_.size));
  }
  EXPECT_EQ(whole_sum, Values(kCount, sum_of_ranks()));
}

TEST_F(HostStreams, ANegativeColorJoinsNoGroup) {
  const auto group = comm_.split(r_.rank == 0 ? -1 : 7, 0);
  EXPECT_EQ(group == nullptr, r_.rank == 0);
  EXPECT_TRUE(r_.rank == 0 || group->size() == r_.size - 1);
}

TEST_F(HostStreams, ARingOnManyStreams) {
  constexpr std::size_t kStreams = 6;
  std::vector<std::unique_ptr<Stream>> streams;
  std::array<Values, kStreams> got;
  std::array<Values, kStreams> mine;
  for (std::size_t i = 0; i < kStreams; ++i) {
    streams.push_back(device_.make_stream());
    got[i].assign(kCount, -1);
    mine[i].assign(kCount, 10 * r_.rank + static_cast<int>(i));
    const Call calls[] = {send(mine[i].data(), kCount, DataType::int32, next()),
                          recv(got[i].data(), kCount, DataType::int32, previous())};
    comm_.enqueue(calls, *streams[i]);
  }
  for (std::size_t i = kStreams; i-- > 0;) streams[i]->synchronize();
  for (std::size_t i = 0; i < kStreams; ++i) {
    EXPECT_EQ(got[i], Values(kCount, 10 * previous() + static_cast<int>(i)));
  }
}

TEST_F(HostStreams, ACommunicatorMayGoWhileItsWorkIsUnderWay) {
  Values x(kCount, 1);
  Values x_sum(kCount);
  comm_.enqueue(sum(x, x_sum), a_);
  comm_.enqueue(sum(x_sum, x), a_);
  r_.comm.reset();
  a_.synchronize();
  EXPECT_EQ(x, Values(kCount, r_.size * r_.size));
}

TEST_F(HostStreams, AbortEndsWaits) {
  Values x(1, 1);
  Values x_sum(1);
  const auto held_up = device_.make_stream();
  SelfGate gate(r_, a_);
  gate.hold_up(*held_up);
  comm_.enqueue(sum(x, x_sum), *held_up);
  comm_.enqueue(sum(x, x_sum), b_);  // has to wait for its turn
  EXPECT_FALSE(b_.query());
  EXPECT_EQ(comm_.async_error(), std::nullopt);
  std::jthread([this] { comm_.abort(); }).join();
  EXPECT_THROW(b_.synchronize(), SystemError);
  EXPECT_THROW(gate.open(b_), SystemError);  // lets the other stream come to its operation
  EXPECT_EQ(comm_.async_error(), "the communicator was aborted");
}

// Its turn never comes, and so nobody after it may wait for that.
TEST_F(HostStreams, ADroppedOperationBreaksItsCommunicator) {
  Values x(1, 1);
  Values x_sum(1);
  SelfGate gate(r_, a_);
  try {
    const auto stream = device_.make_stream();
    gate.hold_up(*stream);
    comm_.enqueue(sum(x, x_sum), *stream);
    throw std::runtime_error("elsewhere");
  } catch (const std::runtime_error&) {
  }
  EXPECT_NE(comm_.async_error(), std::nullopt);
  EXPECT_THROW(comm_.enqueue(sum(x, x_sum), b_), SystemError);
  gate.open(b_);
}

}  // namespace
}  // namespace collbench
