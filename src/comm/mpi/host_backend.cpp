// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/host_backend.h"

#include <mpi.h>

#include "comm/mpi/host_communicator.h"
#include "comm/mpi/host_device.h"
#include "comm/mpi/mpi_error.h"
#include "comm/mpi/mpi_types.h"
#include "comm/wait_policy.h"

namespace collbench {
namespace {

class HostBackend final : public Backend {
 public:
  HostBackend(MpiSession& session, const CallLimits& limits) : session_(session), limits_(limits) {}

  std::string_view name() const override { return "mpi"; }

  std::unique_ptr<Device> make_device(const DeviceUse& use) override {
    const bool cores = every_rank_has_a_core(session_.control_plane(), session_.local_size());
    oversubscribed_ = !cores;
    policy_ = choose_wait_policy(use.wait, cores);
    const HostShare share{session_.local_rank(), session_.local_size()};
    return std::make_unique<HostDevice>(
        share, std::make_shared<HostEngine>(host_mode(use.one_stream, policy_), policy_));
  }

  std::unique_ptr<Communicator> make_communicator(Device& device) override {
    MPI_Comm duplicate = MPI_COMM_NULL;
    COLLBENCH_MPI_CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &duplicate));
    return std::make_unique<HostCommunicator>(duplicate, static_cast<HostDevice&>(device).engine(),
                                              types_, limits_);
  }

  WaitPolicy wait_policy() const override { return policy_; }

  bool oversubscribed() const override { return oversubscribed_; }

 private:
  MpiSession& session_;
  const CallLimits limits_;
  MpiTypes types_;
  WaitPolicy policy_ = WaitPolicy::automatic;
  bool oversubscribed_ = false;
};

class HostProcess final : public BackendProcess {
 public:
  explicit HostProcess(MpiSession& session) : session_(session) {}

  std::unique_ptr<Backend> make_backend(const BackendSeat& /*seat*/) override {
    return make_host_backend(session_);
  }

  void abort() noexcept override {}  // MPI ends the process with what is in flight

 private:
  MpiSession& session_;
};

}  // namespace

std::unique_ptr<BackendProcess> make_host_process(MpiSession& session) {
  return std::make_unique<HostProcess>(session);
}

std::unique_ptr<Backend> make_host_backend(MpiSession& session) {
  return make_host_backend(session, library_limits());
}

std::unique_ptr<Backend> make_host_backend(MpiSession& session, const CallLimits& limits) {
  return std::make_unique<HostBackend>(session, limits);
}

}  // namespace collbench
