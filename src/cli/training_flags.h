// SPDX-License-Identifier: Apache-2.0
// The flags that say what is trained and how: model, layout and step, alike in every program that
// takes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "model/layout.h"
#include "model/model.h"
#include "model/step.h"

namespace collbench {

class TrainingFlags {
 public:
  void declare(CommandLine& line);

  bool names_model() const { return model_ || model_file_; }
  /// Whether anything but the model is given.
  bool says_how() const;

  /// Of --model or --model-file. Throws UserError when neither or both are given, and for what
  /// cannot be read.
  model::Model model() const;

  /// dp, if it is left out, is what the others leave of `ranks`; 1 where their number is free.
  /// Throws UserError for what is no number or leaves no whole dp.
  model::Layout layout(std::optional<int> ranks) const;

  /// What is left out: the sequence is the model's, gradients are reduced in `usual_gradients`.
  /// Throws UserError.
  model::Step step(const model::Model& model, const model::Layout& layout,
                   DataType usual_gradients = DataType::float32) const;

 private:
  using Text = std::optional<std::string>;

  struct ValueFlag {
    const char* name;
    Text TrainingFlags::*text;
    std::string help;
    int model::Layout::*degree = nullptr;  // that it sets, if any
  };
  static std::vector<ValueFlag> layout_flags();
  static std::vector<ValueFlag> step_flags();

  Text model_, model_file_;
  Text tp_, cp_, cp_a2a_, ep_, etp_, dp_, replicas_, pp_, vpp_, order_, stage_layers_;
  Text micro_batch_, micro_batches_, global_batch_, sequence_, recompute_, gradient_type_;
  bool no_sequence_parallel_ = false;
};

}  // namespace collbench
