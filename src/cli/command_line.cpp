// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/errors.h"
#include "cli/suggestion.h"

namespace collbench {
namespace {

// The sentence about a word that belongs to nothing.
std::string stray(const std::string& word, const CLI::App& app) {
  if (word.size() < 2 || word[0] != '-') {
    return fmt::format("unexpected operand '{}'; see --help for the flags there are", word);
  }
  std::string meant;
  if (word.starts_with("--")) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
      const auto& long_names = option->get_lnames();
      names.insert(names.end(), long_names.begin(), long_names.end());
    }
    meant = nearest_name(word.substr(2, word.find('=') - 2), names);
  }
  if (!meant.empty()) return fmt::format("unknown flag '{}'; is --{} meant?", word, meant);
  return fmt::format("unknown flag '{}'; see --help for the flags there are", word);
}

// The library takes whatever follows "-J" for its value, so that "-J --dry-run" would measure, and
// write a file of that name. Who has such a file writes -J=--dry-run or ./--dry-run.
void refuse_flags_as_values(const std::vector<std::string>& arguments, const CLI::App& app) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] == "--") return;
    const CLI::Option* option = app.get_option_no_throw(arguments[i]);
    if (option == nullptr || option->get_items_expected_max() == 0) continue;
    const std::string& value = arguments[i + 1];
    if (value.size() > 1 && value[0] == '-' && app.get_option_no_throw(value) != nullptr) {
      throw UserError(fmt::format("{}: its value is missing: {} is a flag", arguments[i], value));
    }
    ++i;
  }
}

}  // namespace

struct CommandLine::Parser {
  Parser(const std::string& program, const std::string& description) : app(description, program) {}

  CLI::App app;
  std::string heading = "Options";
};

CommandLine::CommandLine(const std::string& program, const std::string& description)
    : parser_(std::make_unique<Parser>(program, description)) {
  CLI::App& app = parser_->app;
  app.allow_extras();  // to say better than the library what is wrong with them
  app.get_formatter()->column_width(26);
}

CommandLine::~CommandLine() = default;

void CommandLine::heading(std::string text) { parser_->heading = std::move(text); }

void CommandLine::note(const std::string& text) { parser_->app.footer(text); }

void CommandLine::value(const std::string& names, std::optional<std::string>& target,
                        const std::string& help) {
  parser_->app.add_option(names, target, help)->group(parser_->heading)->type_name("");
}

void CommandLine::flag(const std::string& names, bool& target, const std::string& help) {
  parser_->app.add_flag(names, target, help)->group(parser_->heading);
}

void CommandLine::operands(const std::string& name, std::vector<std::string>& target,
                           const std::string& help) {
  parser_->app.add_option(name, target, help)->required()->type_name("");
}

std::optional<std::string> CommandLine::parse(std::vector<std::string> arguments) {
  CLI::App& app = parser_->app;
  app.set_help_flag("-h,--help", "this text")->group(kInformation);  // the last in its text
  refuse_flags_as_values(arguments, app);
  std::reverse(arguments.begin(), arguments.end());  // as the library wants them
  try {
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    return app.help();
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();  // "--minbytes: 1 required  missing"
    throw UserError(fmt::format("{}: give it once, with one value; see --help",
                                text.substr(0, text.find(':'))));
  } catch (const CLI::RequiredError& error) {
    throw UserError(fmt::format("{}; see --help", error.what()));  // "FILE is required"
  } catch (const CLI::ParseError& error) {
    throw UserError(fmt::format("{}; see --help", error.what()));
  }
  for (const std::string& word : app.remaining()) {
    if (word == "--") continue;  // the library keeps it
    throw UserError(stray(word, app));
  }
  return std::nullopt;
}

}  // namespace collbench
