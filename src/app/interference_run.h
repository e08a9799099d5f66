// SPDX-License-Identifier: Apache-2.0
// InterferenceRun: each row of a sweep once more, beside another operation.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/buffers.h"
#include "cli/interfere_flag.h"
#include "comm/backend.h"
#include "measure/groups.h"
#include "measure/progress.h"
#include "measure/sampling.h"
#include "results/record.h"

namespace collbench {

/// An operation as a rank takes part in it.
struct Part {
  Operation operation;
  Setting setting;
  Placement placement;
};

/// Of one rank. The other operation has communicators, a stream and buffers of its own; it is of
/// floats, and its reduction is the sum.
class InterferenceRun {
 public:
  /// The workbench and the sampling options outlive this object. `most_bytes`: the largest message
  /// of the sweep. Throws UserError, the same on every rank, where a group of ranks cannot run the
  /// operation, or memory is missing. Collective over the run.
  InterferenceRun(Backend& backend, const Workbench& bench, const InterferingChoice& choice,
                  const SamplingOptions& sampling, Bytes most_bytes);

  /// Whether the other operation's buffers are registered, if that was asked for.
  bool is_registered() const { return is_registered_; }

  /// What the row of each of these groups and the other operation cost each other, where rank 0 has
  /// it; nothing where the other's message rounds to nothing at this size, or one of the two is too
  /// short to outlast a sample of the other. `part` is this rank's in the row, whose groups'
  /// message is of so many bytes. Collective.
  std::vector<Interference> measure(const RanksOfGroups& groups, const Part& part,
                                    Bytes message_bytes, Progress& progress,
                                    const std::string& what);

 private:
  bool fits(Bytes bytes) const;
  Part other_of(Bytes message_bytes) const;
  std::vector<Interference> measure_both(const RanksOfGroups& groups, const Part& part,
                                         Bytes message_bytes, Progress& progress,
                                         const std::string& what);

  const Workbench& bench_;
  const InterferingChoice choice_;
  const SamplingOptions& sampling_;
  const Groups groups_;
  std::unique_ptr<Communicator> comm_;
  std::unique_ptr<Stream> stream_;
  std::optional<SweepBuffers> buffers_;
  bool is_registered_ = true;
};

}  // namespace collbench
