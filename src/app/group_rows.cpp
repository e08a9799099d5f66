// SPDX-License-Identifier: Apache-2.0
#include "app/group_rows.h"

#include <algorithm>
#include <set>

#include "traffic/node_traffic.h"

namespace collbench {
namespace {

std::vector<int> hosts_of_ranks(const std::vector<int>& ranks, const Environment& environment) {
  std::vector<int> hosts;
  for (const int rank : ranks) {
    hosts.push_back(environment.ranks[static_cast<std::size_t>(rank)].host);
  }
  return hosts;
}

int hosts_of(const std::vector<int>& ranks, const Environment& environment) {
  const std::vector<int> hosts = hosts_of_ranks(ranks, environment);
  return static_cast<int>(std::set<int>(hosts.begin(), hosts.end()).size());
}

}  // namespace

void set_groups(Environment& environment, const RunPlan& plan) {
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    for (const int rank : plan.groups[g].ranks) {
      environment.ranks[static_cast<std::size_t>(rank)].group = static_cast<int>(g);
    }
  }
}

std::vector<GroupRow> rows_of_groups(const RunPlan& plan, std::size_t sweep, std::size_t size) {
  std::vector<GroupRow> rows(plan.groups.size());  // which stay where they are from now on
  for (std::size_t g = 0; g < rows.size(); ++g) {
    const PlannedGroup& group = plan.groups[g];
    GroupRow& row = rows[g];
    row.setting = group.sweeps[sweep].setting;
    row.size = group.sweeps[sweep].sizes[size];
    row.setting.count = row.size.count;
    if (!group.weights) continue;
    row.exchange =
        make_exchange(*group.weights, row.size.requested_bytes, row.setting.type, row.setting.rank);
    row.setting.exchange = &*row.exchange;
  }
  return rows;
}

std::vector<RowContext> contexts_of_groups(const RunPlan& plan, const CollectiveOptions& options,
                                           const Operation& operation,
                                           const Environment& environment,
                                           const std::string& backend,
                                           const std::vector<std::string>& flags,
                                           const Method& method) {
  std::vector<RowContext> contexts;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const PlannedGroup& group = plan.groups[g];
    RowContext context = {operation, backend, hosts_of(group.ranks, environment), flags};
    context.ranks_per_process = options.gpu.ranks_per_process();
    context.method = method;
    if (options.nics_per_node) {
      const auto factor =
          traffic::node_factor(operation.traffic, hosts_of_ranks(group.ranks, environment));
      if (factor) context.nic_factor = *factor / *options.nics_per_node;
    }
    if (group.weights) {
      context.matrix = traffic::identity(options.matrix, options.matrix_seed, *group.weights);
    }
    if (options.split) {
      context.group = {to_text(*options.split), static_cast<int>(g),
                       static_cast<int>(plan.groups.size())};
    }
    contexts.push_back(std::move(context));
  }
  return contexts;
}

GroupRecords::GroupRecords(const RunPlan& plan, const std::vector<RowContext>& contexts,
                           const std::vector<GroupRow>& rows, bool in_place) {
  for (std::size_t g = 0; g < rows.size(); ++g) {
    records_.push_back(blank_record(contexts[g], rows[g].setting, rows[g].size, in_place));
    if (!measured_by(g)) continue;
    measuring_.push_back(g);
    ranks_.push_back(plan.groups[g].ranks);
  }
}

bool GroupRecords::data_is_right() const {
  return std::none_of(records_.begin(), records_.end(),
                      [](const Record& record) { return record.status == RowStatus::wrong; });
}

Bytes GroupRecords::largest_bytes() const {
  Bytes most = 0;
  for (const std::size_t g : measuring_) {
    const RowKey& key = records_[g].key;
    most = std::max(most, key.message_bytes * static_cast<Bytes>(key.ranks));
  }
  return most;
}

Bytes GroupRecords::largest_message_bytes() const {
  Bytes largest = 0;
  for (const std::size_t g : measuring_) {
    largest = std::max(largest, records_[g].key.message_bytes);
  }
  return largest;
}

void GroupRecords::add(const std::vector<RowContext>& contexts,
                       const std::vector<Samples>& samples) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    add_samples(records_[measuring_[i]], contexts[measuring_[i]], samples[i]);
  }
}

void GroupRecords::add(const std::vector<CheckOutcome>& outcomes) {
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    add_check(records_[measuring_[i]], outcomes[i]);
  }
}

void GroupRecords::add(const std::vector<Interference>& interference) {
  for (std::size_t i = 0; i < interference.size(); ++i) {
    records_[measuring_[i]].interference = interference[i];
  }
}

void GroupRecords::add(const std::vector<std::optional<DeviceState>>& states) {
  for (std::size_t i = 0; i < measuring_.size(); ++i) {
    std::vector<DeviceState> known;
    for (const int rank : ranks_[i]) {
      const auto& state = states.at(static_cast<std::size_t>(rank));
      if (state) known.push_back(*state);
    }
    if (!known.empty()) add_worst_state(records_[measuring_[i]], known);
  }
}

Operation idle_operation(const traffic::Traffic& traffic) {
  traffic::Traffic nothing = traffic;
  nothing.by_matrix = false;  // no exchange says what to send
  return {nothing, [](const Setting&, const Buffers&) { return CallGroups(); },
          [](const Setting&) { return std::vector<ExpectedBlock>(); }};
}

Setting idle_setting(DataType type) {
  Setting setting;
  setting.type = type;
  return setting;
}

Placement idle_placement(Bytes most_bytes) { return {{nullptr, nullptr}, most_bytes, 1}; }

}  // namespace collbench
