// SPDX-License-Identifier: Apache-2.0
#include "plan/experts.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/routing.h"

namespace collbench::plan {
namespace {

// All exchanges follow each other on one stream, as in Megatron.
constexpr const char* kStream = "ep";

}  // namespace

ExpertTraffic::ExpertTraffic(Builder& builder, const model::Model& model, const model::Step& step,
                             const ExpertOptions& options, const ExpertRoutes& routes)
    : b_(builder),
      options_(options),
      routes_(routes),
      counts_(static_cast<Count>(model.experts->routed)) {
  add_hops();
  make_room();
  make_rows(model, step);
  if (routes.are_counted) make_counts();
}

// ---- the way

void ExpertTraffic::add_hops() {
  if (options_.dispatcher != Dispatcher::allgather) return add_hops_to_ranks_of_experts();
  if (b_.ranks_on(model::Axis::etp_ep) == 1) return;
  hops_.push_back({model::Axis::etp_ep, Collective::all_gather, Collective::reduce_scatter,
                   "gather", "reduce", " gathered", routes_.tokens});
}

void ExpertTraffic::add_hops_to_ranks_of_experts() {
  const auto add_alltoall = [&](const char* out, const char* back, const char* suffix) {
    hops_.push_back(
        {model::Axis::ep, Collective::alltoallv, Collective::alltoallv, out, back, suffix});
  };
  const int ep = b_.ranks_on(model::Axis::ep);
  if (ep > 1 && options_.dispatcher == Dispatcher::dedup_node) {
    add_alltoall("dispatch to nodes", "combine from nodes", " on nodes");
    add_alltoall("fan out", "collect", " arrived");
  } else if (ep > 1) {
    add_alltoall("dispatch", "combine", " arrived");
  }
  for (std::size_t h = 0; h < hops_.size(); ++h) {
    if (routes_.are_even()) {
      hops_[h].block_rows = routes_.even_rows / static_cast<Count>(ep);
    } else {
      hops_[h].way = h;
    }
  }
  if (b_.ranks_on(model::Axis::etp) > 1) {
    hops_.push_back({model::Axis::etp, Collective::all_gather, Collective::reduce_scatter, "gather",
                     "reduce", " gathered", routes_.even_rows});
  }
}

/// Ranks that get less than others have room for as much, so that what is uneven can be held
/// against the same divided evenly (plan/variants.h).
void ExpertTraffic::make_room() {
  const bool gathers = options_.dispatcher == Dispatcher::allgather;
  rows_ = {gathers ? routes_.tokens : routes_.even_rows};
  for (const Hop& hop : hops_) {
    rows_.push_back(hop.block_rows * static_cast<Count>(b_.ranks_on(hop.axis)));
  }
  if (gathers || routes_.are_even()) return;
  rows_.assign(rows_.size(), 0);
  const int own = model::position(b_.plan().layout, model::Axis::ep, b_.rank_class().first_rank);
  for (const ExpertRoutes::Layer& layer : routes_.layers) {
    for (std::size_t h = 0; h < layer.hops.size(); ++h) {
      const traffic::Matrix& matrix = b_.plan().matrices[layer.hops[h].out];
      const Count even = even_rows(matrix) * static_cast<Count>(matrix.ranks());
      rows_[h] = std::max({rows_[h], matrix.sent_by(own), even});
      rows_[h + 1] = std::max({rows_[h + 1], matrix.received_by(own), even});
    }
  }
}

// ---- what goes it

void ExpertTraffic::make_rows(const model::Model& model, const model::Step& step) {
  const auto per_token = static_cast<Count>(model.experts->per_token);
  Count probabilities = 1;
  if (options_.dispatcher == Dispatcher::allgather) {
    choices_ = carry("routing map", DataType::uint8, counts_);
    probabilities = counts_;
  }
  if (deduplicates(options_.dispatcher)) {
    choices_ = carry("expert numbers", DataType::int64, per_token);
    probabilities = per_token;
  }
  const auto carry_out = [&](const char* what) {
    if (options_.type == DispatchType::bf16) return carry(what, step.activations, model.hidden);
    return carry(what, DataType::uint8, model::float8_row_bytes(model.hidden));
  };
  tokens_ = carry_out("routed tokens");
  probabilities_ = carry("probabilities", DataType::float32, probabilities);
  outputs_ = carry("expert outputs", step.activations, model.hidden);
  token_gradients_ = carry("routed token gradients", step.activations, model.hidden);
  probability_gradients_ = carry("probability gradients", DataType::float32, probabilities);
  output_gradients_ = carry_out("expert output gradients");
}

void ExpertTraffic::make_counts() {
  const auto ranks = static_cast<Count>(b_.ranks_on(model::Axis::etp_ep));
  if (ranks == 1) return;
  token_counts_ = b_.slot("token counts", counts_ * size_of(DataType::int64));
  all_token_counts_ = b_.slot("token counts gathered", ranks * counts_ * size_of(DataType::int64));
}

ExpertTraffic::Carried ExpertTraffic::carry(std::string what, DataType type, Count width) {
  Carried carried{std::move(what), type, width};
  const Bytes row = width * size_of(type);
  carried.slots = {b_.slot(carried.what, rows_[0] * row)};
  for (std::size_t h = 0; h < hops_.size(); ++h) {
    carried.slots.push_back(b_.slot(carried.what + hops_[h].suffix, rows_[h + 1] * row));
  }
  return carried;
}

std::vector<SlotIndex> ExpertTraffic::routed() const {
  std::vector<SlotIndex> slots = {tokens_.slots.front(), probabilities_.slots.front()};
  if (!choices_.slots.empty()) slots.push_back(choices_.slots.front());
  if (token_counts_ != kNoSlot) slots.push_back(token_counts_);
  return slots;
}

std::vector<SlotIndex> ExpertTraffic::arrived() const {
  std::vector<SlotIndex> slots = {tokens_.slots.back(), probabilities_.slots.back()};
  if (!choices_.slots.empty()) slots.push_back(choices_.slots.back());
  if (all_token_counts_ != kNoSlot) slots.push_back(all_token_counts_);
  return slots;
}

void ExpertTraffic::set_counts(OpIndex router, int layer) {
  if (token_counts_ == kNoSlot) return;
  const int own = model::position(b_.plan().layout, model::Axis::ep, b_.rank_class().first_rank);
  b_.set_known(router, token_counts_, routes_.chosen(layer, own));
}

std::vector<SlotIndex> ExpertTraffic::routed_gradients() const {
  return {token_gradients_.slots.front(), probability_gradients_.slots.front()};
}

std::vector<SlotIndex> ExpertTraffic::arrived_gradients() const {
  return {token_gradients_.slots.back(), probability_gradients_.slots.back()};
}

void ExpertTraffic::dispatch(int layer, const std::string& where) {
  if (routes_.are_counted) exchange_counts(where);
  const auto sent = choices_.slots.empty()
                        ? out(layer, where, {&tokens_, &probabilities_})
                        : out(layer, where, {&choices_, &probabilities_, &tokens_});
  if (options_.dispatcher != Dispatcher::allgather || !sent) return;
  b_.wait(fmt::format("{} token counts", where), {*sent});
}

void ExpertTraffic::combine(int layer, const std::string& where) {
  back(layer, where, {&outputs_});
}

void ExpertTraffic::dispatch_gradients(int layer, const std::string& where) {
  out(layer, where, {&output_gradients_});
}

void ExpertTraffic::combine_gradients(int layer, const std::string& where) {
  back(layer, where, {&token_gradients_, &probability_gradients_});
}

void ExpertTraffic::exchange_counts(const std::string& where) {
  const auto exchanged =
      b_.communicate(kStream, fmt::format("{} gather token counts", where),
                     {collective(Collective::all_gather, model::Axis::etp_ep, DataType::int64,
                                 counts_, token_counts_, all_token_counts_)});
  if (exchanged) b_.wait(fmt::format("{} token counts", where), {*exchanged});
}

/// The last of its operations.
std::optional<OpIndex> ExpertTraffic::out(int layer, const std::string& where, AllCarried all) {
  std::optional<OpIndex> last;
  for (std::size_t h = 0; h < hops_.size(); ++h) {
    const Hop& hop = hops_[h];
    for (const Carried* each : all) {
      Message m = message(hop, *each);
      m.collective = hop.out;
      m.read = each->slots[h];
      m.written = each->slots[h + 1];
      if (hop.way) m.matrix = ways(hop, layer).out;
      last = b_.communicate(kStream, fmt::format("{} {} {}", where, hop.out_name, each->what), {m});
    }
  }
  return last;
}

void ExpertTraffic::back(int layer, const std::string& where, AllCarried all) {
  for (std::size_t h = hops_.size(); h-- > 0;) {
    const Hop& hop = hops_[h];
    for (const Carried* each : all) {
      Message m = message(hop, *each);
      m.collective = hop.back;
      m.read = each->slots[h + 1];
      m.written = each->slots[h];
      if (hop.way) m.matrix = ways(hop, layer).back;
      b_.communicate(kStream, fmt::format("{} {} {}", where, hop.back_name, each->what), {m});
    }
  }
}

/// Either way.
Message ExpertTraffic::message(const Hop& hop, const Carried& carried) const {
  const Count rows = hop.way ? 1 : hop.block_rows;
  return collective(hop.out, hop.axis, carried.type, rows * carried.width, kNoSlot, kNoSlot);
}

const ExpertRoutes::Ways& ExpertTraffic::ways(const Hop& hop, int layer) const {
  return routes_.layers.at(static_cast<std::size_t>(layer)).hops.at(*hop.way);
}

}  // namespace collbench::plan
