// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "base/counted.h"
#include "report/chart_data.h"
#include "report/escape.h"
#include "report/page_formats.h"
#include "report/page_resources.h"

namespace collbench::report {
namespace {

constexpr int kShades = 10;  // classes h0 to h9 of the style

std::string_view class_of(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "good";
    case Tone::caution:
      return "caution";
    case Tone::bad:
      return "bad";
    case Tone::plain:
      break;
  }
  return "";
}

/// Ends of cells and rows are left out, as HTML allows: they would be a third of a large page.
class HtmlWriter {
 public:
  std::string write(const Page& page) {
    head(page.title);
    html_ += fmt::format("<header><h1>{}</h1><p>{}</p></header>\n", html_text(page.title),
                         html_text(page.subtitle));
    problems(page);
    contents(page);
    html_ += "<main>\n";
    for (const Section& part : page.sections) section(part);
    html_ += "</main>\n";
    scripts();
    return std::move(html_) + "</body>\n</html>\n";
  }

 private:
  void head(const std::string& title) {
    html_ += fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "script-src 'unsafe-inline'; style-src 'unsafe-inline'\">\n"
        "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n",
        html_text(title), page_style());
  }

  void note(const Note& note) {
    html_ += fmt::format("<li class=\"{}\">{}{}</li>\n", class_of(note.tone), word_of(note.tone),
                         html_text(note.text));
  }

  void notes(const std::vector<Note>& notes) {
    if (notes.empty()) return;
    html_ += "<ul class=\"notes\">\n";
    for (const Note& each : notes) note(each);
    html_ += "</ul>\n";
  }

  void problems(const Page& page) {
    if (page.problems.empty()) return;
    html_ += fmt::format("<section id=\"problems\"><h2>{}</h2>\n", html_text(page.problems_title));
    notes(page.problems);
    html_ += "</section>\n";
  }

  void contents(const Page& page) {
    html_ += "<nav aria-label=\"Sections\">";
    for (const Section& part : page.sections) {
      html_ += fmt::format("<a href=\"#{}\">{}</a>\n", part.id, html_text(part.title));
    }
    html_ += "</nav>\n";
  }

  void paragraphs(const std::vector<std::string>& sentences) {
    for (const std::string& sentence : sentences) {
      if (!sentence.empty()) html_ += fmt::format("<p>{}</p>\n", html_text(sentence));
    }
  }

  void headlines(const std::vector<Headline>& headlines) {
    if (headlines.empty()) return;
    html_ += "<dl class=\"headlines\">\n";
    for (const Headline& headline : headlines) {
      html_ += fmt::format("<div><dt>{}</dt><dd class=\"value\">{}</dd><dd>{}</dd></div>\n",
                           html_text(headline.label), html_text(headline.value),
                           html_text(headline.detail));
    }
    html_ += "</dl>\n";
  }

  void section(const Section& part) {
    html_ += fmt::format("<section id=\"{}\"><h2>{}</h2>\n", part.id, html_text(part.title));
    paragraphs(part.sentences);
    headlines(part.headlines);
    notes(part.notes);
    for (const Figure& each : part.figures) figure(each);
    html_ += "</section>\n";
  }

  void figure(const Figure& figure) {
    html_ += fmt::format("<article><h3>{}</h3>\n", html_text(figure.title));
    paragraphs(figure.sentences);
    if (!figure.charts.empty()) {
      html_ += fmt::format("<div class=\"charts n{}\">\n", figure.charts.size());
      for (const Chart& each : figure.charts) chart(each);
      html_ += "</div>\n";
    }
    if (figure.table) numbers(figure.title, *figure.table, !figure.charts.empty());
    html_ += "</article>\n";
  }

  void chart(const Chart& chart) {
    html_ += fmt::format(
        "<figure role=\"img\" aria-label=\"{}\" data-chart=\"{}\"><figcaption>{}</figcaption>"
        "<div class=\"plot\"></div></figure>\n",
        html_text(chart.description), charts_.size(), html_text(caption_of(chart)));
    charts_.push_back(chart);
  }

  static std::string caption_of(const Chart& chart) {
    const Axis& value = chart.y.scale == Scale::category ? chart.x : chart.y;
    return value.title.empty() ? chart.title : fmt::format("{} ({})", chart.title, value.title);
  }

  /// Below a chart they can be folded away; a script does so, and without one they stay open.
  void numbers(const std::string& title, const Table& numbers, bool below_chart) {
    if (below_chart) {
      html_ += fmt::format("<details open><summary>Table: {}</summary>\n",
                           counted(numbers.rows.size() + numbers.left_out, "row"));
    }
    table(title, numbers);
    if (below_chart) html_ += "</details>\n";
  }

  void table(const std::string& title, const Table& table) {
    html_ += fmt::format(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
        "aria-label=\"{}\"><table>\n<thead><tr>",
        html_text(title));
    for (const Column& column : table.columns) {
      html_ += fmt::format("<th scope=\"col\"{}>{}", column.is_text ? " class=\"t\"" : "",
                           html_text(column.title));
    }
    html_ += "\n<tbody>\n";
    for (const auto& row : table.rows) {
      html_ += "<tr>";
      for (std::size_t i = 0; i < row.size(); ++i) cell(row[i], table.columns[i].is_text);
      html_ += '\n';
    }
    html_ += "</table></div>\n";
    if (table.left_out > 0) html_ += fmt::format("<p>{}</p>\n", left_out_text(table.left_out));
  }

  void cell(const Cell& cell, bool is_text) {
    std::string classes = is_text ? "t" : "";
    const auto add = [&](const std::string& name) {
      if (!name.empty()) classes += (classes.empty() ? "" : " ") + name;
    };
    add(std::string(class_of(cell.tone)));
    if (cell.shade) {
      const int shade = std::min(kShades - 1, static_cast<int>(std::floor(*cell.shade * kShades)));
      add(fmt::format("h{}", shade));
    }
    html_ += classes.empty() ? "<td>" : fmt::format("<td class=\"{}\">", classes);
    html_ += html_text(cell.text);
  }

  void scripts() {
    if (charts_.empty()) return;
    html_ += fmt::format("<script type=\"application/json\" id=\"report-data\">{}</script>\n",
                         script_text(chart_data(charts_)));
    html_ += fmt::format("<script>\n{}\n</script>\n<script>\n{}</script>\n", chart_library(),
                         page_script());
  }

  std::string html_;
  std::vector<Chart> charts_;
};

}  // namespace

std::string to_html(const Page& page) { return HtmlWriter().write(page); }

}  // namespace collbench::report
