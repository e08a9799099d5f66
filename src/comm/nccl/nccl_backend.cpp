// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/nccl_backend.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/errors.h"
#include "comm/nccl/cuda_device.h"
#include "comm/nccl/cuda_error.h"
#include "comm/nccl/library_versions.h"
#include "comm/nccl/nccl_communicator.h"
#include "comm/nccl/nccl_error.h"
#include "comm/nccl/requirements.h"
#include "comm/nccl/take_seat.h"
#include "comm/nccl/use_limits.h"
#include "comm/nccl/zero_cta.h"
#include "comm/wait_policy.h"

namespace collbench {
namespace {

// What rank 0 found for all ranks.
struct SharedId {
  ncclUniqueId id{};
  ncclResult_t code = ncclSuccess;
};

ncclUniqueId make_id(ControlPlane& control) {
  SharedId shared;
  if (control.rank() == 0) shared.code = ncclGetUniqueId(&shared.id);
  shared = control.broadcast(shared);
  if (shared.code != ncclSuccess) {
    throw CommonSystemError(nccl_failure(shared.code, "ncclGetUniqueId of rank 0"));
  }
  return shared.id;
}

class NcclBackend final : public Backend {
 public:
  NcclBackend(const BackendSeat& seat, std::shared_ptr<OpenComms> comms)
      : seat_(seat), comms_(std::move(comms)), float8_(take_seat(seat)) {}

  std::string_view name() const override { return "nccl"; }

  std::unique_ptr<Device> make_device(const DeviceUse& use) override {
    const bool cores = every_rank_has_a_core(seat_.control, seat_.local_size);
    oversubscribed_ = !cores;
    policy_ = choose_wait_policy(use.wait, cores);
    refuse_newer_use(use.nccl, loaded_nccl_version(), NCCL_VERSION_CODE);
    use_ = use.nccl;
    const CudaUse cuda_use{use.default_stream, use.check_on_host, seat_.local_size,
                           use.nccl.allocator};
    return std::make_unique<CudaDevice>(cuda_use, std::make_shared<RankComms>(comms_, policy_));
  }

  std::unique_ptr<Communicator> make_communicator(Device& device) override {
    const ncclUniqueId id = make_id(seat_.control);
    return make_nccl_communicator(static_cast<CudaDevice&>(device).comms(), id,
                                  seat_.control.rank(), seat_.control.size(), {float8_, use_});
  }

  WaitPolicy wait_policy() const override { return policy_; }
  bool oversubscribed() const override { return oversubscribed_; }

  // As many as nccl-tests does.
  std::uint64_t operations_per_sample() const override { return 20; }

  std::string silent_fallback(const traffic::Traffic& traffic, int nodes) const override {
    int driver = 0;
    COLLBENCH_CUDA_CHECK(cudaDriverGetVersion(&driver));
    const std::string why =
        why_not_zero_cta(use_, {traffic.collective, nodes, loaded_nccl_version(), driver});
    if (why.empty()) return "";
    return fmt::format("zero CTAs (-x 2): NCCL silently uses its kernels here, since {}", why);
  }

  std::map<std::string, std::string> libraries() const override {
    int runtime = 0;
    int driver = 0;
    COLLBENCH_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
    COLLBENCH_CUDA_CHECK(cudaDriverGetVersion(&driver));
    return {{"nccl", nccl_version_text(loaded_nccl_version())},
            {"cuda_runtime", cuda_version_text(runtime)},
            {"cuda_driver", cuda_version_text(driver)}};
  }

 private:
  BackendSeat seat_;
  std::shared_ptr<OpenComms> comms_;
  Float8Support float8_;  // of the run
  WaitPolicy policy_ = WaitPolicy::automatic;
  bool oversubscribed_ = false;
  NcclUse use_{};
};

class NcclProcess final : public BackendProcess {
 public:
  std::unique_ptr<Backend> make_backend(const BackendSeat& seat) override {
    return std::make_unique<NcclBackend>(seat, comms_);
  }

  void abort() noexcept override { comms_->abort(); }

 private:
  std::shared_ptr<OpenComms> comms_ = std::make_shared<OpenComms>();
};

}  // namespace

std::unique_ptr<BackendProcess> make_nccl_process() { return std::make_unique<NcclProcess>(); }

}  // namespace collbench
