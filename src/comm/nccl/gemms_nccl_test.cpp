// SPDX-License-Identifier: Apache-2.0
// Products of matrices and busy time on a GPU, beside each other and beside communication.
#include <array>
#include <stdexcept>

#include "base/errors.h"
#include "comm/nccl/nccl_test_data.h"
#include "comm/nccl/nccl_test_ranks.h"

namespace collbench {
namespace {

class NcclGemms : public NcclTest {};
class NcclGemmsOfFakes : public NcclFakesTest {};

constexpr std::array<GemmShape, 3> kShapes = {{{1000, 2000, 100}, {1, 1, 1}, {100, 30, 3000}}};

TEST_F(NcclGemms, AreEnqueuedOnAnyStream) {
  on_ranks(up_to(2), [](NcclRank& r) {
    const std::unique_ptr<Gemms> gemms = r.device->make_gemms(kShapes);
    EXPECT_EQ(gemms->library().substr(0, 7), "cuBLAS ");
    std::vector<std::unique_ptr<Stream>> streams;  // more than there are workspaces
    for (int i = 0; i < 7; ++i) streams.push_back(r.device->make_stream());
    for (int round = 0; round < 3; ++round) {
      for (const auto& stream : streams) {
        for (const GemmShape& shape : kShapes) gemms->multiply(shape, *stream);
      }
    }
    gemms->multiply({0, 5, 5}, *streams[0]);
    for (const auto& stream : streams) stream->synchronize();
    EXPECT_THROW(gemms->multiply({1001, 2000, 100}, *r.stream), std::logic_error);
  });
}

TEST_F(NcclGemms, MemoryThatIsNotThereIsAnError) {
  on_ranks(1, [](NcclRank& r) {
    constexpr GemmShape kLarge{1 << 20, 1 << 20, 1 << 20};
    EXPECT_THROW(r.device->make_gemms({&kLarge, 1}), SystemError);
  });
}

// The virtual time that a rank's device needs for what is put on its streams.
template <class Enqueue>
double time_of(NcclRank& r, Stream& beside, const Enqueue& enqueue) {
  r.stream->synchronize();
  beside.synchronize();
  r.control.barrier();
  const double start_s = r.device->now_s();
  enqueue();
  r.stream->synchronize();
  beside.synchronize();
  return r.device->now_s() - start_s;
}

// The longer of two streams is what both need.
TEST_F(NcclGemmsOfFakes, ComputeHidesCommunicationOnTheVirtualClock) {
  expect_with({{"FAKE_CUDA_VTIME", "1"}, {"FAKE_CUBLAS_TFLOPS", "10"}}, [] {
    on_ranks(2, [](NcclRank& r) {
      const std::unique_ptr<Stream> compute = r.device->make_stream();
      const std::unique_ptr<Gemms> gemms = r.device->make_gemms(kShapes);
      DeviceNumbers numbers(*r.device, *r.stream, DataType::int8, 1 << 20);
      const auto communicate = [&] {  // 20.48576 us
        r.comm->enqueue(
            all_reduce({numbers.at(0), numbers.at(0)}, 1 << 20, DataType::int8, ReduceOp::max),
            *r.stream);
      };
      const double alone_s = time_of(r, *compute, communicate);
      EXPECT_NEAR(alone_s, 20.48576e-6, 1e-12);
      const double busy_s = time_of(r, *compute, [&] {
        r.device->kernels().busy(50.125e-6, *compute);
        communicate();
        r.device->kernels().busy(1.5e-6, *compute);
      });
      EXPECT_NEAR(busy_s, 51.625e-6, 1e-12);
      const double multiply_s = time_of(r, *compute, [&] {
        gemms->multiply(kShapes[0], *compute);  // 40 us
        communicate();
        communicate();
      });
      EXPECT_NEAR(multiply_s, 2 * alone_s, 1e-12);
      EXPECT_NEAR(time_of(r, *compute, [&] { gemms->multiply(kShapes[0], *compute); }), 40e-6,
                  1e-12);
    });
  });
}

}  // namespace
}  // namespace collbench
