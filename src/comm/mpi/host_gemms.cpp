// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/host_gemms.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "comm/host_pattern.h"
#include "comm/mpi/gemm_blocks.h"
#include "comm/mpi/host_stream.h"
#include "comm/mpi/open_blas.h"

namespace collbench {
namespace {

// From the end of a row to the start of the next one. Rows of a power of two, as models have them,
// would take turns in the same few places of a cache, which costs a slice a tenth of its rate.
constexpr Count kGap = 16;

// A shape whose operands have room for the gaps of this one's.
GemmShape with_gaps(const GemmShape& shape) { return {shape.m, shape.n + kGap, shape.k + kGap}; }

GemmOperands operands_with_gaps(std::span<const GemmShape> shapes) {
  std::vector<GemmShape> all;
  for (const GemmShape& shape : shapes) all.push_back(with_gaps(shape));
  return operands_for(all);
}

// Three matrices that all products use.
class Operands {
 public:
  Operands(const GemmOperands& counts, Device& device)
      : a_(filled(counts.a, device)),
        b_(filled(counts.b, device)),
        c_(device.allocate(counts.c * sizeof(float), MemoryKind::device)) {}

  void multiply(const OpenBlas& blas, const GemmShape& whole, const GemmBlock& block) const {
    const GemmShape& from = block.from;
    const Count stride_a = whole.k + kGap;
    const Count stride = whole.n + kGap;
    blas.multiply({block.size.m,
                   block.size.n,
                   block.size.k,
                   {floats(*a_) + from.m * stride_a + from.k, stride_a},
                   {floats(*b_) + from.k * stride + from.n, stride},
                   {floats(*c_) + from.m * stride + from.n, stride},
                   from.k != 0});
  }

 private:
  static float* floats(Memory& memory) { return reinterpret_cast<float*>(memory.data()); }

  static std::unique_ptr<Memory> filled(Count count, Device& device) {
    auto memory = device.allocate(count * sizeof(float), MemoryKind::device);
    fill(memory->data(), count, operand_pattern(DataType::float32), 0);
    return memory;
  }

  std::unique_ptr<Memory> a_;
  std::unique_ptr<Memory> b_;
  std::unique_ptr<Memory> c_;
};

// Of one block, as fast as it has been in a few tries: others may use the core, too.
double flop_per_s(const OpenBlas& blas, Device& device, Clock& clock) {
  constexpr GemmShape kBlock{192, 192, 96};
  constexpr int kTries = 7;
  const Operands operands(operands_with_gaps({&kBlock, 1}), device);
  double least_s = std::numeric_limits<double>::max();
  for (int i = 0; i < kTries; ++i) {
    const double start_s = clock.now_s();
    operands.multiply(blas, kBlock, {{}, kBlock});
    least_s = std::min(least_s, clock.now_s() - start_s);
  }
  return 2 * static_cast<double>(kBlock.m * kBlock.n * kBlock.k) / std::max(least_s, 1e-9);
}

class HostGemms final : public Gemms {
 public:
  HostGemms(std::span<const GemmShape> shapes, Device& device, Clock& clock)
      : counts_(operands_with_gaps(shapes)),
        blas_(std::make_shared<OpenBlas>()),
        block_(gemm_block(flop_per_s(*blas_, device, clock))),
        operands_(std::make_shared<Operands>(counts_, device)) {}

  void multiply(const GemmShape& shape, Stream& stream) override {
    if (!fits(with_gaps(shape), counts_))
      throw std::logic_error("a product of a shape that was not told");
    const GemmBlocks blocks(shape, block_);
    auto handle = [blas = blas_, operands = operands_, shape, blocks](Count first, Count /*one*/) {
      operands->multiply(*blas, shape, blocks.at(first));
    };
    static_cast<HostStream&>(stream).enqueue(
        std::make_unique<SlicedWork>(blocks.count(), 1, std::move(handle)));
  }

  std::string_view library() const override { return blas_->name(); }

 private:
  GemmOperands counts_;
  std::shared_ptr<const OpenBlas> blas_;
  GemmShape block_;
  std::shared_ptr<const Operands> operands_;  // work in a stream may outlive this
};

}  // namespace

std::unique_ptr<Gemms> make_host_gemms(std::span<const GemmShape> shapes, Device& device,
                                       Clock& clock) {
  return std::make_unique<HostGemms>(shapes, device, clock);
}

}  // namespace collbench
