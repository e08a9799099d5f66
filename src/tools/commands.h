// SPDX-License-Identifier: Apache-2.0
// What each subcommand of `collbench` does with its options: one file each.
//
// Each prints to stdout and returns how the program ends. Throws UserError.
#pragma once

#include "base/errors.h"
#include "cli/tool_options.h"

namespace collbench {

ExitStatus run(const PrintText& options);
ExitStatus run(const ValidateOptions& options);
ExitStatus run(const ShowOptions& options);
ExitStatus run(const SchemaOptions& options);
ExitStatus run(const ConvertOptions& options);
ExitStatus run(const FitOptions& options);
ExitStatus run(const MergeOptions& options);
ExitStatus run(const CompareToolOptions& options);
ExitStatus run(const ImportOptions& options);
ExitStatus run(const ModelsOptions& options);
ExitStatus run(const LayoutOptions& options);
ExitStatus run(const TrafficOptions& options);
ExitStatus run(const RoutingOptions& options);
ExitStatus run(const ReportOptions& options);
ExitStatus run(const ScalingOptions& options);
ExitStatus run(const SchemesOptions& options);
ExitStatus run(const BaselineOptions& options);
ExitStatus run(const AbOptions& options);

/// One line on stderr, "collbench: message". A stderr that cannot be written is nobody's concern.
void print_message(const char* message);

}  // namespace collbench
