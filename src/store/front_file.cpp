#include <algorithm>
#include <cmath>
#include <string>

#include "files.h"
#include "gridcast/base/error.h"
#include "gridcast/store/front.h"
#include "gridcast/store/run_columns.h"
#include "result_file.h"
#include "whole_columns.h"

namespace gridcast::store {
namespace {

constexpr const char* front_group = "front";
constexpr std::size_t front_space = std::size_t{1} << 17U;

template <class Number, class Of>
void write_front_column(const hdf5::Group& group, const std::string& name, const char* units,
                        const char* long_name, const Front& front, Of&& of) {
  std::vector<Number> values;
  std::ranges::transform(front, std::back_inserter(values), of);
  const hdf5::Dataset dataset = write_whole(group, name, values);
  hdf5::write_attribute(dataset, "units", units);
  hdf5::write_attribute(dataset, "long_name", long_name);
}

void require_front_entry(const hdf5::Group& group, const FrontEntry& entry) {
  std::int64_t processors = 1;
  bool good = std::isfinite(entry.within) && entry.within >= 0.0 &&
              std::isfinite(entry.execution_time) && entry.nodes >= 1 && entry.at_least >= 1;
  for (const std::int32_t extent : entry.extents) {
    good = good && extent >= 1 && processors <= INT32_MAX;
    processors *= good ? extent : 1;
  }
  good = good && entry.threads >= 1 && entry.threads <= ResultRow::most_threads;
  const std::int64_t number = entry.by_nodes ? entry.nodes : entry.processors * entry.threads;
  if (!good || processors != entry.processors || entry.nodes > processors ||
      entry.at_least > number || (entry.proven && entry.at_least != number)) {
    throw RunError(*group.file(), "/front holds numbers that contradict each other",
                   "delete the group /front and go on with --resume");
  }
}

}  // namespace

Front joined(Front now, const Front& before) {
  for (FrontEntry& entry : now) {
    const auto known = std::ranges::find_if(before, [&](const FrontEntry& each) {
      return each.within == entry.within && each.by_nodes == entry.by_nodes;
    });
    if (known == before.end() || entry.proven) {
      continue;
    }
    if (known->proven) {
      entry = *known;
    }
    entry.at_least = std::max(entry.at_least, known->at_least);
  }
  return now;
}

void ResultFile::write_front(const Front& front) {
  reserve_space(path_, front.size() * sizeof(FrontEntry) + front_space);
  if (hdf5::exists(file_, front_group)) {
    hdf5::remove(file_, front_group);
  }
  const hdf5::Group group = hdf5::create_group(file_, front_group);
  using Entry = FrontEntry;
  write_front_column<double>(group, "within", "1", "Share by which the grid may be slower", front,
                             [](const Entry& each) { return each.within; });
  write_front_column<std::int32_t>(group, "by", "1",
                                   "0: fewest processors, 1: fewest nodes and of these the fastest",
                                   front, [](const Entry& each) { return each.by_nodes ? 1 : 0; });
  for (std::size_t dim = 0; dim < machine::max_grid_rank; ++dim) {
    write_front_column<std::int32_t>(group, "p" + std::to_string(dim + 1), "1",
                                     "Extent of the grid", front,
                                     [dim](const Entry& each) { return each.extents[dim]; });
  }
  if (has_threads(setup_)) {
    write_front_column<std::int32_t>(group, "threads", "1", "Threads of each process", front,
                                     [](const Entry& each) { return each.threads; });
    write_front_column<std::int64_t>(
        group, "cores", "1", "Processors of the machine that they take", front,
        [](const Entry& each) { return each.processors * each.threads; });
  }
  write_front_column<std::int64_t>(group, "processors", "1", "Processors of the grid", front,
                                   [](const Entry& each) { return each.processors; });
  write_front_column<std::int64_t>(group, "nodes", "1", "Nodes that they are on", front,
                                   [](const Entry& each) { return each.nodes; });
  write_front_column<double>(group, "execution_time", "s", "Execution time on the grid", front,
                             [](const Entry& each) { return each.execution_time; });
  write_front_column<std::int32_t>(group, "proven", "1", "1: no candidate has fewer", front,
                                   [](const Entry& each) { return each.proven ? 1 : 0; });
  write_front_column<std::int64_t>(group, "at_least", "1", "No candidate has fewer", front,
                                   [](const Entry& each) { return each.at_least; });
}

std::optional<Front> ResultFile::front() const {
  if (!hdf5::exists(file_, front_group)) {
    return std::nullopt;
  }
  const hdf5::Group group = hdf5::open_group(file_, front_group);
  const auto within = read_whole<double>(group, "/front", "within", std::nullopt);
  Front front(within.size());
  const auto read = [&]<class Number>(const std::string& name, Number /*type*/, auto&& set) {
    const auto values = read_whole<Number>(group, "/front", name, within.size());
    for (std::size_t i = 0; i < front.size(); ++i) {
      set(front[i], values[i]);
    }
  };
  read("within", 0.0, [](FrontEntry& each, double value) { each.within = value; });
  read("by", std::int32_t{}, [](FrontEntry& each, std::int32_t by) { each.by_nodes = by != 0; });
  for (std::size_t dim = 0; dim < machine::max_grid_rank; ++dim) {
    read("p" + std::to_string(dim + 1), std::int32_t{},
         [dim](FrontEntry& each, std::int32_t extent) { each.extents[dim] = extent; });
  }
  if (has_threads(setup_)) {
    read("threads", std::int32_t{},
         [](FrontEntry& each, std::int32_t threads) { each.threads = threads; });
  }
  read("processors", std::int64_t{},
       [](FrontEntry& each, std::int64_t number) { each.processors = number; });
  read("nodes", std::int64_t{}, [](FrontEntry& each, std::int64_t number) { each.nodes = number; });
  read("execution_time", 0.0,
       [](FrontEntry& each, double seconds) { each.execution_time = seconds; });
  read("proven", std::int32_t{},
       [](FrontEntry& each, std::int32_t proven) { each.proven = proven != 0; });
  read("at_least", std::int64_t{},
       [](FrontEntry& each, std::int64_t least) { each.at_least = least; });
  for (const FrontEntry& entry : front) {
    require_front_entry(group, entry);
  }
  return front;
}

}  // namespace gridcast::store
