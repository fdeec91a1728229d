#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "gridcast/base/readable.h"
#include "gridcast/infer/infer.h"
#include "gridcast/infer/program.h"

namespace gridcast::infer {
namespace {

using Statements = std::vector<Statement>;

std::string names_of_extents(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t d = 0; d < count; ++d) {
    names.push_back("\"" + extent_name(d) + "\"");
  }
  return fmt::format("[{}]", fmt::join(names, ", "));
}

/// Writes the statements.
class Writer {
public:
  Writer(const Runs& runs, const Program& program) : runs_(runs), program_(program) {}

  std::string write() {
    write_block(program_.statements, 0);
    return head() + kernels_ + text_;
  }

private:
  void line(std::size_t depth, const std::string& text) {
    text_ += std::string(2 * depth, ' ') + text + "\n";
  }

  void open(std::size_t depth) {
    text_ += "\n";
    std::string key = "do";
    for (std::size_t i = 0; i < depth; ++i) {
      key += ".do";
    }
    line(depth, "[[" + key + "]]");
  }

  [[nodiscard]] std::string head() const {
    std::string text = "# Inferred from recorded runs:\n";
    for (std::size_t run = 0; run < runs_.items.size(); ++run) {
      text += fmt::format("#   {}: grid {}, extents {}\n", runs_.name(run),
                          fmt::join(runs_.coordinates[run].grid(), "x"),
                          fmt::join(runs_.extents[run], "x"));
    }
    text += fmt::format(
        "# All {} that the processes send in an iteration of them are explained {}.\n",
        counted(program_.messages, "message"),
        program_.residual == 0.0 ? std::string("exactly")
                                 : fmt::format("within {:.2g} %", 100.0 * program_.residual));
    if (runs_.split) {
      text +=
          "# Round rings of two processes the program sends both neighbours' messages at once; "
          "here they are two.\n";
    }
    text += proportional_extents();
    text +=
        program_.time_runs > 1
            ? fmt::format(
                  "# Times: least of all iterations but the first, from {} sizes on one process.\n",
                  program_.time_runs)
            : std::string(
                  "# Times: least of all iterations but the first, from one size; runs on one "
                  "process with other sizes tell more.\n");
    if (program_.pieces_left_out > 0) {
      text += fmt::format("# Left out: {} of computation, {} per iteration.\n",
                          counted(static_cast<std::int64_t>(program_.pieces_left_out), "piece"),
                          seconds_text(program_.left_out_seconds));
    }
    text += "\nprocesses = \"free\"\n";
    if (ranks_by_column(runs_.coordinates)) {
      text += "ranks = \"column\"  # the first coordinate runs fastest\n";
    }
    text += "\n[parameters]\n";
    const auto largest = *std::max_element(
        runs_.extents.begin(), runs_.extents.end(), [](const auto& a, const auto& b) {
          const auto volume = [](const auto& e) {
            return std::accumulate(e.begin(), e.end(), 1.0, std::multiplies<>());
          };
          return volume(a) < volume(b);
        });
    for (std::size_t d = 0; d < largest.size(); ++d) {
      text += fmt::format("{} = {}\n", extent_name(d), largest[d]);
    }
    text += fmt::format("iterations = {}  # of the main loop below, {}\n", program_.iterations,
                        program_.same_iterations ? "in the runs" : "at most; runs differ");
    return text + domain();
  }

  /// Extents of which messages do not tell which one they depend on.
  [[nodiscard]] std::string proportional_extents() const {
    std::string text;
    const std::size_t extents = runs_.extents.front().size();
    for (std::size_t d = runs_.coordinates.front().grid().size(); d < extents; ++d) {
      for (std::size_t other = d + 1; other < extents; ++other) {
        std::set<double> ratios;
        for (std::size_t run = 0; run < runs_.items.size(); ++run) {
          if (runs_.items[run].size() > 1) {
            ratios.insert(static_cast<double>(runs_.extents[run][d]) /
                          static_cast<double>(runs_.extents[run][other]));
          }
        }
        if (ratios.size() == 1) {
          text += fmt::format(
              "# {} and {} grow alike in all runs of several processes: which of them bytes follow "
              "is not determined.\n",
              extent_name(d), extent_name(other));
        }
      }
    }
    return text;
  }

  [[nodiscard]] std::string domain() const {
    const Coordinates& any = runs_.coordinates.front();
    const std::size_t extents = runs_.extents.front().size();
    std::string text =
        fmt::format("\n[[domain]]\nname = \"grid\"\nextents = {}\n", names_of_extents(extents));
    std::vector<std::size_t> cut(extents);
    for (std::size_t d = 0; d < extents; ++d) {
      cut[d] = d < any.grid().size() ? d + 1 : 0;
    }
    if (extents > any.grid().size()) {
      text += fmt::format("distribute = [{}]\n", fmt::join(cut, ", "));
    }
    std::string ties;
    for (const Rule rule : program_.ties) {
      ties += (ties.empty() ? "" : ", ") + rule_word(rule);
    }
    text += fmt::format("rule = \"{}\"{}\n", rule_word(program_.rule),
                        ties.empty() ? "" : "  # not determined: also " + ties);
    std::vector<bool> periodic = any.periodic();
    periodic.resize(extents, false);
    if (std::find(periodic.begin(), periodic.end(), true) != periodic.end()) {
      text += fmt::format("periodic = [{}]\n", fmt::join(periodic, ", "));
    }
    return text;
  }

  /// The places as a comment; the first is that of the statement.
  void write_places(const std::string& places, std::size_t depth) {
    line(depth, "# " + places);
    place_ = places.substr(0, places.find(','));
    write_place(depth);
  }

  void write_place(std::size_t depth) {
    const std::size_t colon = place_.rfind(':');
    const auto plain = [](char c) { return c > ' ' && c < '\x7f' && c != '"' && c != '\\'; };
    if (colon != std::string::npos && colon > 0 && colon + 1 < place_.size() &&
        place_.find_first_not_of("0123456789", colon + 1) == std::string::npos &&
        std::ranges::all_of(place_, plain)) {
      line(depth, fmt::format("at = \"{}\"", place_));
    }
  }

  /// What comes before the first statement of a loop: the last one, but for the first time.
  [[nodiscard]] std::string last_place(const Statements& body) const {
    for (std::size_t i = body.size(); i > 0; --i) {
      if (const Step& step = *body[i - 1].step; !step.loop && !step.places.empty()) {
        const std::string text = places_text(runs_, step);
        return text.substr(0, text.find(','));
      }
    }
    return place_;
  }

  /// Stands at the call before it.
  void write_computation(const std::optional<Computation>& computation, std::size_t depth) {
    if (!computation) {
      return;
    }
    open(depth);
    if (!computation->remark.empty()) {
      line(depth, "# " + computation->remark);
    }
    write_place(depth);
    line(depth, "over = \"grid\"");
    if (computation->table.empty()) {
      line(depth, fmt::format("compute = \"{}\"  # within {:.1f} %", computation->expression,
                              100.0 * computation->residual));
      return;
    }
    std::vector<std::string> blocks;
    std::vector<std::string> seconds;
    for (const TimeSample& each : computation->table) {
      blocks.push_back(fmt::format("[{}]", fmt::join(each.block, ", ")));
      seconds.push_back(fmt::format("{:.4g}", each.seconds));
    }
    const std::string name = fmt::format("k{}", ++kernel_count_);
    kernels_ += fmt::format("\n[[kernel]]\nname = \"{}\"\nblocks = [{}]\nseconds = [{}]\n", name,
                            fmt::join(blocks, ", "), fmt::join(seconds, ", "));
    line(depth, fmt::format("kernel = \"{}\"", name));
  }

  /// The line for `entries` under a key, several lines if there are more than two.
  void write_entries(std::size_t depth, const char* key, const std::vector<std::string>& entries) {
    if (entries.size() < 3) {
      line(depth, fmt::format("{} = [{}]", key, fmt::join(entries, ", ")));
      return;
    }
    line(depth, fmt::format("{} = [", key));
    for (const std::string& each : entries) {
      line(depth + 1, each + ",");
    }
    line(depth, "]");
  }

  /// The expression for processes of the parity, 0 for others.
  [[nodiscard]] static std::string only(const Parity& parity, const std::string& expression) {
    return parity.all() ? expression : fmt::format("{}*({})", parity.expression(), expression);
  }

  /// What of the slots the runs do not tell.
  [[nodiscard]] std::vector<std::string> doubts(const std::vector<Slot>& slots) const {
    const Blocks blocks(runs_, program_.rule);
    std::set<std::string> found;
    for (const Slot& slot : slots) {
      if (!slot.sure) {
        found.insert("direction " + offset_text(slot.offset) + " not determined");
      }
      if (slot.law.residual > 0.0) {
        found.insert(fmt::format("sizes scatter: within {:.2g} %", 100.0 * slot.law.residual));
      }
      const std::vector<std::int64_t> first =
          blocks.of(slot.samples.front().run, slot.samples.front().rank);
      for (std::size_t d = 0; d < first.size(); ++d) {
        const bool along = d < slot.offset.size() && slot.offset[d] != 0;
        const bool used =
            std::find(slot.law.used.begin(), slot.law.used.end(), d) != slot.law.used.end();
        if (!along && !used &&
            std::all_of(slot.samples.begin(), slot.samples.end(), [&](auto& each) {
              return blocks.of(each.run, each.rank)[d] == first[d];
            })) {
          found.insert(
              fmt::format("b{} is {} in all runs: its part is not determined", d + 1, first[d]));
        }
      }
    }
    return {found.begin(), found.end()};
  }

  void write_messages(const Statement& statement, std::size_t depth) {
    for (const std::string& doubt : statement.step->kind == ItemKind::receive
                                        ? std::vector<std::string>()
                                        : doubts(statement.slots)) {
      line(depth, "# " + doubt);
    }
    line(depth, "over = \"grid\"");
    std::vector<std::string> entries;
    if (!statement.parity.all()) {
      line(depth, fmt::format("# processes of {} only", statement.parity.text()));
      line(depth, fmt::format("tag = \"{}\"", sender_text(statement, statement.slots.front())));
    }
    const bool receives = statement.step->kind == ItemKind::receive;
    for (const Slot& slot : statement.slots) {
      entries.push_back(receives ? fmt::format("{{ from = [{}] }}", fmt::join(slot.offset, ", "))
                                 : fmt::format("{{ to = [{}], bytes = \"{}\" }}",
                                               fmt::join(slot.offset, ", "),
                                               only(statement.parity, slot.law.text)));
    }
    write_entries(depth, receives ? "receive" : "send", entries);
    if (statement.step->kind == ItemKind::exchange) {
      line(depth, "blocking = true");
    } else if (statement.step->kind == ItemKind::send) {
      line(depth, "only = true");
    }
  }

  void write_collective(const Statement& statement, std::size_t depth) {
    const Collective& collective = statement.collective;
    line(depth, "over = \"grid\"");
    line(depth, fmt::format("collective = \"{}\"", statement.step->operation));
    if (!collective.across.empty()) {
      std::vector<std::size_t> dimensions = collective.across;
      for (std::size_t& each : dimensions) {
        ++each;
      }
      line(depth, fmt::format("across = [{}]", fmt::join(dimensions, ", ")));
    }
    if (statement.step->operation != "barrier") {
      line(depth, fmt::format("bytes = \"{}\"", collective.bytes));
    }
    if (!collective.root.empty()) {
      line(depth, fmt::format("root = [{}]", fmt::join(collective.root, ", ")));
    }
  }

  /// True if one statement can say both.
  [[nodiscard]] static bool like(const Statement& all, const Statement& next) {
    return all.parity == next.parity &&
           (all.slots.empty() || next.slots.empty() ||
            sender_text(all, all.slots.front()) == sender_text(next, next.slots.front()));
  }

  /// The statement with those after it that it takes in: blocking messages without computation
  /// between them. Returns how many it is.
  std::size_t gather(const Statements& block, std::size_t at, Statement& all) const {
    std::size_t end = at + 1;
    const ItemKind kind = all.step->kind;
    if (kind != ItemKind::exchange && kind != ItemKind::send && kind != ItemKind::receive) {
      return 1;
    }
    while (end < block.size() && !block[end].step->loop && block[end].step->kind == kind &&
           !block[end].before && !block[end].left_out && like(all, block[end])) {
      all.slots.insert(all.slots.end(), block[end].slots.begin(), block[end].slots.end());
      ++end;
    }
    return end - at;
  }

  [[nodiscard]] std::string places(const Statements& block, std::size_t at,
                                   std::size_t count) const {
    Step all = *block[at].step;
    for (std::size_t i = 1; i < count; ++i) {
      all.places.insert(block[at + i].step->places.begin(), block[at + i].step->places.end());
    }
    return places_text(runs_, all);
  }

  void write_block(const Statements& block, std::size_t depth) {
    std::string started;
    bool silent = false;  // the wait belongs to messages that are not there
    for (std::size_t i = 0; i < block.size();) {
      const Statement& statement = block[i];
      write_computation(statement.before, depth);
      std::size_t count = 1;
      if (statement.left_out) {
        line(depth, fmt::format("\n# {}: {}, not described", places(block, i, 1),
                                statement.step->loop ? "beside the main loop" : "once"));
      } else if (statement.step->loop) {
        open(depth);
        line(depth, "repeat = " + statement.repeat);
        place_ = last_place(statement.body);
        write_block(statement.body, depth + 1);
      } else if (statement.step->kind == ItemKind::collective) {
        if (!statement.collective.alone) {
          open(depth);
          write_places(places(block, i, 1), depth);
          write_collective(statement, depth);
        }
      } else if (statement.step->kind == ItemKind::wait) {
        if (!started.empty() && !silent) {
          open(depth);
          line(depth, fmt::format("wait = \"{}\"", started));
        }
        started.clear();
      } else {
        Statement all = statement;
        count = gather(block, i, all);
        const bool starts = statement.step->kind == ItemKind::start;
        silent = starts && all.slots.empty();
        if (!all.slots.empty()) {
          open(depth);
          write_places(places(block, i, count), depth);
          write_messages(all, depth);
        }
        if (starts) {
          const bool waits_at_once = i + 1 < block.size() && !block[i + 1].before &&
                                     !block[i + 1].step->loop &&
                                     block[i + 1].step->kind == ItemKind::wait;
          count += waits_at_once ? 1 : 0;
          if (!waits_at_once && !silent) {
            started = fmt::format("x{}", ++start_count_);
            line(depth, fmt::format("start = \"{}\"", started));
          }
        }
      }
      i += count;
    }
  }

  const Runs& runs_;
  const Program& program_;
  std::string kernels_;
  std::string text_;
  std::string place_;  // of the statement before
  int kernel_count_ = 0;
  int start_count_ = 0;
};

}  // namespace

std::string extent_name(std::size_t dimension) { return {'n', "xyzt"[dimension]}; }

std::string description_text(const Runs& runs, const Program& program) {
  return Writer(runs, program).write();
}

}  // namespace gridcast::infer
