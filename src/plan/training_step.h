// SPDX-License-Identifier: Apache-2.0
// The plan of one training step: a pipeline schedule of tensor-parallel passes, around which data
// parallelism reduces gradients and gathers parameters.
#pragma once

#include <string>
#include <variant>

#include "model/model.h"
#include "plan/data_parallel.h"
#include "plan/expert_routes.h"
#include "plan/pipeline_parallel.h"
#include "plan/zero.h"

namespace collbench::plan {

struct Scheme {
  std::variant<DataParallelOptions, ZeroOptions> parameters = DataParallelOptions{};
  TensorOptions tensor = {};
  PipelineOptions pipeline = {};
  ContextOptions context = {};
  ExpertOptions experts = {};
};

/// The type in which frameworks reduce gradients of this scheme unless they are told otherwise.
DataType usual_gradients(const Scheme& scheme);

/// Ranks that differ in their pipeline position are told apart, and in a ring of context
/// parallelism, or where experts get different numbers of tokens, those that differ in theirs; all
/// others have equal operations.
///
/// Left out are messages of a few bytes (norms of gradients, losses, overflow flags) and what
/// happens once per run. After the last pass, as Megatron orders them: gradients that are left,
/// those of tensors that tensor-parallel ranks all hold, those of a tied embedding, loads of
/// experts where a bias levels them (finalize_model_grads.py), the optimizer, parameters.
///
/// Throws UserError for a layout or a scheme that cannot train the model.
Plan training_step(std::string name, const model::Model& model, const model::Layout& layout,
                   const model::Step& step, const Scheme& scheme);

}  // namespace collbench::plan
