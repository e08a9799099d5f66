// SPDX-License-Identifier: Apache-2.0
#include "app/pattern_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "analysis/scaling.h"
#include "app/agreement.h"
#include "app/balanced_steps.h"
#include "app/layout_run.h"
#include "app/measured_step.h"
#include "app/run_environment.h"
#include "app/run_facts.h"
#include "app/run_report.h"
#include "app/step_costs.h"
#include "base/clock.h"
#include "plan/checker.h"
#include "plan/trace.h"
#include "results/open_file.h"
#include "results/row_flags.h"
#include "results/step_table.h"

namespace collbench {
namespace {

// A sample is one step, however short: no block has a least length.
SamplingConfig sampling_config(const StopRule& rule) {
  SamplingConfig config;
  config.target_half_width = rule.target_half_width;
  config.min_samples = rule.min_samples;
  config.max_samples = rule.max_samples;
  config.max_time_s = rule.max_time_s;
  config.block_s = 0;
  if (rule.fixed_samples > 0) config.fixed_samples = rule.fixed_samples;
  return config;
}

// Everything one run needs, made in the order of its members and destroyed in reverse.
class PatternRun {
 public:
  PatternRun(RunContext& run, const BackendOfRun& backend,
             const std::vector<std::string>& arguments, const PatternOptions& options,
             const plan::Pattern& pattern)
      : run_(run),
        options_(options),
        pattern_(pattern),
        note_(backend.note()),
        report_(run, options),
        planned_(plan_layouts(options, pattern, run.control().size())),
        backend_(backend.process().make_backend(run.seat())),
        device_(backend_->make_device({.wait = options.wait})) {
    describe(arguments, fmt::format("{}_perf", pattern.name));
  }

  ExitStatus measure() {
    if (report_.speaks()) {
      for (const plan::Plan& plan : planned_.plans) require_sound(plan);
    }
    report_.open_file();  // which tells how the start of communicators ends, too
    make_bench();
    report_.print(step_header(report_.document(), std::vector{note_}));
    for (const plan::Plan& plan : planned_.plans) measure_layout(plan);
    report_scaling();
    report_.conclude();
    return data_is_right_ ? ExitStatus::ok : ExitStatus::wrong_data;
  }

 private:
  struct Planned {
    std::vector<plan::Plan> plans;
    std::vector<ScalingGap> left_out;  // that cannot train the model
  };

  static Planned plan_layouts(const PatternOptions& options, const plan::Pattern& pattern,
                              int ranks) {
    const Scale& scale = options.replay.scale;
    Planned planned;
    for (const model::Layout& layout : measured_layouts(options, pattern, ranks)) {
      try {
        planned.plans.push_back(plan_of(options, pattern, layout));
      } catch (const UserError& error) {
        if (!scale.is_asked_for()) throw;
        planned.left_out.push_back({layout.*scale.axis->of, model::ranks(layout), error.what()});
      }
    }
    if (planned.plans.empty()) throw UserError(planned.left_out.front().reason);
    return planned;
  }

  void describe(const std::vector<std::string>& arguments, std::string program) {
    Document& document = report_.document();
    document.run = new_run_facts();
    document.environment = gather_environment(run_.control(), device_->facts());
    document.environment.libraries = backend_->libraries();
    document.environment.libraries["mpi"] = run_.session().mpi_library();
    RunConfig& config = document.config;
    config.program = std::move(program);
    config.arguments = arguments;
    config.backend = backend_->name();
    config.wait_policy = name_of(backend_->wait_policy());
    config.pattern = PatternConfig{std::string(name_of(options_.replay.compute))};
    config.warmup_iterations = options_.replay.warmup;
    config.sampling = sampling_config(sampling_of_steps(options_).stop);
    config.threads_per_process = options_.gpu.threads;
    config.gpus_per_thread = options_.gpu.gpus_per_thread;
    config.check_iterations = options_.replay.check ? 1 : 0;
  }

  // The alignment is of all ranks, also of those that a layout leaves idle.
  void make_bench() {
    all_ = backend_->make_communicator(*device_);
    stream_ = device_->make_stream();
    std::vector<int> hosts;
    for (const RankFacts& rank : report_.document().environment.ranks) hosts.push_back(rank.host);
    context_.emplace(StepContext{
        options_, std::string(backend_->name()), hosts, options_.gpu.ranks_per_process(), {}});
    if (backend_->oversubscribed()) {
      context_->flags.emplace_back(row_flags::oversubscribed.name);
    }
    alignment_.emplace(all_->split(0, all_->rank()), *device_, hosts);
    bench_.emplace(LayoutBench{
        {run_.control(), *device_, *alignment_, *stream_, run_.progress()}, *all_, options_});
  }

  // With --balance `plan` is the first of many, and the last is measured as all others are.
  void measure_layout(const plan::Plan& plan) {
    if (!options_.scheme.experts.balance) return measure(plan, {});
    LayoutRun::Comms comms;
    const BalancedSteps balanced =
        follow(balanced_training(options_, pattern_, plan.layout),
               [&](const plan::Plan& each, BalancedStep& step) {
                 if (report_.speaks()) require_sound(each);
                 const auto costs = costs_of(blank_step(*context_, each), *context_, each);
                 if (costs) step.predicted_s = plan::predict_step(each, *costs).step_s;
                 LayoutRun layout(*bench_, each, comms);
                 comms = layout.communicators();
                 step.step = series_of(layout.sample_step(sampling_of_balanced_steps(options_)));
                 run_.progress().enter("planning a step", step_limit_s(options_.timeout_s, 0));
               });
    measure(balanced.last, balanced.steps);
  }

  void measure(const plan::Plan& plan, const std::vector<BalancedStep>& balancing) {
    StepRecord record = blank_step(*context_, plan);
    record.balancing = balancing;
    if (const auto layout = make_layout(plan, record)) {
      note_library(layout->computing_library());
      add_samples(record, layout->sample());
      record.ended = utc_now_rfc3339();
      report_.keep(report_.document().steps, record);  // whatever happens to what explains it
      if (!options_.replay.step_only) explain(record, *layout, plan);
      add_prediction(record, *context_, plan);
      if (options_.replay.check) add_check(record, layout->check());
      data_is_right_ &= record.status == RowStatus::ok;
      is_measured_ = true;
    }
    record.ended = utc_now_rfc3339();
    report_.keep(report_.document().steps, record);
    report_.print(step_table(record));
  }

  // Of several layouts one that takes more memory than there is is skipped. Nothing then.
  std::unique_ptr<LayoutRun> make_layout(const plan::Plan& plan, StepRecord& record) {
    try {
      return std::make_unique<LayoutRun>(*bench_, plan);
    } catch (const UserError& error) {
      if (!options_.replay.scale.is_asked_for()) throw;
      record.status = RowStatus::skipped;
      record.reason = error.what();
      return nullptr;
    }
  }

  // What the step's time is made of.
  void explain(StepRecord& record, LayoutRun& layout, const plan::Plan& plan) {
    add_messages(record, plan, layout.time_messages());
    const LayoutTimelines timelines = layout.timelines();
    add_timelines(record, plan, timelines);
    write_trace(plan, timelines.step);
    if (options_.replay.interference) add_axes(record, layout.time_axes());
  }

  void note_library(const std::string& library) {
    if (!library.empty()) report_.document().environment.libraries["gemm"] = library;
  }

  void write_trace(const plan::Plan& plan, const plan::Timeline& timeline) {
    if (options_.trace_path.empty()) return;
    const std::string path = trace_path(options_, plan.layout);
    together(run_.control(), [&] {
      if (!report_.speaks()) return;
      run_.progress().enter("writing " + path, step_limit_s(options_.timeout_s, 0));
      replace_file(path, plan::to_trace(plan, plan::match(plan), timeline));
    });
    report_.print(fmt::format("# trace in {}\n", path));
  }

  void report_scaling() {
    const Scale& scale = options_.replay.scale;
    if (!scale.is_asked_for()) return;
    if (!is_measured_) throw UserError("--scale: no degree could be measured; see their reasons");
    if (!report_.speaks()) return;
    Document& document = report_.document();
    document.scaling = scaling(*scale.axis, document.steps);
    std::vector<ScalingGap>& left_out = document.scaling->left_out;
    left_out.insert(left_out.end(), planned_.left_out.begin(), planned_.left_out.end());
    std::sort(left_out.begin(), left_out.end(),
              [](const ScalingGap& a, const ScalingGap& b) { return a.degree < b.degree; });
    report_.print(scaling_table(*document.scaling));
  }

  RunContext& run_;
  const PatternOptions& options_;
  const plan::Pattern& pattern_;
  const std::string note_;
  RunReport report_;
  const Planned planned_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Communicator> all_;
  std::unique_ptr<Stream> stream_;
  std::optional<Alignment> alignment_;
  std::optional<StepContext> context_;
  std::optional<LayoutBench> bench_;
  bool data_is_right_ = true;  // the same on every rank, as the next
  bool is_measured_ = false;   // any step
};

}  // namespace

ExitStatus measure_pattern(RunContext& run, const BackendOfRun& backend,
                           const std::vector<std::string>& arguments, const PatternOptions& options,
                           const plan::Pattern& pattern) {
  return PatternRun(run, backend, arguments, options, pattern).measure();
}

void require_sound(const plan::Plan& plan) {
  const std::vector<std::string> faults = plan::check(plan);
  if (faults.empty()) return;
  throw std::logic_error(
      fmt::format("the plan has {} faults, the first: {}", faults.size(), faults.front()));
}

}  // namespace collbench
