// SPDX-License-Identifier: Apache-2.0
// Files that people write: traffic matrices, traces of routing, models, flags, links, rules of
// comparing.
#include <fmt/format.h>

#include "analysis/compare_rules.h"
#include "cli/config_file.h"
#include "model/model_json.h"
#include "plan/link_model.h"
#include "routing/trace.h"
#include "targets.h"
#include "traffic/matrix_file.h"

namespace collbench::fuzz {

void matrix(std::string_view text) {
  for (const int ranks : {1, 3}) {
    reads_or_refuses([&] {
      const traffic::Matrix once = traffic::parse_matrix(text, "FILE", ranks);
      std::string again;
      for (int from = 0; from < ranks; ++from) {
        for (int to = 0; to < ranks; ++to) again += fmt::format("{} ", once.at(from, to));
        again += '\n';
      }
      require(traffic::parse_matrix(again, "again", ranks) == once, "a matrix reads back equal");
    });
  }
}

void routing(std::string_view text) {
  reads_or_refuses([&] {
    const routing::Trace once = routing::parse_trace(text, "FILE");
    require(routing::parse_trace(routing::to_text(once), "again") == once,
            "a trace reads back equal");
  });
}

void model(std::string_view text) {
  reads_or_refuses(
      [&] { require(!model::model_from_json(text, "FILE").name.empty(), "a model has a name"); });
}

void config(std::string_view text) {
  reads_or_refuses([&] {
    for (const ConfigEntry& entry : parse_config(text, "FILE")) {
      require(!entry.key.empty() && entry.line > 0, "an entry has a key and a line");
    }
  });
}

void links(std::string_view text) {
  reads_or_refuses([&] {
    for (const plan::MeasuredLink& link : plan::parse_measured_links(text, "FILE")) {
      const std::string line = plan::describe(link);
      const auto again = plan::parse_measured_links(line, "again");
      require(again.size() == 1 && plan::describe(again[0]) == line, "a link reads back equal");
    }
  });
}

void rules(std::string_view text) {
  reads_or_refuses([&] {
    require(parse_compare_rules(text) == parse_compare_rules(text), "rules are the same each time");
  });
}

}  // namespace collbench::fuzz
