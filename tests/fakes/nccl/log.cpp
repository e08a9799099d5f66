// SPDX-License-Identifier: Apache-2.0
#include "log.h"

#include <array>
#include <map>
#include <mutex>
#include <string>

#include "../../operation_log.h"
#include "settings.h"

namespace fakenccl {
namespace {

const char* type_name(ncclDataType_t type) {
  constexpr std::array kNames = {"int8", "uint8", "int32",  "uint32",   "int64",  "uint64",
                                 "half", "float", "double", "bfloat16", "f8e4m3", "f8e5m2"};
  static_assert(kNames.size() == ncclNumTypes);
  return kNames.at(static_cast<std::size_t>(type));
}

const char* reduction_name(const Reduction& reduction) {
  constexpr std::array kNames = {"sum", "prod", "max", "min", "avg", "mulsum"};
  static_assert(kNames.size() == ncclNumOps + 1);
  return kNames.at(static_cast<std::size_t>(reduction.op));
}

operation_log::Operation described(const Operation& op) {
  const KindFacts& kind = facts(op.kind);
  operation_log::Operation described{kind.logged, type_name(op.type), nullptr, {op.count}};
  if (kind.reduces) described.reduction = reduction_name(op.reduction);
  if (is_point_to_point(op.kind)) described.peer = op.root;
  if (kind.rooted) described.root = op.root;
  return described;
}

operation_log::Communicator described(const Communicator& comm) {
  operation_log::Communicator described{comm.number_in_log, comm.rank(), {}};
  for (int rank = 0; rank < comm.ranks(); ++rank) {
    described.ranks.push_back(comm.member(rank).origin_rank);
  }
  return described;
}

/// The file of one rank of the run, and what has been counted in it.
struct RankLog {
  explicit RankLog(int rank) : file("FAKE_NCCL_LOG", *settings().log_folder, rank) {}

  operation_log::File file;
  int groups = 0;
  int communicators = 0;
};

/// Those of all ranks of this process.
class Log {
 public:
  void append(const std::vector<Issued>& operations) {
    const std::lock_guard lock(mutex_);
    std::map<int, std::string> lines;  // by rank, mostly one
    for (const auto& [comm, op, stream] : operations) {
      RankLog& log = log_of(comm->origin_rank());
      if (comm->number_in_log < 0) comm->number_in_log = log.communicators++;
      lines[comm->origin_rank()] +=
          operation_log::line_of(described(op), described(*comm), log.groups);
    }
    for (const auto& [rank, text] : lines) {
      log_of(rank).file.append(text);
      ++log_of(rank).groups;
    }
  }

 private:
  RankLog& log_of(int rank) { return logs_.try_emplace(rank, rank).first->second; }

  std::mutex mutex_;
  std::map<int, RankLog> logs_;
};

}  // namespace

void log_group(const std::vector<Issued>& operations) {
  if (!settings().log_folder) return;
  static Log& log = *new Log;  // outlives threads that outlive main
  log.append(operations);
}

void log_use(int origin_rank, const std::string& line) {
  if (!settings().log_folder) return;
  static std::mutex& mutex = *new std::mutex;  // likewise
  const std::lock_guard lock(mutex);
  operation_log::File("FAKE_NCCL_LOG",
                      *settings().log_folder + "/use-" + std::to_string(origin_rank) + ".txt")
      .append(line + "\n");
}

}  // namespace fakenccl
