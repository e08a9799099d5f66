// SPDX-License-Identifier: Apache-2.0
#include "plan/trace.h"

#include <fmt/format.h>

#include "plan/print.h"

namespace collbench::plan {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

class TraceWriter {
 public:
  TraceWriter(const Plan& plan, const Matching& matching, const Timeline& timeline)
      : plan_(plan), matching_(matching), timeline_(timeline) {}

  std::string write() {
    text_ = R"({"displayTimeUnit":"ms","traceEvents":[)";
    for (std::size_t c = 0; c < plan_.classes.size(); ++c) {
      name_process(c);
      for (std::size_t o = 0; o < plan_.classes[c].ops.size(); ++o) add_op(c, o);
    }
    for (std::size_t x = 0; x < matching_.exchanges.size(); ++x) add_arrow(x);
    return text_ + "\n]}\n";
  }

 private:
  template <class... Values>
  void event(fmt::format_string<Values...> text, Values&&... values) {
    text_ += is_first_ ? "\n{" : ",\n{";
    text_ += fmt::format(text, std::forward<Values>(values)...) + "}";
    is_first_ = false;
  }

  int process(std::size_t c) const { return plan_.classes[c].first_rank; }

  void name_process(std::size_t c) {
    const RankClass& ranks = plan_.classes[c];
    const std::string name =
        fmt::format("rank {} of {} ({})", ranks.first_rank, ranks.ranks, name_of(plan_, ranks));
    event(R"("ph":"M","name":"process_name","pid":{},"args":{{"name":{}}})", process(c),
          quoted(name));
    event(R"("ph":"M","name":"process_sort_index","pid":{},"args":{{"sort_index":{}}})", process(c),
          c);
    for (std::size_t s = 0; s < plan_.streams.size(); ++s) {
      event(R"("ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}})", process(c),
            s, quoted(plan_.streams[s]));
    }
  }

  void add_op(std::size_t c, std::size_t o) {
    const Op& op = plan_.classes[c].ops[o];
    if (op.kind == OpKind::wait) return;
    const OpTime& t = timeline_[c][o];
    std::string what;
    for (const Message& message : op.messages) {
      what += (what.empty() ? "" : " + ") + describe(plan_, message);
    }
    event(R"("ph":"X","name":{},"pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{"op":{},)"
          R"("waits_us":{:.3f},"what":{}}})",
          quoted(op.label), process(c), op.stream, t.ready_s * 1e6, (t.end_s - t.ready_s) * 1e6, o,
          (t.start_s - t.ready_s) * 1e6, quoted(what));
  }

  void add_arrow(std::size_t x) {
    const auto& members = matching_.exchanges[x].members;
    const MessageRef& from = members.front();
    const Op& op = plan_.classes[from.rank_class].ops[from.op];
    if (op.messages[from.message].kind == MessageKind::collective) return;
    add_end(members.front(), x, 's');
    add_end(members.back(), x, 'f');
  }

  void add_end(const MessageRef& ref, std::size_t x, char phase) {
    const OpTime& t = timeline_[ref.rank_class][ref.op];
    const double at_s = phase == 's' ? t.ready_s : t.end_s;
    event(
        R"("ph":"{}","bp":"e","name":"message","cat":"message","id":{},"pid":{},"tid":{},"ts":{:.3f})",
        phase, x, process(ref.rank_class), plan_.classes[ref.rank_class].ops[ref.op].stream,
        at_s * 1e6);
  }

  const Plan& plan_;
  const Matching& matching_;
  const Timeline& timeline_;
  std::string text_;
  bool is_first_ = true;
};

}  // namespace

std::string to_trace(const Plan& plan, const Matching& matching, const Timeline& timeline) {
  return TraceWriter(plan, matching, timeline).write();
}

}  // namespace collbench::plan
