// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/cuda_gemms.h"

#include <stdexcept>

#include "comm/nccl/cublas_library.h"
#include "comm/nccl/cuda_stream.h"
#include "comm/nccl/stream_workspaces.h"

namespace collbench {
namespace {

class CublasHandle {
 public:
  CublasHandle(const CublasLibrary& library, std::shared_ptr<const RankComms> comms)
      : library_(library), comms_(std::move(comms)) {
    library_.check(library_.create(&handle_), "cublasCreate");
  }
  ~CublasHandle() {
    if (comms_->may_wait()) library_.destroy(handle_);  // waits for the device
  }
  CublasHandle(const CublasHandle&) = delete;
  CublasHandle& operator=(const CublasHandle&) = delete;

  cublasHandle_t get() const { return handle_; }

 private:
  const CublasLibrary& library_;
  std::shared_ptr<const RankComms> comms_;
  cublasHandle_t handle_ = nullptr;
};

class CudaGemms final : public Gemms {
 public:
  CudaGemms(std::span<const GemmShape> shapes, Device& device,
            const std::shared_ptr<RankComms>& comms)
      : counts_(operands_for(shapes)),
        workspaces_(comms),
        a_(allocate(counts_.a, device)),
        b_(allocate(counts_.b, device)),
        c_(allocate(counts_.c, device)),
        handle_(cublas_, comms),
        name_(cublas_.name(handle_.get())) {
    const std::unique_ptr<Stream> stream = device.make_stream();
    const Pattern pattern = operand_pattern(DataType::bfloat16);
    device.kernels().fill(a_->data(), counts_.a, pattern, 0, *stream);
    device.kernels().fill(b_->data(), counts_.b, pattern, 0, *stream);
    for (const GemmShape& shape : shapes) multiply(shape, *stream);
    stream->synchronize();
  }

  void multiply(const GemmShape& shape, Stream& stream) override {
    if (!fits(shape, counts_)) throw std::logic_error("a product of a shape that was not told");
    if (shape.m == 0 || shape.n == 0 || shape.k == 0) return;
    auto& workspace = workspaces_.take(static_cast<CudaStream&>(stream).handle());
    use(workspace);
    enqueue(static_cast<int>(shape.m), static_cast<int>(shape.n), static_cast<int>(shape.k));
    workspaces_.note_use(workspace);
  }

  std::string_view library() const override { return name_; }

 private:
  static std::unique_ptr<Memory> allocate(Count count, Device& device) {
    return device.allocate(count * size_of(DataType::bfloat16), MemoryKind::device);
  }

  // A new stream of a handle makes it forget its workspace.
  void use(StreamWorkspaces::Workspace& workspace) {
    cublas_.check(cublas_.set_stream(handle_.get(), workspace.stream), "cublasSetStream");
    cublas_.check(
        cublas_.set_workspace(handle_.get(), workspace.memory->data(), workspace.memory->bytes()),
        "cublasSetWorkspace");
  }

  // Columns lie one after the other.
  void enqueue(int m, int n, int k) {
    const float one = 1;
    const float zero = 0;
    cublas_.check(
        cublas_.gemm_ex(handle_.get(), CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a_->data(),
                        CUDA_R_16BF, m, b_->data(), CUDA_R_16BF, k, &zero, c_->data(), CUDA_R_16BF,
                        m, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
  }

  GemmOperands counts_;
  CublasLibrary cublas_;
  StreamWorkspaces workspaces_;
  std::unique_ptr<Memory> a_;
  std::unique_ptr<Memory> b_;
  std::unique_ptr<Memory> c_;
  // After what may not be there: a rank that unwinds waits for nothing, and so abandons its handle.
  CublasHandle handle_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Gemms> make_cuda_gemms(std::span<const GemmShape> shapes, Device& device,
                                       const std::shared_ptr<RankComms>& comms) {
  return std::make_unique<CudaGemms>(shapes, device, comms);
}

}  // namespace collbench
