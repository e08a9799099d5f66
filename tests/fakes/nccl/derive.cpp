// SPDX-License-Identifier: Apache-2.0
// Communicators made from others. The parent's segment is where the ranks agree; the child has its
// own.
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "errors.h"
#include "fake_cuda.h"
#include "faults.h"
#include "group.h"
#include "handles.h"
#include "waiting.h"

using namespace fakenccl;

namespace {

using Steps = std::atomic<std::uint32_t> Member::*;

/// This rank has done a step of a kind; waits until all of `ranks` have. Unlike a wait of an
/// operation it goes on when the parent has failed, as shrinking is what one does then. False:
/// aborted, or one died.
bool step_together(Communicator& parent, Steps steps, const std::vector<int>& ranks) {
  const std::uint32_t mine = (parent.me().*steps).fetch_add(1) + 1;
  ring_others(parent);
  const auto there = [&](int rank) { return (parent.member(rank).*steps).load() >= mine; };
  while (!std::all_of(ranks.begin(), ranks.end(), there)) {
    if (parent.aborted()) return false;
    for (const int rank : ranks) {
      if (!there(rank) && !lives(parent.member(rank).process)) {
        error(ncclRemoteError, "rank " + std::to_string(rank) + " has died");
        return false;
      }
    }
    usleep(200);
  }
  return true;
}

std::vector<int> all_ranks(const Communicator& comm) {
  std::vector<int> ranks(static_cast<std::size_t>(comm.ranks()));
  for (int rank = 0; rank < comm.ranks(); ++rank) ranks[static_cast<std::size_t>(rank)] = rank;
  return ranks;
}

/// The ranks of a color in the order of their keys.
std::vector<int> ranks_of_color(const Communicator& parent, int color) {
  std::vector<int> ranks;
  for (const int rank : all_ranks(parent)) {
    if (parent.member(rank).color == color) ranks.push_back(rank);
  }
  std::stable_sort(ranks.begin(), ranks.end(),
                   [&](int a, int b) { return parent.member(a).key < parent.member(b).key; });
  return ranks;
}

ncclResult_t join_child(const Communicator& parent, Communicator& child,
                        const std::vector<int>& ranks, const Fault& fault) {
  const auto own = std::find(ranks.begin(), ranks.end(), parent.rank());
  const auto rank = static_cast<int>(own - ranks.begin());
  const ncclUniqueId id = parent.member(ranks.front()).child;
  return child.join(id, rank, static_cast<int>(ranks.size()), parent.origin_rank(), fault);
}

/// `child`: nullptr for a rank without a color, which the others wait for all the same.
ncclResult_t split(Communicator& parent, Communicator* child, int color, int key,
                   const Fault& fault) {
  parent.me().color = color;
  parent.me().key = key;
  const std::vector<int> everybody = all_ranks(parent);
  if (!step_together(parent, &Member::split_steps, everybody)) return ncclRemoteError;
  const std::vector<int> ranks = ranks_of_color(parent, color);
  if (child && ranks.front() == parent.rank()) {
    const ncclResult_t made = make_id(parent.me().child);
    if (made != ncclSuccess) return made;
  }
  if (!step_together(parent, &Member::split_steps, everybody)) return ncclRemoteError;
  return child ? join_child(parent, *child, ranks, fault) : ncclSuccess;
}

// The excluded ranks take no part: between two shrinks of one parent the same ranks must remain.
ncclResult_t shrink(Communicator& parent, Communicator& child, const std::vector<int>& ranks,
                    const Fault& fault) {
  if (ranks.front() == parent.rank()) {
    const ncclResult_t made = make_id(parent.me().child);
    if (made != ncclSuccess) return made;
  }
  if (!step_together(parent, &Member::shrink_steps, ranks)) return ncclRemoteError;
  return join_child(parent, child, ranks, fault);
}

/// Issues the making of a child; `make` gets it, or nullptr where this rank gets none.
template <class Make>
ncclResult_t derive(const std::shared_ptr<Communicator>& parent, bool has_child, bool blocking,
                    ncclComm_t* out, Make make) {
  std::shared_ptr<Communicator> child;
  if (has_child) child = std::make_shared<Communicator>(parent->device(), blocking);
  const ncclComm_t handle = has_child ? make_handle(child) : nullptr;
  *out = handle;
  const auto run = [=, busy = std::make_shared<InProgress>(parent)] {
    const ncclResult_t result = make(child.get());
    if (result != ncclSuccess && child) child->set_state(result);
    return result;
  };
  const auto undo = [=] {
    *out = nullptr;
    if (child && !child->aborted()) delete_handle(handle);  // else that has done it
  };
  return issue(Job{parent->device(), blocking, run, undo});
}

ncclResult_t start_split(ncclComm_t comm, int color, int key, ncclComm_t* out,
                         const ncclConfig_t* config) {
  if (const ncclResult_t ready = check_ready(comm); ready != ncclSuccess) return ready;
  if (!out) return error(ncclInvalidArgument, "no place for the communicator");
  if (color < 0 && color != NCCL_SPLIT_NOCOLOR)
    return error(ncclInvalidArgument, "a color is not negative");
  bool blocking = true;
  if (const ncclResult_t bad = check_config(config, blocking); bad != ncclSuccess) return bad;
  const auto parent = comm->core;
  if (!config) blocking = parent->blocking();
  const Fault fault = next_fault(Kind::CommSplit, parent->origin_rank());
  if (fault.action == Action::err) return static_cast<ncclResult_t>(fault.argument);
  return derive(parent, color != NCCL_SPLIT_NOCOLOR, blocking, out,
                [=](Communicator* child) { return split(*parent, child, color, key, fault); });
}

/// The ranks that stay; empty: the list is wrong.
std::vector<int> survivors(const Communicator& comm, const int* excluded, int count) {
  std::vector<int> ranks = all_ranks(comm);
  for (int i = 0; i < count; ++i) {
    if (std::erase(ranks, excluded[i]) == 0 || excluded[i] == comm.rank()) return {};
  }
  return ranks;
}

ncclResult_t start_shrink(ncclComm_t comm, const int* excluded, int count, ncclComm_t* out,
                          const ncclConfig_t* config, int flags) {
  const bool ends_work = flags == NCCL_SHRINK_ABORT;
  const ncclResult_t usable = ends_work ? check_handle(comm) : check_ready(comm);
  if (usable != ncclSuccess) return usable;
  if (!out || !excluded || count < 1)
    return error(ncclInvalidArgument, "shrink excludes at least one rank");
  if (!ends_work && flags != NCCL_SHRINK_DEFAULT)
    return error(ncclInvalidArgument, "unknown flags of shrink");
  const auto parent = comm->core;
  const std::vector<int> ranks = survivors(*parent, excluded, count);
  if (ranks.empty()) return error(ncclInvalidArgument, "shrink excludes other ranks, each once");
  bool blocking = true;
  if (const ncclResult_t bad = check_config(config, blocking); bad != ncclSuccess) return bad;
  if (!config) blocking = parent->blocking();
  const Fault fault = next_fault(Kind::CommShrink, parent->origin_rank());
  if (fault.action == Action::err) return static_cast<ncclResult_t>(fault.argument);
  if (ends_work) parent->end_work();
  return derive(parent, true, blocking, out,
                [=](Communicator* child) { return shrink(*parent, *child, ranks, fault); });
}

}  // namespace

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* out,
                           ncclConfig_t* config) {
  return remember(start_split(comm, color, key, out, config));
}

ncclResult_t ncclCommShrink(ncclComm_t comm, int* excluded, int count, ncclComm_t* out,
                            ncclConfig_t* config, int flags) {
  return remember(start_shrink(comm, excluded, count, out, config, flags));
}
