// SPDX-License-Identifier: Apache-2.0
// The sections of a report: each says what the files hold of its subject, and is nothing where they
// hold nothing. All are pure functions of what was read.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "report/page.h"
#include "report/run.h"
#include "report/sweeps.h"

namespace collbench::report {

/// What stops a reader from trusting the rest: runs that were cut off or ended badly, rows with
/// wrong data, rows that were not measured, each with its reason.
std::vector<Note> problems_of(std::span<const Run> runs);

/// What the runs come to at a glance, and their verdicts.
Section summary_section(std::span<const Run> runs);

/// Bandwidths and times against size: a figure for each sweep.
std::optional<Section> sweeps_section(std::span<const Sweep> sweeps);

/// How two sets of launches differ, by the rules that collbench compare has by default. Nothing
/// where a side is empty. Throws UserError where a run is given twice.
std::optional<Section> changes_section(std::span<const Run> base, std::span<const Run> candidate);

/// Rows that several runs have, and their ratios to the first of these.
std::optional<Section> ratios_section(std::span<const Run> runs);

/// What each rank sends to each, and how fast pairs of ranks are.
std::optional<Section> matrix_section(std::span<const Run> runs);

/// By rank: its median, and how often it was last.
std::optional<Section> ranks_section(std::span<const Run> runs);

/// What several numbers of ranks say together, of steps and of collectives, with laws that fit.
std::optional<Section> scaling_section(std::span<const Run> runs);

/// What training steps are made of, what they send and hold.
std::optional<Section> steps_section(std::span<const Run> runs);

/// Operations of a step on the streams of each rank.
std::optional<Section> timeline_section(std::span<const Timeline> timelines);

/// Samples in their order, of the rows that are known worst.
std::optional<Section> samples_section(std::span<const Run> runs);

/// What flags mean and what to do.
std::optional<Section> flags_section(std::span<const Run> runs);

/// Commands, hosts, libraries, and in what the environments differ.
Section runs_section(std::span<const Run> runs);

}  // namespace collbench::report
