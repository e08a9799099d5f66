// SPDX-License-Identifier: Apache-2.0
// `collbench report`: result files as a page to read, and as numbers for other programs.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/one_line.h"
#include "import/result_set.h"
#include "report/csv_text.h"
#include "report/make_page.h"
#include "report/page_formats.h"
#include "report/prometheus.h"
#include "results/open_file.h"
#include "tools/commands.h"
#include "tools/other_file.h"

namespace collbench {
namespace {

using report::Input;

/// Where a file begins. Of a pipe nothing: what is read of one is gone.
std::string beginning_of(const std::string& file) {
  constexpr std::streamsize kEnough = 4096;
  std::error_code nothing;
  if (!std::filesystem::is_regular_file(file, nothing)) return "";
  std::ifstream stream(file, std::ios::binary);
  std::string text(kEnough, '\0');
  stream.read(text.data(), kEnough);
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

/// The file as a timeline, if it is one.
std::optional<report::Timeline> timeline_in(const std::string& file) {
  if (!report::is_timeline(beginning_of(file))) return std::nullopt;
  return report::parse_timeline(read_file(file), one_line(file));
}

/// Whether the runs from `first` on have this very one: a file that is named twice, or whose run a
/// set has, too.
bool has(const Input& input, std::size_t first, const Document& document) {
  return !document.run.id.empty() &&
         std::any_of(input.runs.begin() + static_cast<std::ptrdiff_t>(first), input.runs.end(),
                     [&](const report::Run& run) {
                       return run.document.run.id == document.run.id && run.document == document;
                     });
}

/// `first`: where the runs of its side begin, which have none twice.
void add_runs(Input& input, std::size_t first, const std::string& file, const std::string& name) {
  std::vector<Document> documents = read_results(file);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const std::string number = documents.size() > 1 ? fmt::format(" #{}", i + 1) : "";
    if (has(input, first, documents[i])) {
      print_message(fmt::format("{}: run {} is there already, and is shown once", one_line(file),
                                one_line(documents[i].run.id))
                        .c_str());
      continue;
    }
    input.runs.push_back({name + number, std::move(documents[i])});
  }
}

struct Files {
  std::vector<std::string> paths;
  std::size_t base = 0;  // how many of them, the first, are of the base
};

Files files_of(const ReportOptions& options) {
  Files files;
  for (std::size_t i = 0; i < options.files.size(); ++i) {
    const std::vector<std::string> found = result_files(options.files[i]);
    files.paths.insert(files.paths.end(), found.begin(), found.end());
    if (i < options.base_files) files.base = files.paths.size();
  }
  return files;
}

Input read_all(const Files& all) {
  const std::vector<std::string>& files = all.paths;
  const std::vector<std::string> names = report::short_names(files);
  Input input;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (i == all.base) input.base_runs = input.runs.size();
    const std::size_t first = i < all.base ? 0 : input.base_runs;
    if (auto timeline = timeline_in(files[i])) {
      timeline->name = names[i];
      input.timelines.push_back(std::move(*timeline));
    } else {
      add_runs(input, first, files[i], names[i]);
    }
  }
  return input;
}

/// These formats are of measurements; a timeline has nothing for them.
void require_runs(const Input& input, std::string_view format) {
  if (input.timelines.empty()) return;
  throw UserError(fmt::format("{}: a timeline, which --format {} has no place for",
                              one_line(input.timelines.front().name), format));
}

std::string csv_of(const Input& input) {
  require_runs(input, "csv");
  CsvText csv;
  for (const report::Run& run : input.runs) csv.add(run.document, one_line(run.name));
  return csv.text();
}

std::string prometheus_of(const Input& input, std::size_t most) {
  require_runs(input, "prom");
  return report::to_prometheus(input.runs, most);
}

std::string text_of(const ReportOptions& options, const Input& input) {
  switch (options.format) {
    case ReportFormat::html:
      return report::to_html(make_page(input, options.title));
    case ReportFormat::text:
      return report::to_text(make_page(input, options.title));
    case ReportFormat::markdown:
      return report::to_markdown(make_page(input, options.title));
    case ReportFormat::csv:
      return csv_of(input);
    case ReportFormat::prom:
      break;
  }
  return prometheus_of(input, options.most_series);
}

}  // namespace

ExitStatus run(const ReportOptions& options) {
  const Files files = files_of(options);
  if (options.output) {
    require_replaceable(*options.output);
    require_other_file("-o", *options.output, files.paths);
  }
  const std::string text = text_of(options, read_all(files));
  if (options.output) {
    replace_file(*options.output, text);
  } else {
    fmt::print("{}", text);
  }
  return ExitStatus::ok;
}

}  // namespace collbench
