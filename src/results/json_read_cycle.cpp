// SPDX-License-Identifier: Apache-2.0
#include "results/json_read_cycle.h"

#include "results/json_read_parts.h"

namespace collbench {

CycleRow read_cycle(const JsonNode& cycle) {
  CycleRow read;
  read.cycle = cycle.at("cycle").count();
  if (read.cycle == 0) cycle.at("cycle").say("expected 1 or more");
  read.started = cycle.at("started").text();
  read.row = cycle.at("row").count();
  read.status = named(kRowStatuses, cycle.at("status"), "row status").status;
  read.reason = cycle.text_or_empty("reason");
  read.median_s = optional_us(cycle, "median_us");
  read.wrong_elements = optional_count(cycle, "wrong_elements");
  return read;
}

}  // namespace collbench
