// SPDX-License-Identifier: Apache-2.0
// What the host backend refuses, in every mode.
#include <gtest/gtest.h>

#include <stdexcept>

#include "base/errors.h"
#include "comm/mpi/host_test_rank.h"

namespace collbench {
namespace {

class HostErrors : public ::testing::TestWithParam<TestMode> {};

TEST_P(HostErrors, APeerOutsideTheCommunicator) {
  TestRank r(GetParam().use);
  Values x(1, 5);
  Values x_sum(1);
  for (const int peer : {-1, -2, r.size}) {
    EXPECT_THROW(r.comm->enqueue(send(x.data(), 1, DataType::int32, peer), *r.stream), SystemError);
    EXPECT_THROW(r.comm->enqueue(recv(x.data(), 1, DataType::int32, peer), *r.stream), SystemError);
    const Call group[] = {recv(x.data(), 1, DataType::int32, r.rank),
                          send(x.data(), 1, DataType::int32, peer)};
    EXPECT_THROW(r.comm->enqueue(group, *r.stream), SystemError);
  }
  // Nothing of a refused group was started.
  r.comm->enqueue(sum(x, x_sum), *r.stream);
  r.stream->synchronize();
  EXPECT_EQ(x_sum, Values(1, 5 * r.size));
}

TEST_P(HostErrors, ARefusedCallNamesItself) {
  TestRank r(GetParam().use);
  try {
    r.comm->enqueue(all_reduce({nullptr, nullptr}, 3, DataType::int32, ReduceOp::sum), *r.stream);
    r.stream->synchronize();
    ADD_FAILURE() << "null buffers were taken";
  } catch (const SystemError& error) {
    EXPECT_NE(std::string(error.what()).find("llreduce"), std::string::npos) << error.what();
  }
}

TEST_P(HostErrors, OnlyThosePromisedOneStreamRefuseTwo) {
  TestRank r(GetParam().use);
  if (GetParam().use.one_stream) {
    EXPECT_THROW(r.device->make_stream(), std::logic_error);
  } else {
    EXPECT_NE(r.device->make_stream(), nullptr);
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, HostErrors, ::testing::ValuesIn(test_modes()),
                         [](const auto& mode) { return mode.param.name; });

}  // namespace
}  // namespace collbench
