// SPDX-License-Identifier: Apache-2.0
#include "app/run_report.h"

#include "app/agreement.h"

namespace collbench {

RunReport::RunReport(RunContext& run, const RunningChoice& running)
    : run_(run), running_(running) {}

void RunReport::open_file() {
  if (running_.json_path.empty()) return;
  together(run_.control(), [&] {
    if (!speaks()) return;
    file_ =
        run_.own([&] { return ResultFile::create(running_.json_path, document_, running_.force); });
    ended_ = file_ == nullptr;
  });
}

void RunReport::print(const std::string& text) {
  // A watchdog that ends the run has finished the file: what is printed must not go beyond it.
  if (speaks() && !ended_) run_.print(text);
}

void RunReport::conclude() {
  if (file_ != nullptr) ended_ = !file_->conclude(document_);
}

void RunReport::enter_writing() {
  run_.progress().enter("writing " + running_.json_path, step_limit_s(running_.timeout_s, 0));
}

}  // namespace collbench
