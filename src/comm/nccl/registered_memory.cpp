// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl/registered_memory.h"

#include <algorithm>
#include <exception>

#include "base/errors.h"
#include "comm/device.h"
#include "comm/nccl/nccl_error.h"
#include "comm/nccl/newer_nccl.h"

namespace collbench {
namespace {

constexpr int kSymmetric = 1;  // NCCL_WIN_COLL_SYMMETRIC, which older headers lack

// What its parts have in common: a handle, and how it is given back.
class NcclRegistration : public RegisteredMemory {
 public:
  NcclRegistration(std::shared_ptr<RankComms> comms, std::shared_ptr<OpenComm> open)
      : comms_(std::move(comms)), open_(std::move(open)) {}

 protected:
  // Of a destructor: whoever wants to know of failures has synchronized before.
  template <class GiveBack>
  void give_back(GiveBack call) {
    try {
      if (comms_->may_wait()) call();
    } catch (const std::exception&) {
    }
  }

  std::shared_ptr<RankComms> comms_;
  std::shared_ptr<OpenComm> open_;
};

class RegisteredBuffer final : public NcclRegistration {
 public:
  RegisteredBuffer(Memory& memory, std::shared_ptr<RankComms> comms, std::shared_ptr<OpenComm> open)
      : NcclRegistration(std::move(comms), std::move(open)) {
    const ncclResult_t code = comms_->call(*open_, [&](ncclComm_t comm) {
      return ncclCommRegister(comm, memory.data(), memory.bytes(), &handle_);
    });
    check_nccl(code, "ncclCommRegister");
  }
  ~RegisteredBuffer() override {
    if (!in_effect()) return;
    give_back([this] {
      comms_->call(*open_, [this](ncclComm_t comm) { return ncclCommDeregister(comm, handle_); });
    });
  }

  bool in_effect() const override { return handle_ != nullptr; }

 private:
  void* handle_ = nullptr;
};

// All ranks make it together, so that a rank may wait for others meanwhile.
class Window final : public NcclRegistration {
 public:
  Window(Memory& memory, std::shared_ptr<RankComms> comms, std::shared_ptr<OpenComm> open)
      : NcclRegistration(std::move(comms), std::move(open)) {
    const auto window = window_;
    const ncclResult_t code = comms_->call_beside(
        {open_}, [window, open = open_, data = memory.data(), bytes = memory.bytes()] {
          return ncclCommWindowRegister(open->comm, data, bytes, window.get(), kSymmetric);
        });
    check_nccl(code, "ncclCommWindowRegister");
  }
  ~Window() override {
    if (!in_effect()) return;
    give_back([this] {
      comms_->call_beside({open_}, [window = window_, open = open_] {
        return ncclCommWindowDeregister(open->comm, *window);
      });
    });
  }

  // NCCL succeeds without a window where the GPUs cannot have one.
  bool in_effect() const override { return *window_ != nullptr; }

 private:
  std::shared_ptr<ncclWindow_t> window_ = std::make_shared<ncclWindow_t>(nullptr);
};

}  // namespace

std::unique_ptr<RegisteredMemory> register_nccl_memory(Registration how, Memory& memory,
                                                       const std::shared_ptr<RankComms>& comms,
                                                       const std::shared_ptr<OpenComm>& open) {
  switch (how) {
    case Registration::none:
      return nullptr;
    case Registration::buffers:
      return std::make_unique<RegisteredBuffer>(memory, comms, open);
    case Registration::windows:
      return std::make_unique<Window>(memory, comms, open);
  }
  return nullptr;
}

}  // namespace collbench
