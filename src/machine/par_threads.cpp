// Processes of several threads: the table P.Threads, and the machine as such processes see it.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cluster_build.h"
#include "gridcast/base/error.h"
#include "par_description.h"
#include "par_tokens.h"

namespace gridcast::machine::par {
namespace {

// Beyond these a table describes no threads of one process.
constexpr double least_efficiency = 1e-6;
constexpr double greatest_efficiency = 100.0;

[[noreturn]] void wrong_threads(const std::string& file, std::size_t line,
                                const std::string& what) {
  throw InputError(file, line, what,
                   "expected threads with their efficiencies, as {1 (1.0), 2 (0.97), 4 (0.9)}");
}

ThreadEfficiency thread_efficiency(const ListEntry& entry, const std::string& subject,
                                   const std::string& file) {
  if (!entry.number || !entry.name.empty() || entry.arguments.size() != 1) {
    wrong_threads(file, entry.line, in_quotes(subject) + " has an entry of another form");
  }
  const auto threads = static_cast<std::int32_t>(
      count(*entry.number, entry.line, "number of threads in " + in_quotes(subject), file));
  const double efficiency = entry.arguments.front().value;
  if (!(efficiency >= least_efficiency && efficiency <= greatest_efficiency) ||
      (threads == 1 && efficiency != 1.0)) {
    wrong_threads(file, entry.line,
                  in_quotes(subject) + " has the efficiency " +
                      in_quotes(entry.arguments.front().text) + " for " + std::to_string(threads) +
                      (threads == 1 ? " thread" : " threads"));
  }
  return {threads, efficiency};
}

/// Puts processes in the place of processors.
class Threading {
public:
  Threading(Description description, std::int32_t threads, const std::string& file)
      : description_(std::move(description)), threads_(threads), file_(file) {}

  Description run() {
    if (threads_ < 1) {
      throw InputError(std::to_string(threads_) + " threads are asked for",
                       "expected 1 or more threads of a process");
    }
    own_networks();
    Definition* const top = description_.find(description_.top);
    if (top == nullptr || !shrink(*top)) {
      throw InputError(file_, top == nullptr ? 0 : top->line,
                       "no cluster of " + in_quotes(description_.top) + " holds a process of " +
                           std::to_string(threads_) + " threads",
                       "expected at most as many threads as a lowest cluster has processors");
    }
    for (const std::string& name : computing_) {
      Definition& processor = *description_.find(name);
      processor.performance = *processor.performance * threads_ * efficiency(processor);
      if (processor.price) {
        *processor.price *= threads_;
      }
    }
    std::erase_if(description_.definitions, [this](const Definition& each) {
      return !each.is_processor() && (each.parts.empty() || !done_.contains(lowered(each.name)));
    });
    for (Definition& each : description_.definitions) {
      each.threads.clear();  // they were those of one processor
    }
    if (description_.topology && description_.topology->processors() > processes_of(*top)) {
      description_.topology.reset();
    }
    return std::move(description_);
  }

private:
  /// What a cluster copies becomes its own: the other one may be left out.
  void own_networks() {
    for (Definition& each : description_.definitions) {
      if (each.comm && !each.comm->copied_from.empty()) {
        const Link link = link_of(description_, each, file_);
        each.costs = link.costs;
        each.segments = link.segments;
        each.comm = Comm{link.type.value_or(NetworkType::ethernet), link.channels, {}};
      }
    }
  }

  /// Returns whether the composite still has parts.
  bool shrink(Definition& composite) {
    if (composite.is_processor()) {
      return false;
    }
    const std::string name = lowered(composite.name);
    if (done_.insert(name).second) {
      std::vector<Part> parts;
      std::vector<Part> row;  // processors side by side
      for (Part& part : composite.parts) {
        Definition& child = *description_.find(part.name);
        if (child.is_processor()) {
          row.push_back(part);
          continue;
        }
        add_processes(std::exchange(row, {}), parts);
        if (shrink(child)) {
          parts.push_back(part);
        }
      }
      add_processes(row, parts);
      composite.parts = std::move(parts);
    }
    return !composite.parts.empty();
  }

  /// The processes of a row of processors; each takes the next `threads_` of them.
  void add_processes(const std::vector<Part>& row, std::vector<Part>& parts) {
    std::int64_t open = 0;  // processors of the process that was begun
    const Part* slowest = nullptr;
    for (const Part& part : row) {
      std::int64_t left = part.count;
      if (open > 0) {
        const std::int64_t more = std::min(left, threads_ - open);
        slowest = speed(part) < speed(*slowest) ? &part : slowest;
        open += more;
        left -= more;
        if (open == threads_) {
          add(parts, *slowest, 1);
          open = 0;
        }
      }
      add(parts, part, left / threads_);
      if (left % threads_ > 0) {
        open = left % threads_;
        slowest = &part;
      }
    }
  }

  void add(std::vector<Part>& parts, const Part& kind, std::int64_t count) {
    if (count == 0) {
      return;
    }
    computing_.insert(lowered(kind.name));
    if (!parts.empty() && lowered(parts.back().name) == lowered(kind.name)) {
      parts.back().count += count;
    } else {
      parts.push_back({count, kind.name, kind.line});
    }
  }

  [[nodiscard]] double speed(const Part& part) {
    const Definition& processor = *description_.find(part.name);
    return *processor.performance * efficiency(processor);
  }

  [[nodiscard]] double efficiency(const Definition& processor) const {
    const auto found = std::ranges::find(processor.threads, threads_, &ThreadEfficiency::threads);
    if (found != processor.threads.end()) {
      return found->efficiency;
    }
    throw InputError(file_, processor.line,
                     in_quotes(processor.name) + " has no efficiency of " +
                         std::to_string(threads_) + " threads",
                     "expected it in " + processor.name + ".Threads" +
                         (processor.threads.empty() ? ", as {1 (1.0), 2 (0.97), 4 (0.9)}"
                                                    : " = " + threads_text(processor.threads)));
  }

  [[nodiscard]] std::int64_t processes_of(const Definition& definition) {
    if (definition.is_processor()) {
      return 1;
    }
    std::int64_t sum = 0;
    for (const Part& part : definition.parts) {
      sum += part.count * processes_of(*description_.find(part.name));
    }
    return sum;
  }

  Description description_;
  std::int32_t threads_;
  const std::string& file_;
  std::set<std::string> done_;       // composites, in small letters
  std::set<std::string> computing_;  // processors that stand for processes
};

}  // namespace

std::vector<ThreadEfficiency> threads(const Statement& statement, const std::string& file) {
  const auto* list = std::get_if<List>(&statement.value);
  if (list == nullptr) {
    wrong_threads(file, statement.value_line, in_quotes(statement.subject()) + " is no table");
  }
  std::map<std::int32_t, double> table;
  for (const ListEntry& entry : list->entries) {
    const ThreadEfficiency each = thread_efficiency(entry, statement.subject(), file);
    if (!table.emplace(each.threads, each.efficiency).second) {
      wrong_threads(
          file, entry.line,
          in_quotes(statement.subject()) + " names " + std::to_string(each.threads) + " twice");
    }
  }
  std::vector<ThreadEfficiency> result;
  result.reserve(table.size());
  for (const auto& [threads, efficiency] : table) {
    result.push_back({threads, efficiency});
  }
  return result;
}

std::string threads_text(const std::vector<ThreadEfficiency>& threads) {
  std::string result;
  for (const ThreadEfficiency& each : threads) {
    result += (result.empty() ? "{" : ", ") + std::to_string(each.threads) + " (" +
              shortest(each.efficiency) + ")";
  }
  return result + "}";
}

Description with_threads(Description description, std::int32_t threads, const std::string& file) {
  return Threading(std::move(description), threads, file).run();
}

}  // namespace gridcast::machine::par
