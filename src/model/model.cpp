// SPDX-License-Identifier: Apache-2.0
#include "model/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/errors.h"

namespace collbench::model {
namespace {

/// Sizes that no product of them overflows.
constexpr Count kMostLayers = 1 << 11, kMostExperts = 1 << 12, kMostWidth = 1 << 18,
                kMostTokens = 1 << 26;  // of a sequence, and words

/// The first rule that is broken ends the check.
class Rules {
 public:
  explicit Rules(const Model& model) : name_(model.name) {}

  void require(bool holds, std::string_view what) const {
    if (!holds) throw UserError(fmt::format("model {}: {}", name_, what));
  }

  /// Negative numbers are too large ones.
  void in_range(Count value, std::string_view field, Count most, Count least = 1) const {
    require(value >= least && value <= most,
            fmt::format("{} must be from {} to {}", field, least, most));
  }

 private:
  std::string name_;
};

/// They stand in tables and sentences of one line.
void check_texts(const Model& model) {
  const auto breaks = [](const std::string& text) {
    return std::any_of(text.begin(), text.end(),
                       [](unsigned char letter) { return std::iscntrl(letter) != 0; });
  };
  if (model.name.empty() || breaks(model.name) || breaks(model.source)) {
    throw UserError(
        "a model's name must not be empty, and neither it nor the source may have line breaks or "
        "other control characters");
  }
}

void check_attention(const Model& model, const Rules& rules) {
  rules.in_range(model.heads, "heads", kMostWidth);
  if (!model.latent_attention) {
    rules.in_range(model.kv_heads, "kv_heads", kMostWidth);
    rules.in_range(model.head_dim, "head_dim", kMostWidth);
    rules.require(model.heads % model.kv_heads == 0,
                  fmt::format("{} heads cannot share {} key-value heads evenly; kv_heads must "
                              "divide heads",
                              model.heads, model.kv_heads));
    rules.in_range(model.heads * model.head_dim, "heads * head_dim", kMostWidth);
    return;
  }
  const LatentAttention& latent = *model.latent_attention;
  rules.in_range(latent.query_rank, "latent_attention/query_rank", kMostWidth, 0);
  rules.in_range(latent.kv_rank, "latent_attention/kv_rank", kMostWidth);
  rules.in_range(latent.nope_head_dim, "latent_attention/nope_head_dim", kMostWidth);
  rules.in_range(latent.rope_head_dim, "latent_attention/rope_head_dim", kMostWidth, 0);
  rules.in_range(latent.value_head_dim, "latent_attention/value_head_dim", kMostWidth);
  rules.in_range(model.heads * query_head_dim(model), "heads * (nope + rope)_head_dim", kMostWidth);
  rules.in_range(model.heads * value_head_dim(model), "heads * value_head_dim", kMostWidth);
  rules.require(model.biases == Biases::none && !model.qk_norm,
                "latent attention is known without biases and qk_norm only");
}

void check_experts(const Model& model, const Rules& rules) {
  const Experts& experts = *model.experts;
  rules.in_range(experts.routed, "experts/routed", kMostExperts);
  rules.in_range(experts.per_token, "experts/per_token", experts.routed);
  rules.in_range(experts.ffn, "experts/ffn", kMostWidth);
  rules.in_range(experts.shared, "experts/shared", kMostExperts, 0);
  rules.in_range(experts.dense_layers, "experts/dense_layers", model.layers, 0);
  rules.in_range(experts.groups, "experts/groups", experts.routed);
  rules.in_range(experts.groups_per_token, "experts/groups_per_token", experts.groups);
  rules.require(experts.routed % experts.groups == 0, "experts/groups must divide the experts");
}

}  // namespace

bool has_experts(const Model& model, int layer) {
  return model.experts && layer >= model.experts->dense_layers;
}

int expert_layers(const Model& model) {
  return model.experts ? model.layers - model.experts->dense_layers : 0;
}

Count query_head_dim(const Model& model) {
  if (!model.latent_attention) return model.head_dim;
  return model.latent_attention->nope_head_dim + model.latent_attention->rope_head_dim;
}

Count value_head_dim(const Model& model) {
  return model.latent_attention ? model.latent_attention->value_head_dim : model.head_dim;
}

Model with_layers(Model model, int layers) {
  const int dense = expert_layers(model) > 0 ? model.experts->dense_layers : 0;
  if (layers <= dense || layers > model.layers) {
    throw UserError(
        fmt::format("model {} cannot have {} layers: it has {}{}; choose from {} to {}", model.name,
                    layers, model.layers,
                    dense > 0 ? fmt::format(", of which the first {} have no experts", dense) : "",
                    dense + 1, model.layers));
  }
  model.layers = layers;
  if (model.experts) model.experts->dense_layers = std::min(model.experts->dense_layers, layers);
  return model;
}

void require_valid(const Model& model) {
  check_texts(model);
  const Rules rules(model);
  rules.in_range(model.layers, "layers", kMostLayers);
  rules.in_range(model.prediction_layers, "prediction_layers", kMostLayers, 0);
  rules.in_range(model.hidden, "hidden", kMostWidth);
  rules.in_range(model.vocabulary, "vocabulary", kMostTokens);
  rules.in_range(model.sequence, "sequence", kMostTokens);
  check_attention(model, rules);
  if (model.experts) check_experts(model, rules);
  if (expert_layers(model) < model.layers) rules.in_range(model.ffn, "ffn", kMostWidth);
}

}  // namespace collbench::model
