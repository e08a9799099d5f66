// SPDX-License-Identifier: Apache-2.0
#include "model/model_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/errors.h"
#include "base/named_rows.h"
#include "base/unique_keys.h"

namespace collbench::model {
namespace {

using Json = nlohmann::json;

// ---- text to values

constexpr int kMaxDepth = 4;  // a model has two levels

/// `byte` counts from 1, as the parser does.
std::size_t line_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte > 0 ? byte - 1 : 0);
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

Json parse(std::string_view text) {
  UniqueKeys keys;
  const auto refuse = [&](int depth, Json::parse_event_t event, const Json& value) {
    if (depth > kMaxDepth) throw UserError("nested too deeply: this is no model");
    if (event == Json::parse_event_t::object_start) keys.begin_object(depth + 1);
    if (event == Json::parse_event_t::key) keys.add(depth, value.get<std::string>());
    return true;
  };
  try {
    return Json::parse(text, refuse);
  } catch (const Json::parse_error& error) {
    throw UserError(fmt::format("line {}: this is not JSON", line_of(text, error.byte)));
  } catch (const Json::out_of_range&) {
    throw UserError("a number is too large");
  }
}

// ---- values to fields

struct NormName {
  std::string_view name;
  Norm value;
};
constexpr std::array<NormName, 2> kNorms = {{{"rms", Norm::rms}, {"layer", Norm::layer}}};

struct BiasesName {
  std::string_view name;
  Biases value;
};
constexpr std::array<BiasesName, 3> kBiases = {
    {{"none", Biases::none}, {"qkv", Biases::qkv}, {"all", Biases::all}}};

struct PositionsName {
  std::string_view name;
  Positions value;
};
constexpr std::array<PositionsName, 2> kPositions = {
    {{"rotary", Positions::rotary}, {"learned", Positions::learned}}};

/// The members of one object. Each is read once; those that nobody read are unknown.
class Members {
 public:
  Members(const Json& object, std::string place) : object_(object), place_(std::move(place)) {
    if (!object.is_object()) {
      throw UserError(fmt::format("{}: expected an object", place_.empty() ? "the model" : place_));
    }
  }

  /// Fills the field and returns true, or leaves it where the key is absent.
  template <class Field>
  bool optional(const char* key, Field& field) {
    known_.insert(key);
    const auto member = object_.find(key);
    if (member == object_.end()) return false;
    read(key, *member, field);
    return true;
  }

  template <class Field>
  void required(const char* key, Field& field) {
    if (!optional(key, field)) say(key, "missing");
  }

  template <class Rows, class Field>
  void named(const char* key, const Rows& rows, Field& field) {
    std::string name;
    if (optional(key, name)) field = find_named(rows, name, place(key), key).value;
  }

  const Json* object(const char* key) {
    known_.insert(key);
    const auto member = object_.find(key);
    return member == object_.end() ? nullptr : &*member;
  }

  std::string place(std::string_view key) const { return fmt::format("{}/{}", place_, key); }

  void refuse_unknown() const {
    for (const auto& [key, value] : object_.items()) {
      if (known_.count(key) == 0) {
        say(key, fmt::format("unknown key; known are {}", fmt::join(known_, ", ")));
      }
    }
  }

 private:
  [[noreturn]] void say(std::string_view key, std::string_view problem) const {
    throw UserError(fmt::format("{}: {}", place(key), problem));
  }

  void read(const char* key, const Json& value, std::string& field) const {
    if (!value.is_string()) say(key, "expected a string");
    field = value.get<std::string>();
  }

  void read(const char* key, const Json& value, bool& field) const {
    if (!value.is_boolean()) say(key, "expected true or false");
    field = value.get<bool>();
  }

  /// Models have ranges of their own; here a number must be one that the field can hold.
  template <class Number>
  void read(const char* key, const Json& value, Number& field) const {
    constexpr std::uint64_t kMost = std::numeric_limits<int>::max();
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMost) {
      say(key, fmt::format("expected a whole number from 0 to 2^31 - 1, found {}", value.dump()));
    }
    field = value.get<Number>();
  }

  const Json& object_;
  std::string place_;
  std::set<std::string> known_;
};

Experts read_experts(Members members) {
  Experts experts;
  members.required("routed", experts.routed);
  members.required("per_token", experts.per_token);
  members.required("ffn", experts.ffn);
  members.optional("shared", experts.shared);
  members.optional("dense_layers", experts.dense_layers);
  members.optional("groups", experts.groups);
  if (!members.optional("groups_per_token", experts.groups_per_token)) {
    experts.groups_per_token = experts.groups;
  }
  members.optional("balanced_by_bias", experts.balanced_by_bias);
  members.refuse_unknown();
  return experts;
}

LatentAttention read_latent_attention(Members members) {
  LatentAttention latent;
  members.optional("query_rank", latent.query_rank);
  members.required("kv_rank", latent.kv_rank);
  members.required("nope_head_dim", latent.nope_head_dim);
  members.required("rope_head_dim", latent.rope_head_dim);
  members.required("value_head_dim", latent.value_head_dim);
  members.refuse_unknown();
  return latent;
}

/// Grouped heads, or latent attention, which has neither key-value heads nor one head dimension.
void read_heads(Members& members, Model& model) {
  members.required("heads", model.heads);
  if (const Json* latent = members.object("latent_attention")) {
    model.latent_attention = read_latent_attention({*latent, members.place("latent_attention")});
    return;
  }
  if (!members.optional("kv_heads", model.kv_heads)) model.kv_heads = model.heads;
  if (members.optional("head_dim", model.head_dim)) return;
  if (model.heads == 0 || model.hidden % static_cast<Count>(model.heads) != 0) {
    throw UserError(fmt::format("{}: missing, and {} heads do not divide hidden = {}",
                                members.place("head_dim"), model.heads, model.hidden));
  }
  model.head_dim = model.hidden / static_cast<Count>(model.heads);
}

Model read_model(Members members) {
  Model model;
  members.required("name", model.name);
  members.optional("source", model.source);
  members.required("layers", model.layers);
  members.required("hidden", model.hidden);
  members.optional("ffn", model.ffn);
  read_heads(members, model);
  members.required("vocabulary", model.vocabulary);
  members.required("sequence", model.sequence);
  members.optional("gated_mlp", model.gated_mlp);
  members.optional("tied_embeddings", model.tied_embeddings);
  members.optional("qk_norm", model.qk_norm);
  members.named("norm", kNorms, model.norm);
  members.named("biases", kBiases, model.biases);
  members.named("positions", kPositions, model.positions);
  if (const Json* experts = members.object("experts")) {
    model.experts = read_experts({*experts, members.place("experts")});
  }
  members.optional("prediction_layers", model.prediction_layers);
  members.refuse_unknown();
  return model;
}

}  // namespace

Model model_from_json(std::string_view text, std::string_view source) {
  try {
    const Json json = parse(text);
    Model model = read_model({json, ""});
    require_valid(model);
    return model;
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", source, error.what()));
  }
}

}  // namespace collbench::model
