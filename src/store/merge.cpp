#include "gridcast/store/merge.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "gridcast/base/comparable.h"
#include "gridcast/base/error.h"
#include "gridcast/store/reader.h"
#include "gridcast/store/writer.h"

namespace gridcast::store {
namespace {

constexpr const char* source_name = "source";

bool same_run(const RunDescription& a, const RunDescription& b) {
  return a.model_version == b.model_version && a.trace_sha256 == b.trace_sha256 &&
         a.machine == b.machine && a.mode == b.mode && a.objective == b.objective &&
         a.options == b.options;
}

bool same_tree(const std::vector<model::IntervalInfo>& a,
               const std::vector<model::IntervalInfo>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const model::IntervalInfo& x, const model::IntervalInfo& y) {
                      return x.parent == y.parent && x.level == y.level && x.type == y.type &&
                             x.count == y.count && x.file == y.file && x.line == y.line &&
                             x.expression == y.expression;
                    });
}

/// Input columns of a store without `source`.
std::vector<ExtraColumn> own_columns(const StoreSetup& setup) {
  std::vector<ExtraColumn> columns = setup.extra_columns;
  if (!setup.sources.empty()) {
    std::erase_if(columns, [](const ExtraColumn& column) { return column.name == source_name; });
  }
  return columns;
}

/// The runs in a store: one, or those of its table /sources.
std::vector<RunDescription> runs_in(const StoreSetup& setup) {
  return setup.sources.empty() ? std::vector{setup.description} : setup.sources;
}

/// One input of the merge.
struct Part {
  std::filesystem::path path;
  Store about;
  std::vector<std::size_t> sources;  ///< number in the merged /sources of each of its runs
};

/// Number of a run in `runs`, added if it is new.
std::size_t number_of(std::vector<RunDescription>& runs, const RunDescription& run) {
  const auto found = std::find_if(
      runs.begin(), runs.end(), [&](const RunDescription& other) { return same_run(other, run); });
  if (found != runs.end()) {
    return static_cast<std::size_t>(found - runs.begin());
  }
  runs.push_back(run);
  return runs.size() - 1;
}

void require_joinable(const Part& first, const Part& part) {
  const char* remedy = "merge stores with the same columns";
  const StoreSetup& a = first.about.setup;
  const StoreSetup& b = part.about.setup;
  if (own_columns(a) != own_columns(b)) {
    throw InputError(part.path.string(), 0,
                     "its input columns differ from those of " + first.path.string(), remedy);
  }
  if (a.interval_results != b.interval_results) {
    throw InputError(part.path.string(), 0,
                     "results per interval are in only one of it and " + first.path.string(),
                     remedy);
  }
  if (a.interval_results && !same_tree(a.intervals, b.intervals)) {
    throw InputError(part.path.string(), 0,
                     "its tree of intervals differs from that of " + first.path.string(),
                     "results per interval can only be merged for one program");
  }
}

std::string common(const std::vector<RunDescription>& runs, std::string RunDescription::*member) {
  const std::string& value = runs.front().*member;
  const bool same = std::all_of(runs.begin(), runs.end(),
                                [&](const RunDescription& run) { return run.*member == value; });
  return same ? value : std::string();
}

/// What the root of the merged store says: what all runs have in common.
RunDescription description_of(const std::vector<RunDescription>& runs) {
  RunDescription result = runs.front();
  if (runs.size() == 1) {
    return result;
  }
  for (const auto member :
       {&RunDescription::model_version, &RunDescription::objective, &RunDescription::options,
        &RunDescription::machine, &RunDescription::machine_name, &RunDescription::trace_sha256,
        &RunDescription::command_line, &RunDescription::assumed}) {
    result.*member = common(runs, member);
  }
  const bool same_mode = std::all_of(runs.begin(), runs.end(), [&](const RunDescription& run) {
    return run.mode == runs.front().mode;
  });
  result.mode = same_mode ? runs.front().mode : 0;
  result.candidates = -1;
  result.not_bad = -1;
  result.traces.clear();
  for (const RunDescription& run : runs) {
    for (const std::string& trace : run.traces) {
      if (std::find(result.traces.begin(), result.traces.end(), trace) == result.traces.end()) {
        result.traces.push_back(trace);
      }
    }
  }
  return result;
}

StoreSetup setup_of(const std::vector<Part>& parts, const std::vector<RunDescription>& runs) {
  StoreSetup setup;
  const StoreSetup& first = parts.front().about.setup;
  setup.description = description_of(runs);
  setup.extra_columns = own_columns(first);
  setup.interval_results = first.interval_results;
  const bool one_tree = std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
    return same_tree(first.intervals, part.about.setup.intervals);
  });
  if (one_tree) {
    setup.intervals = first.intervals;
  }
  if (runs.size() > 1) {
    setup.sources = runs;
    setup.extra_columns.insert(setup.extra_columns.begin(),
                               {source_name, "1", "row of /sources", ColumnType::int64});
  }
  return setup;
}

/// Bytes that identify a configuration: its inputs and grid.
std::string key_of(const ResultRow& row, std::span<const double> extras) {
  std::string key(sizeof row.extents + sizeof row.rank + extras.size_bytes(), '\0');
  std::memcpy(key.data(), row.extents.data(), sizeof row.extents);
  std::memcpy(key.data() + sizeof row.extents, &row.rank, sizeof row.rank);
  if (!extras.empty()) {
    std::memcpy(key.data() + sizeof row.extents + sizeof row.rank, extras.data(),
                extras.size_bytes());
  }
  return key;
}

/// Everything that must agree when a configuration occurs twice.
std::string contents_of(const ResultRow& row, std::span<const model::Characteristics> intervals) {
  std::string bytes(sizeof row + intervals.size_bytes(), '\0');
  std::memcpy(bytes.data(), &row, sizeof row);
  if (!intervals.empty()) {
    std::memcpy(bytes.data() + sizeof row, intervals.data(), intervals.size_bytes());
  }
  return bytes;
}

/// Copies the rows of the inputs into the new store.
class Joiner {
public:
  Joiner(StoreWriter& writer, bool with_source) : writer_(writer), with_source_(with_source) {}

  void join(const Part& part) {
    StoreReader reader(part.path);
    std::map<std::int64_t, std::string> reasons;
    const auto note = [&] {
      for (const Failure& failure : reader.about().failures) {
        reasons[failure.config] = failure.reason;
      }
    };
    note();
    std::int64_t number = 0;
    reader.read_rows([&](const RowBatch& batch) {
      note();
      for (std::size_t i = 0; i < batch.rows.size(); ++i, ++number) {
        add(part, batch, i, reasons[number]);
      }
    });
  }

private:
  void add(const Part& part, const RowBatch& batch, std::size_t index, const std::string& reason) {
    const ResultRow& row = batch.rows[index];
    const std::vector<double> extras = extras_of(part, batch, index);
    const std::size_t width = batch.intervals.size() / batch.rows.size();
    const auto intervals = std::span(batch.intervals).subspan(index * width, width);
    const auto [place, added] = seen_.try_emplace(key_of(row, extras), contents_of(row, intervals));
    if (added) {
      if (row.status == Status::failed) {
        writer_.append_failure(row, reason, extras);
      } else {
        writer_.append(row, extras, intervals);
      }
    } else if (place->second != contents_of(row, intervals)) {
      throw InputError(
          part.path.string(), 0,
          "grid " + row.grid().text() + " has other numbers than in a store merged before",
          "equal configurations must agree bit for bit; were the stores made by "
          "different versions?");
    }
  }

  [[nodiscard]] std::vector<double> extras_of(const Part& part, const RowBatch& batch,
                                              std::size_t index) const {
    const std::vector<ExtraColumn>& columns = part.about.setup.extra_columns;
    std::vector<double> extras;
    std::size_t run = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const double value = batch.extras[index * columns.size() + i];
      if (!part.about.setup.sources.empty() && columns[i].name == source_name) {
        run = static_cast<std::size_t>(value);
      } else {
        extras.push_back(value);
      }
    }
    if (with_source_) {
      extras.insert(extras.begin(), static_cast<double>(part.sources.at(run)));
    }
    return extras;
  }

  StoreWriter& writer_;
  bool with_source_;
  std::unordered_map<std::string, std::string> seen_;
};

bool better(const ResultRow& a, const ResultRow& b, const std::string& objective) {
  const auto cost = [&](const ResultRow& row) {
    const model::Characteristics& sums = row.characteristics;
    return comparable(objective == "efficiency" ? -sums.efficiency : sums.execution_time);
  };
  if (cost(a) != cost(b)) {
    return cost(a) < cost(b);
  }
  return machine::compare(a.grid(), b.grid()) < 0;
}

/// The better one of the bests of stores of the same run.
std::optional<Best> best_of(const std::vector<Part>& parts) {
  std::optional<Best> best;
  for (const Part& part : parts) {
    if (!part.about.best) {
      continue;
    }
    if (!best) {
      best = part.about.best;
      continue;
    }
    const std::string& objective = part.about.setup.description.objective;
    if (better(part.about.best->chosen, best->chosen, objective)) {
      best->chosen = part.about.best->chosen;
    }
    if (better(part.about.best->unconstrained, best->unconstrained, objective)) {
      best->unconstrained = part.about.best->unconstrained;
    }
  }
  return best;
}

void write_merged(const std::vector<Part>& parts, const std::vector<RunDescription>& runs,
                  const std::filesystem::path& output) {
  const bool several = runs.size() > 1;
  // A merge that was interrupted begins anew: only its end has to be on disk.
  StoreWriter writer = StoreWriter::create(output, setup_of(parts, runs), {Durability::process});
  Joiner joiner(writer, several);
  try {
    for (const Part& part : parts) {
      joiner.join(part);
    }
  } catch (...) {
    // Half a merge is of no use; its inputs are all there.
    writer.discard();
    throw;
  }
  const bool complete = std::all_of(parts.begin(), parts.end(), [](const Part& part) {
    return part.about.state == StoreState::complete;
  });
  if (complete) {
    writer.finish(several ? std::nullopt : best_of(parts));
  } else {
    writer.close();
  }
}

}  // namespace

std::int64_t merge(std::span<const std::filesystem::path> inputs,
                   const std::filesystem::path& output) {
  if (inputs.empty()) {
    throw InputError("no stores to merge", "give at least one");
  }
  std::vector<Part> parts;
  std::vector<RunDescription> runs;
  std::int64_t unreadable = 0;
  for (const std::filesystem::path& path : inputs) {
    parts.push_back({path, StoreReader(path).about(), {}});
    require_joinable(parts.front(), parts.back());
    unreadable += parts.back().about.unreadable_rows;
    for (const RunDescription& run : runs_in(parts.back().about.setup)) {
      parts.back().sources.push_back(number_of(runs, run));
    }
  }
  write_merged(parts, runs, output);
  return unreadable;
}

}  // namespace gridcast::store
