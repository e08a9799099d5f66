// SPDX-License-Identifier: Apache-2.0
// What reached a communication library, one file per rank and one line of JSON per operation:
// written by whoever stands in the library's place, read by operation_log.py.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "fakes/environment.h"

namespace operation_log {

/// One call of the library, by collbench's names.
struct Operation {
  const char* name = "";                         // "all_reduce"
  const char* type = "";                         // "float", as the library was told
  const char* reduction = nullptr;               // none
  std::vector<std::uint64_t> counts{};           // one number, or what is sent to each rank
  std::vector<std::uint64_t> received_counts{};  // from each rank, where each has its own
  std::optional<int> peer{};
  std::optional<int> root{};
};

/// A communicator as one of its ranks knows it.
struct Communicator {
  int number = 0;          // of those that the rank has used, in the order of their first use
  int rank = 0;            // in it
  std::vector<int> ranks;  // all of it, in order, as ranks of the run
};

template <class Number>
void write_list(std::ostream& out, const std::vector<Number>& numbers) {
  const char* separator = "[";
  for (const Number number : numbers) {
    out << separator << number;
    separator = ", ";
  }
  out << (numbers.empty() ? "[]" : "]");
}

inline void write_optional(std::ostream& out, const char* name, const std::optional<int>& number) {
  if (number) out << ", \"" << name << "\": " << *number;
}

/// `group`: of those that the rank has issued.
inline std::string line_of(const Operation& op, const Communicator& comm, int group) {
  std::ostringstream out;
  out << "{\"group\": " << group << ", \"op\": \"" << op.name << "\", \"type\": \"" << op.type
      << '"';
  if (op.reduction != nullptr) out << ", \"reduction\": \"" << op.reduction << '"';
  out << ", \"count\": ";
  if (op.counts.size() == 1 && op.received_counts.empty()) {
    out << op.counts.front();
  } else {
    write_list(out, op.counts);
    out << ", \"received_count\": ";
    write_list(out, op.received_counts);
  }
  write_optional(out, "peer", op.peer);
  write_optional(out, "root", op.root);
  out << ", \"communicator\": " << comm.number << ", \"rank\": " << comm.rank << ", \"ranks\": ";
  write_list(out, comm.ranks);
  out << "}\n";
  return out.str();
}

/// A file that only grows.
class File {
 public:
  /// `variable`: what named the folder, for the sentence that ends a process which cannot write.
  File(const char* variable, std::string path)
      : path_(std::move(path)),
        variable_(variable),
        file_(open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
    if (file_ < 0) refuse();
  }
  ~File() { close(file_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// That of one rank of the run, DIR/rank-N.jsonl.
  File(const char* variable, const std::string& folder, int rank)
      : File(variable, folder + "/rank-" + std::to_string(rank) + ".jsonl") {}

  /// At once, so that a run which is killed has said all that it did.
  void append(const std::string& lines) {
    if (write(file_, lines.data(), lines.size()) != static_cast<ssize_t>(lines.size())) refuse();
  }

 private:
  [[noreturn]] void refuse() const {
    fakes::refuse(variable_ + ": cannot write " + path_ +
                  "; give a folder that exists and has space");
  }

  std::string path_;
  std::string variable_;
  int file_;
};

}  // namespace operation_log
