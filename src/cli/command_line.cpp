// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <set>

#include "base/errors.h"
#include "cli/config_file.h"
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
  CLI::Option* last = nullptr;  // declared
  std::map<const CLI::Option*, FlagFacts> completions;
  std::optional<std::string> config;
  CLI::Option* config_flag = nullptr;
  std::set<std::string> of_file;  // "-b", "--minbytes": flags whose values are those of the file
  std::vector<std::string> arguments;
};

CommandLine::CommandLine(const std::string& program, const std::string& description)
    : parser_(std::make_unique<Parser>(program, description)) {
  CLI::App& app = parser_->app;
  app.allow_extras();  // to say better than the library what is wrong with them
  app.get_formatter()->column_width(26);
  app.set_help_flag();  // declared when all others are
}

CommandLine::~CommandLine() = default;

void CommandLine::heading(std::string text) { parser_->heading = std::move(text); }

void CommandLine::note(const std::string& text) { parser_->app.footer(text); }

void CommandLine::value(const std::string& names, std::optional<std::string>& target,
                        const std::string& help) {
  parser_->last = parser_->app.add_option(names, target, help);
  parser_->last->group(parser_->heading)->type_name("");
}

void CommandLine::values(const std::string& names, std::vector<std::string>& target,
                         const std::string& help) {
  parser_->last = parser_->app.add_option(names, target, help);
  parser_->last->allow_extra_args(false)->group(parser_->heading)->type_name("");
}

void CommandLine::completed_by(std::vector<std::string> words) {
  parser_->completions[parser_->last].words = std::move(words);
}

void CommandLine::completed_by_files() { parser_->completions[parser_->last].is_file = true; }

void CommandLine::flag(const std::string& names, bool& target, const std::string& help) {
  parser_->app.add_flag(names, target, help)->group(parser_->heading);
}

void CommandLine::operands(const std::string& name, std::vector<std::string>& target,
                           const std::string& help, Operands operands) {
  parser_->app.add_option(name, target, help)
      ->required(operands == Operands::required)
      ->type_name("");
}

void CommandLine::config_file() {
  value("--config", parser_->config,
        "a file of flags, such as minbytes = 8, one per line; the command line wins");
  parser_->config_flag = parser_->last;
  completed_by_files();
}

std::vector<FlagFacts> CommandLine::flags() const {
  std::vector<FlagFacts> flags;
  for (const CLI::Option* option : parser_->app.get_options()) {
    if (option->get_group().empty() || option->nonpositional() == false) continue;
    const auto found = parser_->completions.find(option);
    FlagFacts facts = found == parser_->completions.end() ? FlagFacts{} : found->second;
    if (!option->get_snames().empty()) facts.letter = option->get_snames().front();
    if (!option->get_lnames().empty()) facts.name = option->get_lnames().front();
    facts.help = option->get_description();
    facts.takes_value = option->get_expected_max() > 0;
    flags.push_back(std::move(facts));
  }
  flags.push_back({.letter = "h", .name = "help", .help = "this text"});
  return flags;
}

const std::vector<std::string>& CommandLine::arguments() const { return parser_->arguments; }

std::string CommandLine::place_of(std::string_view sentence) const {
  const std::string flag(sentence.substr(0, sentence.find_first_of(": ")));
  return parser_->of_file.count(flag) > 0 ? *parser_->config + ": " : "";
}

// The flags of the file that the command line does not have, as words of a command line.
std::vector<std::string> CommandLine::from_file(const std::string& path) {
  std::vector<std::string> words;
  for (const ConfigEntry& entry : parse_config(read_config_file(path), path)) {
    const auto refuse = [&](std::string_view why) {
      throw UserError(fmt::format("{}, line {}: {} {}", path, entry.line, entry.key, why));
    };
    const CLI::Option* option =
        entry.key.size() > 1 ? parser_->app.get_option_no_throw("--" + entry.key) : nullptr;
    if (option == nullptr || option == parser_->config_flag ||
        option->get_group() == kInformation) {
      refuse("is no flag that a file can give; --help lists them by their long names");
    }
    const bool takes_value = option->get_expected_max() > 0;
    if (!takes_value && entry.value != "true" && entry.value != "false") {
      refuse("is given or not: write true or false");
    }
    if (option->count() > 0 || (!takes_value && entry.value == "false")) continue;
    for (const std::string& letter : option->get_snames()) parser_->of_file.insert("-" + letter);
    for (const std::string& name : option->get_lnames()) parser_->of_file.insert("--" + name);
    words.push_back(takes_value ? fmt::format("--{}={}", entry.key, entry.value)
                                : "--" + entry.key);
  }
  return words;
}

std::optional<std::string> CommandLine::parse(const std::vector<std::string>& arguments) {
  CLI::App& app = parser_->app;
  app.set_help_flag("-h,--help", "this text")->group(kInformation);  // the last in its text
  parser_->arguments = arguments;
  if (auto help = parse_once(arguments)) return help;
  if (!parser_->config) return std::nullopt;
  std::vector<std::string> all = from_file(*parser_->config);
  all.insert(all.end(), arguments.begin(), arguments.end());
  parser_->arguments = all;
  return parse_once(all);
}

std::optional<std::string> CommandLine::parse_once(std::vector<std::string> arguments) {
  CLI::App& app = parser_->app;
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
