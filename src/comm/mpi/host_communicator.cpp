// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/host_communicator.h"

#include <exception>

#include "base/errors.h"
#include "comm/mpi/host_stream.h"
#include "comm/mpi/mpi_error.h"

namespace collbench {
namespace {

void refuse_if_broken(const CallOrder& order) {
  if (const char* why = order.broken) throw SystemError(why);
}

// A fused group in a stream.
class QueuedGroup final : public Work {
 public:
  QueuedGroup(std::span<const Call> calls, const CallContext& context,
              std::shared_ptr<CallOrder> order)
      : order_(std::move(order)), number_(order_->issued++) {
    group_.assign(calls, context);
  }

  // Groups after it would wait for its turn for ever.
  ~QueuedGroup() override {
    if (!all_started_) order_->break_off("an operation of the communicator was dropped");
  }

  Step advance() override {
    refuse_if_broken(*order_);
    if (!started_ && !start()) return Step::waiting;
    const bool done = group_.test();
    note_start();
    return done ? Step::done : Step::waiting;
  }

 private:
  bool start() {
    if (order_->started != number_) return false;
    group_.start();
    note_start();
    return started_ = true;
  }

  // Lets the next group start.
  void note_start() {
    if (all_started_ || !group_.all_started()) return;
    all_started_ = true;
    ++order_->started;
  }

  std::shared_ptr<CallOrder> order_;
  std::uint64_t number_;
  bool started_ = false;
  bool all_started_ = false;  // with what had to wait within the group
  FusedGroup group_;
};

}  // namespace

HostCommunicator::HostCommunicator(MPI_Comm comm, std::shared_ptr<HostEngine> engine,
                                   const MpiTypes& types, const CallLimits& limits)
    : mode_(engine->mode()), engine_(std::move(engine)), order_(std::make_shared<CallOrder>()) {
  context_.comm = comm;
  context_.types = &types;
  context_.scratch = &engine_->scratch();
  COLLBENCH_MPI_CHECK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  COLLBENCH_MPI_CHECK(MPI_Comm_rank(comm, &context_.rank));
  COLLBENCH_MPI_CHECK(MPI_Comm_size(comm, &context_.size));
  context_.limits = limits;
  context_.always_whole = always_whole(limits, context_.size);
}

HostCommunicator::~HostCommunicator() {
  // Freeing is collective: after an error it could wait for ranks that never come.
  if (std::uncaught_exceptions() != 0) return;
  try {
    start_everything();
  } catch (const std::exception&) {
    return;  // whoever wanted to know of failures has synchronized before
  }
  MPI_Comm_free(&context_.comm);
}

void HostCommunicator::enqueue(std::span<const Call> calls, Stream& stream) {
  // The shortest way for what is measured most: 8 bytes take little more than a microsecond.
  if (mode_ == HostMode::blocking && calls.size() == 1) {
    run_blocking(calls.front(), context_);
  } else if (!calls.empty()) {
    enqueue_group(calls, stream);
  }
}

void HostCommunicator::enqueue_group(std::span<const Call> calls, Stream& stream) {
  for (const Call& call : calls) check_ranks(call, context_);
  if (mode_ == HostMode::queued) {
    auto& host_stream = static_cast<HostStream&>(stream);
    return host_stream.enqueue(std::make_unique<QueuedGroup>(calls, context_, order_));
  }
  group_.assign(calls, context_);
  if (mode_ == HostMode::blocking) {
    group_.start_with_blocking_collective();
    return group_.wait();
  }
  group_.start();
  engine_->wait_until([this] {
    refuse_if_broken(*order_);
    return group_.test();
  });
}

void HostCommunicator::start_everything() {
  engine_->wait_until([this] {
    refuse_if_broken(*order_);
    return order_->started == order_->issued;
  });
}

std::unique_ptr<Communicator> HostCommunicator::split(int color, int key) {
  start_everything();  // a split is a collective of this communicator and has its turn among them
  MPI_Comm part = MPI_COMM_NULL;
  COLLBENCH_MPI_CHECK(MPI_Comm_split(context_.comm, color < 0 ? MPI_UNDEFINED : color, key, &part));
  if (part == MPI_COMM_NULL) return nullptr;
  return std::make_unique<HostCommunicator>(part, engine_, *context_.types, context_.limits);
}

Handling HostCommunicator::handling_of(const Call& call) const {
  const bool nonblocking = mode_ != HostMode::blocking;
  const CallForm form = form_of(call, context_.size, nonblocking, context_.limits);
  Handling handling;
  if (form == CallForm::impossible) handling.why_not = why_impossible(call, context_.limits);
  handling.in_pieces = form == CallForm::pieces || form == CallForm::messages;
  handling.extra_bytes = extra_bytes(call, context_.size, form, context_.limits);
  return handling;
}

std::optional<std::string> HostCommunicator::async_error() {
  if (const char* why = order_->broken) return why;
  return std::nullopt;
}

}  // namespace collbench
