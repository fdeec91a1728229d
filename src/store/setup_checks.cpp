#include "setup_checks.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gridcast/base/error.h"
#include "gridcast/store/journal.h"

namespace gridcast::store {
namespace {

bool same_interval(const model::IntervalInfo& a, const model::IntervalInfo& b) {
  return a.parent == b.parent && a.level == b.level && a.type == b.type && a.count == b.count &&
         a.file == b.file && a.line == b.line && a.expression == b.expression;
}

}  // namespace

void require_directory(const std::filesystem::path& path) {
  const std::filesystem::path directory = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored)) {
    throw InputError("cannot create store " + path.string(),
                     "directory " + directory.string() + " does not exist; create it first");
  }
}

void require_new(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    throw InputError(path.string(), 0, "the store exists",
                     "go on with --resume, choose another --store or delete it");
  }
  const std::filesystem::path journal = journal_path(path);
  std::optional<JournalReader> reader = JournalReader::open(journal);
  if (reader && reader->next()) {
    throw InputError(journal.string(), 0, "is the journal of a store that is gone",
                     "put the store back beside it, or delete it with its rows");
  }
}

void require_extra_columns(const std::vector<ExtraColumn>& extras) {
  std::vector<std::string> names{"config"};
  for (const Column& column : columns()) {
    names.push_back(column.name);
  }
  for (const ExtraColumn& extra : extras) {
    const bool usable = !extra.name.empty() && extra.name.find('/') == std::string::npos &&
                        extra.name.find_first_of(",\"\r\n") == std::string::npos;
    if (!usable || std::find(names.begin(), names.end(), extra.name) != names.end()) {
      throw InputError("column name '" + extra.name + "' cannot be used",
                       "expected a new name without commas, quotes and slashes");
    }
    if (extra.type == ColumnType::int32) {
      throw InputError("column " + extra.name + " has type int32", "expected float64 or int64");
    }
    names.push_back(extra.name);
  }
}

void require_intervals(const StoreSetup& setup) {
  if (setup.interval_results && setup.intervals.empty()) {
    throw InputError("results per interval were asked for without a tree of intervals",
                     "give the intervals when the store is created");
  }
}

void require_same_setup(const std::filesystem::path& path, const StoreSetup& stored,
                        const StoreSetup& given) {
  require_same_run(path.string(), stored.description, given.description);
  const char* remedy = "repeat the options of the first run, or use another --store";
  if (stored.extra_columns != given.extra_columns) {
    throw InputError(path.string(), 0, "the store has other input columns than this run", remedy);
  }
  if (stored.interval_results != given.interval_results) {
    throw InputError(path.string(), 0,
                     stored.interval_results
                         ? "the store has results per interval and this run has not"
                         : "the store has no results per interval and this run has",
                     remedy);
  }
  if (!std::equal(stored.intervals.begin(), stored.intervals.end(), given.intervals.begin(),
                  given.intervals.end(), same_interval)) {
    throw InputError(path.string(), 0, "the store has other intervals than this run", remedy);
  }
}

}  // namespace gridcast::store
