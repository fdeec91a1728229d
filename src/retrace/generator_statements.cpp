/// Statements of a description other than loops.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <string>
#include <system_error>

#include "generator.h"

namespace gridcast::trace {
namespace {

/// An index of a repetition that exists while its block runs.
class ScopedName {
public:
  ScopedName(Names& names, std::string name) : names_(names), name_(std::move(name)) {}
  ScopedName(const ScopedName&) = delete;
  ScopedName& operator=(const ScopedName&) = delete;
  ~ScopedName() {
    if (!name_.empty()) {
      names_.erase(name_);
    }
  }
  void set(double value) {
    if (!name_.empty()) {
      names_[name_] = value;
    }
  }

private:
  Names& names_;
  std::string name_;
};

/// "k = FIRST : LAST", not a comparison.
bool names_index(std::string_view text) {
  const std::size_t equals = text.find('=');
  return equals != std::string_view::npos && is_name(trimmed(text.substr(0, equals))) &&
         text.substr(equals + 1, 1) != "=";
}

struct StatementKind {
  std::string_view key;
  void (Generator::*run)(const Settings&);
};

}  // namespace

void Generator::run(const Settings& block) {
  for (const Settings& statement : block.tables("do")) {
    const std::uint64_t mark = emit_.mark();
    run_statement(statement);
    emit_.restore(mark);
  }
}

void Generator::run_statement(const Settings& statement) {
  static constexpr std::array kinds = {StatementKind{"loop", &Generator::run_loop},
                                       StatementKind{"repeat", &Generator::run_repeat},
                                       StatementKind{"exchange", &Generator::run_exchange},
                                       StatementKind{"wait", &Generator::run_wait},
                                       StatementKind{"compute", &Generator::run_compute},
                                       StatementKind{"copy", &Generator::run_copy},
                                       StatementKind{"redistribute", &Generator::run_redistribute},
                                       StatementKind{"realign", &Generator::run_realign},
                                       StatementKind{"io", &Generator::run_io},
                                       StatementKind{"kernel", &Generator::run_kernel},
                                       StatementKind{"send", &Generator::run_send},
                                       StatementKind{"receive", &Generator::run_receive},
                                       StatementKind{"collective", &Generator::run_collective},
                                       StatementKind{"task", &Generator::run_task}};
  emit_.set_line(statement.line());
  take_place(statement);
  const StatementKind* found = nullptr;
  for (const StatementKind& kind : kinds) {
    if (!statement.has(kind.key)) {
      continue;
    }
    if (found != nullptr) {
      statement.fail(kind.key, "the statement is a \"" + std::string(found->key) + "\" already",
                     "expected one [[do]] for each of them");
    }
    found = &kind;
  }
  if (found != nullptr) {
    (this->*found->run)(statement);
  } else if (statement.has("interval")) {
    run_interval(statement);
  } else {
    statement.fail("do", "the statement does nothing",
                   "expected one of loop, repeat, interval, exchange, wait, compute, copy, "
                   "redistribute, realign, io, task, kernel, send, receive, collective");
  }
}

/// `at = "FILE:LINE"`: where the statement is in the program that is described.
void Generator::take_place(const Settings& statement) {
  if (!statement.has("at")) {
    emit_.set_place({}, 0);
    return;
  }
  const std::string text = statement.text("at");
  const std::size_t colon = std::min(text.rfind(':'), text.size());
  const auto plain = [](char c) { return c > ' ' && c < '\x7f' && c != '"'; };
  std::uint32_t line = 0;
  const char* const last = text.data() + text.size();
  const auto [rest, error] = std::from_chars(std::min(text.data() + colon + 1, last), last, line);
  if (colon == 0 || error != std::errc() || rest != last || !std::ranges::all_of(text, plain)) {
    statement.fail("at", "\"" + text + "\" is no place in a program",
                   "expected \"FILE:LINE\" without spaces");
  }
  emit_.set_place(text.substr(0, colon), line);
}

void Generator::run_repeat(const Settings& statement) {
  // A number of times, or an index with its range.
  IndexRange range;
  const bool has_index = statement.is_text("repeat") && names_index(statement.text("repeat"));
  const bool by_grid =
      !has_index && statement.is_text("repeat") && depends_on_grid(statement, "repeat");
  if (has_index) {
    range = read_range(statement, "repeat", statement.text("repeat"));
    if (!blocks_.domains.empty() && BlockNames::reserves(range.name)) {
      statement.fail("repeat", "'" + range.name + "' has its meaning in statements over blocks",
                     "expected another name of the index");
    }
  } else if (by_grid) {
    range = {.name = {}, .first = 1, .last = 1};
  } else {
    range = {.name = {}, .first = 1, .last = statement.whole("repeat")};
    if (range.last < 0) {
      statement.fail("repeat", "negative", "expected a number of times from 0");
    }
  }
  const std::string type = statement.has("interval") ? statement.text("interval") : std::string();
  if (!type.empty()) {
    begin_interval(statement, type);
  }
  if (by_grid) {
    begin_repeat(statement);
  }
  ScopedName index(names_, range.name);
  const std::int64_t count = range.count();
  const double outer = passes_;
  // Passes of an index may differ: each is taken for itself.
  passes_ *= has_index ? 1.0 : static_cast<double>(count);
  const std::size_t before = emit_.calls();
  require_few_calls(statement, outer * static_cast<double>(count));
  for (std::int64_t k = 0; k < count; ++k) {
    require_few_calls(statement, static_cast<double>(++passes_run_));
    index.set(static_cast<double>(range.first + k * range.step));
    run(statement);
    if (k == 0) {
      require_few_calls(statement, passes_ * static_cast<double>(emit_.calls() - before));
    }
  }
  passes_ = outer;
  if (by_grid) {
    end_repeat(statement);
  }
  if (!type.empty()) {
    end_interval(type, statement.line());
  }
  if (!statement.has("do")) {
    statement.fail("repeat", "nothing to repeat", "expected [[do]] tables inside");
  }
  statement.finish("repeat, interval, expression, do");
}

/// `least`: how many passes or calls a repetition and those around it make at least.
void Generator::require_few_calls(const Settings& statement, double least) {
  if (least > static_cast<double>(most_calls)) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.0f", least);
    statement.fail("repeat",
                   std::string("this repetition and those around it make at least ") +
                       (least < 1e15 ? text.data() : "1000000000000000") + " passes or calls",
                   "expected at most " + std::to_string(most_calls) +
                       " calls: repeat fewer times (predictions grow in proportion)");
  }
}

void Generator::run_interval(const Settings& statement) {
  const std::string type = statement.text("interval");
  begin_interval(statement, type);
  run(statement);
  end_interval(type, statement.line());
  statement.finish("interval, expression, do");
}

void Generator::begin_interval(const Settings& statement, const std::string& type) {
  constexpr std::int64_t no_expression = 2'000'000'000;
  const std::int64_t expression = statement.whole("expression", no_expression);
  if (statement.has("expression") && expression == no_expression) {
    statement.fail("expression", "the library's number for no expression",
                   "expected another whole number");
  }
  const auto number = static_cast<std::int64_t>(statement.line());
  if (type == "user") {
    emit_.call("binter_", Lines().number("nfrag", number).number("index", expression));
  } else if (type == "sequential" || type == "parallel") {
    Lines lines = Lines().number("nfrag", number);
    if (expression != no_expression) {
      lines.number("index", expression);
    }
    emit_.call(type == "parallel" ? "bploop_" : "bsloop_", lines);
  } else {
    statement.fail("interval", "\"" + type + "\" is no kind of interval",
                   "expected user, sequential or parallel");
  }
}

void Generator::end_interval(const std::string& type, std::uint32_t line) {
  const auto number = static_cast<std::int64_t>(line);
  emit_.set_line(line);
  emit_.call(type == "user" ? "einter_" : "enloop_",
             Lines().number("nfrag", number).number("nline", number));
}

void Generator::run_compute(const Settings& statement) {
  if (is_over_blocks(statement)) {
    run_block_compute(statement);
    return;
  }
  emit_.compute(statement.not_negative("compute"));
  statement.finish("compute");
}

void Generator::flush() {
  if (emit_.pending() > 0.0) {
    emit_.call("getam_", {}, Lines().address("AMRef", emit_.new_address()));
  }
}

void Generator::run_task(const Settings& statement) {
  const std::string name = statement.text("task");
  const auto found = tasks_.find(name);
  if (found == tasks_.end()) {
    statement.fail("task", "no task is called '" + name + "'", "expected the name of a [[task]]");
  }
  const Task task = found->second;
  emit_.call(
      "getamr_",
      Lines().address("AMViewRef", task_template_).end_line().list("IndexArray", {task.number}),
      Lines().address("AMRef", task.machine));
  emit_.call("runam_", Lines().address("AMRef", task.machine), Lines().number("Run", 1));
  run(statement);
  emit_.set_line(statement.line());
  emit_.call("stopam_");
  statement.finish("task, do");
}

const Generator::Started& Generator::start(const Settings& statement, Started::Kind kind) {
  const std::string label = statement.text("start");
  const auto [entry, is_new] = started_.try_emplace(label);
  if (entry->second.running) {
    statement.fail("start", "'" + label + "' is running already",
                   "expected a wait before the next start");
  }
  if (is_new) {
    entry->second.reference = emit_.new_lasting_address();
  }
  entry->second.kind = kind;
  entry->second.running = true;
  return entry->second;
}

const Generator::Started& Generator::finish_started(const Settings& statement, std::string_view key,
                                                    std::optional<Started::Kind> kind) {
  const std::string label = statement.text(key);
  const auto found = started_.find(label);
  if (found == started_.end() || !found->second.running || (kind && *kind != found->second.kind)) {
    statement.fail(key, "nothing was started as '" + label + "'",
                   "expected start = \"" + label + "\" in a statement that runs before");
  }
  found->second.running = false;
  return found->second;
}

void Generator::run_exchange(const Settings& statement) {
  const bool waits = !statement.has("start");
  const std::uint64_t group =
      waits ? emit_.new_address() : start(statement, Started::Kind::exchange).reference;
  fill_shadow_group(statement, "exchange", group);
  const Lines lines = Lines().address("ShadowGroupRef", group);
  emit_.call("strtsh_", lines);
  if (waits) {
    emit_.call("waitsh_", lines);
    emit_.call("delshg_", lines);
  }
  statement.finish("exchange, start, corners, low, high");
}

void Generator::run_wait(const Settings& statement) {
  const Started& started = finish_started(statement, "wait", std::nullopt);
  if (started.kind == Started::Kind::exchange) {
    const Lines lines = Lines().address("ShadowGroupRef", started.reference);
    emit_.call("waitsh_", lines);
    emit_.call("delshg_", lines);
  } else if (started.kind == Started::Kind::messages) {
    wait_for_messages(statement, started.reference);
  } else {
    emit_.call("waitcp_", Lines().address("CopyFlagPtr", started.reference));
  }
  statement.finish("wait");
}

void Generator::run_copy(const Settings& statement) {
  const SectionText from_text = read_section(statement, "copy", statement.text("copy"));
  const SectionText to_text = read_section(statement, "to", statement.text("to"));
  const Array& source = array(statement, "copy", from_text.object);
  const Array& target = array(statement, "to", to_text.object);
  const Section from = section(statement, "copy", from_text, source.extents);
  const Section to = section(statement, "to", to_text, target.extents);
  if (from.counts != to.counts) {
    statement.fail("to", "another shape than that of what is copied",
                   "expected equal numbers of elements in the dimensions with more than one");
  }
  const bool waits = !statement.has("start");
  Lines lines;
  lines.address("FromArrayHeader", source.name.header)
      .address("FromArrayHandlePtr", source.name.handle)
      .address("ToArrayHeader", target.name.header)
      .address("ToArrayHandlePtr", target.name.handle)
      .number("CopyRegim", 0);
  if (!waits) {
    lines.address("CopyFlagPtr", start(statement, Started::Kind::copy).reference);
  }
  lines.end_line()
      .list("FromInitIndexArray", from.first)
      .list("FromLastIndexArray", from.last)
      .list("FromStepArray", from.step)
      .list("ToInitIndexArray", to.first)
      .list("ToLastIndexArray", to.last)
      .list("ToStepArray", to.step);
  emit_.call(waits ? "arrcpy_" : "aarrcp_", lines);
  statement.finish("copy, to, start");
}

void Generator::run_redistribute(const Settings& statement) {
  const std::string name = statement.text("redistribute");
  Lines lines;
  std::size_t rank = 0;
  if (const auto found = templates_.find(name); found != templates_.end()) {
    rank = found->second.extents.size();
    lines.address("AMViewRef", found->second.reference);
  } else {
    const Array& moved = array(statement, "redistribute", name);
    rank = moved.over.target_rank;
    if (rank == 0) {
      statement.fail("redistribute", "'" + name + "' is not laid over a template",
                     "expected a template, or an array with distribute or align");
    }
    lines.address("ArrayHeader", moved.name.header).address("ArrayHandlePtr", moved.name.handle);
  }
  const std::vector<std::int64_t> axes = distribution(statement, rank);
  lines.address("PSRef", system_of(statement))
      .number("ParamCount", static_cast<std::int64_t>(axes.size()))
      .number("NewSign", statement.flag("new_values", false) ? 1 : 0)
      .end_line()
      .list("AxisArray", axes)
      .list("DistrParamArray", Extents(axes.size(), 0));
  emit_.call("redis_", lines, Lines().number("IsLocal", 1));
  statement.finish("redistribute, distribute, processors, new_values");
}

void Generator::run_realign(const Settings& statement) {
  const std::string name = statement.text("realign");
  const Array& moved = array(statement, "realign", name);
  const MappingText mapping = mapping_of_array(statement, moved.rank());
  const Pattern over = pattern(statement, "align", mapping);
  arrays_[name].over = compose(statement, "align", mapping, over.over, moved.rank());
  emit_.realign(moved.name, over.name, mapping, statement.flag("new_values", false));
  statement.finish("realign, index, align, new_values");
}

void Generator::run_io(const Settings& statement) {
  const std::string kind = statement.text("io");
  const double time = statement.has("time") ? statement.not_negative("time") : 0.0;
  if (kind == "print") {
    emit_.call_lasting(time, "dvm_void_printf", Lines().text("Format=text"), {});
  } else if (kind == "write") {
    emit_.call_lasting(time, "dvm_fwrite", {}, {});
  } else if (kind == "read") {
    const std::int64_t bytes = statement.whole("bytes");
    if (bytes < 0) {
      statement.fail("bytes", "negative", "expected a number of bytes");
    }
    emit_.call_lasting(time, "dvm_fread", Lines().number("Size", 1).number("Count", bytes),
                       Lines().number("Res", bytes));
  } else {
    statement.fail("io", "\"" + kind + "\" is no kind of input or output",
                   "expected print, write or read");
  }
  statement.finish("io, time, bytes (of a read)");
}

}  // namespace gridcast::trace
