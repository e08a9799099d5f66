// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/host_engine.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/errors.h"
#include "comm/mpi/host_stream.h"

namespace collbench {
namespace {

// Work that a test steers.
class Scripted final : public Work {
 public:
  explicit Scripted(std::function<Step()> step) : step_(std::move(step)) {}
  Step advance() override { return step_(); }

 private:
  std::function<Step()> step_;
};

std::unique_ptr<Work> work(std::function<Step()> step) {
  return std::make_unique<Scripted>(std::move(step));
}

class QueuedStreams : public ::testing::Test {
 protected:
  // Work that appends a letter to the log.
  std::unique_ptr<Work> write(char letter) {
    return work([this, letter] {
      log_ += letter;
      return Step::done;
    });
  }
  static std::unique_ptr<Work> wait_for(const bool& gate) {
    return work([&gate] { return gate ? Step::done : Step::waiting; });
  }

  std::string log_;
  std::shared_ptr<HostEngine> engine_ =
      std::make_shared<HostEngine>(HostMode::queued, WaitPolicy::yield);
  HostStream a_{engine_};
  HostStream b_{engine_};
};

TEST(HostMode, BlockingNeedsOneStreamAndSpinning) {
  EXPECT_EQ(host_mode(true, WaitPolicy::spin), HostMode::blocking);
  EXPECT_EQ(host_mode(true, WaitPolicy::yield), HostMode::direct);
  EXPECT_EQ(host_mode(true, WaitPolicy::sleep), HostMode::direct);
  EXPECT_EQ(host_mode(false, WaitPolicy::spin), HostMode::queued);
  EXPECT_EQ(host_mode(false, WaitPolicy::yield), HostMode::queued);
}

TEST_F(QueuedStreams, AnEmptyStreamIsDone) {
  EXPECT_TRUE(a_.query());
  a_.synchronize();
}

TEST_F(QueuedStreams, WorkIsDoneInOrderAndEnqueueingStartsIt) {
  bool gate = false;
  a_.enqueue(write('1'));
  EXPECT_EQ(log_, "1");
  a_.enqueue(wait_for(gate));
  a_.enqueue(write('2'));
  EXPECT_FALSE(a_.query());
  EXPECT_EQ(log_, "1");
  gate = true;
  a_.synchronize();
  EXPECT_EQ(log_, "12");
}

TEST_F(QueuedStreams, OtherStreamsPassOneThatWaits) {
  bool gate = false;
  a_.enqueue(wait_for(gate));
  a_.enqueue(write('a'));
  b_.enqueue(write('b'));
  EXPECT_TRUE(b_.query());
  EXPECT_FALSE(a_.query());
  EXPECT_EQ(log_, "b");
  gate = true;
  a_.synchronize();
}

// Compute that lasts until the communication beside it has ended: without turns it never would.
TEST_F(QueuedStreams, ComputeAndCommunicationTakeTurns) {
  int tests = 0;
  int slices = 0;
  bool communicated = false;
  a_.enqueue(work([&] {
    ++slices;
    if (slices > 1000000) throw std::runtime_error("no turn for the other stream");
    return communicated ? Step::done : Step::worked;
  }));
  b_.enqueue(work([&] {
    communicated = ++tests == 50;
    return communicated ? Step::done : Step::waiting;
  }));
  a_.synchronize();
  EXPECT_TRUE(b_.query());
  EXPECT_GE(slices, 50);
}

TEST_F(QueuedStreams, TwoComputeStreamsTakeTurns) {
  for (HostStream* stream : {&a_, &b_}) {
    const char letter = stream == &a_ ? 'a' : 'b';
    stream->enqueue(work([this, letter, left = 3]() mutable {
      if (left-- == 0) return Step::done;
      log_ += letter;
      return Step::worked;
    }));
  }
  a_.synchronize();
  b_.synchronize();
  EXPECT_EQ(log_, "aababb");  // the first slice ran when there was no other stream's work yet
}

TEST_F(QueuedStreams, SynchronizingOneStreamLetsAllProgress) {
  int turns = 0;
  a_.enqueue(work([&] { return turns >= 3 ? Step::done : Step::waiting; }));
  b_.enqueue(work([&] { return ++turns == 3 ? Step::done : Step::waiting; }));
  a_.synchronize();
  EXPECT_TRUE(b_.query());
}

TEST_F(QueuedStreams, AnEventHappensWhenItsStreamPassesIt) {
  bool gate = false;
  HostEvent event(engine_);
  EXPECT_FALSE(event.query());
  a_.enqueue(wait_for(gate));
  event.record(a_);
  EXPECT_FALSE(event.query());
  const double before_s = engine_->clock().now_s();
  gate = true;
  EXPECT_TRUE(event.query());
  EXPECT_GE(event.time_s(), before_s);
  EXPECT_LE(event.time_s(), engine_->clock().now_s());
}

TEST_F(QueuedStreams, AnEventJoinsStreams) {
  bool gate = false;
  HostEvent event(engine_);
  a_.enqueue(wait_for(gate));
  a_.enqueue(write('a'));
  event.record(a_);
  event.hold_up(b_);
  b_.enqueue(write('b'));
  EXPECT_FALSE(b_.query());
  EXPECT_EQ(log_, "");
  gate = true;
  b_.synchronize();
  EXPECT_EQ(log_, "ab");
}

TEST_F(QueuedStreams, AnEventThatWasNeverRecordedHoldsNothingUp) {
  const HostEvent event(engine_);
  event.hold_up(a_);
  a_.enqueue(write('a'));
  EXPECT_TRUE(a_.query());
  EXPECT_EQ(log_, "a");
}

TEST_F(QueuedStreams, AWaitMeansTheRecordOfItsTime) {
  bool first = false;
  bool second = false;
  HostEvent event(engine_);
  a_.enqueue(wait_for(first));
  event.record(a_);
  event.hold_up(b_);
  b_.enqueue(write('b'));
  a_.enqueue(wait_for(second));
  event.record(a_);
  first = true;
  EXPECT_FALSE(event.query());  // forgot its first point
  EXPECT_TRUE(b_.query());      // which the other stream waited for
  EXPECT_EQ(log_, "b");
  second = true;
  EXPECT_TRUE(event.query());
}

TEST_F(QueuedStreams, AWaitOutlivesItsEvent) {
  bool gate = false;
  a_.enqueue(wait_for(gate));
  {
    HostEvent event(engine_);
    event.record(a_);
    event.hold_up(b_);
  }
  b_.enqueue(write('b'));
  EXPECT_FALSE(b_.query());
  gate = true;
  b_.synchronize();
  EXPECT_EQ(log_, "b");
}

TEST_F(QueuedStreams, ADestroyedStreamFinishesItsWork) {
  int turns = 0;
  {
    HostStream stream(engine_);
    stream.enqueue(work([&] { return ++turns == 5 ? Step::done : Step::waiting; }));
    stream.enqueue(write('c'));
  }
  EXPECT_EQ(log_, "c");
  EXPECT_FALSE(engine_->progress());  // and is forgotten
}

TEST_F(QueuedStreams, AnExceptionDropsTheWork) {
  try {
    HostStream stream(engine_);
    stream.enqueue(work([] { return Step::waiting; }));  // would never end
    throw SystemError("elsewhere");
  } catch (const SystemError&) {
  }
  EXPECT_FALSE(engine_->progress());
}

TEST_F(QueuedStreams, AFailureComesOutOfTheWaitOnce) {
  bool gate = false;
  a_.enqueue(wait_for(gate));
  a_.enqueue(work([]() -> Step { throw SystemError("refused"); }));
  a_.enqueue(write('a'));
  gate = true;
  EXPECT_THROW(a_.synchronize(), SystemError);
  a_.synchronize();
  EXPECT_EQ(log_, "a");
}

TEST(OneStream, WorkIsDoneWhenEnqueueReturns) {
  for (const HostMode mode : {HostMode::blocking, HostMode::direct}) {
    const auto engine = std::make_shared<HostEngine>(mode, WaitPolicy::yield);
    HostStream stream(engine);
    HostEvent event(engine);
    int turns = 0;
    stream.enqueue(work([&] { return ++turns == 3 ? Step::done : Step::waiting; }));
    EXPECT_EQ(turns, 3);
    EXPECT_FALSE(event.query());
    event.record(stream);
    EXPECT_TRUE(event.query());
    event.hold_up(stream);
    EXPECT_TRUE(stream.query());
    stream.synchronize();
  }
}

TEST(OneStream, ASecondStreamBreaksThePromise) {
  for (const HostMode mode : {HostMode::blocking, HostMode::direct}) {
    const auto engine = std::make_shared<HostEngine>(mode, WaitPolicy::yield);
    {
      HostStream stream(engine);
      EXPECT_THROW(HostStream second(engine), std::logic_error);
    }
    HostStream after_the_first(engine);
    EXPECT_TRUE(after_the_first.query());
  }
}

}  // namespace
}  // namespace collbench
