// SPDX-License-Identifier: Apache-2.0
#include "results/json_read_cycle.h"

#include "base/named_rows.h"
#include "results/units.h"

namespace collbench {

CycleRow read_cycle(const JsonNode& cycle, std::size_t rows) {
  CycleRow read;
  read.cycle = cycle.at("cycle").count();
  if (read.cycle == 0) cycle.at("cycle").say("expected 1 or more");
  read.started = cycle.at("started").text();
  read.row = cycle.at("row").count();
  if (read.row >= rows) cycle.at("row").say("names no row of the list");
  const JsonNode status = cycle.at("status");
  read.status = find_named(kRowStatuses, status.text(), status.place(), "row status").status;
  if (const auto reason = cycle.find("reason")) read.reason = reason->text();
  if (const auto median = cycle.find("median_us")) read.median_s = s_from_us(median->number());
  if (const auto wrong = cycle.find("wrong_elements")) read.wrong_elements = wrong->count();
  return read;
}

}  // namespace collbench
