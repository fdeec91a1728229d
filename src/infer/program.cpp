#include "gridcast/infer/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <tuple>

#include "gridcast/base/error.h"

namespace gridcast::infer {
namespace {

/// Iterations of a loop in each run that has it. Throws InputError: ranks differ.
std::map<std::size_t, std::int64_t> iterations(const Runs& runs, const Step& loop) {
  std::map<std::size_t, std::int64_t> counts;
  for (const Instance& each : loop.instances) {
    const auto [entry, added] = counts.try_emplace(each.run, each.count);
    if (!added && entry->second != each.count) {
      throw InputError(places_text(runs, loop), 0,
                       fmt::format("repeats {} and {} times on different processes of {}",
                                   entry->second, each.count, runs.name(each.run)),
                       "expected the same number of iterations on all processes: what depends on "
                       "data has no law");
    }
  }
  return counts;
}

/// A number as it follows from an extent in each run.
using Counted = std::vector<std::pair<std::int64_t, std::int64_t>>;  // extent, number

/// The ways to cut the extent into so many parts, those first that leave no smaller part.
std::vector<std::string> divisions(const std::string& name, const Counted& all) {
  const auto& [extent, number] = all.front();
  const auto holds = [&all](auto&& divided) {
    return std::ranges::all_of(
        all, [&](const auto& each) { return divided(each.first) == each.second; });
  };
  const std::int64_t least = (extent + number - 1) / number;
  const std::int64_t most = std::max<std::int64_t>(extent / number, 1);
  std::vector<std::string> found;
  if (holds([&](std::int64_t n) { return (n + least - 1) / least; })) {
    found.push_back(least == 1 ? name : fmt::format("ceil({}/{})", name, least));
  }
  if (most < least && holds([&](std::int64_t n) { return n / most; })) {
    found.push_back(fmt::format("floor({}/{})", name, most));
  }
  return found;
}

/// Finds the number of iterations of a loop that is not the main one: a constant, an extent or a
/// part of it, a dimension of the grid; with a comment what else it may be.
void find_repeat(const Runs& runs, const std::vector<std::string>& names, Statement& statement) {
  const Step& loop = *statement.step;
  const std::map<std::size_t, std::int64_t> counts = iterations(runs, loop);
  const std::int64_t first = counts.begin()->second;
  if (std::ranges::all_of(counts, [&](const auto& each) { return each.second == first; })) {
    statement.repeat = fmt::format("{}", first);
    return;
  }
  const std::size_t dimensions = runs.coordinates.front().grid().size();
  std::vector<std::pair<std::size_t, std::string>> laws, uneven;  // and their extents
  // Parts of equal length first, then those of an extent that the grid does not cut.
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t d = (dimensions + i) % names.size();
    Counted extents;
    bool even = true;
    for (const auto& [run, count] : counts) {
      extents.emplace_back(runs.extents[run][d], count);
      even = even && runs.extents[run][d] % count == 0;
    }
    for (std::string& law : divisions(names[d], extents)) {
      (even ? laws : uneven).emplace_back(d, std::move(law));
    }
  }
  std::ranges::move(uneven, std::back_inserter(laws));
  for (std::size_t d = 0; d < dimensions; ++d) {
    if (std::ranges::all_of(counts, [&](const auto& each) {
          return runs.coordinates[each.first].grid()[d] == each.second;
        })) {
      laws.emplace_back(d, fmt::format("p{}", d + 1));
    }
  }
  if (!laws.empty()) {
    const auto& [extent, law] = laws.front();
    statement.portions = extent < dimensions ? std::string() : law;
    statement.repeat = fmt::format("\"{}\"", law);
    for (std::size_t i = 1; i < laws.size(); ++i) {
      statement.repeat += (i == 1 ? "  # not determined: also " : ", ") + laws[i].second;
    }
    return;
  }
  std::set<std::int64_t> found;
  for (const auto& [run, count] : counts) {
    found.insert(count);
  }
  throw InputError(places_text(runs, loop), 0,
                   fmt::format("repeats {} times in different runs", fmt::join(found, " / ")),
                   "expected a number that follows from extents and grid: what depends on data has "
                   "no law");
}

/// Builds the statements under one rule.
class Builder {
public:
  Builder(const Runs& runs, const Step* main, Rule rule)
      : runs_(runs), main_(main), blocks_(runs, rule) {
    for (std::size_t d = 0; d < runs.extents.front().size(); ++d) {
      names_.push_back(std::string("n") + "xyzt"[d]);
    }
  }

  std::vector<Statement> build(const std::vector<Step>& steps, bool repeated) {
    std::vector<Statement> statements;
    for (const Step& step : steps) {
      Statement statement{.step = &step};
      if (repeated || is_main(step, repeated) || holds_main(step)) {
        describe(statement, repeated);
      } else {
        // Beside the main loop: what prepares the run and ends it.
        const auto before = std::pair(messages_, misfits_);
        try {
          describe(statement, repeated);
        } catch (const InputError&) {
          statement = {.step = &step, .left_out = true};
          std::tie(messages_, misfits_) = before;
          ++misfits_.first;
        }
      }
      statements.push_back(std::move(statement));
    }
    return statements;
  }

  [[nodiscard]] std::int64_t messages() const noexcept { return messages_; }
  /// Statements and loops beside the main loop that follow no law, then messages whose sizes are
  /// those of a law within a tolerance only: the fewer, the better the rule.
  [[nodiscard]] std::pair<std::size_t, std::size_t> misfits() const noexcept { return misfits_; }

  /// Statements that have been filled.
  [[nodiscard]] std::size_t filled() const noexcept { return filled_; }

private:
  [[noreturn]] void refuse(const Step& step) const {
    throw InputError(places_text(runs_, step), 0,
                     "the bytes follow from no block of the problem: tried products and sums of "
                     "block lengths under the rules balanced, ceil, first and last",
                     "check the --extents of the runs, or record extents that the grids divide; "
                     "block-cyclic programs and sizes that depend on data have no law");
  }

  /// The main loop, or its function called again.
  [[nodiscard]] bool is_main(const Step& step, bool repeated) const {
    return &step == main_ || (!repeated && first_of(step).places == first_of(*main_).places &&
                              iterations(runs_, step) == iterations(runs_, *main_));
  }

  [[nodiscard]] bool holds_main(const Step& step) const {
    return std::any_of(step.body.begin(), step.body.end(),
                       [this](const Step& each) { return &each == main_ || holds_main(each); });
  }

  void describe(Statement& statement, bool repeated) {
    const Step& step = *statement.step;
    if (!step.loop) {
      fill(statement);
      ++filled_;
      return;
    }
    if (is_main(step, repeated)) {
      statement.repeat = main_repeat;
    } else {
      find_repeat(runs_, names_, statement);
    }
    statement.body = build(step.body, true);
  }

  void fill(Statement& statement) {
    const Step& step = *statement.step;
    if (step.kind == ItemKind::collective) {
      statement.collective = collective_of(runs_, step);
      if (!find_bytes(statement.collective, runs_, step, blocks_)) {
        refuse(step);
      }
      return;
    }
    if (step.kind == ItemKind::wait) {
      return;
    }
    const bool receives = step.kind == ItemKind::receive;
    statement.slots = find_slots(runs_, step, receives);
    if (receives) {
      for (Slot& slot : statement.slots) {
        slot.law = constant_law(1.0);
      }
    } else if (!find_laws(statement.slots, blocks_)) {
      refuse(step);
    }
    messages_ += verify(statement);
    misfits_.second += static_cast<std::size_t>(
        std::count_if(statement.slots.begin(), statement.slots.end(),
                      [](const Slot& slot) { return slot.law.residual > 0.0; }));
  }

  /// True if one tag can say who sends the messages.
  [[nodiscard]] static bool one_sender(const Statement& statement) {
    return std::all_of(statement.slots.begin(), statement.slots.end(), [&](const Slot& slot) {
      return sender_text(statement, slot) == sender_text(statement, statement.slots.front());
    });
  }

  /// Finds which processes do it. Returns the messages that were sent.
  std::int64_t verify(Statement& statement) const {
    const Step& step = *statement.step;
    try {
      return verify_messages(runs_, step, statement.slots, blocks_, {});
    } catch (const InputError&) {
      if (step.kind != ItemKind::send && step.kind != ItemKind::receive) {
        throw;
      }
      for (Parity& each : parities_of(runs_, step)) {
        try {
          const std::int64_t messages =
              verify_messages(runs_, step, statement.slots, blocks_, each);
          statement.parity = std::move(each);
          if (one_sender(statement)) {
            return messages;
          }
          statement.parity = {};
        } catch (const InputError&) {
          continue;
        }
      }
      if (by_rank(step)) {
        throw InputError(places_text(runs_, step), 0,
                         fmt::format("only processes of {} rank come here, and they are those of "
                                     "no even or odd coordinate",
                                     step.instances.front().rank % 2 == 0 ? "even" : "odd"),
                         "expected an order of calls that depends on a coordinate in the grid; "
                         "MPI_Sendrecv needs none");
      }
      throw;
    }
  }

  const Runs& runs_;
  const Step* main_;
  Blocks blocks_;
  std::vector<std::string> names_;
  std::int64_t messages_ = 0;
  std::pair<std::size_t, std::size_t> misfits_;
  std::size_t filled_ = 0;
};

void require_loops(const Runs& runs, const Step* main) {
  for (std::size_t run = 0; run < runs.items.size(); ++run) {
    if (main == nullptr || (runs.items[run].size() > 1 && main->of(run, 0) == nullptr)) {
      throw InputError(runs.name(run), 0, "nothing repeats in it that repeats in other runs",
                       "expected runs of one program, each with a few iterations");
    }
  }
}

/// The statements of blocks, from the outside inwards.
void visit(const std::vector<Statement>& statements,
           const std::function<void(const Statement&)>& look) {
  for (const Statement& each : statements) {
    look(each);
    visit(each.body, look);
  }
}

/// Two neighbours along a dimension do not tell every second process from the first.
void require_shown(const Runs& runs, const std::vector<Statement>& statements) {
  std::set<std::vector<std::size_t>> shown;
  visit(statements, [&](const Statement& each) {
    if (shows(runs, *each.step, each.parity)) {
      shown.insert(each.parity.dimensions);
    }
  });
  visit(statements, [&](const Statement& each) {
    if (!each.parity.all() && !shown.contains(each.parity.dimensions)) {
      throw InputError(
          places_text(runs, *each.step), 0,
          fmt::format("only processes of {} come here, one in each run", each.parity.text()),
          "expected a run that shows two of them, with three or four processes along "
          "that dimension of the grid");
    }
  });
}

/// Blocking sends and receives that stand alone find each other.
void require_pairs(const Runs& runs, const std::vector<Statement>& statements) {
  std::map<std::pair<std::string, Offset>, std::int64_t> balance;
  const Step* last = nullptr;
  for (const Statement& each : statements) {
    require_pairs(runs, each.body);
    const ItemKind kind = each.step->kind;
    if (each.step->loop || each.left_out || (kind != ItemKind::send && kind != ItemKind::receive)) {
      continue;
    }
    for (const Slot& slot : each.slots) {
      Offset offset = slot.offset;
      for (std::int32_t& step : offset) {
        step = kind == ItemKind::receive ? -step : step;
      }
      balance[{sender_text(each, slot), offset}] += kind == ItemKind::send ? 1 : -1;
      last = each.step;
    }
  }
  for (const auto& [message, open] : balance) {
    if (open != 0) {
      throw InputError(places_text(runs, *last), 0,
                       fmt::format("{} towards {} than are received at blocking calls around it",
                                   open > 0 ? "more messages are sent" : "fewer messages are sent",
                                   offset_text(message.second)),
                       "expected each blocking send and its receive in the same loop");
    }
  }
}

}  // namespace

std::string sender_text(const Statement& statement, const Slot& slot) {
  return statement.parity.all() ? std::string()
         : statement.step->kind == ItemKind::receive
             ? statement.parity.of_neighbours(slot.offset).text()
             : statement.parity.text();
}

Program find_program(const Runs& runs, const std::vector<Step>& steps) {
  const Step* main = main_loop(steps);
  require_loops(runs, main);
  Program program;
  program.main = main;
  program.reach.resize(runs.coordinates.front().grid().size());
  std::optional<std::pair<std::size_t, std::size_t>> fewest;
  std::optional<InputError> refusal;  // of the rule that explains most
  std::size_t filled = 0;
  for (const Rule rule : {Rule::balanced, Rule::ceil, Rule::first, Rule::last}) {
    Builder builder(runs, main, rule);
    try {
      std::vector<Statement> statements = builder.build(steps, false);
      if (fewest && builder.misfits() >= *fewest) {
        if (builder.misfits() == *fewest) {
          program.ties.push_back(rule);
        }
        continue;
      }
      program.statements = std::move(statements);
      program.messages = builder.messages();
      program.rule = rule;
      program.ties.clear();
      fewest = builder.misfits();
    } catch (const InputError& error) {
      if (!refusal || builder.filled() > filled) {
        refusal.emplace(error);
        filled = builder.filled();
      }
    }
  }
  if (!fewest) {
    throw InputError(*refusal);
  }
  visit(program.statements, [&program](const Statement& each) {
    for (const Slot& slot : each.slots) {
      program.residual = std::max(program.residual, slot.law.residual);
      for (std::size_t d = 0; d < slot.offset.size(); ++d) {
        program.reach[d] = std::max(program.reach[d], std::abs(slot.offset[d]));
      }
    }
  });
  require_shown(runs, program.statements);
  require_pairs(runs, program.statements);
  for (const auto& [run, count] : iterations(runs, *main)) {
    program.same_iterations =
        program.same_iterations && (program.iterations == 1 || program.iterations == count);
    program.iterations = std::max(program.iterations, count);
  }
  return program;
}

}  // namespace gridcast::infer
