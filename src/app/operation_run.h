// SPDX-License-Identifier: Apache-2.0
// OperationRun: what a run that sweeps no collective does around its measurements: backend and
// device, the document, the table and the file.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/backend_of_run.h"
#include "app/run_main.h"
#include "app/run_report.h"
#include "comm/backend.h"

namespace collbench {

/// What such a program is asked for, of what every program is.
struct OperationCommand {
  std::string_view program;
  const std::vector<std::string>& arguments;
  const RunningChoice& running;
  const GpuChoice& gpu;
};

/// One per rank; communicators of it must be gone before it.
class OperationRun {
 public:
  /// Collective over the run.
  OperationRun(RunContext& run, const BackendOfRun& backend, const OperationCommand& command);

  RunContext& context() { return run_; }
  ControlPlane& control() { return run_.control(); }
  Backend& backend() { return *backend_; }
  Device& device() { return *device_; }

  const Environment& environment() const { return report_.document().environment; }

  /// Of the document, for what is special about the program; before `begin`.
  RunConfig& config() { return report_.document().config; }

  /// Makes the result file, then prints what stands above the rows. Collective over the run.
  void begin();

  /// A row of so many ranks, the first of the run, that is not measured yet. `mode` is one of
  /// operation_modes.
  Record blank(std::string_view operation, std::string_view mode, int ranks) const;

  /// Prints and writes a row.
  void keep(Record record);

  /// Prints what stands below the rows. The status that the rows call for.
  ExitStatus end();

  /// A step that moves so many bytes, for deadlines.
  void enter(const std::string& what, Bytes bytes);

 private:
  void describe(const OperationCommand& command);

  RunContext& run_;
  const RunningChoice& running_;
  const std::string note_;
  RunReport report_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Device> device_;
  const int ranks_per_process_;
};

}  // namespace collbench
