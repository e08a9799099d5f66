// SPDX-License-Identifier: Apache-2.0
#include "group.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <vector>

#include "errors.h"
#include "fake_cuda.h"
#include "log.h"
#include "settings.h"

namespace fakenccl {
namespace {

struct Group {
  int depth = 0;
  ncclResult_t refused = ncclSuccess;
  std::vector<Issued> operations;
  std::vector<Job> jobs;
};

thread_local Group group;

/// The operations of one group on one communicator: one item of a stream.
struct Item {
  std::shared_ptr<Communicator> comm;
  std::vector<Operation> operations;
  std::vector<cudaStream_t> streams;    // the first is its own; the others are gated to it
  std::optional<std::uint64_t> turn{};  // none in a graph, which replays it

  void operator()(fakecuda::ItemTime& time) const {
    const bool begun = comm->turns().begin(turn, [this] { return comm->broken(); });
    const bool done = begun && run_operations(*comm, operations, time.end_s);
    // On a GPU what has failed stays on its stream: only ending it frees the stream.
    if (!done) comm->wait_for_end_of_work();
    comm->turns().end(turn, begun);
  }
};

std::vector<Item> items_of(const std::vector<Issued>& operations) {
  std::vector<Item> items;
  for (const Issued& issued : operations) {
    auto item = std::find_if(items.begin(), items.end(),
                             [&](const Item& i) { return i.comm == issued.comm; });
    if (item == items.end()) item = items.insert(items.end(), Item{issued.comm, {}, {}});
    item->operations.push_back(issued.op);
    auto& streams = item->streams;
    if (std::find(streams.begin(), streams.end(), issued.stream) == streams.end()) {
      streams.push_back(issued.stream);
    }
  }
  return items;
}

ncclResult_t of_cuda(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return ncclSuccess;
  return error(ncclUnhandledCudaError, std::string(what) + ": " + cudaGetErrorString(result));
}

/// The communicator's device is current where this lives: the NULL stream is that device's.
class OnDevice {
 public:
  explicit OnDevice(int device) : before_(fakecuda::current_device()) {
    if (before_ != device) cudaSetDevice(device);
    changed_ = before_ != device;
  }
  ~OnDevice() {
    if (changed_) cudaSetDevice(before_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_;
  bool changed_ = false;
};

ncclResult_t enqueue(Item item) {
  const auto comm = item.comm;
  const auto streams = item.streams;
  const OnDevice device(comm->device());
  const std::lock_guard lock(comm->issue);
  for (std::size_t i = 1; i < streams.size(); ++i) {
    const auto gated = of_cuda(fakecuda::order_after(streams[0], streams[i]), "gate to a stream");
    if (gated != ncclSuccess) return gated;
  }
  const bool captured = fakecuda::is_capturing(streams[0]);
  if (!captured) item.turn = comm->turns().take();
  const auto queued = of_cuda(fakecuda::enqueue(streams[0], std::move(item)), "launch");
  if (queued != ncclSuccess) {
    if (!captured) comm->turns().give_back();
    return queued;
  }
  for (std::size_t i = 1; i < streams.size(); ++i) {
    const auto gated = of_cuda(fakecuda::order_after(streams[i], streams[0]), "gate from a stream");
    if (gated != ncclSuccess) return gated;
  }
  return ncclSuccess;
}

ncclResult_t mixed() {
  return error(ncclInvalidArgument, "blocking and non-blocking communicators in one group");
}

ncclResult_t run_job(const Job& job) {
  const ncclResult_t result = job.run();
  if (result != ncclSuccess && job.blocking) job.undo();
  return result;
}

void undo(const std::vector<Job>& jobs) {
  for (const Job& job : jobs) job.undo();
}

ncclResult_t run_jobs(std::vector<Job> jobs) {
  const bool blocking = jobs.front().blocking;
  if (std::any_of(jobs.begin(), jobs.end(), [&](const Job& j) { return j.blocking != blocking; })) {
    undo(jobs);
    return mixed();
  }
  std::vector<ncclResult_t> results(jobs.size(), ncclSuccess);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    ncclResult_t* const result = blocking ? &results[i] : nullptr;
    threads.emplace_back([job = std::move(jobs[i]), result] {
      cudaSetDevice(job.device);
      const ncclResult_t ended = run_job(job);
      if (result) *result = ended;
    });
    if (!blocking) threads.back().detach();
  }
  if (!blocking) return ncclInProgress;
  for (std::thread& thread : threads) thread.join();
  const auto bad =
      std::find_if(results.begin(), results.end(), [](auto r) { return r != ncclSuccess; });
  return bad == results.end() ? ncclSuccess : *bad;
}

ncclResult_t enqueue(std::vector<Item> items) {
  for (Item& item : items) {
    const ncclResult_t result = enqueue(std::move(item));
    if (result != ncclSuccess) return result;
  }
  return ncclSuccess;
}

/// As with NCCL, each group of non-blocking communicators gets a thread that enqueues it; they are
/// in progress until then, and the program must not use the streams before. Captures stay with
/// their thread, and so does what a rank does alone.
ncclResult_t enqueue_later(std::vector<Item> items) {
  for (const Item& item : items) ++item.comm->launches;
  std::thread([items = std::move(items)] {
    const ncclResult_t result = enqueue(items);
    for (const Item& item : items) {
      if (result != ncclSuccess) item.comm->fail(result);
      --item.comm->launches;
    }
  }).detach();
  return ncclInProgress;
}

ncclResult_t enqueue_group(std::vector<Item> items) {
  const auto blocks = [](const Item& item) { return item.comm->blocking(); };
  const auto at_once = [](const Item& item) {
    return item.comm->ranks() == 1 || fakecuda::is_capturing(item.streams[0]);
  };
  if (std::all_of(items.begin(), items.end(), blocks)) return enqueue(std::move(items));
  if (std::any_of(items.begin(), items.end(), blocks)) return mixed();
  if (std::all_of(items.begin(), items.end(), at_once)) return enqueue(std::move(items));
  return enqueue_later(std::move(items));
}

ncclResult_t launch(Group all) {
  const bool both = !all.jobs.empty() && !all.operations.empty();
  if (all.refused != ncclSuccess || both) {
    undo(all.jobs);
    if (all.refused != ncclSuccess) return all.refused;
    return error(ncclInvalidUsage, "communicators are made and used in one group");
  }
  if (!all.jobs.empty()) return run_jobs(std::move(all.jobs));
  return enqueue_group(items_of(all.operations));
}

/// One rank, run by the caller: the shortest way through, without memory or locks, as this is what
/// the cost of a program's own call is measured with.
bool is_short_cut(const Issued& issued) {
  return settings().inline_items && issued.comm->ranks() == 1 &&
         !is_point_to_point(issued.op.kind) && issued.op.fault.action == Action::none &&
         !fakecuda::virtual_time() && !fakecuda::is_capturing(issued.stream);
}

/// Whether all that the group has issued was such, and is done.
bool take_short_cuts(std::vector<Issued>& operations) {
  if (operations.empty() || !std::all_of(operations.begin(), operations.end(), is_short_cut))
    return false;
  for (const Issued& issued : operations) {
    double time_s = 0;
    run_collective(*issued.comm, issued.op, time_s);
  }
  operations.clear();  // its memory stays
  return true;
}

}  // namespace

ncclResult_t issue(const std::shared_ptr<Communicator>& comm, const Operation& op,
                   cudaStream_t stream) {
  ++group.depth;
  group.operations.push_back({comm, op, stream});
  return ncclGroupEnd();
}

ncclResult_t issue(Job job) {
  if (group.depth > 0) {
    const bool blocking = job.blocking;
    group.jobs.push_back(std::move(job));
    return blocking ? ncclSuccess : ncclInProgress;
  }
  if (job.blocking) return run_job(job);
  std::vector<Job> one;
  one.push_back(std::move(job));
  return run_jobs(std::move(one));
}

ncclResult_t remember(ncclResult_t result) {
  const bool refused = result != ncclSuccess && result != ncclInProgress;
  if (refused && group.depth > 0 && group.refused == ncclSuccess) group.refused = result;
  return result;
}

}  // namespace fakenccl

using namespace fakenccl;

ncclResult_t ncclGroupStart() {
  ++group.depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  if (group.depth == 0) return error(ncclInvalidUsage, "ncclGroupEnd without ncclGroupStart");
  if (--group.depth > 0) return ncclSuccess;
  const bool plain = group.refused == ncclSuccess && group.jobs.empty();
  if (plain) log_group(group.operations);
  if (plain && take_short_cuts(group.operations)) return ncclSuccess;
  return launch(std::exchange(group, Group{}));
}
