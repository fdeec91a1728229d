#pragma once
/// The parts of a store that are written once: description, intervals, sources.

#include <initializer_list>
#include <string>
#include <vector>

#include "gridcast/store/description.h"
#include "gridcast/store/hdf5.h"

namespace gridcast::store {

void write_description(const hdf5::File& file, const RunDescription& description);
[[nodiscard]] RunDescription read_description(const hdf5::File& file);

/// Group /intervals: the tree, depth-first, identifiers from 1, parent 0 for the program itself.
void write_intervals(const hdf5::File& file, const std::vector<model::IntervalInfo>& intervals);
[[nodiscard]] std::vector<model::IntervalInfo> read_intervals(const hdf5::File& file);

/// Group /sources of a merged store with different runs; none without them.
void write_sources(const hdf5::File& file, const std::vector<RunDescription>& sources);
[[nodiscard]] std::vector<RunDescription> read_sources(const hdf5::File& file);

/// Makes a one-dimensional dataset of strings.
void create_strings(const hdf5::Location& group, const std::string& name,
                    const std::vector<std::string>& values, const hdf5::Dataset* scale);
/// Makes a one-dimensional dataset of integers.
hdf5::Dataset create_integers(const hdf5::Location& group, const std::string& name,
                              const std::vector<std::int64_t>& values, const hdf5::Dataset* scale);
/// Makes the dimension scale `name` with the values first, first + 1, …
hdf5::Dataset create_scale(const hdf5::Location& group, const std::string& name, std::size_t size,
                           std::int64_t first);
[[nodiscard]] std::vector<std::string> read_strings(const hdf5::Location& group,
                                                    const std::string& name);
[[nodiscard]] std::vector<std::int64_t> read_integers(const hdf5::Location& group,
                                                      const std::string& name);
/// Throws RunError unless all columns of a table have as many values as its first.
void require_length(const hdf5::Location& group, std::size_t expected,
                    std::initializer_list<std::size_t> lengths);

}  // namespace gridcast::store
