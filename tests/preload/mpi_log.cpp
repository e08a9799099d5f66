// SPDX-License-Identifier: Apache-2.0
// Logs what really reaches MPI, in the form of tests/operation_log.h: a library for LD_PRELOAD,
// whose functions stand in front of MPI's (its profiling interface). MPI_LOG names the folder.
//
// Logged is what moves data of a benchmark: every call of src/comm/mpi/mpi_calls.cpp, in all forms.
// What the control plane sends has the type MPI_BYTE, and data never has.
//
// MPI knows no fused groups. One is: calls with no test or wait for any call between them, up to a
// blocking one.
#include <mpi.h>

#include <cstdlib>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../operation_log.h"

namespace {

using operation_log::Operation;
using Counts = std::vector<std::uint64_t>;

const char* type_name(MPI_Datatype type) {
  const std::pair<MPI_Datatype, const char*> names[] = {
      {MPI_INT8_T, "int8"},     {MPI_UINT8_T, "uint8"},   {MPI_UINT16_T, "uint16"},
      {MPI_INT32_T, "int32"},   {MPI_UINT32_T, "uint32"}, {MPI_INT64_T, "int64"},
      {MPI_UINT64_T, "uint64"}, {MPI_FLOAT, "float"},     {MPI_DOUBLE, "double"}};
  for (const auto& [known, name] : names) {
    if (type == known) return name;
  }
  return "other";
}

const char* reduction_name(MPI_Op op) {
  const std::pair<MPI_Op, const char*> names[] = {
      {MPI_SUM, "sum"}, {MPI_PROD, "prod"}, {MPI_MAX, "max"}, {MPI_MIN, "min"}};
  for (const auto& [known, name] : names) {
    if (op == known) return name;
  }
  return "user";  // made by MPI_Op_create
}

// The members of a communicator as ranks of MPI_COMM_WORLD.
std::vector<int> world_ranks(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size)), in_world(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  MPI_Group members, world;
  PMPI_Comm_group(comm, &members);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(members, size, ranks.data(), world, in_world.data());
  PMPI_Group_free(&members);
  PMPI_Group_free(&world);
  return in_world;
}

int forget(MPI_Comm /*comm*/, int /*key*/, void* known, void* /*state*/) {
  delete static_cast<operation_log::Communicator*>(known);
  return MPI_SUCCESS;
}

class Log {
 public:
  void append(const Operation& op, MPI_Comm comm) {
    file_->append(operation_log::line_of(op, known(comm), group_));
    group_has_calls_ = true;
  }

  void end_group() {
    if (group_has_calls_) ++group_;
    group_has_calls_ = false;
  }

  static Log& get() {
    static Log once;
    return once;
  }

 private:
  Log() {
    const char* const folder = std::getenv("MPI_LOG");
    if (folder == nullptr) fakes::refuse("MPI_LOG is not set; name the folder of the log");
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    file_.emplace("MPI_LOG", folder, rank);
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key_, nullptr);
  }

  // What is known of a communicator is its attribute, which a duplicate does not get and which goes
  // with it: MPI gives the handle again.
  const operation_log::Communicator& known(MPI_Comm comm) {
    void* found = nullptr;
    int is_known = 0;
    PMPI_Comm_get_attr(comm, key_, &found, &is_known);
    if (is_known == 0) {
      auto made = std::make_unique<operation_log::Communicator>();
      made->number = communicators_++;
      PMPI_Comm_rank(comm, &made->rank);
      made->ranks = world_ranks(comm);
      PMPI_Comm_set_attr(comm, key_, made.get());
      found = made.release();
    }
    return *static_cast<operation_log::Communicator*>(found);
  }

  std::optional<operation_log::File> file_;
  int key_ = MPI_KEYVAL_INVALID;
  int communicators_ = 0;
  int group_ = 0;
  bool group_has_calls_ = false;
};

void note(const Operation& op, MPI_Datatype type, MPI_Comm comm, bool blocks) {
  if (type == MPI_BYTE) return;  // of the control plane
  Log::get().append(op, comm);
  if (blocks) Log::get().end_group();
}

template <class Count>
Operation moves(const char* name, MPI_Datatype type, Count count) {
  return {name, type_name(type), nullptr, {static_cast<std::uint64_t>(count)}};
}

template <class Count>
Operation reduces(const char* name, MPI_Datatype type, Count count, MPI_Op op) {
  return {name, type_name(type), reduction_name(op), {static_cast<std::uint64_t>(count)}};
}

Operation rooted(Operation op, int root) {
  op.root = root;
  return op;
}

Operation with_peer(Operation op, int peer) {
  op.peer = peer;
  return op;
}

template <class Count>
Operation all_to_all_v(MPI_Datatype type, const Count* sent, const Count* received, MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return {"alltoallv", type_name(type), nullptr, Counts(sent, sent + size),
          Counts(received, received + size)};
}

// Who works in place gives one of two counts and types: those of its other buffer.
template <class T>
T given(const void* buffer, T own, T other) {
  return buffer == MPI_IN_PLACE ? other : own;
}

}  // namespace

// The blocking and the nonblocking form of a call, whose lists are in parentheses.
#define LIST(...) __VA_ARGS__
#define BOTH_FORMS(BLOCKING, NONBLOCKING, PARAMETERS, ARGUMENTS, TYPE, OPERATION) \
  int MPI_##BLOCKING(LIST PARAMETERS) {                                           \
    note(OPERATION, TYPE, comm, true);                                            \
    return PMPI_##BLOCKING(LIST ARGUMENTS);                                       \
  }                                                                               \
  int MPI_##NONBLOCKING(LIST PARAMETERS, MPI_Request* request) {                  \
    note(OPERATION, TYPE, comm, false);                                           \
    return PMPI_##NONBLOCKING(LIST ARGUMENTS, request);                           \
  }

// Every call with counts of one type: C is "" or "_c".
#define REDUCTION_PARAMETERS(COUNT) \
  const void *send, void *recv, COUNT count, MPI_Datatype type, MPI_Op op
#define MOVE_PARAMETERS(COUNT)                                                      \
  const void *send, COUNT sent, MPI_Datatype send_type, void *recv, COUNT received, \
      MPI_Datatype recv_type

#define ALL_CALLS(C, COUNT, PLACE)                                                                 \
  BOTH_FORMS(Allreduce##C, Iallreduce##C, (REDUCTION_PARAMETERS(COUNT), MPI_Comm comm),            \
             (send, recv, count, type, op, comm), type, reduces("all_reduce", type, count, op))    \
  BOTH_FORMS(Reduce_scatter_block##C, Ireduce_scatter_block##C,                                    \
             (REDUCTION_PARAMETERS(COUNT), MPI_Comm comm), (send, recv, count, type, op, comm),    \
             type, reduces("reduce_scatter", type, count, op))                                     \
  BOTH_FORMS(Reduce##C, Ireduce##C, (REDUCTION_PARAMETERS(COUNT), int root, MPI_Comm comm),        \
             (send, recv, count, type, op, root, comm), type,                                      \
             rooted(reduces("reduce", type, count, op), root))                                     \
  BOTH_FORMS(Allgather##C, Iallgather##C, (MOVE_PARAMETERS(COUNT), MPI_Comm comm),                 \
             (send, sent, send_type, recv, received, recv_type, comm), recv_type,                  \
             moves("all_gather", recv_type, received))                                             \
  BOTH_FORMS(Alltoall##C, Ialltoall##C, (MOVE_PARAMETERS(COUNT), MPI_Comm comm),                   \
             (send, sent, send_type, recv, received, recv_type, comm), recv_type,                  \
             moves("alltoall", recv_type, received))                                               \
  BOTH_FORMS(                                                                                      \
      Gather##C, Igather##C, (MOVE_PARAMETERS(COUNT), int root, MPI_Comm comm),                    \
      (send, sent, send_type, recv, received, recv_type, root, comm),                              \
      given(send, send_type, recv_type),                                                           \
      rooted(moves("gather", given(send, send_type, recv_type), given(send, sent, received)),      \
             root))                                                                                \
  BOTH_FORMS(                                                                                      \
      Scatter##C, Iscatter##C, (MOVE_PARAMETERS(COUNT), int root, MPI_Comm comm),                  \
      (send, sent, send_type, recv, received, recv_type, root, comm),                              \
      given(recv, recv_type, send_type),                                                           \
      rooted(moves("scatter", given(recv, recv_type, send_type), given(recv, received, sent)),     \
             root))                                                                                \
  BOTH_FORMS(Bcast##C, Ibcast##C,                                                                  \
             (void* data, COUNT count, MPI_Datatype type, int root, MPI_Comm comm),                \
             (data, count, type, root, comm), type, rooted(moves("broadcast", type, count), root)) \
  BOTH_FORMS(Send##C, Isend##C,                                                                    \
             (const void* data, COUNT count, MPI_Datatype type, int peer, int tag, MPI_Comm comm), \
             (data, count, type, peer, tag, comm), type,                                           \
             with_peer(moves("send", type, count), peer))                                          \
  BOTH_FORMS(Alltoallv##C, Ialltoallv##C,                                                          \
             (const void* send, const COUNT* sent, const PLACE* sent_at, MPI_Datatype send_type,   \
              void* recv, const COUNT* received, const PLACE* received_at, MPI_Datatype recv_type, \
              MPI_Comm comm),                                                                      \
             (send, sent, sent_at, send_type, recv, received, received_at, recv_type, comm),       \
             recv_type, all_to_all_v(recv_type, sent, received, comm))                             \
  int MPI_Recv##C(void* data, COUNT count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,    \
                  MPI_Status* status) {                                                            \
    note(with_peer(moves("recv", type, count), peer), type, comm, true);                           \
    return PMPI_Recv##C(data, count, type, peer, tag, comm, status);                               \
  }                                                                                                \
  int MPI_Irecv##C(void* data, COUNT count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,   \
                   MPI_Request* request) {                                                         \
    note(with_peer(moves("recv", type, count), peer), type, comm, false);                          \
    return PMPI_Irecv##C(data, count, type, peer, tag, comm, request);                             \
  }

extern "C" {

ALL_CALLS(, int, int)
#if MPI_VERSION >= 4
ALL_CALLS(_c, MPI_Count, MPI_Aint)
#endif

// What ends a group.
int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  Log::get().end_group();
  return PMPI_Test(request, done, status);
}

int MPI_Testall(int count, MPI_Request* requests, int* done, MPI_Status* statuses) {
  Log::get().end_group();
  return PMPI_Testall(count, requests, done, statuses);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  Log::get().end_group();
  return PMPI_Wait(request, status);
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  Log::get().end_group();
  return PMPI_Waitall(count, requests, statuses);
}

}  // extern "C"
