// SPDX-License-Identifier: Apache-2.0
// What is to be said of a scheme beside its plan: its choices by name, and how much it has to send.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/closed_forms.h"
#include "plan/training_step.h"

namespace collbench::plan {

/// What was chosen, by name, as far as it makes a difference in this layout: {"zero", "fsdp2"},
/// {"schedule", "1f1b"}. Choices between doing a thing and not are "yes" and "no".
std::map<std::string, std::string> choices(const Scheme& scheme, const model::Layout& layout);

/// The closed forms of what a rank of pipeline position `pp` sends per step; they see no operations
/// and no padding. DeepSpeed's stage 3 is a bound: it sends less where it keeps parameters.
std::vector<model::Volumes> closed_forms(const model::Model& model, const model::Layout& layout,
                                         const model::Step& step, const Scheme& scheme, int pp);

/// The same added up, in whole bytes. Nothing where a form is a bound only, or of something else:
/// DTensor keeps the gathered input of the head (the form is of Megatron, which gathers it again),
/// FSDP2 reduces once per step in a pipeline, DeepSpeed's forms are of its usual gradients, and
/// uneven routing is only known when it is drawn.
std::optional<Bytes> closed_form_bytes(const model::Model& model, const model::Layout& layout,
                                       const model::Step& step, const Scheme& scheme, int pp);

/// What a rank holds of parameters, gradients and optimizer states by the accounting of the
/// scheme's framework (model/memory.h), in whole bytes: of the rank that holds most.
Bytes state_bytes(const model::Model& model, const model::Layout& layout, const Scheme& scheme);

}  // namespace collbench::plan
