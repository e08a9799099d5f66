// SPDX-License-Identifier: Apache-2.0
#include "report/page_formats.h"

#include <gtest/gtest.h>

#include "report/make_page.h"
#include "results/example_steps.h"

namespace collbench::report {
namespace {

Page small_page() {
  Page page = {.title = "A <title>", .subtitle = "1 run"};
  page.problems_title = "Problems";
  page.problems = {{"base: ended by an error", Tone::bad}};
  Table table = {.columns = {{"size"}, {"notes", true}},
                 .rows = {{{"8 B"}, {"a|b", Tone::caution}}, {{"16 KiB", Tone::plain, 0.95}, {""}}},
                 .left_out = 3};
  Chart chart = {.kind = ChartKind::lines,
                 .title = "Time",
                 .description = "Time against \"size\".",
                 .x = {"size", Scale::bytes},
                 .y = {"us", Scale::logarithmic}};
  chart.series = {{.label = "</script>", .dashed = true, .points = {{8, 1.23456789, {{1, 2}}}}}};
  Section section = {.id = "summary", .title = "Summary"};
  section.headlines = {{"Peak", "3 GB/s", "of all"}};
  section.sentences = {"A sentence."};
  section.notes = {{"met", Tone::good}};
  section.figures = {{.title = "Rows", .sentences = {"Of it."}, .charts = {chart}, .table = table}};
  page.sections = {section};
  return page;
}

TEST(PageText, IsAlignedColumns) {
  EXPECT_EQ(to_text(small_page()),
            "A <title>\n"
            "=========\n"
            "1 run\n"
            "\n"
            "Problems\n"
            "--------\n"
            "  problem: base: ended by an error\n"
            "\n"
            "Summary\n"
            "-------\n"
            "  A sentence.\n"
            "  Peak: 3 GB/s (of all)\n"
            "  good: met\n"
            "\n"
            "  Rows\n"
            "  Of it.\n"
            "\n"
            "      size  notes\n"
            "       8 B  a|b\n"
            "    16 KiB\n"
            "    3 more rows are left out\n");
}

TEST(PageMarkdown, IsTablesThatNothingBreaks) {
  EXPECT_EQ(to_markdown(small_page()),
            "# A \\<title\\>\n"
            "\n"
            "1 run\n"
            "\n"
            "## Problems\n"
            "\n"
            "- **problem: base: ended by an error**\n"
            "\n"
            "## Summary\n"
            "\n"
            "A sentence.\n"
            "\n"
            "- Peak: **3 GB/s** (of all)\n"
            "- good: met\n"
            "\n"
            "### Rows\n"
            "\n"
            "Of it.\n"
            "\n"
            "| size | notes |\n"
            "|--:|---|\n"
            "| 8 B | a\\|b |\n"
            "| 16 KiB |  |\n"
            "\n"
            "3 more rows are left out\n");
}

TEST(PageMarkdown, LongTablesSayWhatIsLeftOut) {
  Page page = small_page();
  page.sections[0].figures[0].table->rows.assign(500, {{"1"}, {"2"}});
  EXPECT_NE(to_markdown(page).find("303 more rows are left out"), std::string::npos);
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

TEST(PageHtml, HasChartsWithWordsAndTheirTablesBelow) {
  const std::string html = to_html(small_page());
  EXPECT_TRUE(html.starts_with("<!doctype html>"));
  EXPECT_TRUE(contains(html, "<h1>A &lt;title&gt;</h1>"));
  EXPECT_TRUE(contains(html, "<li class=\"bad\">problem: base: ended by an error</li>"));
  EXPECT_TRUE(contains(html,
                       "<figure role=\"img\" aria-label=\"Time against &quot;size&quot;.\" "
                       "data-chart=\"0\"><figcaption>Time (us)</figcaption>"));
  EXPECT_TRUE(contains(html, "<details open><summary>Table: 5 rows</summary>"));
  EXPECT_TRUE(contains(html, "<tr><td>8 B<td class=\"t caution\">a|b\n"));
  EXPECT_TRUE(contains(html, "<td class=\"h9\">16 KiB<td class=\"t\">\n"));
  EXPECT_TRUE(contains(html, "3 more rows are left out"));
}

TEST(PageHtml, DataCannotEndTheirScript) {
  const std::string html = to_html(small_page());
  EXPECT_TRUE(contains(html, R"("series":[{"label":"\u003c/script>","dashed":true,)"
                             R"("points":[[8.0,1.23457,1.0,2.0]]}])"))
      << html.substr(html.find("report-data"), 400);
  EXPECT_EQ(count(html, "</script>"), 3u);  // the data, the library, our own
}

TEST(PageHtml, LoadsNothingAndKeepsTheLicenceOfTheLibrary) {
  const std::string html = to_html(small_page());
  EXPECT_TRUE(contains(html, "Chart.js v3"));
  EXPECT_TRUE(contains(html, "Released under the MIT License"));
  for (const char* loading : {"src=", "@import", "url(", "href=\"http", " onclick=", " onload="}) {
    const std::string own = html.substr(0, html.find("Chart.js v3"));
    EXPECT_FALSE(contains(own, loading)) << loading;
  }
  EXPECT_TRUE(contains(html, "default-src 'none'"));
}

TEST(PageHtml, WhatFilesHoldStaysText) {
  const std::string evil = "</script><script>alert('x')</script>\"\x01\xff&";
  Document document = example::ended();
  document.config.program = document.config.arguments[0] = evil;
  document.environment.hosts[0].name = document.environment.hosts[0].cpu_model = evil;
  document.environment.libraries[evil] = evil;
  document.environment.variables[evil] = evil;
  document.run.message = document.run.git_commit = document.run.compiler = evil;
  document.run.status = RunStatus::error;
  for (Record& row : document.rows) {
    row.reason = row.key.collective = row.key.mode = row.key.matrix = evil;
    row.flags = {evil};
  }
  Document steps = example::pattern();
  for (StepRecord& step : steps.steps) {
    step.reason = step.key.pattern = step.key.model = step.key.scheme["a"] = evil;
    step.left_out = step.flags = {evil};
    for (StepMessage& message : step.messages) message.operation = evil;
  }
  const Timeline timeline = {.name = evil, .lanes = {evil}, .ops = {{0, evil, 0, 1}}};
  const Page page =
      make_page({.runs = {{evil, document}, {"b", steps}}, .timelines = {timeline}}, evil);
  const std::string html = to_html(page);
  EXPECT_EQ(count(html, "</script>"), 3u);
  EXPECT_EQ(count(html, "<script"), 3u);
  EXPECT_FALSE(contains(html, "\x01"));
  EXPECT_FALSE(contains(html, "\xff"));
  EXPECT_TRUE(contains(html, "&lt;/script&gt;&lt;script&gt;alert(&#39;x&#39;)"));
  EXPECT_FALSE(contains(to_text(page), "\x01"));
  const std::string markdown = to_markdown(page);
  EXPECT_EQ(count(markdown, "<script"), count(markdown, "\\<script"));
}

}  // namespace
}  // namespace collbench::report
