// SPDX-License-Identifier: Apache-2.0
// Flags: what to know of a row before trusting it. Nothing is dropped because of one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/document.h"

namespace collbench {

struct RowFlag {
  std::string_view name;  // as in a Record
  /// What it means and what to do, for people; {target_pct} and {time_s} are those of sampling.
  std::string_view advice;
};

namespace row_flags {

inline constexpr RowFlag oversubscribed = {
    "oversubscribed",
    "more ranks than cores: times include waiting for a core; start fewer ranks per host"};
inline constexpr RowFlag in_pieces = {
    "in_pieces",
    "the library cannot do such a size in one call: several calls make up the operation, see "
    "docs/large-messages.md"};
inline constexpr RowFlag imprecise = {
    "imprecise",
    "the median is not known to {target_pct:g} % after {time_s:g} s: look at the "
    "interval, or repeat on a quieter machine"};
inline constexpr RowFlag drift = {
    "drift",
    "times rose or fell by over 2 % within the row: something else ran, or clocks changed; repeat"};
inline constexpr RowFlag start_up = {
    "start_up",
    "the first tenth or more of the samples differs from the rest: warm up longer (-w)"};
inline constexpr RowFlag outliers = {
    "outliers",
    "over 5 % of the samples lie far off the rest: something disturbs the ranks now and then"};
inline constexpr RowFlag dependent = {"dependent",
                                      "samples resemble their neighbours and tell less than as "
                                      "many others would: the interval is wider"};

inline constexpr RowFlag straggler = {"straggler",
                                      "one rank is last far more often than chance explains, and "
                                      "over 2 % slower than the middle one: "
                                      "see per_rank in the file, then that rank's host"};

inline constexpr RowFlag host_bound = {
    "host_bound",
    "the host needs as long to start the operations as the GPU to do them: this is the time of the "
    "host; try -G, which starts many at once"};
inline constexpr RowFlag throttled = {
    "throttled",
    "a GPU's clock was held down: see throttled_by in the file, then its power limit and cooling"};

inline constexpr RowFlag not_registered = {
    "not_registered",
    "NCCL took the buffers (-R) and did not register them, or made no window of them, which it "
    "does "
    "without an error where GPUs cannot read each other's memory, or NCCL_LOCAL_REGISTER or "
    "NCCL_WIN_ENABLE is 0: this is the time without"};

inline constexpr RowFlag cta_fallback = {
    "cta_fallback",
    "zero CTAs were asked for (-x 2), and NCCL silently uses its kernels here instead: the table's "
    "header says why"};

inline constexpr RowFlag misplaced = {
    "misplaced",
    "an axis within layers (tp, cp, ep) crosses nodes while one that sends less stays within them: "
    "see placement in the file; --order can say which axis has neighbours"};

inline constexpr RowFlag imported = {
    "imported",
    "another program measured this: one number without an interval, and what its output does not "
    "tell is left open; see docs/importing.md"};

inline constexpr std::array all = {oversubscribed, in_pieces,    imprecise, drift,      start_up,
                                   outliers,       dependent,    straggler, host_bound, throttled,
                                   not_registered, cta_fallback, misplaced, imported};

}  // namespace row_flags

/// The flags that a row's samples call for. Requires samples.
std::vector<std::string> flags_of(const Timing& timing);

/// A flag and how many of the measured rows or steps carry it.
struct FlagUse {
  std::string_view flag;
  std::uint64_t count = 0;
  std::uint64_t of = 0;
  std::string advice;
};

/// Of each flag that any measured row, or step, carries.
std::vector<FlagUse> flag_uses(std::span<const Record> rows, const SamplingConfig& sampling);
std::vector<FlagUse> flag_uses(std::span<const StepRecord> steps, const SamplingConfig& sampling);

/// One line per flag that any measured row carries: its name, in how many of them, the advice.
std::vector<std::string> explain_flags(std::span<const Record> rows,
                                       const SamplingConfig& sampling);
/// Of measured steps likewise.
std::vector<std::string> explain_flags(std::span<const StepRecord> steps,
                                       const SamplingConfig& sampling);

}  // namespace collbench
