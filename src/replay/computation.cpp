// SPDX-License-Identifier: Apache-2.0
#include "replay/computation.h"

#include "comm/gemms.h"

namespace collbench::replay {
namespace {

GemmShape shape_of(const plan::Gemm& gemm) { return {gemm.m, gemm.n, gemm.k}; }

std::vector<GemmShape> shapes_of(const plan::RankClass& ranks) {
  std::vector<GemmShape> shapes;
  for (const plan::Op& op : ranks.ops) {
    for (const plan::Gemm& gemm : op.gemms) shapes.push_back(shape_of(gemm));
  }
  return shapes;
}

class GemmComputation final : public Computation {
 public:
  GemmComputation(Device& device, const plan::RankClass& ranks)
      : gemms_(device.make_gemms(shapes_of(ranks))) {}

  void enqueue(plan::OpIndex /*index*/, const plan::Op& op, Stream& stream) override {
    for (const plan::Gemm& gemm : op.gemms) {
      for (Count i = 0; i < gemm.times; ++i) gemms_->multiply(shape_of(gemm), stream);
    }
  }

  std::string library() const override { return std::string(gemms_->library()); }

 private:
  std::unique_ptr<Gemms> gemms_;
};

class BusyComputation final : public Computation {
 public:
  BusyComputation(Kernels& kernels, double flops) : kernels_(kernels), flops_(flops) {}

  void enqueue(plan::OpIndex /*index*/, const plan::Op& op, Stream& stream) override {
    const Count work = plan::flops(op);
    if (work > 0) kernels_.busy(static_cast<double>(work) / flops_, stream);
  }

 private:
  Kernels& kernels_;
  const double flops_;
};

class NoComputation final : public Computation {
 public:
  void enqueue(plan::OpIndex /*index*/, const plan::Op& /*op*/, Stream& /*stream*/) override {}
};

}  // namespace

Bytes computation_bytes(Compute compute, const plan::RankClass& ranks, Bytes element) {
  if (compute != Compute::gemm) return 0;
  const GemmOperands operands = operands_for(shapes_of(ranks));
  return (operands.a + operands.b + operands.c) * element;
}

std::unique_ptr<Computation> make_computation(Compute compute, Device& device,
                                              const plan::RankClass& ranks, double flops) {
  switch (compute) {
    case Compute::gemm:
      return std::make_unique<GemmComputation>(device, ranks);
    case Compute::busy:
      return std::make_unique<BusyComputation>(device.kernels(), flops);
    case Compute::none:
      break;
  }
  return std::make_unique<NoComputation>();
}

}  // namespace collbench::replay
